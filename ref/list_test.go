package ref_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/ref"
)

// TestList compares lists that grow in turns, on the heap and in the arena, with slices.
func TestList(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	eachArena(func(name string, a *arena.Arena) {
		checkRefList(t, name, a, r, func() byte { return byte(r.Uint32()) })
		checkRefList(t, name, a, r, func() [3]uint16 { return [3]uint16{uint16(r.Uint32()), 2, 3} })
		checkRefList(t, name, a, r, func() [5]int64 { return [5]int64{r.Int64()} })
		checkRefList(t, name, a, r, func() struct{} { return struct{}{} })
	})
}

func checkRefList[T comparable](t *testing.T, name string, a *arena.Arena, r *rand.Rand, value func() T) {
	t.Helper()
	_, lists := ref.NewSlice[ref.List[T]](ref.In(a), 5)
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
			before := l.Get(ref.In(a))
			l.Grow(ref.In(a), r.IntN(20))
			if !slices.Equal(before, want[i]) {
				t.Fatalf("arena %s: Grow has changed what was there: %v, want %v", name, before, want[i])
			}
		default:
			var v []T
			for range r.IntN(4) {
				v = append(v, value())
			}
			l.Append(ref.In(a), v...)
			want[i] = append(want[i], v...)
		}
		for i := range lists {
			got := lists[i].Get(ref.In(a))
			if !slices.Equal(got, want[i]) || cap(got) != len(got) || lists[i].Len() != len(want[i]) {
				t.Fatalf("arena %s: list %d is %v, of capacity %d, want %v", name, i, got, cap(got), want[i])
			}
		}
	}
}

// TestListBad proves that bad arguments and arenas are panics, and encoding is an error.
func TestListBad(t *testing.T) {
	a := arena.NewArena()
	s := ref.In(a)
	var l ref.List[int]
	l.Append(s, 1)
	for what, f := range map[string]func(){
		"another arena":  func() { l.Get(ref.In(arena.NewArena())) },
		"Append on nil":  func() { l.Append(ref.Space{}, 1) },
		"Truncate":       func() { l.Truncate(2) },
		"Truncate below": func() { l.Truncate(-1) },
		"Grow":           func() { l.Grow(s, -1) },
		"pointers":       func() { new(ref.List[*int]).Append(s, nil) },
	} {
		if got := fmt.Sprint(ref.Recovered(f)); !ref.Ours(got) {
			t.Errorf("%s: %s", what, got)
		}
	}
	a.Free()
	for _, f := range []func(){func() { l.Append(s, 1) }, func() { l.Get(s) }} {
		if got := fmt.Sprint(ref.Recovered(f)); !ref.Ours(got) {
			t.Errorf("after Free: %s", got)
		}
	}
	if _, err := json.Marshal(l); err == nil {
		t.Error("a List is encoded")
	}
}

// A heapMemory is a Memory that takes from the heap.
type heapMemory struct{}

func (heapMemory) Alloc(size int) ([]byte, error) { return make([]byte, size), nil }
func (heapMemory) Free([]byte)                    {}

// eachArena calls f with arenas of all kinds: a new one, one with memory that was used before, and
// with each option that changes where values lie.
func eachArena(f func(name string, a *arena.Arena)) {
	f("new", arena.NewArena())
	used := arena.NewArena()
	for range 2 {
		for range 100 {
			ref.NewString(ref.In(used), strings.Repeat("\xff", 100))
		}
		used.Reset()
	}
	f("used", used)
	for name, o := range map[string]arena.Options{
		"Limit": {Limit: 1 << 20}, "Guard": {Guard: true}, "Memory": {Memory: heapMemory{}},
	} {
		a := arena.NewWith(o)
		f(name, a)
		a.Free()
	}
}
