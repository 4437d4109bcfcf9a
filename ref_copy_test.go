package arena_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
)

// A town has all that is built of references, in each other.
type town struct {
	houses arena.RefMap[uint32, arena.Ref[house]]
	people arena.RefTextMap[arena.Ref[house]]
	days   arena.RefTree[uint64, arena.RefList[uint16]]
	words  arena.RefTextTree[[2]arena.RefString]
	all    arena.RefList[arena.Ref[house]]
	_      [0]arena.Ref[house]
}

type house struct {
	id          uint32
	left, right arena.Ref[house]
	door
	tags arena.RefSlice[arena.RefString]
	next arena.RefMap[uint16, arena.Ref[house]]
}

// A door has the methods of what it embeds, and one more field.
type door struct {
	arena.Ref[int64]
	sign arena.RefString
}

// change changes a town at random, which is the n-th change.
func (w *town) change(r *rand.Rand, a *arena.Arena, n int) {
	some := func() (h arena.Ref[house]) {
		if all := w.all.Get(a); len(all) > 0 {
			h = all[r.IntN(len(all))]
		}
		return h
	}
	text := func() string { return strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(12)) }
	switch r.IntN(9) {
	case 0, 1:
		ref, h := arena.NewRef[house](a)
		h.id, h.left, h.right = uint32(n), some(), ref
		number, p := arena.NewRef[int64](a)
		*p = int64(n)
		h.door = door{number, arena.NewRefString(a, text())}
		w.houses.Set(a, h.id, ref)
		w.all.Append(a, ref)
	case 2:
		if h := some(); !h.IsNil() {
			tags, all := arena.NewRefSlice[arena.RefString](a, r.IntN(4))
			for i := range all {
				all[i] = arena.NewRefString(a, text())
			}
			h.Get(a).tags, h.Get(a).right = tags, some()
		}
	case 3:
		if h := some(); !h.IsNil() {
			h.Get(a).next.Set(a, uint16(r.IntN(10)), some())
			h.Get(a).Ref = some().Get(a).Ref // a number of two
		}
	case 4:
		w.people.Set(a, text(), some())
		w.people.Delete(a, text())
	case 5:
		w.days.Entry(a, r.Uint64N(50)).Append(a, uint16(n), uint16(r.IntN(10)))
		w.days.Delete(a, r.Uint64N(50))
	case 6:
		s := arena.NewRefString(a, text())
		w.words.Set(a, text(), [2]arena.RefString{s, s})
		w.words.Delete(a, text())
	case 7:
		w.all.Truncate(r.IntN(w.all.Len() + 1))
	case 8:
		for k := range w.houses.All(a) {
			w.houses.Delete(a, k)
			break
		}
	}
}

// in says all that there is in a town, and tests that a house has one reference.
func (w *town) in(t *testing.T, a *arena.Arena) string {
	var b strings.Builder
	seen := map[uint32]arena.Ref[house]{}
	var todo []arena.Ref[house]
	id := func(h arena.Ref[house]) int {
		if h.IsNil() {
			return -1
		}
		n := h.Get(a).id
		if old, ok := seen[n]; !ok {
			seen[n] = h
			todo = append(todo, h)
		} else if old != h {
			t.Errorf("house %d is there twice", n)
		}
		return int(n)
	}
	ids := func(m map[string]arena.Ref[house]) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			fmt.Fprintf(&b, " %q:%d", k, id(m[k]))
		}
		fmt.Fprintln(&b)
	}
	all := map[string]arena.Ref[house]{}
	for k, h := range w.houses.All(a) {
		all[fmt.Sprint(k)] = h
	}
	ids(all)
	ids(maps.Collect(w.people.All(a)))
	for k, l := range w.days.All(a) {
		fmt.Fprintf(&b, " %d:%d", k, l.Get(a))
	}
	for k, s := range w.words.All(a) {
		fmt.Fprintf(&b, " %q:%q %t", k, s[0].Get(a), s[0] == s[1])
	}
	for _, h := range w.all.Get(a) {
		fmt.Fprintf(&b, " %d", id(h))
	}
	for len(todo) > 0 {
		h := todo[0].Get(a)
		todo = todo[1:]
		fmt.Fprintf(&b, "\nhouse %d: %d %d %d %q", h.id, id(h.left), id(h.right), *h.Ref.Get(a), h.sign.Get(a))
		for _, tag := range h.tags.Get(a) {
			fmt.Fprintf(&b, " %q", tag.Get(a))
		}
		next := map[string]arena.Ref[house]{}
		for k, h := range h.next.All(a) {
			next[fmt.Sprint(k)] = h
		}
		ids(next)
	}
	return b.String()
}

// TestCopyRefs changes towns at random and moves them from arena to arena: they stay what they are, in arenas that do
// not grow.
func TestCopyRefs(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	a := arena.NewArena()
	w := new(town)
	for n := range arena.Few(20_000) {
		w.change(r, a, n)
		if r.IntN(200) != 0 {
			continue
		}
		want := w.in(t, a)
		to := arena.NewWith(arena.Options{Guard: r.IntN(8) == 0})
		for range r.IntN(3) {
			arena.NewRefString(to, "something else")
		}
		before := to.Stats().RefBytes
		fresh := new(town)
		arena.CopyRefs(to, fresh, a, w)
		if got := w.in(t, a); got != want {
			t.Fatalf("change %d: what was copied is %s, want %s", n, got, want)
		}
		if has, had := to.Stats().RefBytes-before, a.Stats().RefBytes; has > had+had/4+4096 {
			t.Errorf("change %d: %d bytes became %d", n, had, has)
		}
		a.Free()
		a, w = to, fresh
		if got := w.in(t, a); got != want {
			t.Fatalf("change %d: the copy is %s, want %s", n, got, want)
		}
	}
}

// TestCopyRefsList copies a list of very many nodes, whose copy must not take a stack of that many calls, onto itself.
func TestCopyRefsList(t *testing.T) {
	type node struct {
		next arena.Ref[node]
		n    int
	}
	a, n := arena.NewArena(), arena.Few(1_000_000)
	var first arena.Ref[node]
	for i := range n {
		ref, p := arena.NewRef[node](a)
		*p = node{next: first, n: i}
		first = ref
	}
	last := first
	arena.CopyRefs(a, &first, a, &first)
	for i := n - 1; i >= 0; i-- {
		if p := first.Get(a); p.n != i || first == last {
			t.Fatalf("node %d is %d", i, p.n)
		}
		first, last = first.Get(a).next, last.Get(a).next
	}
	if !first.IsNil() {
		t.Error("the list does not end")
	}
}

// TestCopyRefsChurn proves that data that is copied now and then does not grow, when as much is added as is deleted.
func TestCopyRefsChurn(t *testing.T) {
	const live = 20_000
	a := arena.NewArena()
	m, most := new(arena.RefTextMap[arena.RefString]), int64(0)
	for round := range 10 {
		for i := range live {
			k := round*live + i
			m.Delete(a, fmt.Sprint("key ", k-live))
			m.Set(a, fmt.Sprint("key ", k), arena.NewRefString(a, fmt.Sprint("value ", k)))
		}
		to, fresh := arena.NewArena(), new(arena.RefTextMap[arena.RefString])
		arena.CopyRefs(to, fresh, a, m)
		a.Free()
		a, m = to, fresh
		if now := a.Stats().RefBytes; round == 0 {
			most = now + now/8
		} else if now > most {
			t.Fatalf("round %d: %d bytes, at most %d are expected", round, now, most)
		}
	}
	if m.Len() != live {
		t.Errorf("%d entries", m.Len())
	}
}

func TestCopyRefsMisuse(t *testing.T) {
	a := arena.NewArena()
	ref, p := arena.NewRef[[1000]int64](a)
	*p = [1000]int64{1, 2, 3}
	type derived arena.Ref[int]
	full := arena.NewWith(arena.Options{Limit: 100})
	freed := arena.NewArena()
	freed.Free()
	for name, test := range map[string]struct {
		f    func()
		want string
	}{
		"pointers": {func() { arena.CopyRefs(a, new(*int), a, new(*int)) }, "CopyRefs: *int has pointers"},
		"nil to":   {func() { arena.CopyRefs(nil, new(int), a, new(int)) }, "nil"},
		"nil from": {func() { arena.CopyRefs(a, new(int), nil, new(int)) }, "nil"},
		"freed":    {func() { arena.CopyRefs(a, new(int), freed, new(int)) }, "after Free"},
		"derived":  {func() { arena.CopyRefs(a, new([2]derived), a, new([2]derived)) }, "derived from a type of references"},
		"other":    {func() { r := ref; arena.CopyRefs(a, &r, arena.NewArena(), &r) }, "arena: "},
		"full":     {func() { r := ref; arena.CopyRefs(full, &r, a, &r) }, "Options.Limit"},
	} {
		err := arena.Try(func() {
			defer func() {
				if v := recover(); v != nil {
					panic(&arena.MemoryError{Err: fmt.Errorf("%v", v)})
				}
			}()
			test.f()
		})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	if builtWith("-race") || builtWith("-asan") || arena.Debugging {
		return // they tell such references by their types
	}
	func() {
		defer func() {
			if v := fmt.Sprint(recover()); !strings.Contains(v, "lead to more than there is") {
				t.Errorf("overlapping: %v", v)
			}
		}()
		type overlapping struct {
			a arena.Ref[[999]int64]
			b arena.Ref[[998]int64]
			c arena.Ref[[997]int64]
			d arena.Ref[[996]int64]
		}
		var v, fresh overlapping
		n := ref.Offset()
		v.a, _ = arena.RefAt[[999]int64](a, n)
		v.b, _ = arena.RefAt[[998]int64](a, n)
		v.c, _ = arena.RefAt[[997]int64](a, n)
		v.d, _ = arena.RefAt[[996]int64](a, n)
		arena.CopyRefs(arena.NewArena(), &fresh, a, &v)
	}()
}

// TestCopyLists has lists that share their elements, as copies of one that grows and is truncated do, and copies all of them: what they
// have in the copy is what they had. They take no more than twice the memory: the first one that is found may be shorter than the others.
func TestCopyLists(t *testing.T) {
	type all struct {
		lists   arena.RefSlice[arena.RefList[int64]]
		friends arena.RefSlice[arena.RefList[arena.Ref[house]]]
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 100 {
		from, to := arena.NewArena(), arena.NewArena()
		var v all
		var lists []arena.RefList[int64]
		var friends []arena.RefList[arena.Ref[house]]
		v.lists, lists = arena.NewRefSlice[arena.RefList[int64]](from, 20)
		v.friends, friends = arena.NewRefSlice[arena.RefList[arena.Ref[house]]](from, 20)
		var numbers arena.RefList[int64]
		var houses arena.RefList[arena.Ref[house]]
		for _, i := range r.Perm(20) {
			for range r.IntN(100) {
				numbers.Append(from, int64(numbers.Len()))
				h, _ := arena.NewRef[house](from)
				houses.Append(from, h)
			}
			lists[i], friends[i] = numbers, houses
			lists[i].Truncate(r.IntN(numbers.Len() + 1))
		}
		var w all
		arena.CopyRefs(to, &w, from, &v)
		for range r.IntN(3) { // what is a copy itself
			next := arena.NewArena()
			arena.CopyRefs(next, &w, to, &w)
			to.Free()
			to = next
		}
		if had, has := from.Stats().RefBytes, to.Stats().RefBytes; has > 2*had {
			t.Fatalf("the copy has %d bytes, and the original %d", has, had)
		}
		of := map[*house]*house{} // the original of each copy
		for i := range 20 {
			if got, want := w.lists.Get(to)[i].Get(to), lists[i].Get(from); !slices.Equal(got, want) {
				t.Fatalf("list %d is %v, want %v", i, got, want)
			}
			got, want := w.friends.Get(to)[i].Get(to), friends[i].Get(from)
			if len(got) != len(want) {
				t.Fatalf("list %d has %d houses, want %d", i, len(got), len(want))
			}
			for j := range got {
				h, old := got[j].Get(to), want[j].Get(from)
				if of[h] == nil {
					of[h] = old
				}
				if of[h] != old {
					t.Fatalf("house %d of list %d is the copy of another one", j, i)
				}
			}
		}
		from.Free()
		to.Free()
	}
}
