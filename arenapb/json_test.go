package arenapb_test

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/difftest"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// jsonPair makes two empty messages, one of which decode decodes into.
func jsonPair(mt protoreflect.MessageType) *difftest.JSONPair {
	return &difftest.JSONPair{Type: mt, Got: mt.New().Interface(), Want: mt.New().Interface()}
}

// tryJSON decodes input into both messages, and reports whether that succeeded.
func tryJSON(t *testing.T, p *difftest.JSONPair, a *arena.Arena, b []byte, o arenapb.UnmarshalJSONOptions) bool {
	t.Helper()
	p.Input, p.Options = b, o
	ok, s := p.Try(a)
	if s != "" {
		t.Fatalf("%s\n%v\n%s", s, p, p.Shrink())
	}
	return ok
}

// jsonEpisode is what happens in an arena between two Resets: messages of several types are
// decoded, from JSON and from the wire format, and kept.
func jsonEpisode(t *testing.T, r *rand.Rand, a *arena.Arena, list []protoreflect.MessageType) (good, bad int) {
	t.Helper()
	var kept []*difftest.JSONPair
	for range 1 + r.IntN(8) {
		p := jsonPair(list[r.IntN(len(list))])
		if tryJSON(t, p, a, difftest.JSON(r, p.Type.Descriptor()), difftest.RandomJSONOptions(r)) {
			good++
		} else {
			bad++
		}
		kept = append(kept, p)
		if r.IntN(8) == 0 {
			mt := list[r.IntN(len(list))]
			newPair(mt).decode(t, a, difftest.Input(r, mt.Descriptor()), difftest.RandomOptions(r))
		}
	}
	if r.IntN(16) == 0 {
		runtime.GC()
	}
	for _, p := range kept {
		if s := difftest.SameMessage(p.Got, p.Want); s != "" {
			t.Fatalf("at the end: %s\n%v", s, p)
		}
	}
	return good, bad
}

// TestJSONDifferential decodes random JSON of all types, valid and not, into arenas of every kind
// that are used again and again, and onto the heap.
func TestJSONDifferential(t *testing.T) {
	r := random(t)
	list := types()
	for _, kind := range []string{"arena", "guard", "nil"} {
		t.Run(kind, func(t *testing.T) {
			var a *arena.Arena
			if kind != "nil" {
				a = arena.NewWith(arena.Options{Guard: kind == "guard"})
				defer a.Free()
			}
			good, bad := 0, 0
			for range rounds(3000) {
				g, b := jsonEpisode(t, r, a, list)
				good, bad = good+g, bad+b
				if a != nil {
					a.Reset()
				}
			}
			t.Logf("%d decoded, %d refused", good, bad)
		})
	}
}

// TestJSONDifferentialGOGC does the same while the collector runs nearly always.
func TestJSONDifferentialGOGC(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	r := random(t)
	list := types()
	a := arena.NewArena()
	defer a.Free()
	for range rounds(300) {
		jsonEpisode(t, r, a, list)
		a.Reset()
		jsonEpisode(t, r, nil, list)
	}
}
