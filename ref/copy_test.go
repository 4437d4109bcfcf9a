package ref_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/internal/tools"
	"github.com/arena-go/arena/ref"
)

// A town has all that is built of references, in each other.
type town struct {
	houses ref.Map[uint32, ref.Of[house]]
	people ref.TextMap[ref.Of[house]]
	days   ref.Tree[uint64, ref.List[uint16]]
	words  ref.TextTree[[2]ref.String]
	all    ref.List[ref.Of[house]]
	_      [0]ref.Of[house]
}

type house struct {
	id          uint32
	left, right ref.Of[house]
	door
	tags ref.Slice[ref.String]
	next ref.Map[uint16, ref.Of[house]]
}

// A door has the methods of what it embeds, and one more field.
type door struct {
	ref.Of[int64]
	sign ref.String
}

// change changes a town at random, which is the n-th change.
func (w *town) change(r *rand.Rand, a *arena.Arena, n int) {
	some := func() (h ref.Of[house]) {
		if all := w.all.Get(ref.In(a)); len(all) > 0 {
			h = all[r.IntN(len(all))]
		}
		return h
	}
	text := func() string { return strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(12)) }
	switch r.IntN(9) {
	case 0, 1:
		first, h := ref.New[house](ref.In(a))
		h.id, h.left, h.right = uint32(n), some(), first
		number, p := ref.New[int64](ref.In(a))
		*p = int64(n)
		h.door = door{number, ref.NewString(ref.In(a), text())}
		w.houses.Set(ref.In(a), h.id, first)
		w.all.Append(ref.In(a), first)
	case 2:
		if h := some(); !h.IsNil() {
			tags, all := ref.NewSlice[ref.String](ref.In(a), r.IntN(4))
			for i := range all {
				all[i] = ref.NewString(ref.In(a), text())
			}
			h.Get(ref.In(a)).tags, h.Get(ref.In(a)).right = tags, some()
		}
	case 3:
		if h := some(); !h.IsNil() {
			h.Get(ref.In(a)).next.Set(ref.In(a), uint16(r.IntN(10)), some())
			h.Get(ref.In(a)).Of = some().Get(ref.In(a)).Of // a number of two
		}
	case 4:
		w.people.Set(ref.In(a), text(), some())
		w.people.Delete(ref.In(a), text())
	case 5:
		w.days.Entry(ref.In(a), r.Uint64N(50)).Append(ref.In(a), uint16(n), uint16(r.IntN(10)))
		w.days.Delete(ref.In(a), r.Uint64N(50))
	case 6:
		s := ref.NewString(ref.In(a), text())
		w.words.Set(ref.In(a), text(), [2]ref.String{s, s})
		w.words.Delete(ref.In(a), text())
	case 7:
		w.all.Truncate(r.IntN(w.all.Len() + 1))
	case 8:
		for k := range w.houses.All(ref.In(a)) {
			w.houses.Delete(ref.In(a), k)
			break
		}
	}
}

// in says all that there is in a town, and tests that a house has one reference.
func (w *town) in(t *testing.T, a *arena.Arena) string {
	var b strings.Builder
	seen := map[uint32]ref.Of[house]{}
	var todo []ref.Of[house]
	id := func(h ref.Of[house]) int {
		if h.IsNil() {
			return -1
		}
		n := h.Get(ref.In(a)).id
		if old, ok := seen[n]; !ok {
			seen[n] = h
			todo = append(todo, h)
		} else if old != h {
			t.Errorf("house %d is there twice", n)
		}
		return int(n)
	}
	ids := func(m map[string]ref.Of[house]) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			fmt.Fprintf(&b, " %q:%d", k, id(m[k]))
		}
		fmt.Fprintln(&b)
	}
	all := map[string]ref.Of[house]{}
	for k, h := range w.houses.All(ref.In(a)) {
		all[fmt.Sprint(k)] = h
	}
	ids(all)
	ids(maps.Collect(w.people.All(ref.In(a))))
	for k, l := range w.days.All(ref.In(a)) {
		fmt.Fprintf(&b, " %d:%d", k, l.Get(ref.In(a)))
	}
	for k, s := range w.words.All(ref.In(a)) {
		fmt.Fprintf(&b, " %q:%q %t", k, s[0].Get(ref.In(a)), s[0] == s[1])
	}
	for _, h := range w.all.Get(ref.In(a)) {
		fmt.Fprintf(&b, " %d", id(h))
	}
	for len(todo) > 0 {
		h := todo[0].Get(ref.In(a))
		todo = todo[1:]
		fmt.Fprintf(&b, "\nhouse %d: %d %d %d %q", h.id, id(h.left), id(h.right), *h.Of.Get(ref.In(a)), h.sign.Get(ref.In(a)))
		for _, tag := range h.tags.Get(ref.In(a)) {
			fmt.Fprintf(&b, " %q", tag.Get(ref.In(a)))
		}
		next := map[string]ref.Of[house]{}
		for k, h := range h.next.All(ref.In(a)) {
			next[fmt.Sprint(k)] = h
		}
		ids(next)
	}
	return b.String()
}

// TestCopyRefs changes towns at random and moves them from arena to arena: they stay what they are,
// in arenas that do not grow.
func TestCopyRefs(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	a := arena.NewArena()
	w := new(town)
	for n := range ref.Few(20_000) {
		w.change(r, a, n)
		if r.IntN(200) != 0 {
			continue
		}
		want := w.in(t, a)
		to := arena.NewWith(arena.Options{Guard: r.IntN(8) == 0})
		inTo := ref.In(to)
		for range r.IntN(3) {
			ref.NewString(inTo, "something else")
		}
		before := to.Stats().RefBytes
		fresh := new(town)
		ref.Copy(inTo, fresh, ref.In(a), w)
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

// TestCopyRefsList copies a list of very many nodes, whose copy must not take a stack of that many
// calls, onto itself.
func TestCopyRefsList(t *testing.T) {
	type node struct {
		next ref.Of[node]
		n    int
	}
	a, n := arena.NewArena(), ref.Few(1_000_000)
	s := ref.In(a)
	var first ref.Of[node]
	for i := range n {
		r, p := ref.New[node](s)
		*p = node{next: first, n: i}
		first = r
	}
	last := first
	ref.Copy(s, &first, s, &first)
	for i := n - 1; i >= 0; i-- {
		if p := first.Get(s); p.n != i || first == last {
			t.Fatalf("node %d is %d", i, p.n)
		}
		first, last = first.Get(s).next, last.Get(s).next
	}
	if !first.IsNil() {
		t.Error("the list does not end")
	}
}

// TestCopyRefsChurn proves that data that is copied now and then does not grow, when as much is
// added as is deleted.
func TestCopyRefsChurn(t *testing.T) {
	const live = 20_000
	a := arena.NewArena()
	m, most := new(ref.TextMap[ref.String]), int64(0)
	for round := range 10 {
		for i := range live {
			k := round*live + i
			m.Delete(ref.In(a), fmt.Sprint("key ", k-live))
			m.Set(ref.In(a), fmt.Sprint("key ", k), ref.NewString(ref.In(a), fmt.Sprint("value ", k)))
		}
		to, fresh := arena.NewArena(), new(ref.TextMap[ref.String])
		inTo := ref.In(to)
		ref.Copy(inTo, fresh, ref.In(a), m)
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
	s := ref.In(a)
	first, p := ref.New[[1000]int64](s)
	*p = [1000]int64{1, 2, 3}
	type derived ref.Of[int]
	full := arena.NewWith(arena.Options{Limit: 100})
	inFull := ref.In(full)
	freed := arena.NewArena()
	inFreed := ref.In(freed)
	freed.Free()
	for name, test := range map[string]struct {
		f    func()
		want string
	}{
		"pointers": {func() { ref.Copy(s, new(*int), s, new(*int)) }, "Copy: *int has pointers"},
		"nil to":   {func() { ref.Copy(ref.Space{}, new(int), s, new(int)) }, "the zero Space"},
		"nil from": {func() { ref.Copy(s, new(int), ref.Space{}, new(int)) }, "the zero Space"},
		"freed":    {func() { ref.Copy(s, new(int), inFreed, new(int)) }, "after Free"},
		"derived":  {func() { ref.Copy(s, new([2]derived), s, new([2]derived)) }, "derived from a type of references"},
		"other":    {func() { r := first; ref.Copy(s, &r, ref.In(arena.NewArena()), &r) }, "ref: "},
		"full":     {func() { r := first; ref.Copy(inFull, &r, s, &r) }, "Options.Limit"},
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
	if ref.BuiltWith("-race") || ref.BuiltWith("-asan") || tools.Debugging {
		return // they tell such references by their types
	}
	func() {
		defer func() {
			if v := fmt.Sprint(recover()); !strings.Contains(v, "lead to more than there is") {
				t.Errorf("overlapping: %v", v)
			}
		}()
		type overlapping struct {
			a ref.Of[[999]int64]
			b ref.Of[[998]int64]
			c ref.Of[[997]int64]
			d ref.Of[[996]int64]
		}
		var v, fresh overlapping
		n := first.Offset()
		v.a, _ = ref.At[[999]int64](s, n)
		v.b, _ = ref.At[[998]int64](s, n)
		v.c, _ = ref.At[[997]int64](s, n)
		v.d, _ = ref.At[[996]int64](s, n)
		ref.Copy(ref.In(arena.NewArena()), &fresh, s, &v)
	}()
}

// TestCopyLists has lists that share their elements, as copies of one that grows and is truncated
// do, and copies all of them: what they have in the copy is what they had. They take no more than
// twice the memory: the first one that is found may be shorter than the others.
func TestCopyLists(t *testing.T) {
	type all struct {
		lists   ref.Slice[ref.List[int64]]
		friends ref.Slice[ref.List[ref.Of[house]]]
	}
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 100 {
		from, to := arena.NewArena(), arena.NewArena()
		inFrom := ref.In(from)
		var v all
		var lists []ref.List[int64]
		var friends []ref.List[ref.Of[house]]
		v.lists, lists = ref.NewSlice[ref.List[int64]](inFrom, 20)
		v.friends, friends = ref.NewSlice[ref.List[ref.Of[house]]](inFrom, 20)
		var numbers ref.List[int64]
		var houses ref.List[ref.Of[house]]
		for _, i := range r.Perm(20) {
			for range r.IntN(100) {
				numbers.Append(inFrom, int64(numbers.Len()))
				h, _ := ref.New[house](inFrom)
				houses.Append(inFrom, h)
			}
			lists[i], friends[i] = numbers, houses
			lists[i].Truncate(r.IntN(numbers.Len() + 1))
		}
		var w all
		ref.Copy(ref.In(to), &w, inFrom, &v)
		for range r.IntN(3) { // what is a copy itself
			next := arena.NewArena()
			inNext := ref.In(next)
			ref.Copy(inNext, &w, ref.In(to), &w)
			to.Free()
			to = next
		}
		if had, has := from.Stats().RefBytes, to.Stats().RefBytes; has > 2*had {
			t.Fatalf("the copy has %d bytes, and the original %d", has, had)
		}
		of := map[*house]*house{} // the original of each copy
		for i := range 20 {
			if got, want := w.lists.Get(ref.In(to))[i].Get(ref.In(to)), lists[i].Get(inFrom); !slices.Equal(got, want) {
				t.Fatalf("list %d is %v, want %v", i, got, want)
			}
			got, want := w.friends.Get(ref.In(to))[i].Get(ref.In(to)), friends[i].Get(inFrom)
			if len(got) != len(want) {
				t.Fatalf("list %d has %d houses, want %d", i, len(got), len(want))
			}
			for j := range got {
				h, old := got[j].Get(ref.In(to)), want[j].Get(inFrom)
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

// TestCopyKeys copies maps whose keys differ only in lists, some of which are empty: no entry is
// lost.
func TestCopyKeys(t *testing.T) {
	type key struct {
		pair [2]ref.List[int32]
		n    int32
	}
	r := rand.New(rand.NewPCG(testrun.Seed(t), 0))
	for range 100 {
		from, to := arena.NewArena(), arena.NewArena()
		inFrom, inTo := ref.In(from), ref.In(to)
		var m, fresh ref.Map[key, int]
		var rooms [4]ref.List[int32]
		for i := range rooms {
			rooms[i].Grow(inFrom, 8)
			rooms[i].Append(inFrom, 1, 2, 3, 4)
		}
		var keys []key
		for range r.IntN(50) {
			k := key{n: int32(r.IntN(2))}
			for i := range k.pair {
				if r.IntN(4) > 0 {
					k.pair[i] = rooms[r.IntN(len(rooms))]
					k.pair[i].Truncate(r.IntN(3))
				}
			}
			if _, ok := m.Get(inFrom, k); !ok {
				m.Set(inFrom, k, len(keys))
				keys = append(keys, k)
			}
		}
		ref.Copy(inTo, &fresh, inFrom, &m)
		if fresh.Len() != len(keys) {
			t.Fatalf("%d entries, want %d", fresh.Len(), len(keys))
		}
		for k, i := range fresh.All(inTo) {
			if k.n != keys[i].n {
				t.Fatalf("the key %v has the value of another", k)
			}
			for j := range k.pair {
				if got, want := k.pair[j].Get(inTo), keys[i].pair[j].Get(inFrom); !slices.Equal(got, want) {
					t.Fatalf("a list is %v, want %v", got, want)
				}
			}
		}
	}
}
