package difftest

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// A Pair is a message that was decoded into an arena, and the same decoded by package proto.
type Pair struct {
	Type      protoreflect.MessageType
	Got, Want proto.Message
	Options   arenapb.UnmarshalOptions
	Input     []byte
}

func (p *Pair) String() string {
	o := p.Options
	return fmt.Sprintf("%s, Merge %t, AllowPartial %t, DiscardUnknown %t, RecursionLimit %d, Resolver %T, NoLazyDecoding %t, AliasInput %t, input %x",
		p.Type.Descriptor().FullName(), o.Merge, o.AllowPartial, o.DiscardUnknown, o.RecursionLimit, o.Resolver, o.NoLazyDecoding, o.AliasInput, p.Input)
}

// Try decodes Input into both messages, into Got with memory of a. It reports whether both accepted
// it, and how they differ; a panic of arenapb is a difference, too, unless Options.OnPanic expects
// it. What is left of the input is overwritten unless it belongs to the message.
func (p *Pair) Try(a *arena.Arena) (ok bool, wrong string) {
	var want error
	if !Catch(func() { want = OnHeap(p.Options).Unmarshal(bytes.Clone(p.Input), p.Want) }) {
		// Package proto itself panics for an entry of a map of a dynamic message with two keys, the
		// second of another type.
		if _, ok := p.Want.(*dynamicpb.Message); !ok {
			return false, "package proto panics"
		}
		proto.Reset(p.Got)
		proto.Reset(p.Want)
		return false, ""
	}
	in := bytes.Clone(p.Input)
	var panicked *arenapb.Panic
	o := p.Options
	if o.OnPanic == nil {
		o.OnPanic = func(p *arenapb.Panic) { panicked = p }
	}
	got := o.Unmarshal(a, in, p.Got)
	if panicked != nil {
		return false, panicked.Error()
	}
	if !bytes.Equal(in, p.Input) {
		return false, "the input was changed"
	}
	s := SameError(got, want)
	if one := cmp.Or(got, want); p.Options.Merge && (got == nil) != (want == nil) && isMissing(one) {
		// Protobuf looks for required fields that the message had lacked where the input may lack
		// one. Whether messages that contain themselves may, is up to which of them came first in
		// the process.
		s = ""
	}
	if s != "" {
		return false, s
	}
	if !p.Options.AliasInput {
		for i := range in {
			in[i] = ^in[i]
		}
	}
	same := func() string {
		if p.Options.Merge || got != nil { // which reads some that is lazy, and what was read may be encoded in other bytes: Equal reads all
			proto.Equal(p.Got, p.Want)
		}
		return SameMessage(p.Got, p.Want)
	}
	if got != nil || want != nil {
		// All that was there has been decoded where required fields are missing. What another error
		// leaves is not specified; package proto may panic when it is used.
		if isMissing(cmp.Or(want, got)) {
			s = same()
		}
		proto.Reset(p.Got)
		proto.Reset(p.Want)
		return false, s
	}
	if s := same(); s != "" {
		return false, "decoded: " + s
	}
	return true, ""
}

// Shrink takes away as much of the input as it can without making right what is wrong with it.
func (p *Pair) Shrink() string {
	return shrink(p.Input, func(b []byte) (s string) {
		a := arena.NewArena()
		defer a.Free()
		q := Pair{Type: p.Type, Got: p.Type.New().Interface(), Want: p.Type.New().Interface(), Options: p.Options, Input: b}
		if !Catch(func() { _, s = q.Try(a) }) {
			s = "panics"
		}
		return s
	})
}

// shrink takes away as much of b as it can while wrong says that something is.
func shrink(b []byte, wrong func(b []byte) string) string {
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
		return fmt.Sprintf("as does, into an empty message, %x (%q): %s", b, b, s)
	}
	return "into an empty message of its own it is right"
}

// Catch reports whether f returns and does not panic.
func Catch(f func()) (returned bool) {
	defer func() {
		if !returned {
			_ = recover()
		}
	}()
	f()
	return true
}

// Mutate changes both messages in the same way.
func (p *Pair) Mutate(r *rand.Rand) {
	seed := r.Uint64()
	Mutate(rand.New(rand.NewPCG(seed, 0)), p.Got.ProtoReflect(), 0)
	Mutate(rand.New(rand.NewPCG(seed, 0)), p.Want.ProtoReflect(), 0)
}
