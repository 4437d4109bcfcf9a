// Package schemas compares arenapb with package proto for all types of messages that a program has,
// which others have generated from schemas of their own. Each of the directories below is such a
// program, with some thousands of types:
//
//	common   the interfaces of Envoy, gRPC, Kubernetes, etcd, containerd, OpenTelemetry, Temporal, and of some databases
//	google   google.golang.org/genproto, and the rest of cloud.google.com/go
//	compute  Google's Compute Engine
//	others   Yandex Cloud, and databases
//
// Input is of the wire format and JSON, and what it means is encoded as JSON. Types are planned in
// an order that is random in each of some processes, and each type is the first in a process of its
// own. From this directory, with GOWORK=off, as the module is not in go.work:
//
//	go test ./common                  # a sample; `make schemas` does the same
//	go run ./common -help             # all types of one program
//	go run ./generate                 # writes imports.go of each program anew
//
// `make schemas-all` runs all programs with all their types.
package schemas

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/difftest"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// Types returns all types of messages of the program, in the order of their names.
func Types() (list []protoreflect.MessageType) {
	protoregistry.GlobalTypes.RangeMessages(func(mt protoreflect.MessageType) bool {
		list = append(list, mt)
		return true
	})
	slices.SortFunc(list, func(a, b protoreflect.MessageType) int {
		return strings.Compare(string(a.Descriptor().FullName()), string(b.Descriptor().FullName()))
	})
	return list
}

// A Result is what came of comparing.
type Result struct {
	Types       int // that were decoded
	Left        int // of them, those that arenapb leaves to package proto
	Messages    int // inputs that were decoded on both sides
	Accepted    int // of them, those without an error
	Differences []Difference
}

// A Difference is between what arenapb and package proto made of an input.
type Difference struct {
	Type string
	Text string
}

func (r *Result) add(s Result) {
	r.Types += s.Types
	r.Left += s.Left
	r.Messages += s.Messages
	r.Accepted += s.Accepted
	r.Differences = append(r.Differences, s.Differences...)
}

// A checker decodes messages of many types into arenas that it uses again and again.
type checker struct {
	Result
	r     *rand.Rand
	types []protoreflect.MessageType // whose encodings are put into encodings of others
	kept  *arena.Arena               // is Reset
	a     *arena.Arena               // kept, or another, or nil
	live  []decoded                  // in a
	until int                        // length of live at which the arena is left
}

// decoded is a message that both sides have decoded, and what it was decoded from, a difftest.Pair
// or a JSONPair.
type decoded struct {
	got, want proto.Message
	from      pair
}

type pair interface {
	String() string
	Shrink() string
}

func newChecker(r *rand.Rand, types []protoreflect.MessageType) *checker {
	c := &checker{r: r, types: types, kept: arena.NewArena()}
	c.a = c.kept
	return c
}

// first decodes a message of a type with all of its fields filled, and then some others.
func (c *checker) first(mt protoreflect.MessageType, messages int) {
	c.Types++
	if c.r.IntN(4) == 0 {
		c.decodeJSON(mt) // plans the type, too
	}
	c.decode(mt, c.filled(mt), arenapb.UnmarshalOptions{AllowPartial: true})
	for range messages - 1 {
		c.random(mt)
	}
	c.count(mt)
}

// all decodes messages of all types, and of each type as many: the first pass plans them in a
// random order.
func (c *checker) all(messages int) {
	list := slices.Clone(c.types)
	for pass := range messages {
		c.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for _, mt := range list {
			if pass == 0 {
				c.first(mt, 1)
			} else {
				c.random(mt)
			}
		}
	}
}

// count counts mt if it is left to package proto.
func (c *checker) count(mt protoreflect.MessageType) {
	f := arenapb.Fallbacks(mt.New().Interface())
	if len(f) == 1 && strings.HasPrefix(f[0], string(mt.Descriptor().FullName())+": it") && !strings.Contains(f[0], ": its extensions") && !strings.Contains(f[0], ": its unknown") {
		c.Left++
	}
}

// random decodes random input with random options, some of it JSON.
func (c *checker) random(mt protoreflect.MessageType) {
	if c.r.IntN(3) == 0 {
		c.decodeJSON(mt)
		return
	}
	var o arenapb.UnmarshalOptions
	if c.r.IntN(2) == 0 {
		o = difftest.RandomOptions(c.r)
	}
	c.decode(mt, c.input(mt), o)
}

// decode decodes b on both sides, twice at times. What it finds is noted.
func (c *checker) decode(mt protoreflect.MessageType, b []byte, o arenapb.UnmarshalOptions) {
	p := &difftest.Pair{Type: mt, Got: c.empty(mt), Want: mt.New().Interface(), Options: o, Input: b}
	if o.Merge && !c.try(&difftest.Pair{Type: mt, Got: p.Got, Want: p.Want, Options: arenapb.UnmarshalOptions{AllowPartial: true}, Input: c.encoded(mt)}) {
		return
	}
	if c.try(p) && len(p.Input) < 1<<16 {
		d := decoded{p.Got, p.Want, p}
		c.live = append(c.live, d)
		if c.r.IntN(4) == 0 {
			c.encodeJSON(d)
		}
		if c.r.IntN(8) == 0 {
			p.Mutate(c.r)
			c.same(d, "changed")
		}
	}
	if len(c.live) >= c.until {
		c.leave()
	}
}

// decodeJSON is decode for random JSON with random options.
func (c *checker) decodeJSON(mt protoreflect.MessageType) {
	p := &difftest.JSONPair{Type: mt, Got: c.empty(mt), Want: mt.New().Interface(), Options: difftest.RandomJSONOptions(c.r), Input: difftest.JSON(c.r, mt.Descriptor())}
	if c.try(p) {
		c.live = append(c.live, decoded{p.Got, p.Want, p})
	}
	if len(c.live) >= c.until {
		c.leave()
	}
}

// encodeJSON encodes a message as JSON on both sides, with random options. What it finds is noted.
func (c *checker) encodeJSON(d decoded) {
	wrong := ""
	if stack := catch(func() { _, wrong = difftest.SameJSON(c.a, d.got, difftest.RandomMarshalJSONOptions(c.r)) }); stack != "" {
		wrong = stack
	}
	if wrong != "" {
		c.differ(d.from, "as JSON: "+wrong)
	}
}

// empty returns a message to decode into, which is in the arena or not.
func (c *checker) empty(mt protoreflect.MessageType) proto.Message {
	m := mt.New().Interface()
	if t := reflect.TypeOf(m); c.a != nil && t.Kind() == reflect.Pointer && c.r.IntN(2) == 0 {
		return arena.NewValue(c.a, t.Elem()).Interface().(proto.Message)
	}
	return m
}

// try decodes p's input on both sides, and reports whether they accepted it and agree.
func (c *checker) try(p interface {
	pair
	Try(*arena.Arena) (bool, string)
}) (ok bool) {
	c.Messages++
	wrong := ""
	if stack := catch(func() { ok, wrong = p.Try(c.a) }); stack != "" {
		ok, wrong = false, stack
		c.kept, c.a, c.live = arena.NewArena(), nil, nil // what the panic has left is not to be trusted
	}
	if wrong != "" {
		c.differ(p, wrong)
		ok = false
	}
	if ok {
		c.Accepted++
	}
	return ok
}

// same notes how what was the same has come to differ.
func (c *checker) same(d decoded, when string) {
	wrong := ""
	if stack := catch(func() { wrong = difftest.SameMessage(d.got, d.want) }); stack != "" {
		wrong = stack
	}
	if wrong != "" {
		c.differ(d.from, when+": "+wrong)
	}
}

// leave looks at the messages in the arena once more, and goes on with an arena that is used again,
// a new one, or none.
func (c *checker) leave() {
	for _, d := range c.live {
		c.same(d, "at the end")
	}
	c.live = c.live[:0]
	if c.a == c.kept {
		c.kept.Reset()
	} else if c.a != nil {
		c.a.Free()
	}
	switch c.a = c.kept; c.r.IntN(16) {
	case 0:
		c.a = nil
	case 1:
		c.a = arena.NewArena()
	case 2:
		runtime.GC()
	}
	c.until = 1 + c.r.IntN(12)
}

// differ notes a difference, with as little of the input as shows it.
func (c *checker) differ(p pair, wrong string) {
	const enough = 4000 // bytes of text; and of input that can be made smaller before one loses patience
	var name protoreflect.FullName
	size := 0
	switch p := p.(type) {
	case *difftest.Pair:
		name, size = p.Type.Descriptor().FullName(), len(p.Input)
	case *difftest.JSONPair:
		name, size = p.Type.Descriptor().FullName(), len(p.Input)
	}
	text := wrong + "\n" + p.String()
	if len(text) > enough {
		text = text[:enough] + "..."
	}
	if size < enough && len(c.Differences) < 3 {
		text += "\n" + p.Shrink()
	}
	c.Differences = append(c.Differences, Difference{string(name), text})
}

// catch calls f, and returns the panic and the stack if it panics.
func catch(f func()) (stack string) {
	defer func() {
		if e := recover(); e != nil {
			stack = fmt.Sprintf("panic: %v\n%s", e, debug.Stack())
		}
	}()
	f()
	return ""
}

// input returns input for a message: of the kinds that the other tests of arenapb have, and as
// encoders write it, whole and damaged.
func (c *checker) input(mt protoreflect.MessageType) []byte {
	w := difftest.Wire{R: c.r}
	switch c.r.IntN(10) {
	case 0:
		return c.encoded(mt)
	case 1: // of which the second is merged with the first
		return append(c.encoded(mt), c.encoded(mt)...)
	case 2:
		b := c.encoded(mt)
		return b[:c.r.IntN(len(b)+1)]
	case 3:
		return w.Damage(c.encoded(mt))
	case 4:
		return c.spliced(mt)
	case 5:
		return w.Damage(c.filled(mt))
	}
	return difftest.Input(c.r, mt.Descriptor())
}

// filled returns input that has all fields of a message.
func (c *checker) filled(mt protoreflect.MessageType) []byte {
	w := difftest.Wire{R: c.r, Budget: 1000}
	return w.Filled(nil, mt.Descriptor(), map[protoreflect.FullName]bool{})
}

// encoded returns a message as package proto writes it.
func (c *checker) encoded(mt protoreflect.MessageType) []byte {
	w := difftest.Wire{R: c.r, Budget: 1 + c.r.IntN(1<<c.r.IntN(9))}
	m := mt.New().Interface()
	if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(w.Message(nil, mt.Descriptor(), 0), m); err != nil {
		panic(fmt.Sprintf("%s: input without a mistake is refused: %v", mt.Descriptor().FullName(), err))
	}
	b, err := proto.MarshalOptions{AllowPartial: true, Deterministic: c.r.IntN(2) == 0}.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("%s: what was decoded cannot be encoded: %v", mt.Descriptor().FullName(), err))
	}
	return b
}

// spliced returns an encoded message that contains a message of another type, where a field begins
// or ends.
func (c *checker) spliced(mt protoreflect.MessageType) []byte {
	b := c.encoded(mt)
	at := 0
	for at < len(b) && c.r.IntN(4) > 0 {
		n := protowire.ConsumeFieldValue(0, protowire.BytesType, nil)
		if _, _, n = protowire.ConsumeField(b[at:]); n < 0 {
			break
		}
		at += n
	}
	return slices.Insert(b, at, c.encoded(c.types[c.r.IntN(len(c.types))])...)
}
