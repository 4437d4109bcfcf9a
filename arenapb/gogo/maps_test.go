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

// TestMaps proves that messages get the maps of earlier messages, but never the maps of messages
// that stay after Free.
func TestMaps(t *testing.T) {
	f := &gogotest.Filler{R: random(t)}
	sparestest.Ways(f.R, rounds(600), watched(), func(a *arena.Arena) func() {
		pairs := episode(t, f, a)
		return func() {
			for _, p := range pairs {
				if difference := p.Check(nil); difference != "" {
					t.Fatalf("after Free: %s", difference)
				}
			}
		}
	})
}
