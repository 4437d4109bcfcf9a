package arenadebug

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
)

//go:noinline
func placeOne(skip int) arena.Stack { return place(skip) }

//go:noinline
func placeTwo(skip int) arena.Stack { return place(skip) }

func place(skip int) arena.Stack {
	pc := make(arena.Stack, 10)
	return pc[:runtime.Callers(skip, pc)]
}

// TestNewPage compares the page for random arenas with what a reader of the documentation would
// do by hand: for each arena find all that are like it.
func TestNewPage(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	stacks := []arena.Stack{placeOne(2), placeTwo(2), placeTwo(1), nil}
	names := []string{"", "a", "b\x00", `a" `}
	now := time.Now()
	type other string // of the same name as another type
	types := []arena.TypeStats{{Name: "text"}, {Name: "arenadebug.other", Type: reflect.TypeFor[other]()}, {Name: "arenadebug.other", Type: reflect.TypeFor[int]()}}
	for i := range 12 {
		types = append(types, arena.TypeStats{Name: fmt.Sprint("type", i), Type: reflect.ArrayOf(i, reflect.TypeFor[int]())})
	}
	for round := range 200 {
		list := make([]Tracked, r.IntN(30))
		for i := range list {
			tr := Tracked{
				Name: names[r.IntN(len(names))], Made: now.Add(-time.Duration(r.IntN(1000)) * time.Second),
				Stack: stacks[r.IntN(len(stacks))], Guarded: r.IntN(3) == 0, Reserved: r.Int64N(5),
			}
			for range r.IntN(4) * r.IntN(4) {
				ts := types[r.IntN(len(types))]
				ts.Count, ts.Bytes = r.Int64N(3), r.Int64N(100)
				tr.Stats.Types = append(tr.Stats.Types, ts)
			}
			list[i] = tr
		}
		order := []string{"size", "age", "count"}[r.IntN(3)]
		p := newPage(now, list, order)
		check(t, p, list)
		for i, s := range p.Sites[min(1, len(p.Sites)):] {
			before := p.Sites[i]
			var wrong bool
			switch order {
			case "size":
				wrong = before.Reserved < s.Reserved
			case "age":
				wrong = before.Oldest.After(s.Oldest)
			case "count":
				wrong = before.Count < s.Count
			}
			if wrong {
				t.Errorf("by %s %v comes before %v", order, before, s)
			}
		}
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

// check checks that p is about list.
func check(t *testing.T, p *Page, list []Tracked) {
	t.Helper()
	var reserved int64
	seen := 0
	for _, tr := range list {
		reserved += tr.Reserved
	}
	if p.Arenas != len(list) || p.Reserved != reserved {
		t.Errorf("%d arenas with %d bytes, want %d with %d", p.Arenas, p.Reserved, len(list), reserved)
	}
	for i, s := range p.Sites {
		for _, u := range p.Sites[:i] {
			if u.Name == s.Name && u.Stack == s.Stack {
				t.Errorf("two sites are %q at %s", s.Name, s.Stack)
			}
		}
		want := Site{Name: s.Name, Stack: s.Stack}
		all := map[typeKey]Type{}
		for _, tr := range list {
			if tr.Name != s.Name || tr.Stack.String() != s.Stack {
				continue
			}
			seen++
			want.Count++
			want.Reserved += tr.Reserved
			if tr.Guarded {
				want.Guarded++
			}
			if want.Oldest.IsZero() || tr.Made.Before(want.Oldest) {
				want.Oldest = tr.Made
			}
			for _, ts := range tr.Stats.Types {
				k := typeKey{ts.Name, ts.Type}
				all[k] = Type{ts.Name, all[k].Count + ts.Count, all[k].Bytes + ts.Bytes}
			}
		}
		// Each type that is shown is one of all, and none of the others is larger.
		want.More = max(len(all)-mostTypes, 0)
		want.Types = s.Types
		for j, ty := range s.Types {
			if j > 0 && ty.Bytes > s.Types[j-1].Bytes {
				t.Errorf("type %v comes after %v", ty, s.Types[j-1])
			}
			found := false
			for k, have := range all {
				if found = have == ty; found {
					delete(all, k)
					break
				}
			}
			if !found {
				t.Errorf("type %v is not in the arenas", ty)
			}
		}
		if len(all) != want.More {
			t.Errorf("%d types are left, want %d", len(all), want.More)
		}
		for _, ty := range all {
			if ty.Bytes > s.Types[len(s.Types)-1].Bytes {
				t.Errorf("type %v is missing", ty)
			}
		}
		if !reflect.DeepEqual(s, want) {
			t.Errorf("site %+v, want %+v", s, want)
		}
	}
	if seen != len(list) {
		t.Errorf("%d arenas are at some site, want %d", seen, len(list))
	}
}

func TestText(t *testing.T) {
	now := time.Now()
	v := &view{Page: &Page{Time: now}}
	for _, c := range []struct{ got, want string }{
		{v.Bytes(0), "0 bytes"}, {v.Bytes(1), "1 byte"}, {v.Bytes(1023), "1023 bytes"}, {v.Bytes(1024), "1.0 KiB"},
		{v.Bytes(1<<20 - 1), "1.0 MiB"}, {v.Bytes(1<<20 + 1<<19), "1.5 MiB"}, {v.Bytes(1<<63 - 1), "8.0 EiB"},
		{v.Age(Site{Oldest: now.Add(time.Hour)}), "0s"}, {v.Age(Site{Oldest: now.Add(-1500 * time.Millisecond)}), "1.5s"},
		{v.Age(Site{Oldest: now.Add(-90*time.Second - time.Millisecond)}), "1m30s"}, {v.Age(Site{Oldest: now.Add(-49 * time.Hour)}), "2 days"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
