package arenapb_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/difftest"
	"github.com/arena-go/arena/arenapb/internal/testpb"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/offheap"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

// random returns a source of random numbers whose seed is logged.
func random(t testing.TB) *rand.Rand {
	return rand.New(rand.NewPCG(testrun.Seed(t), 0))
}

// rounds is how often a random test does what it does.
func rounds(n int) int {
	if !testrun.Long() {
		return max(n/10, 1)
	}
	return n
}

// watched reports whether the program is built to look for what is used after Free, and so must not
// do that. Otherwise it may.
func watched() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
		return (s.Key == "-race" || s.Key == "-asan") && s.Value == "true" || s.Key == "-tags" && strings.Contains(s.Value, "arenadebug")
	})
}

// types returns the types of messages to decode, some of them dynamic.
func types() []protoreflect.MessageType {
	list := testpb.Messages()
	for _, name := range []string{"All2", "All3", "AllOp", "Maps3", "Extendable2"} {
		mt, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName("arena.testpb." + name))
		if err != nil {
			panic(err)
		}
		list = append(list[:len(list):len(list)], dynamicpb.NewMessageType(mt.Descriptor()), mt, mt)
	}
	return list
}

// A pair fails the test that it is in.
type pair struct{ difftest.Pair }

// newPair makes two empty messages.
func newPair(mt protoreflect.MessageType) *pair {
	return &pair{difftest.Pair{Type: mt, Got: mt.New().Interface(), Want: mt.New().Interface()}}
}

// check fails the test if the two messages differ.
func (p *pair) check(t *testing.T, when string) {
	t.Helper()
	if s := difftest.SameMessage(p.Got, p.Want); s != "" {
		t.Fatalf("%s: %s\n%v", when, s, p)
	}
}

// decode decodes input into both messages, and reports whether that succeeded. What is left of the
// input is overwritten unless it belongs to the message.
func (p *pair) decode(t *testing.T, a *arena.Arena, b []byte, o arenapb.UnmarshalOptions) bool {
	t.Helper()
	p.Input, p.Options = b, o
	ok, s := p.Try(a)
	if s != "" {
		t.Fatalf("%s\n%v\n%s", s, p, p.Shrink())
	}
	return ok
}

// randomPair makes two empty messages, or two that have something already.
func randomPair(t *testing.T, r *rand.Rand, a *arena.Arena, mt protoreflect.MessageType, filled bool) *pair {
	p := newPair(mt)
	if goType := reflect.TypeOf(p.Got).Elem(); r.IntN(2) == 0 && goType != reflect.TypeFor[dynamicpb.Message]() {
		p.Got = arena.NewValue(a, goType).Interface().(proto.Message)
	}
	if filled {
		if r.IntN(2) == 0 {
			a = nil
		}
		w := difftest.Wire{R: r, Budget: 50}
		p.decode(t, a, w.Message(nil, mt.Descriptor(), 0), arenapb.UnmarshalOptions{AllowPartial: true})
	}
	return p
}

// An episode is what happens in an arena between two Resets: messages of several types
// are decoded, changed, copied and decoded into again, while the collector runs.
func episode(t *testing.T, r *rand.Rand, a *arena.Arena, list []protoreflect.MessageType) (pairs []*pair) {
	t.Helper()
	for range 1 + r.IntN(12) {
		mt := list[r.IntN(len(list))]
		o := difftest.RandomOptions(r)
		p := randomPair(t, r, a, mt, o.Merge || r.IntN(4) == 0)
		if p.decode(t, a, difftest.Input(r, mt.Descriptor()), o) {
			pairs = append(pairs, p)
		}
		if len(pairs) == 0 {
			continue
		}
		switch p := pairs[r.IntN(len(pairs))]; r.IntN(16) {
		case 0, 1, 2:
			p.Mutate(r)
			p.check(t, "changed")
		case 3:
			p.Got, p.Want = proto.Clone(p.Got), proto.Clone(p.Want)
		case 4:
			got, want := p.Type.New().Interface(), p.Type.New().Interface()
			proto.Merge(got, p.Got)
			proto.Merge(want, p.Want)
			p.Got, p.Want = got, want
		case 5:
			proto.Reset(p.Got)
			proto.Reset(p.Want)
		case 6:
			p.decode(t, a, difftest.Input(r, p.Type.Descriptor()), difftest.RandomOptions(r))
		}
	}
	if r.IntN(16) == 0 {
		runtime.GC()
	}
	for _, p := range pairs {
		p.check(t, "at the end")
	}
	return pairs
}

// TestDifferential decodes random input of all types, valid and not, into arenas that are used
// again and again.
func TestDifferential(t *testing.T) {
	r := random(t)
	list := types()
	a := arena.NewArena()
	for range rounds(2000) {
		pairs := episode(t, r, a, list)
		if r.IntN(10) > 0 || watched() {
			a.Reset()
			continue
		}
		// Free leaves the decoded message unchanged, to its owner.
		a.Free()
		a = arena.NewArena()
		if r.IntN(4) == 0 {
			runtime.GC()
		}
		for _, p := range pairs {
			p.Mutate(r)
			p.check(t, "changed after Free")
		}
	}
	a.Free()
}

// TestDifferentialGOGC does the same while the collector runs nearly always.
func TestDifferentialGOGC(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	r := random(t)
	list := types()
	a := arena.NewArena()
	defer a.Free()
	for range rounds(400) {
		episode(t, r, a, list)
		a.Reset()
	}
}

// TestDifferentialArenas does the same in arenas of every kind, and on the heap.
func TestDifferentialArenas(t *testing.T) {
	r := random(t)
	list := types()
	for name, options := range map[string]arena.Options{
		"guard": {Guard: true}, "mmap": {Memory: new(offheap.Mmap)}, "retain=-1": {Retain: -1}, "retain=4096": {Retain: 4096},
	} {
		t.Run(name, func(t *testing.T) {
			a := arena.NewWith(options)
			defer a.Free()
			for range rounds(100) {
				episode(t, r, a, list)
				a.Reset()
			}
		})
	}
	t.Run("nil", func(t *testing.T) {
		for range rounds(300) {
			episode(t, r, nil, list)
		}
	})
}

// TestDifferentialMerge merges input of all kinds into messages that package proto decodes in part:
// those that hold messages with lazy fields, and those with extensions.
func TestDifferentialMerge(t *testing.T) {
	r := random(t)
	list := slices.DeleteFunc(types(), func(mt protoreflect.MessageType) bool {
		return mt.Descriptor().ExtensionRanges().Len() == 0 && !strings.HasSuffix(string(mt.Descriptor().Name()), "Mix")
	})
	a := arena.NewArena()
	defer a.Free()
	for range rounds(4000) {
		mt := list[r.IntN(len(list))]
		o := difftest.RandomOptions(r)
		o.Merge = true
		randomPair(t, r, a, mt, true).decode(t, a, difftest.Input(r, mt.Descriptor()), o)
		a.Reset()
	}
}

// TestDifferentialLimit decodes into arenas that have too little memory.
func TestDifferentialLimit(t *testing.T) {
	r := random(t)
	list := types()
	failed := 0
	for range rounds(300) {
		a := arena.NewWith(arena.Options{Limit: 1 + r.Int64N(1<<r.IntN(18))})
		for range 20 {
			p := newPair(list[r.IntN(len(list))])
			b := difftest.Input(r, p.Type.Descriptor())
			var limit *arena.LimitError
			switch err := arena.Try(func() { p.decode(t, a, b, difftest.RandomOptions(r)) }); {
			case errors.As(err, &limit):
				failed++
				if r.IntN(2) == 0 {
					a.Reset()
				}
			case err != nil:
				t.Fatalf("%v\n%v", err, p)
			}
		}
		a.Free()
	}
	t.Logf("%d failed for the limit", failed)
}

// TestMergeLimit merges into messages with a limit that is too small for the first chunk, for the
// second, and so on. A message is what it was before each Merge that fails.
func TestMergeLimit(t *testing.T) {
	r := random(t)
	list := types()
	failed := 0
	for range rounds(300) {
		mt := list[r.IntN(len(list))]
		p := randomPair(t, r, arena.NewArena(), mt, true)
		w := difftest.Wire{R: r, Budget: 100}
		b := w.Message(nil, mt.Descriptor(), 0)
		o := difftest.RandomOptions(r)
		o.Merge, o.Resolver = true, nil
		for limit := int64(1); ; {
			a := arena.NewWith(arena.Options{Limit: limit})
			err := arena.Try(func() { o.Unmarshal(a, bytes.Clone(b), p.Got) })
			if err == nil {
				difftest.OnHeap(o).Unmarshal(b, p.Want)
				p.check(t, "after Merge")
				break
			}
			failed++
			p.check(t, err.Error())
			var full *arena.LimitError
			if !errors.As(err, &full) {
				t.Fatal(err)
			}
			limit = full.Reserved + full.Needed
		}
	}
	t.Logf("%d failed for the limit", failed)
}

// TestRecursionLimit decodes messages that are nested just as deeply as is allowed, and a little
// more.
func TestRecursionLimit(t *testing.T) {
	limits := []int{-1, 0, 1, 2, 3, 10, 100}
	w := difftest.Wire{R: random(t)}
	a := arena.NewArena()
	defer a.Free()
	nested := 0
	for i, mt := range types() {
		for _, limit := range limits {
			depth := limit
			if limit == 0 {
				depth = protowire.DefaultRecursionLimit
				if !testrun.Long() || i%32 > 0 {
					continue // it takes time
				}
			}
			for _, add := range []int{-2, -1, 0, 1} {
				b := w.Nested(mt.Descriptor(), depth+add)
				if b == nil {
					continue
				}
				nested++
				p := newPair(mt)
				p.Input, p.Options = b[:min(len(b), 100)], arenapb.UnmarshalOptions{RecursionLimit: limit}
				want := difftest.OnHeap(p.Options).Unmarshal(b, p.Want)
				if s := difftest.SameError(p.Options.Unmarshal(a, b, p.Got), want); s != "" {
					t.Errorf("depth %d: %s\n%v", depth+add, s, p)
				} else if want == nil && !proto.Equal(p.Got, p.Want) {
					t.Errorf("depth %d: messages differ\n%v", depth+add, p)
				}
				a.Reset()
			}
		}
	}
	if nested == 0 {
		t.Error("no message nests")
	}
}

// FuzzDifferential decodes any bytes as a message of any type.
func FuzzDifferential(f *testing.F) {
	list := testpb.Messages()
	r := rand.New(rand.NewPCG(1, 2))
	for i, mt := range list {
		f.Add(difftest.Input(r, mt.Descriptor()), uint16(i), uint16(r.Uint32()))
	}
	f.Fuzz(func(t *testing.T, b []byte, which, bits uint16) {
		a := arena.NewArena()
		defer a.Free()
		mt := list[int(which)%len(list)]
		o := arenapb.UnmarshalOptions{AllowPartial: bits&1 != 0, DiscardUnknown: bits&2 != 0, AliasInput: bits&4 != 0, RecursionLimit: int(bits >> 12)}
		p := newPair(mt)
		if p.decode(t, a, b, o) && bits&8 != 0 {
			o.Merge = true
			p.decode(t, a, b, o)
		}
		a.Reset()
	})
}
