//go:build arenadebug

package arenapb_test

import (
	"bytes"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/difftest"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// TestFaults decodes random messages with a panic at the first step of decoding, at the second, and
// so on, until there are no more steps. The result always equals proto.Unmarshal's, and the arena
// is good for the next message.
func TestFaults(t *testing.T) {
	r := random(t)
	list := types()
	// A panic while an extension is tried leaves it to protobuf, and is not reported.
	protoregistry.GlobalTypes.RangeExtensions(func(xt protoreflect.ExtensionType) bool {
		arenapb.ExtensionReason(xt)
		return true
	})
	told := events(t)
	a := arena.NewArena()
	defer func() { a.Free() }()
	faults, merged := 0, 0
	for range rounds(300) {
		mt := list[r.IntN(len(list))]
		w := difftest.NewWire(r)
		w.Budget = min(w.Budget, 30)
		b := w.Message(nil, mt.Descriptor(), 0)
		o := difftest.RandomOptions(r)
		o.Merge = r.IntN(2) == 0
		o.OnPanic = func(*arenapb.Panic) {} // it is reported, see below
		var filled []byte
		if o.Merge {
			more := difftest.Wire{R: r, Budget: 20}
			filled = more.Message(nil, mt.Descriptor(), 0)
			// Existing contents must be merged with the input, and not only stay next to it.
			if r.IntN(2) == 0 {
				filled = append(filled, b...)
			}
		}
		onHeap := r.IntN(2) == 0
		for n := 1; ; n++ {
			p := newPair(mt)
			if filled != nil {
				first := arenapb.UnmarshalOptions{AllowPartial: true}
				to := a
				if onHeap {
					to = nil
				}
				if !p.decode(t, to, filled, first) {
					break
				}
			}
			mend := arenapb.Mend(p.Got)
			there := fault(t, told, n, func() { p.decode(t, a, bytes.Clone(b), o) })
			mend()
			if !there {
				break // all steps
			}
			faults++
			if o.Merge {
				merged++
			}
			if n%8 == 0 {
				episode(t, r, a, list[:1+r.IntN(len(list))])
			}
			if r.IntN(16) == 0 && !watched() {
				a.Free()
				a = arena.NewArena()
			} else if r.IntN(8) == 0 {
				a.Reset()
			}
		}
		a.Reset()
	}
	t.Logf("%d faults, %d of them in a Merge", faults, merged)
	if faults == 0 || merged == 0 {
		t.Error("nothing was tested")
	}
}

// TestJSONFaults does the same with JSON.
func TestJSONFaults(t *testing.T) {
	r := random(t)
	list := types()
	told := events(t)
	a := arena.NewArena()
	defer a.Free()
	faults := 0
	for range rounds(300) {
		mt := list[r.IntN(len(list))]
		tx := difftest.Text{R: r, Odd: r.IntN(50), Budget: 30}
		b := tx.Message(nil, mt.Descriptor(), 0)
		o := difftest.RandomJSONOptions(r)
		o.OnPanic = func(*arenapb.Panic) {} // it is reported, see below
		to := a
		if r.IntN(4) == 0 {
			to = nil
		}
		for n := 1; ; n++ {
			p := jsonPair(mt)
			mend := arenapb.MendJSON(p.Got)
			there := fault(t, told, n, func() { tryJSON(t, p, to, b, o) })
			mend()
			if !there {
				break // all steps
			}
			faults++
			if n%8 == 0 {
				jsonEpisode(t, r, a, list[:1+r.IntN(len(list))])
			}
		}
		a.Reset()
	}
	t.Logf("%d faults", faults)
	if faults == 0 {
		t.Error("nothing was tested")
	}
}

// TestEncodeJSONFaults encodes random messages as JSON with a panic at each step.
func TestEncodeJSONFaults(t *testing.T) {
	r := random(t)
	list := types()
	told := events(t)
	a := arena.NewArena()
	defer a.Free()
	faults := 0
	for range rounds(300) {
		m := randomMessage(t, r, list[r.IntN(len(list))])
		o := difftest.RandomMarshalJSONOptions(r)
		o.OnPanic = func(*arenapb.Panic) {} // it is reported, see below
		for n := 1; n < 100; n++ {
			mend := arenapb.MendJSON(m)
			there := fault(t, told, n, func() { encodeJSON(t, a, m, o) })
			mend()
			if !there {
				break // all steps
			}
			faults++
		}
		a.Reset()
	}
	t.Logf("%d faults", faults)
	if faults == 0 {
		t.Error("nothing was tested")
	}
}

// fault calls f with a panic at its step n, and checks that it is reported. It returns false if f
// has fewer steps.
func fault(t *testing.T, told *[]*arenapb.Panic, n int, f func()) bool {
	t.Helper()
	steps, before := 0, len(*told)
	arenapb.OnStep(func() {
		if steps++; steps == n {
			arenapb.OnStep(nil)
			panic("a fault")
		}
	})
	f()
	arenapb.OnStep(nil)
	if len(*told) == before && steps >= n {
		t.Fatal("a fault got lost")
	}
	return len(*told) > before
}
