package arena_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
)

// TestRefList compares lists that grow in turns, on the heap and in the arena, with slices.
func TestRefList(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	eachArena(func(name string, a *arena.Arena) {
		if a == nil {
			return
		}
		checkRefList(t, name, a, r, func() byte { return byte(r.Uint32()) })
		checkRefList(t, name, a, r, func() [3]uint16 { return [3]uint16{uint16(r.Uint32()), 2, 3} })
		checkRefList(t, name, a, r, func() [5]int64 { return [5]int64{r.Int64()} })
		checkRefList(t, name, a, r, func() struct{} { return struct{}{} })
	})
}

func checkRefList[T comparable](t *testing.T, name string, a *arena.Arena, r *rand.Rand, value func() T) {
	t.Helper()
	_, lists := arena.NewRefSlice[arena.RefList[T]](a, 5)
	want := make([][]T, len(lists))
	for range 500 {
		i := r.IntN(len(lists))
		l := &lists[i]
		switch r.IntN(10) {
		case 0:
			n := r.IntN(l.Len() + 1)
			l.Truncate(n)
			want[i] = want[i][:n]
		case 1:
			before := l.Get(a)
			l.Grow(a, r.IntN(20))
			if !slices.Equal(before, want[i]) {
				t.Fatalf("arena %s: Grow has changed what was there: %v, want %v", name, before, want[i])
			}
		default:
			var v []T
			for range r.IntN(4) {
				v = append(v, value())
			}
			l.Append(a, v...)
			want[i] = append(want[i], v...)
		}
		for i := range lists {
			got := lists[i].Get(a)
			if !slices.Equal(got, want[i]) || cap(got) != len(got) || lists[i].Len() != len(want[i]) {
				t.Fatalf("arena %s: list %d is %v, of capacity %d, want %v", name, i, got, cap(got), want[i])
			}
		}
	}
}

// TestRefListBad proves that bad arguments and arenas are panics, and encoding is an error.
func TestRefListBad(t *testing.T) {
	a := arena.NewArena()
	var l arena.RefList[int]
	l.Append(a, 1)
	for what, f := range map[string]func(){
		"another arena":  func() { l.Get(arena.NewArena()) },
		"Append on nil":  func() { l.Append(nil, 1) },
		"Truncate":       func() { l.Truncate(2) },
		"Truncate below": func() { l.Truncate(-1) },
		"Grow":           func() { l.Grow(a, -1) },
		"pointers":       func() { new(arena.RefList[*int]).Append(a, nil) },
	} {
		if got := fmt.Sprint(recovered(f)); !strings.HasPrefix(got, "arena: ") {
			t.Errorf("%s: %s", what, got)
		}
	}
	a.Free()
	for _, f := range []func(){func() { l.Append(a, 1) }, func() { l.Get(a) }} {
		if got := fmt.Sprint(recovered(f)); !strings.HasPrefix(got, "arena: ") {
			t.Errorf("after Free: %s", got)
		}
	}
	if _, err := json.Marshal(l); err == nil {
		t.Error("a RefList is encoded")
	}
}
