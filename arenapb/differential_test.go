package arenapb_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/testpb"
	"github.com/arena-go/arena/offheap"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

var seedFlag = flag.Uint64("seed", 0, "seed of the random tests (0 is a random one)")

// random returns a source of random numbers whose seed is logged.
func random(t testing.TB) *rand.Rand {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-seed=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// rounds is how often a random test does what it does.
func rounds(n int) int {
	if testing.Short() {
		return max(n/10, 1)
	}
	return n
}

// watched tells whether the program is built to look for what is used after Free, and so must not do that. Otherwise
// it may.
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

// failing is a resolver that knows nothing, and says so in a way of its own.
type failing struct{ *protoregistry.Types }

func (failing) FindExtensionByNumber(protoreflect.FullName, protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	return nil, errors.New("no extension today")
}

// randomOptions returns options of which most are the default.
func randomOptions(r *rand.Rand) (o arenapb.UnmarshalOptions) {
	o.Merge = r.IntN(4) == 0
	o.AllowPartial = r.IntN(2) == 0
	o.DiscardUnknown = r.IntN(4) == 0
	o.AliasInput = r.IntN(3) == 0
	if r.IntN(6) == 0 {
		o.RecursionLimit = r.IntN(8) - 1
	}
	switch r.IntN(12) {
	case 0, 1:
		o.Resolver = new(protoregistry.Types)
	case 2:
		o.Resolver = failing{}
	}
	return o
}

// onHeap returns the options for package proto.
func onHeap(o arenapb.UnmarshalOptions) proto.UnmarshalOptions {
	return proto.UnmarshalOptions{Merge: o.Merge, AllowPartial: o.AllowPartial, DiscardUnknown: o.DiscardUnknown, RecursionLimit: o.RecursionLimit, Resolver: o.Resolver}
}

// newWire returns a source of input that is good, odd or bad.
func newWire(r *rand.Rand) *wire {
	w := &wire{r: r, budget: 1 + r.IntN(1<<r.IntN(9))}
	switch r.IntN(6) {
	case 0, 1:
	case 2, 3:
		w.odd = 20 + r.IntN(200)
	case 4:
		w.odd, w.bad = r.IntN(100), 1+r.IntN(10)
	case 5:
		w.bad = 1 + r.IntN(30)
	}
	return w
}

// input returns random input for a message.
func input(r *rand.Rand, md protoreflect.MessageDescriptor) []byte {
	w := newWire(r)
	var b []byte
	if r.IntN(30) == 0 {
		b = w.nested(md, 1+r.IntN(10))
	}
	b = w.message(b, md, 0)
	if r.IntN(4) == 0 {
		b = w.message(b, md, 0) // to be merged with the first
	}
	if r.IntN(10) == 0 {
		b = w.damage(b)
	}
	return b
}

// A pair is a message that was decoded into an arena, and the same decoded by package proto.
type pair struct {
	mt        protoreflect.MessageType
	got, want proto.Message
	options   arenapb.UnmarshalOptions
	input     []byte
}

func (p *pair) String() string {
	o := p.options
	return fmt.Sprintf("%s, Merge %t, AllowPartial %t, DiscardUnknown %t, RecursionLimit %d, Resolver %T, AliasInput %t, input %x",
		p.mt.Descriptor().FullName(), o.Merge, o.AllowPartial, o.DiscardUnknown, o.RecursionLimit, o.Resolver, o.AliasInput, p.input)
}

// check fails the test if the two messages differ.
func (p *pair) check(t *testing.T, when string) {
	t.Helper()
	if s := sameMessage(p.got, p.want); s != "" {
		t.Fatalf("%s: %s\n%v", when, s, p)
	}
}

// decode decodes input into both messages, and reports whether that succeeded. What is left of the
// input is overwritten unless it belongs to the message.
func (p *pair) decode(t *testing.T, a *arena.Arena, b []byte, o arenapb.UnmarshalOptions) bool {
	t.Helper()
	p.input, p.options = b, o
	ok, s := p.try(a)
	if s != "" {
		t.Fatalf("%s\n%v\n%s", s, p, p.shrink())
	}
	return ok
}

// try is decode without a test: it says what is wrong.
func (p *pair) try(a *arena.Arena) (ok bool, wrong string) {
	var want error
	if !catch(func() { want = onHeap(p.options).Unmarshal(bytes.Clone(p.input), p.want) }) {
		// Package proto itself panics for an entry of a map of a dynamic message with two keys, the second of another type.
		if _, ok := p.want.(*dynamicpb.Message); !ok {
			return false, "package proto panics"
		}
		proto.Reset(p.got)
		proto.Reset(p.want)
		return false, ""
	}
	in := bytes.Clone(p.input)
	got := p.options.Unmarshal(a, in, p.got)
	if !bytes.Equal(in, p.input) {
		return false, "the input was changed"
	}
	s := sameError(got, want)
	if p.options.Merge && p.options.Resolver != nil && got != nil && want != nil && errors.Is(got, proto.Error) {
		s = "" // which is the first error is up to the extensions that the message had
	}
	if s != "" {
		return false, s
	}
	if !p.options.AliasInput {
		for i := range in {
			in[i] = ^in[i]
		}
	}
	if got != nil {
		// What an error leaves is not specified; package proto may panic when it is used.
		proto.Reset(p.got)
		proto.Reset(p.want)
		return false, ""
	}
	if s := sameMessage(p.got, p.want); s != "" {
		return false, "decoded: " + s
	}
	return true, ""
}

// shrink takes away as much of the input as it can without making right what is wrong with it.
func (p *pair) shrink() string {
	wrong := func(b []byte) (s string) {
		a := arena.NewArena()
		defer a.Free()
		q := pair{mt: p.mt, got: p.mt.New().Interface(), want: p.mt.New().Interface(), options: p.options, input: b}
		if !catch(func() { _, s = q.try(a) }) {
			s = "panics"
		}
		return s
	}
	b := p.input
	for n := len(b); n > 0; {
		was := len(b)
		for i := 0; i+n <= len(b); {
			if less := slices.Delete(bytes.Clone(b), i, i+n); wrong(less) != "" {
				b = less
			} else {
				i++
			}
		}
		if n = min(n/2, len(b)); n == 0 && len(b) < was {
			n = 1
		}
	}
	if s := wrong(b); s != "" {
		return fmt.Sprintf("as does, into an empty message, %x: %s", b, s)
	}
	return "into an empty message of its own it is right"
}

// catch reports whether f returns and does not panic.
func catch(f func()) (returned bool) {
	defer func() {
		if !returned {
			recover()
		}
	}()
	f()
	return true
}

// newPair makes two empty messages, or two that have something already.
func newPair(t *testing.T, r *rand.Rand, a *arena.Arena, mt protoreflect.MessageType, filled bool) *pair {
	p := &pair{mt: mt, got: mt.New().Interface(), want: mt.New().Interface()}
	if goType := reflect.TypeOf(p.got).Elem(); r.IntN(2) == 0 && goType != reflect.TypeFor[dynamicpb.Message]() {
		p.got = arena.NewValue(a, goType).Interface().(proto.Message)
	}
	if filled {
		if r.IntN(2) == 0 {
			a = nil
		}
		w := wire{r: r, budget: 50}
		p.decode(t, a, w.message(nil, mt.Descriptor(), 0), arenapb.UnmarshalOptions{AllowPartial: true})
	}
	return p
}

// An episode is what happens in an arena between two Resets: messages of several types
// are decoded, changed, copied and decoded into again, while the collector runs.
func episode(t *testing.T, r *rand.Rand, a *arena.Arena, list []protoreflect.MessageType) (pairs []*pair) {
	t.Helper()
	for range 1 + r.IntN(12) {
		mt := list[r.IntN(len(list))]
		o := randomOptions(r)
		p := newPair(t, r, a, mt, o.Merge || r.IntN(4) == 0)
		if p.decode(t, a, input(r, mt.Descriptor()), o) {
			pairs = append(pairs, p)
		}
		if len(pairs) == 0 {
			continue
		}
		switch p := pairs[r.IntN(len(pairs))]; r.IntN(16) {
		case 0, 1, 2:
			p.mutate(r)
			p.check(t, "changed")
		case 3:
			p.got, p.want = proto.Clone(p.got), proto.Clone(p.want)
		case 4:
			got, want := p.mt.New().Interface(), p.mt.New().Interface()
			proto.Merge(got, p.got)
			proto.Merge(want, p.want)
			p.got, p.want = got, want
		case 5:
			proto.Reset(p.got)
			proto.Reset(p.want)
		case 6:
			p.decode(t, a, input(r, p.mt.Descriptor()), randomOptions(r))
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

// mutate changes both messages in the same way.
func (p *pair) mutate(r *rand.Rand) {
	seed := r.Uint64()
	mutate(rand.New(rand.NewPCG(seed, 0)), p.got.ProtoReflect(), 0)
	mutate(rand.New(rand.NewPCG(seed, 0)), p.want.ProtoReflect(), 0)
}

// TestDifferential decodes random input of all types, valid and not, into arenas that are used again and again.
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
		// Free leaves what was decoded as it is, to its owner.
		a.Free()
		a = arena.NewArena()
		if r.IntN(4) == 0 {
			runtime.GC()
		}
		for _, p := range pairs {
			p.mutate(r)
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

// TestDifferentialMerge merges input of all kinds into messages that package proto decodes in part: those that hold
// messages with the opaque API, and those with extensions.
func TestDifferentialMerge(t *testing.T) {
	r := random(t)
	list := slices.DeleteFunc(types(), func(mt protoreflect.MessageType) bool {
		return mt.Descriptor().ExtensionRanges().Len() == 0 && !strings.HasSuffix(string(mt.Descriptor().Name()), "Mix")
	})
	a := arena.NewArena()
	defer a.Free()
	for range rounds(4000) {
		mt := list[r.IntN(len(list))]
		o := randomOptions(r)
		o.Merge = true
		newPair(t, r, a, mt, true).decode(t, a, input(r, mt.Descriptor()), o)
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
			p := &pair{mt: list[r.IntN(len(list))]}
			p.got, p.want = p.mt.New().Interface(), p.mt.New().Interface()
			b := input(r, p.mt.Descriptor())
			var limit *arena.LimitError
			switch err := arena.Try(func() { p.decode(t, a, b, randomOptions(r)) }); {
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

// TestRecursionLimit decodes messages that are nested just as deeply as is allowed, and a little more.
func TestRecursionLimit(t *testing.T) {
	limits := []int{-1, 0, 1, 2, 3, 10, 100}
	w := wire{r: random(t)}
	a := arena.NewArena()
	defer a.Free()
	nested := 0
	for i, mt := range types() {
		for _, limit := range limits {
			depth := limit
			if limit == 0 {
				depth = protowire.DefaultRecursionLimit
				if testing.Short() || i%32 > 0 {
					continue // it takes time
				}
			}
			for _, add := range []int{-2, -1, 0, 1} {
				b := w.nested(mt.Descriptor(), depth+add)
				if b == nil {
					continue
				}
				nested++
				p := &pair{mt: mt, got: mt.New().Interface(), want: mt.New().Interface()}
				p.input, p.options = b[:min(len(b), 100)], arenapb.UnmarshalOptions{RecursionLimit: limit}
				want := onHeap(p.options).Unmarshal(b, p.want)
				if s := sameError(p.options.Unmarshal(a, b, p.got), want); s != "" {
					t.Errorf("depth %d: %s\n%v", depth+add, s, p)
				} else if want == nil && !proto.Equal(p.got, p.want) {
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
		f.Add(input(r, mt.Descriptor()), uint16(i), uint16(r.Uint32()))
	}
	f.Fuzz(func(t *testing.T, b []byte, which, bits uint16) {
		a := arena.NewArena()
		defer a.Free()
		mt := list[int(which)%len(list)]
		o := arenapb.UnmarshalOptions{AllowPartial: bits&1 != 0, DiscardUnknown: bits&2 != 0, AliasInput: bits&4 != 0, RecursionLimit: int(bits >> 12)}
		p := &pair{mt: mt, got: mt.New().Interface(), want: mt.New().Interface()}
		if p.decode(t, a, b, o) && bits&8 != 0 {
			o.Merge = true
			p.decode(t, a, b, o)
		}
		a.Reset()
	})
}
