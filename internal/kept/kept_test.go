package kept

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena/internal/testrun"
)

// An owner records its calls.
type owner struct {
	mu       sync.Mutex
	reported []string
	kept     int
}

func (o *owner) Error(s Survivor) error { return fmt.Errorf("%s: %s", s.Unit.Which(), s.What()) }

func (o *owner) Report(s Survivor) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reported = append(o.reported, fmt.Sprintf("%s, and %d others", s.What(), s.Others))
}

func (o *owner) Kept(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kept += n
}

// text adds a text to u, and returns it.
//
//go:noinline
func (u *Unit) testText(s string) []byte {
	b := make([]byte, max(len(s), 16))[:len(s)]
	copy(b, s)
	u.Add(b, Text, nil, len(b))
	return b
}

// end makes a Unit with n texts, and ends it. It returns one of them, if n > 0.
func end(o Owner, name string, sampled bool, n int) (b []byte) {
	u := NewUnit(o, name, nil, sampled)
	for i := range n {
		b = u.testText(fmt.Sprintf("text %d of %d", i, n))
	}
	u.End(nil, true)
	u.Wait()
	return b
}

func named(name string) func(string) bool { return func(n string) bool { return n == name } }

// TestCheck checks that what is kept is found once, by who asks for it.
func TestCheck(t *testing.T) {
	name := t.Name()
	b := end(new(owner), name, false, 3)
	end(new(owner), name, false, 2)
	other := end(new(owner), name+"/other", false, 2)
	found := Check(named(name))
	if len(found) != 1 || found[0].Passing || found[0].Error().Error() != `number 1: text "text 2 of 3" (11 bytes)` || found[0].Addr != address(b) {
		t.Errorf("found %+v", found)
	}
	if found := Check(named(name)); len(found) > 0 {
		t.Errorf("found again: %v", found[0].Error())
	}
	if found := Check(named(name + "/other")); len(found) != 1 || !strings.Contains(runtime.FuncForPC(found[0].Allocated()[0]-1).Name(), "end") {
		t.Errorf("found %+v", found)
	}
	runtime.KeepAlive(b)
	runtime.KeepAlive(other)
}

// TestPassing checks that values that only a sync.Pool, a finalizer or a cleanup holds are
// distinguished, as often as the finalizers of a chain hold them.
func TestPassing(t *testing.T) {
	name := t.Name()
	var pool sync.Pool
	type link struct {
		_    *link
		text []byte
	}
	for range testrun.Times(10, 100) {
		func() {
			b := end(new(owner), name, false, 1)
			pool.Put(&b)
			first, second := &link{text: end(new(owner), name, false, 1)}, &link{}
			runtime.SetFinalizer(first, func(l *link) { l.text[0]++ })
			runtime.AddCleanup(second, func(b []byte) { b[0]++ }, end(new(owner), name, false, 1))
		}()
		for _, s := range Check(named(name)) {
			if !s.Passing {
				t.Fatalf("%v is kept", s.Error())
			}
		}
	}
}

// TestHold checks that what Hold was given is there until Release, and that a path from it is
// known.
func TestHold(t *testing.T) {
	name := t.Name()
	Hold(name, map[string][]byte{"key": end(new(owner), name, false, 1)})
	if found := Check(named(name)); len(found) != 1 {
		t.Errorf("found %v", found)
	}
	if Release(name); len(held.by) != 0 {
		t.Errorf("held: %v", held.by)
	}
	path := []string{"global kept.held, field by (map[string][]any)", "value ([]any)", "element 0 (*main.service)", "field seen", "key"}
	if what, rest, ok := HeldBy(path); what != "*main.service" || !slices.Equal(rest, path[3:]) || !ok {
		t.Errorf("%q %q %t", what, rest, ok)
	}
	if _, _, ok := HeldBy([]string{"global main.held", "key"}); ok {
		t.Error("a variable of the program is taken for what is held")
	}
}

// TestBounds checks how many Units wait, and that those go first that nobody keeps.
func TestBounds(t *testing.T) {
	name := t.Name()
	var all [][]byte
	before := Dropped()
	for i := range 5 * maxUnits {
		if i%16 == 0 {
			all = append(all, end(new(owner), name, false, 2))
		} else {
			end(new(owner), name, false, 2)
		}
		if i%1000 == 0 {
			runtime.GC()
		}
		ended.Lock()
		units, notes := len(ended.units), 0
		for _, u := range ended.units {
			notes += len(u.notes)
		}
		if units > maxUnits || notes != ended.notes {
			t.Fatalf("%d units, %d notes, said to be %d", units, notes, ended.notes)
		}
		ended.Unlock()
	}
	if found := Check(named(name)); len(found) != len(all) || Dropped() != before {
		t.Errorf("found %d of %d, %d were dropped", len(found), len(all), Dropped()-before)
	}
	for range 2 * maxUnits {
		all = append(all, end(new(owner), name, false, 1))
	}
	if n := Dropped() - before; n < maxUnits || n > 2*maxUnits {
		t.Errorf("%d were dropped", n)
	}
	Check(named(name))
	runtime.KeepAlive(all)
}

// TestWatch checks that a sampled Unit is reported some collections after its end, and how much of
// it.
func TestWatch(t *testing.T) {
	o := new(owner)
	u := NewUnit(o, t.Name(), nil, true)
	var all [][]byte
	for i := range 3 * maxReports {
		all = append(all, u.testText(fmt.Sprint("text ", i)))
		u.testText("gone")
	}
	u.End(nil, false)
	u.Wait()
	if !testrun.Collect(func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return len(o.reported) >= maxReports
	}) {
		t.Error("nothing was reported")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.kept != len(all) || len(o.reported) != maxReports || o.reported[0] != `text "text 0" (6 bytes), and 0 others` ||
		!strings.HasSuffix(o.reported[maxReports-1], fmt.Sprintf(", and %d others", 2*maxReports)) {
		t.Errorf("%d are kept, reported: %q", o.kept, o.reported)
	}
	runtime.KeepAlive(all)
}

// TestConcurrent checks Units of many goroutines, each of which looks for its own.
func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			name := fmt.Sprint(t.Name(), g)
			for i := range testrun.Times(10, 100) {
				var all [][]byte
				for j := range 20 {
					if b := end(new(owner), name, j%5 == 4, 3); j%5 < i%5 {
						all = append(all, b)
					}
				}
				n := 0
				for _, s := range Check(named(name)) {
					if !s.Passing {
						n++
					}
				}
				want := 4 * min(i%5, 4)
				if n != want {
					t.Errorf("%d are kept, want %d", n, want)
				}
				runtime.KeepAlive(all)
			}
		})
	}
	wg.Wait()
}

// TestQuote checks that a text is cut after a whole rune.
func TestQuote(t *testing.T) {
	for _, test := range []struct {
		text  string
		bytes int
		want  string
	}{
		{"short", 5, `"short"`},
		{"shor", 5, `"shor"…`},
		{"", 0, `""`},
		{"", 5, `""…`},
		{"a\xff", 2, `"a\xff"`},
		{"aü"[:2], 9, `"a"…`},
		{"aü", 9, `"aü"…`},
		{"a€"[:3], 9, `"a"…`},
		{"a😀"[:4], 9, `"a"…`},
		{"a😀", 9, `"a😀"…`},
		{"\x80\x80\x80\x80\x80", 9, `"\x80\x80\x80\x80\x80"…`},
	} {
		if got := Quote(test.text, test.bytes); got != test.want {
			t.Errorf("%q of %d bytes is %s, want %s", test.text, test.bytes, got, test.want)
		}
	}
}

// TestWhat checks what is said of values.
func TestWhat(t *testing.T) {
	for _, test := range []struct {
		kind  Kind
		typ   reflect.Type
		bytes int
		count int
		want  string
	}{
		{Value, reflect.TypeFor[int32](), 4, 1, "a value of type int32 (4 bytes)"},
		{Slice, reflect.TypeFor[string](), 32, 2, "a slice of 2 string (32 bytes)"},
		{Chunk, reflect.TypeFor[string](), 1600, 100, "some of 100 values of type string made from there on (1600 bytes together)"},
		{Chunk, nil, 4096, 0, "some of the texts and plain values made from there on (4096 bytes together)"},
		{References, nil, 4096, 0, "what references are to (4096 bytes)"},
	} {
		s := Survivor{note: &note{Kind: test.kind, typ: test.typ, bytes: test.bytes, count: test.count}}
		if got := s.What(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
	for _, u := range []Unit{{}, {Number: 3}, {Label: "GET /"}, {Label: "GET /", Number: 3}} {
		if got, want := u.Which(), strings.Join(slices.DeleteFunc([]string{u.Label, map[int]string{3: "number 3"}[u.Number]}, func(s string) bool { return s == "" }), ", "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
