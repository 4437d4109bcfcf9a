package arenapb_test

import (
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/spares/sparestest"
	"github.com/arena-go/arena/arenapb/internal/testpb"
	"google.golang.org/protobuf/proto"
)

// TestSpares proves that messages get the maps and lists of earlier messages, but never of messages
// that stay after Free.
func TestSpares(t *testing.T) {
	r := random(t)
	list := types()
	sparestest.Ways(r, rounds(400), watched(), func(a *arena.Arena) func() {
		pairs := episode(t, r, a, list)
		return func() {
			for _, p := range pairs {
				p.check(t, "after Free")
			}
		}
	})
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
