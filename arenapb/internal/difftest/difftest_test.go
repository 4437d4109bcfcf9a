package difftest_test

import (
	"math/rand/v2"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb/internal/difftest"
	"github.com/arena-go/arena/arenapb/internal/testpb"
	"github.com/arena-go/arena/internal/testrun"
	"google.golang.org/protobuf/proto"
)

// TestRejects proves that a comparison finds a difference if there is one: what decoded to the same
// is changed on one side.
func TestRejects(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	a := arena.NewArena()
	defer a.Free()
	list := testpb.Messages()
	rejected := 0
	for range 300 {
		mt := list[r.IntN(len(list))]
		p := &difftest.Pair{Type: mt, Got: mt.New().Interface(), Want: mt.New().Interface()}
		p.Options.AllowPartial = true
		p.Input = (&difftest.Wire{R: r, Budget: 50}).Message(nil, mt.Descriptor(), 0)
		if ok, wrong := p.Try(a); !ok {
			t.Fatalf("what is right is refused: %s\n%v", wrong, p)
		}
		difftest.Mutate(r, p.Got.ProtoReflect(), 0)
		if proto.Equal(p.Got, p.Want) { // not a clone of Got: proto.Clone drops a -0 without presence
			continue
		}
		rejected++
		if difftest.SameMessage(p.Got, p.Want) == "" {
			t.Errorf("nothing differs after a change on one side\n%v", p)
		}
	}
	if rejected < 100 {
		t.Errorf("%d changes of 300 changed anything", rejected)
	}
	if difftest.SameMessage(&testpb.Tree3{Children: []*testpb.Tree3{}}, &testpb.Tree3{}) == "" {
		t.Error("an empty list and none are the same")
	}
}
