package arenapb_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/difftest"
	"github.com/arena-go/arena/arenapb/internal/testpb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// events makes OnPanic record its calls until the test ends.
func events(t testing.TB) *[]*arenapb.Panic {
	list := new([]*arenapb.Panic)
	arenapb.OnPanic(func(p *arenapb.Panic) { *list = append(*list, p) })
	t.Cleanup(func() { arenapb.OnPanic(nil) })
	return list
}

// TestPanic decodes random messages with plans in which a field panics. The result equals
// proto.Unmarshal's, also in messages with previous contents, and the arena stays usable.
func TestPanic(t *testing.T) {
	r := random(t)
	list := types()
	told := events(t)
	a := arena.NewArena()
	defer func() { a.Free() }()
	contained, merged := 0, 0
	for range rounds(1000) {
		broken := list[r.IntN(len(list))]
		fds := broken.Descriptor().Fields()
		if fds.Len() == 0 {
			continue
		}
		mt := broken
		if r.IntN(3) == 0 {
			mt = list[r.IntN(len(list))]
		}
		o := difftest.RandomOptions(r)
		o.Merge = r.IntN(2) == 0
		p := randomPair(t, r, a, mt, o.Merge || r.IntN(4) == 0)
		mend, ok := arenapb.Break(broken.New().Interface(), fds.Get(r.IntN(fds.Len())).Number())
		if !ok {
			continue
		}
		whole := arenapb.Mend(p.Got)
		before, panics := len(*told), arenapb.Panics()
		var own *arenapb.Panic
		b := difftest.Input(r, mt.Descriptor())
		o.OnPanic = func(p *arenapb.Panic) {
			if own = p; !bytes.Equal(p.Input, b) {
				t.Fatalf("the event's input is %x", p.Input)
			}
		}
		p.decode(t, a, b, o)
		if n := len(*told) - before; n > 1 || arenapb.Panics() != panics+int64(n) || (own != nil) != (n == 1) {
			t.Fatalf("%d events, %d counted, the call's own is %v", n, arenapb.Panics()-panics, own)
		}
		if own != nil {
			contained++
			if o.Merge {
				merged++
			}
			if own != (*told)[before] || own.Type != reflect.TypeOf(p.Got) || own.Value == nil || !strings.Contains(string(own.Stack), "arenapb.") {
				t.Fatalf("the event is %+v", own)
			}
			if f := arenapb.Fallbacks(p.Got); len(f) != 1 || !strings.Contains(f[0], "arenapb has panicked: ") {
				t.Fatalf("Fallbacks is %q", f)
			}
			q := randomPair(t, r, a, mt, false)
			q.decode(t, a, b, o) // left to protobuf
			if len(*told) != before+1 {
				t.Fatalf("%s has panicked twice", mt.Descriptor().FullName())
			}
		}
		whole()
		mend()
		episode(t, r, a, list)
		a.Reset()
	}
	t.Logf("%d panics were contained, %d of them in a Merge", contained, merged)
	if contained == 0 || merged == 0 {
		t.Error("nothing was tested")
	}
}

// TestRefused makes the decoder refuse right input: that is reported as well, and the message is
// decoded.
func TestRefused(t *testing.T) {
	told := events(t)
	a := arena.NewArena()
	defer a.Free()
	m := &testpb.All3{}
	defer arenapb.Mend(m)()
	mend, ok := arenapb.Refuse(m, 15)
	if !ok {
		t.Fatal("no such field")
	}
	defer mend()
	if err := arenapb.Unmarshal(a, []byte("\x18\x05\x7a\x01\xff"), m); err != nil || m.OneInt32 != 5 || string(m.OneBytes) != "\xff" {
		t.Errorf("%v, %v", m, err)
	}
	if len(*told) != 1 || !strings.Contains((*told)[0].Error(), "was refused") {
		t.Errorf("events are %v", *told)
	}
}

// TestRefusedMerge has the decoder refuse what is right for a message that has an extension, and
// wrong for one without it: the Resolver finds none. It was an error.
func TestRefusedMerge(t *testing.T) {
	told := events(t)
	a := arena.NewArena()
	defer a.Free()
	message := func() *testpb.All2 {
		m := &testpb.All2{Extendable: &testpb.Extendable2{}, OptBytes: []byte{0xff}}
		proto.SetExtension(m.Extendable, testpb.E_ExtBool, true)
		return m
	}
	got, want := message(), message()
	b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(message())
	if err != nil {
		t.Fatal(err)
	}
	var o arenapb.UnmarshalOptions
	o.Merge, o.AllowPartial, o.Resolver = true, true, broken{}
	if err := (proto.UnmarshalOptions{Merge: true, AllowPartial: true, Resolver: broken{}}).Unmarshal(b, want); err != nil {
		t.Fatal(err)
	}
	defer arenapb.Mend(got)()
	mend, ok := arenapb.Refuse(got, 15)
	if !ok {
		t.Fatal("no such field")
	}
	defer mend()
	if err := o.Unmarshal(a, b, got); err != nil || !proto.Equal(got, want) {
		t.Errorf("%v\n%v, want\n%v", err, got, want)
	}
	if len(*told) != 1 {
		t.Errorf("events are %v", *told)
	}
	if err := o.Unmarshal(a, b, new(testpb.All2)); err == nil {
		t.Error("the Resolver's error is lost")
	}
}

// TestRefusedPartial makes the decoder refuse right input, in a message that lacks a required
// field: protobuf asks only for the required fields of the input.
func TestRefusedPartial(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	mend, ok := arenapb.Refuse(&testpb.All2{}, 15)
	if !ok {
		t.Fatal("no such field")
	}
	defer mend()
	for _, input := range []*testpb.All2{{OptBytes: []byte{0xff}}, {OptBytes: []byte{0xff}, OptRequired: &testpb.Required2{}}} {
		b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(input)
		if err != nil {
			t.Fatal(err)
		}
		p := newPair(input.ProtoReflect().Type())
		p.Got, p.Want = &testpb.All2{OptRequired: &testpb.Required2{}}, &testpb.All2{OptRequired: &testpb.Required2{}}
		again, told := arenapb.Mend(p.Got), 0
		p.decode(t, a, b, arenapb.UnmarshalOptions{Merge: true, OnPanic: func(*arenapb.Panic) { told++ }})
		if again(); told != 1 {
			t.Errorf("%d events", told)
		}
	}
}

// broken is a Resolver that fails.
type broken struct{}

func (broken) FindExtensionByName(protoreflect.FullName) (protoreflect.ExtensionType, error) {
	return nil, errors.New("no extension today")
}

func (broken) FindExtensionByNumber(protoreflect.FullName, protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	return nil, errors.New("no extension today")
}

// TestResolverRecovers has a Resolver fail, and find what it is asked for later: that is nobody's
// mistake, and the next messages are decoded natively.
func TestResolverRecovers(t *testing.T) {
	told := events(t)
	m := new(testpb.Extendable2)
	proto.SetExtension(m, testpb.E_ExtInt32, int32(5))
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	inJSON := map[string]proto.Message{
		`{"[arena.testpb.ext_int32]":5}`:                            new(testpb.Extendable2),
		`{"any":{"@type":"google.protobuf.Duration","value":"1s"}}`: new(testpb.Known3),
	}
	fallbacks := func() (all [][]string) {
		for _, m := range inJSON {
			all = append(all, arenapb.Fallbacks(m), arenapb.JSONFallbacks(m))
		}
		slices.SortFunc(all, slices.Compare)
		return all
	}
	before := fallbacks()
	a := arena.NewArena()
	defer a.Free()
	decoded := 0
	for n := range 4 {
		got := new(testpb.Extendable2)
		if err := (arenapb.UnmarshalOptions{Resolver: &recovers{protoregistry.GlobalTypes, n}}).Unmarshal(a, b, got); err == nil {
			decoded++
			if !proto.Equal(got, m) {
				t.Errorf("%d errors: %v, want %v", n, got, m)
			}
		}
		for text, m := range inJSON {
			if err := (arenapb.UnmarshalJSONOptions{Resolver: &recovers{protoregistry.GlobalTypes, n}}).Unmarshal(a, []byte(text), m); err == nil {
				decoded++
			}
		}
	}
	if decoded < 6 || len(*told) > 0 {
		t.Errorf("%d of 12 messages are decoded, events are %v", decoded, *told)
	}
	if got := fallbacks(); !reflect.DeepEqual(got, before) {
		t.Errorf("%q, before %q", got, before)
	}
}

// recovers is a Resolver that fails a number of times.
type recovers struct {
	*protoregistry.Types
	times int
}

func (r *recovers) fails() error {
	if r.times--; r.times >= 0 {
		return errors.New("try again")
	}
	return nil
}

func (r *recovers) FindExtensionByName(name protoreflect.FullName) (protoreflect.ExtensionType, error) {
	if err := r.fails(); err != nil {
		return nil, err
	}
	return r.Types.FindExtensionByName(name)
}

func (r *recovers) FindExtensionByNumber(message protoreflect.FullName, number protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	if err := r.fails(); err != nil {
		return nil, err
	}
	return r.Types.FindExtensionByNumber(message, number)
}

func (r *recovers) FindMessageByURL(url string) (protoreflect.MessageType, error) {
	if err := r.fails(); err != nil {
		return nil, err
	}
	return r.Types.FindMessageByURL(url)
}

// TestSharedWrapper merges into a message that has the wrapper of a oneof twice, and is refused
// half-way: what the wrapper had first is there again, and not what it had when the decoder came to
// it for the second time.
func TestSharedWrapper(t *testing.T) {
	told := events(t)
	a := arena.NewArena()
	defer a.Free()
	message := func() *testpb.All3 {
		w := &testpb.All3_SecondNested{}
		return &testpb.All3{Second: w, OneMessage: &testpb.All3{Second: w}}
	}
	got, want := message(), message()
	b, err := proto.Marshal(&testpb.All3{
		OneMessage: &testpb.All3{OneBytes: []byte{0xff}},
		Second:     &testpb.All3_SecondNested{SecondNested: &testpb.All3_Nested{More: []*testpb.All3_Nested{{A: 1}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	// The oneof has to come first.
	_, _, n := protowire.ConsumeField(b)
	b = append(b[n:len(b):len(b)], b[:n]...)
	if err := (proto.UnmarshalOptions{Merge: true}).Unmarshal(b, want); err != nil {
		t.Fatal(err)
	}
	defer arenapb.Mend(got)()
	mend, ok := arenapb.Refuse(got, 15)
	if !ok {
		t.Fatal("no such field")
	}
	defer mend()
	if err := (arenapb.UnmarshalOptions{Merge: true}).Unmarshal(a, b, got); err != nil || !proto.Equal(got, want) {
		t.Errorf("%v\n%v, want\n%v", err, got, want)
	}
	if len(*told) != 1 {
		t.Errorf("events are %v", *told)
	}
}

// TestMisusePanics proves that a caller's mistake stays a panic, or the same error, and is no
// event.
func TestMisusePanics(t *testing.T) {
	told := events(t)
	b, err := proto.Marshal(&testpb.All3{RepString: []string{"one", "two"}})
	if err != nil {
		t.Fatal(err)
	}
	panicOf := func(f func()) (v any) {
		defer func() { v = recover() }()
		f()
		return nil
	}
	freed := arena.NewArena()
	freed.Free()
	if v := fmt.Sprint(panicOf(func() { arenapb.Unmarshal(freed, b, new(testpb.All3)) })); !strings.HasPrefix(v, "arena: an arena is used after Free") {
		t.Errorf("after Free: %v", v)
	}
	var pool arena.Pool
	pooled := pool.Get()
	pool.Put(pooled)
	if v := fmt.Sprint(panicOf(func() { arenapb.Unmarshal(pooled, b, new(testpb.All3)) })); !strings.HasPrefix(v, "arena: an arena is used after Pool.Put") {
		t.Errorf("after Put: %v", v)
	}
	small := arena.NewWith(arena.Options{Limit: 8})
	if _, ok := panicOf(func() { arenapb.Unmarshal(small, b, new(testpb.All3)) }).(*arena.LimitError); !ok {
		t.Error("no LimitError")
	}

	// The arena of a message is freed while it is decoded, by a Resolver, and there is more to
	// come.
	ext := []byte("\xa2\x06\x00\xa2\x06\x00")
	var o arenapb.UnmarshalOptions
	if !watched() {
		during := arena.NewArena()
		o.Resolver = resolver(func() { during.Free() })
		holds := []byte("\x0a\x05\x92\x0a\x02\x08\x01\x12\x00\x12\x00\x1a\x00")
		v := fmt.Sprint(panicOf(func() { o.Unmarshal(during, bytes.Repeat(holds, 100), new(testpb.Holds2)) }))
		if !strings.HasPrefix(v, "arena: ") {
			t.Errorf("freed meanwhile: %v", v)
		}
	}

	// A panic that package proto has, too, goes on.
	a := arena.NewArena()
	defer a.Free()
	o.Resolver = resolver(func() { panic("from a Resolver") })
	if v := panicOf(func() { o.Unmarshal(a, ext, new(testpb.ExtendableEd)) }); v != "from a Resolver" {
		t.Errorf("a Resolver's panic is %v", v)
	}
	// So does Goexit.
	done := make(chan bool, 1)
	go func() {
		returned := false
		defer func() { done <- returned }()
		o.Resolver = resolver(runtime.Goexit)
		o.Unmarshal(a, ext, new(testpb.ExtendableEd))
		returned = true
	}()
	if <-done {
		t.Error("Goexit returns")
	}
	if len(*told) != 0 {
		t.Errorf("events: %v", *told)
	}
	p := newPair((&testpb.All3{}).ProtoReflect().Type())
	p.decode(t, a, b, arenapb.UnmarshalOptions{})
}

// resolver is a Resolver that calls a function and knows nothing.
type resolver func()

func (f resolver) FindExtensionByName(protoreflect.FullName) (protoreflect.ExtensionType, error) {
	f()
	return nil, protoregistry.NotFound
}

func (f resolver) FindExtensionByNumber(protoreflect.FullName, protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	f()
	return nil, protoregistry.NotFound
}

// memory is an arena.Memory that panics.
type memory struct{}

func (memory) Alloc(int) ([]byte, error) { panic(errors.New("from a Memory")) }
func (memory) Free([]byte)               {}

// TestPanicText proves that a panic is written to standard error where nobody asks for it, and
// where it comes from: here from a Memory.
func TestPanicText(t *testing.T) {
	const child = "ARENAPB_PANIC"
	if os.Getenv(child) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestPanicText$")
		cmd.Env = append(os.Environ(), child+"=1")
		var text strings.Builder
		cmd.Stderr = &text
		if err := cmd.Run(); err != nil || !strings.Contains(text.String(), "arenapb: decoding a *testpb.Tree3 panicked; proto.Unmarshal has decoded it: from a Memory\n") ||
			!strings.Contains(text.String(), ".Alloc(") {
			t.Errorf("%v\n%s", err, text.String())
		}
		return
	}
	a := arena.NewWith(arena.Options{Memory: memory{}})
	m := new(testpb.Tree3)
	if err := arenapb.Unmarshal(a, []byte("\x2a\x01x"), m); err != nil || m.Label != "x" {
		t.Error(m, err)
	}
}
