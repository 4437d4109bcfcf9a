package arenapb_test

import (
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/spares/sparestest"
	"github.com/arena-go/arena/arenapb/internal/testpb"
	"google.golang.org/protobuf/proto"
)

// TestSpares has arenas end in all ways, one after another, so that each gets the maps and lists of those before: but never those of messages that stay
// after Free.
func TestSpares(t *testing.T) {
	r := random(t)
	list := types()
	var pool arena.Pool
	g := arena.NewGroup()
	var freed []*pair
	kept := arena.NewArena()
	for n := range rounds(400) {
		var a *arena.Arena
		var end func()
		free := false
		switch r.IntN(4) {
		case 0:
			a, free = arena.NewArena(), true
			end = a.Free
			if r.IntN(2) == 0 { // with what those have left that were freed
				episode(t, r, a, list)
				a.Reset()
			}
		case 1:
			a = pool.Get()
			end = func() { pool.Put(a) }
		case 2:
			a, end = g.Arena(), g.Reset
		default:
			a, end = kept, kept.Reset
		}
		pairs := episode(t, r, a, list)
		end()
		if free && !watched() {
			freed = append(freed, pairs...)
		}
		if n%20 == 0 {
			for _, p := range freed {
				p.check(t, "after Free")
			}
			freed = nil
		}
	}
}

// mapTester decodes messages with a map.
func mapTester(t *testing.T) sparestest.Tester {
	return sparestest.Tester{Watched: watched(), Decode: func(a *arena.Arena, entries map[string]string) map[string]string {
		b, err := proto.Marshal(&testpb.AllEd{MapString: entries})
		if err != nil {
			t.Fatal(err)
		}
		m := arenapb.New[testpb.AllEd](a)
		if err := (arenapb.UnmarshalOptions{AllowPartial: true}).Unmarshal(a, b, m); err != nil {
			t.Fatal(err)
		}
		return m.MapString
	}}
}

func TestMapsAgain(t *testing.T) { mapTester(t).Again(t) }
func TestMapsGrown(t *testing.T) { mapTester(t).Grown(t) }
func TestMapsMade(t *testing.T)  { mapTester(t).Made(t) }
