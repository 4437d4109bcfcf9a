package gogo_test

import (
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb/gogo"
	"github.com/arena-go/arena/arenapb/gogo/internal/gogotest"
	"github.com/arena-go/arena/arenapb/gogo/internal/testpb"
	"github.com/arena-go/arena/arenapb/internal/spares/sparestest"
)

// mapTester decodes messages with a map.
func mapTester(t *testing.T) sparestest.Tester {
	return sparestest.Tester{Watched: watched(), Decode: func(a *arena.Arena, entries map[string]string) map[string]string {
		b, err := (&testpb.Series{Attrs: entries}).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		m := gogo.New[testpb.Series](a)
		if err := gogo.Unmarshal(a, b, m); err != nil {
			t.Fatal(err)
		}
		return m.Attrs
	}}
}

func TestMapsAgain(t *testing.T) { mapTester(t).Again(t) }
func TestMapsGrown(t *testing.T) { mapTester(t).Grown(t) }
func TestMapsMade(t *testing.T)  { mapTester(t).Made(t) }

// TestMaps has arenas end in all ways, one after another, so that each gets the maps of those before: but never those of messages that stay after Free.
func TestMaps(t *testing.T) {
	f := &gogotest.Filler{R: random(t)}
	var pool arena.Pool
	g := arena.NewGroup()
	defer g.Free()
	var freed []gogotest.Pair
	kept := arena.NewArena()
	defer kept.Free()
	for n := range rounds(600) {
		var a *arena.Arena
		var end func()
		free := false
		switch f.R.IntN(4) {
		case 0:
			a, free = arena.NewArena(), true
			end = a.Free
			if f.R.IntN(2) == 0 { // with what those have left that were freed
				episode(t, f, a)
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
		pairs := episode(t, f, a)
		end()
		if free && !watched() {
			freed = append(freed, pairs...)
		}
		if n%20 == 0 {
			for _, p := range freed {
				if difference := p.Check(nil); difference != "" {
					t.Fatalf("after Free: %s", difference)
				}
			}
			freed = nil
		}
	}
}
