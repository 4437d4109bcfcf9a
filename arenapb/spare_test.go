package arenapb_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
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

// TestSparesGrown has the user fill a map: it is empty after Reset, or, where it has grown, nobody gets it again.
func TestSparesGrown(t *testing.T) {
	if watched() {
		t.Skip("such programs use nothing again")
	}
	want := map[string]string{"a": "b"}
	b, err := proto.Marshal(&testpb.AllEd{MapString: want})
	if err != nil {
		t.Fatal(err)
	}
	a := arena.NewArena()
	defer a.Free()
	for n := range 100 {
		m := arenapb.New[testpb.AllEd](a)
		if err := (arenapb.UnmarshalOptions{AllowPartial: true}).Unmarshal(a, b, m); err != nil {
			t.Fatal(err)
		}
		all := m.MapString
		if !maps.Equal(all, want) {
			t.Fatalf("round %d: %v", n, all)
		}
		for i := range n % 12 {
			all[fmt.Sprint(i)] = "more"
		}
		a.Reset()
		if grown := n%12 > 7; (len(all) > 0) != grown {
			t.Fatalf("round %d: there are %d entries after Reset", n, len(all))
		}
	}
}

// TestSparesFreed has a message stay after Free, while the next arenas are Reset.
func TestSparesFreed(t *testing.T) {
	if watched() {
		t.Skip("such programs take the memory")
	}
	m := &testpb.AllEd{MapString: map[string]string{"a": "b"}}
	want, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	decoded := func(a *arena.Arena) *testpb.AllEd {
		m := arenapb.New[testpb.AllEd](a)
		if err := (arenapb.UnmarshalOptions{AllowPartial: true}).Unmarshal(a, want, m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	for range 20 {
		a := arena.NewArena()
		stays := decoded(a)
		a.Free()
		next := arena.NewArena()
		decoded(next)
		next.Reset()
		if !proto.Equal(stays, m) {
			t.Fatalf("after Free it is %v", stays)
		}
	}
}
