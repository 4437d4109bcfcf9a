package gogo_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/gogo"
	"github.com/arena-go/arena/arenapb/gogo/internal/gogotest"
	"github.com/arena-go/arena/arenapb/gogo/internal/testpb"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/offheap"
)

func random(t testing.TB) *rand.Rand {
	return rand.New(rand.NewPCG(testrun.Seed(t), 0))
}

func rounds(n int) int {
	if !testrun.Long() {
		return max(n/10, 1)
	}
	return n
}

func init() { gogo.Trust[testpb.Copied]() }

var messages = []gogo.Message{new(testpb.Series), new(testpb.Label), new(testpb.Sample), new(testpb.Copied), new(testpb.Handwritten)}

// input returns random input for m, valid or not.
func input(f *gogotest.Filler, m gogo.Message) []byte {
	if f.R.IntN(3) > 0 {
		m = messages[0]
	}
	b := f.Input(m)
	switch f.R.IntN(5) {
	case 0:
		b = f.Reorder(b, 0)
	case 1:
		b = f.Damage(b)
	case 2:
		b = append(b, f.Input(m)...)
	}
	return b
}

// episode decodes some messages into a, while the collector runs, and looks at all of them at the
// end. It returns them.
func episode(t *testing.T, f *gogotest.Filler, a *arena.Arena) (kept []gogotest.Pair) {
	t.Helper()
	for range 1 + f.R.IntN(8) {
		m := messages[f.R.IntN(len(messages))]
		p, ok, difference := gogotest.Compare(a, input(f, m), m, gogo.UnmarshalOptions{AliasInput: f.R.IntN(4) == 0})
		if difference != "" {
			t.Fatal(difference)
		}
		if ok {
			kept = append(kept, p)
		}
	}
	if f.R.IntN(16) == 0 {
		runtime.GC()
	}
	for _, p := range kept {
		if difference := p.Check(nil); difference != "" {
			t.Fatalf("at the end: %s", difference)
		}
	}
	return kept
}

// TestDifferential compares random messages with the results of the generated Unmarshal, in arenas
// of every kind and on the heap.
func TestDifferential(t *testing.T) {
	for name, options := range map[string]arena.Options{
		"default": {}, "guard": {Guard: true}, "mmap": {Memory: new(offheap.Mmap)}, "retain=-1": {Retain: -1}, "retain=4096": {Retain: 4096},
	} {
		t.Run(name, func(t *testing.T) {
			f := &gogotest.Filler{R: random(t)}
			a := arena.NewWith(options)
			defer a.Free()
			for range rounds(400) {
				episode(t, f, a)
				a.Reset()
			}
		})
	}
	t.Run("nil", func(t *testing.T) {
		f := &gogotest.Filler{R: random(t)}
		for range rounds(300) {
			episode(t, f, nil)
		}
	})
	t.Run("new", func(t *testing.T) {
		f := &gogotest.Filler{R: random(t)}
		for range rounds(300) {
			a := arena.NewArena()
			episode(t, f, a)
			a.Free()
		}
	})
	t.Run("GOGC=1", func(t *testing.T) {
		defer debug.SetGCPercent(debug.SetGCPercent(1))
		f := &gogotest.Filler{R: random(t)}
		a := arena.NewArena()
		defer a.Free()
		for range rounds(200) {
			episode(t, f, a)
			a.Reset()
		}
	})
}

// TestLimit decodes into arenas that have too little memory.
func TestLimit(t *testing.T) {
	f := &gogotest.Filler{R: random(t)}
	failed := 0
	for range rounds(300) {
		a := arena.NewWith(arena.Options{Limit: 1 + f.R.Int64N(1<<f.R.IntN(18))})
		for range 20 {
			var limit *arena.LimitError
			switch err := arena.Try(func() { episode(t, f, a) }); {
			case errors.As(err, &limit):
				failed++
				if f.R.IntN(2) == 0 {
					a.Reset()
				}
			case err != nil:
				t.Fatal(err)
			}
		}
		a.Free()
	}
	if failed == 0 {
		t.Error("no limit was exceeded")
	}
}

// FuzzUnmarshal compares any input.
func FuzzUnmarshal(f *testing.F) {
	fill := &gogotest.Filler{R: rand.New(rand.NewPCG(1, 2))}
	for range 20 {
		f.Add(input(fill, messages[0]))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a := arena.NewArena()
		defer a.Free()
		for _, m := range messages {
			if _, _, difference := gogotest.Compare(a, b, m, gogo.UnmarshalOptions{}); difference != "" {
				t.Fatal(difference)
			}
		}
	})
}

// series is one with all fields that are in an arena.
func series(n int) []byte {
	s := &testpb.Series{Name: "up", Data: []byte("data"), Kind: testpb.Kind_SOME, Count: 7, Next: &testpb.Series{Name: "next"}, Choice: &testpb.Series_Label{Label: &testpb.Label{Name: "a"}}}
	for range n {
		s.Labels = append(s.Labels, testpb.Label{Name: "name", Value: "value"})
		s.Samples = append(s.Samples, &testpb.Sample{Value: 1.5, At: 1e12})
		s.Ints = append(s.Ints, int64(n))
		s.Texts = append(s.Texts, "text")
		s.Flags = append(s.Flags, true)
		s.Ratios = append(s.Ratios, 0.5)
		s.Blobs = append(s.Blobs, []byte("blob"))
	}
	b, err := s.Marshal()
	if err != nil {
		panic(err)
	}
	return b
}

// TestInArena counts what is on the heap of a message without maps, decoded into an arena that is
// used again: nothing.
func TestInArena(t *testing.T) {
	if watched() {
		t.Log("a program that looks for mistakes has values of its own on the heap")
		return
	}
	b := series(100)
	a := arena.NewArena()
	defer a.Free()
	allocs := testing.AllocsPerRun(100, func() {
		if err := gogo.Unmarshal(a, b, gogo.New[testpb.Series](a)); err != nil {
			t.Fatal(err)
		}
		a.Reset()
	})
	if allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// watched reports whether the program is built to look for mistakes.
func watched() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
		return (s.Key == "-race" || s.Key == "-asan") && s.Value == "true" || s.Key == "-tags" && strings.Contains(s.Value, "arenadebug")
	})
}

// TestZeroFirst decodes into a message that has something.
func TestZeroFirst(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	for _, a := range []*arena.Arena{a, nil} {
		m := &testpb.Series{Name: "old", Labels: make([]testpb.Label, 3, 10), Attrs: map[string]string{"a": "b"}}
		if err := gogo.Unmarshal(a, []byte{8 << 3, 5}, m); err != nil || !reflect.DeepEqual(m, &testpb.Series{Count: 5}) {
			t.Errorf("%v, %+v", err, m)
		}
	}
}

// TestOwnBytes looks at what the Unmarshal of a field gets: a part of the caller's input.
func TestOwnBytes(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	b := append(series(3), 9<<3|2, 3, 'x', 'y', 'z')
	for _, o := range []gogo.UnmarshalOptions{{}, {AliasInput: true}} {
		m := new(testpb.Series)
		if err := o.Unmarshal(a, b, m); err != nil {
			t.Fatal(err)
		}
		if string(m.Id.Bytes) != "xyz" || unsafe.SliceData(m.Id.Bytes) != &b[len(b)-3] || cap(m.Id.Bytes) != 3 {
			t.Errorf("%+v: it got %q, which is not of the input", o, m.Id.Bytes)
		}
		if inside := unsafe.StringData(m.Name) == &b[2]; inside != o.AliasInput {
			t.Errorf("%+v: the name lies in the input: %v", o, inside)
		}
	}
}

// TestOwnErrors has the Unmarshal of a field return an error, and panic. Neither is a mistake of
// this package.
func TestOwnErrors(t *testing.T) {
	before := arenapb.Panics()
	a := arena.NewArena()
	defer a.Free()
	m := new(testpb.Series)
	if err := gogo.Unmarshal(a, []byte("\x0a\x01a\x4a\x05error"), m); err != testpb.ErrOwn || m.Name != "a" {
		t.Errorf("%v, %q", err, m.Name)
	}
	func() {
		defer func() {
			if v := recover(); v != "Own panics" {
				t.Error(v)
			}
		}()
		gogo.Unmarshal(a, []byte("\x4a\x05panic"), m)
	}()
	if n := arenapb.Panics(); n != before {
		t.Errorf("%d panics were reported", n-before)
	}
	if err := gogo.Unmarshal(a, series(3), m); err != nil || len(m.Labels) != 3 {
		t.Error(err)
	}
}

// TestPanic has the decoder panic: the message is decoded by its own Unmarshal, then and later.
func TestPanic(t *testing.T) {
	var told, global *arenapb.Panic
	arenapb.OnPanic(func(p *arenapb.Panic) { global = p })
	defer arenapb.OnPanic(nil)
	defer gogo.Break(new(testpb.Label), 2)()
	a := arena.NewArena()
	defer a.Free()
	b := []byte("\x0a\x01a\x12\x01b")
	m := new(testpb.Label)
	if err := (gogo.UnmarshalOptions{OnPanic: func(p *arenapb.Panic) { told = p }}).Unmarshal(a, b, m); err != nil || m.Name != "a" || m.Value != "b" {
		t.Errorf("%v, %+v", err, m)
	}
	if told == nil || told != global || told.Type != reflect.TypeFor[*testpb.Label]() || string(told.Input) != string(b) || len(told.Stack) == 0 {
		t.Errorf("%+v", told)
	}
	if list := gogo.Fallbacks(m); len(list) != 1 || !strings.Contains(list[0], "testpb.Label: gogo has panicked") {
		t.Errorf("%q", list)
	}
	told = nil
	if err := gogo.Unmarshal(a, b, m); err != nil || m.Value != "b" || told != nil {
		t.Errorf("%v, %+v, %v", err, m, told)
	}
}

// TestMisuse uses an arena after Free.
func TestMisuse(t *testing.T) {
	a := arena.NewArena()
	a.Free()
	defer func() {
		if v, _ := recover().(string); !strings.HasPrefix(v, "arena: ") {
			t.Errorf("%q", v)
		}
	}()
	gogo.Unmarshal(a, series(1), new(testpb.Series))
}

// TestFallbacks says which types are decoded by their own Unmarshal.
func TestFallbacks(t *testing.T) {
	for _, c := range []struct {
		m    gogo.Message
		want []string
	}{
		{new(testpb.Label), nil},
		{new(testpb.Copied), nil}, // it is trusted
		{new(testpb.Series), []string{
			"testpb.Series: field 6 is a map", "testpb.Own: its Unmarshal is handwritten", "testpb.Series: field 14 is a map",
		}},
		{new(testpb.Handwritten), []string{"testpb.Handwritten: its Unmarshal is handwritten"}},
		{new(testpb.Embedding), []string{"testpb.Embedding: its Unmarshal is handwritten"}},
		{new(list), []string{"*gogo_test.list: it is not a pointer to a struct"}},
		{new(lies), []string{"gogo_test.lies: field 2: its Unmarshal makes something else"}},
		{new(refuses), []string{"gogo_test.refuses: field 1: its Unmarshal refuses"}},
		{new(untagged), []string{"gogo_test.untagged: no field of it has a tag"}},
		{new(drops), []string{"gogo_test.drops: unknown fields: its Unmarshal "}},
		{new(panics), []string{"gogo_test.panics: a panic while it was tried: no"}},
		{nil, nil},
	} {
		got := gogo.Fallbacks(c.m)
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
			t.Errorf("%T: %q, want %q", c.m, got, c.want)
		}
	}
}

// Types whose Unmarshal is trusted, and does something else than the tags say.
type (
	list []byte
	lies struct {
		Value string `protobuf:"bytes,2,opt,name=value"`
	}
	refuses struct {
		Name []string `protobuf:"bytes,1,rep,name=name"`
	}
	untagged struct{ Name string }
	drops    struct {
		Name             string `protobuf:"bytes,1,opt,name=name"`
		XXX_unrecognized []byte
	}
	panics struct {
		Name string `protobuf:"bytes,1,opt,name=name"`
	}
)

func init() {
	gogo.Trust[lies]()
	gogo.Trust[refuses]()
	gogo.Trust[untagged]()
	gogo.Trust[drops]()
	gogo.Trust[panics]()
}

func (l *list) Unmarshal(b []byte) error { *l = b; return nil }

func (l *lies) Unmarshal(b []byte) error {
	var x testpb.Label
	err := x.Unmarshal(b)
	l.Value = x.Name
	return err
}

func (r *refuses) Unmarshal(b []byte) error {
	if len(b) > 0 {
		return errors.New("no")
	}
	return nil
}

func (u *untagged) Unmarshal(b []byte) error { u.Name = string(b); return nil }

func (d *drops) Unmarshal(b []byte) error {
	x := testpb.Label{Name: d.Name}
	err := x.Unmarshal(b)
	d.Name = x.Name
	return err
}

func (p *panics) Unmarshal(b []byte) error { panic("no") }

// TestRuns decodes lists whose elements follow each other, alternate with the elements of another
// list with the same slab, and are nested. It checks the memory that they allocate: in a new arena
// at most their weight, and later at most twice their weight plus the weight of a list before them.
func TestRuns(t *testing.T) {
	const n = 2000
	label := func(field int, text string) []byte {
		l := append([]byte{1<<3 | 2, byte(len(text))}, text...)
		return append(binary.AppendUvarint(nil, uint64(field)<<3|2), append([]byte{byte(len(l))}, l...)...)
	}
	run := func(field, n int) (b []byte) {
		for i := range n {
			b = append(b, label(field, string(rune('a'+i%26)))...)
		}
		return b
	}
	var alternating []byte
	for range n {
		alternating = append(append(alternating, label(2, "x")...), label(18, "y")...)
	}
	nested := label(18, "z")
	for range 100 {
		head := binary.AppendUvarint(binary.AppendUvarint(nil, 19<<3|2), uint64(len(nested)))
		nested = append(append(run(2, 1), head...), nested...)
	}
	var children []byte
	for i := range n {
		child := run(2, i%9)
		children = append(binary.AppendUvarint(binary.AppendUvarint(children, 19<<3|2), uint64(len(child))), child...)
	}
	var uneven []byte
	for i := range n {
		child := run(2, 9)
		if i%2 > 0 {
			child = append([]byte{2<<3 | 2, 0}, label(2, strings.Repeat("x", 100))...)
		}
		uneven = append(binary.AppendUvarint(binary.AppendUvarint(uneven, 19<<3|2), uint64(len(child))), child...)
	}
	long, err := (&testpb.Series{Labels: []testpb.Label{
		{Name: strings.Repeat("x", 127), Value: strings.Repeat("y", 128)}, {Name: strings.Repeat("x", 16383), Value: strings.Repeat("y", 16384)}, {},
	}}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	const labelSize, seriesSize = int64(unsafe.Sizeof(testpb.Label{})), int64(unsafe.Sizeof(testpb.Series{}))
	for name, c := range map[string]struct {
		in     []byte
		weight int64 // of the lists
		later  int64 // the most that they take where lists were decoded before
	}{
		"one":         {label(2, "a"), labelSize, labelSize},
		"many":        {run(2, n), n * labelSize, 3 * n * labelSize},
		"long tag":    {run(18, n), n * labelSize, n * labelSize},
		"alternating": {alternating, 2 * n * labelSize, 12 * n * labelSize},
		"nested":      {nested, 101*labelSize + 100*seriesSize, 101*labelSize + 100*seriesSize},
		"children":    {children, n*seriesSize + (n/9*36+1)*labelSize, n*seriesSize + (n/9*36+1)*labelSize},
		"long":        {long, 3 * labelSize, 3 * labelSize},
		"uneven":      {uneven, n*seriesSize + n/2*11*labelSize, n*seriesSize + n/2*11*labelSize},
	} {
		t.Run(name, func(t *testing.T) {
			a := arena.NewArena()
			defer a.Free()
			like := new(testpb.Series)
			if err := like.Unmarshal(c.in); err != nil {
				t.Fatal(err)
			}
			for round := range 4 {
				if round > 1 { // a list is before it that is longer
					if err := gogo.Unmarshal(a, run(2, 10*n), gogo.New[testpb.Series](a)); err != nil {
						t.Fatal(err)
					}
				}
				before := a.Stats().InUse
				m := new(testpb.Series)
				if err := (gogo.UnmarshalOptions{AliasInput: true}).Unmarshal(a, c.in, m); err != nil {
					t.Fatal(err)
				}
				if !gogotest.Same(m, like) {
					t.Fatal("it is not what the generated Unmarshal makes")
				}
				took, most := a.Stats().InUse-before, c.weight
				if round > 0 {
					most = c.later + c.later/100 // a list at the end of a chunk may get one of its own, which is not shrunk
				}
				if took < c.weight || took > most && !watched() {
					t.Errorf("round %d: %d bytes for %d, and at most %d", round, took, c.weight, most)
				}
				if round > 0 {
					a.Reset()
				}
			}
		})
	}
}
