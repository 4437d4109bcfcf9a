package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing/iotest"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
	"github.com/arena-go/arena/internal/growth"
	"github.com/arena-go/arena/ref"
)

type item struct {
	next *item
	text string
	_    []int
}

// ways does the same with an arena, and again with that after a Reset.
func ways(do func(a *arena.Arena), reference func()) growth.Work {
	fresh, again := arena.NewArena(), arena.NewArena()
	do(again)
	again.Reset()
	return growth.Work{Reference: reference, Ours: []growth.Way{
		{Name: "new", Arena: true, Do: func() { do(fresh) }},
		{Name: "reset", Arena: true, Do: func() { do(again) }},
		{Name: "heap", Do: func() { do(nil) }},
	}}
}

// valueRows allocate, append and end, in orders that programs have.
func valueRows() (rows []growth.Row) {
	add := func(name string, n int, work func(n int) growth.Work) {
		rows = append(rows, growth.Row{Name: name, N: n, New: work, Unseen: true})
	}
	var head *item
	var sink [][]int
	add("New", 2000, func(n int) growth.Work {
		return ways(func(a *arena.Arena) {
			head = nil
			for range n {
				p := arena.New[item](a)
				p.next, head = head, p
			}
			head = nil
		}, func() {
			for range n {
				head = &item{next: head}
			}
			head = nil
		})
	})
	add("Push", 4000, func(n int) growth.Work {
		return ways(func(a *arena.Arena) {
			var s []int
			for i := range n {
				s = arena.Push(a, s, i)
			}
		}, func() {
			var s []int
			for i := range n {
				s = append(s, i)
			}
			sink = append(sink[:0], s)
		})
	})
	add("Push to many in turns", 2000, func(n int) growth.Work {
		return ways(func(a *arena.Arena) {
			var s [20][]int
			for i := range n {
				s[i%20] = arena.Push(a, s[i%20], i)
			}
		}, func() {
			var s [20][]int
			for i := range n {
				s[i%20] = append(s[i%20], i)
			}
			sink = append(sink[:0], s[:]...)
		})
	})
	add("slices that grow by one", 300, func(n int) growth.Work {
		return ways(func(a *arena.Arena) {
			for i := range n {
				arena.MakeSlice[int](a, i, i)
			}
		}, func() {
			for i := range n {
				sink = append(sink[:0], make([]int, i))
			}
		})
	})
	add("large and small in turns", 200, func(n int) growth.Work {
		return ways(func(a *arena.Arena) {
			for range n {
				arena.MakeSlice[int](a, 1000, 1000)
				arena.New[int](a)
				arena.New[item](a)
			}
		}, func() {
			for range n {
				sink = append(sink[:0], make([]int, 1000), make([]int, 1))
				head = &item{}
			}
		})
	})
	add("text", 2000, func(n int) growth.Work {
		return ways(func(a *arena.Arena) {
			for i := range n {
				arena.String(a, "some text"[:i%9])
			}
		}, func() {
			for range n {
				sink = append(sink[:0], make([]int, 2))
			}
		})
	})
	add("Builder", 4000, func(n int) growth.Work {
		return ways(func(a *arena.Arena) {
			b := arena.NewBuilder(a)
			for range n {
				b.WriteString("text")
				b.WriteInt(12, 10)
			}
		}, func() {
			var b strings.Builder
			for range n {
				b.WriteString("text")
				fmt.Fprint(&b, 12)
			}
		})
	})
	add("Builder with Truncate", 2000, func(n int) growth.Work {
		return ways(func(a *arena.Arena) {
			b := arena.NewBuilder(a)
			for range n {
				b.WriteString("text")
				b.Truncate(b.Len() - 1)
			}
		}, func() {
			var b bytes.Buffer
			for range n {
				b.WriteString("text")
				b.Truncate(b.Len() - 1)
			}
		})
	})
	add("ReadAll byte by byte", 2000, func(n int) growth.Work {
		text := strings.Repeat("x", n)
		return ways(func(a *arena.Arena) { arena.ReadAll(a, iotest.OneByteReader(strings.NewReader(text))) }, func() {
			var b bytes.Buffer
			b.ReadFrom(iotest.OneByteReader(strings.NewReader(text)))
		})
	})
	add("many types", 50, func(n int) growth.Work {
		return ways(func(a *arena.Arena) {
			for range n {
				arena.New[int8](a)
				arena.New[*int8](a)
				arena.New[item](a)
				arena.New[[3]item](a)
				arena.New[[4]string](a)
				arena.New[map[string]int](a)
			}
		}, func() {
			for range n {
				sink = append(sink[:0], make([]int, 20))
				head = &item{}
			}
		})
	})
	add("Reset after each", 1000, func(n int) growth.Work {
		a := arena.NewArena()
		return growth.Work{Reference: func() {}, Ours: []growth.Way{{Arena: true, Do: func() {
			for range n {
				arena.New[item](a)
				arena.MakeSlice[int](a, 10, 10)
				a.Reset()
			}
		}}}}
	})
	add("a small round after a large one", 2000, func(n int) growth.Work {
		a := arena.NewArena()
		return growth.Work{Reference: func() { sink = append(sink[:0], make([]int, 6*n)); sink = nil }, Ours: []growth.Way{{Arena: true, Do: func() {
			for range n {
				arena.New[item](a)
			}
			for range 40 {
				a.Reset()
				arena.New[item](a)
			}
		}}}}
	})
	add("Pool", 500, func(n int) growth.Work {
		var p arena.Pool
		return growth.Work{Reference: func() {}, Ours: []growth.Way{{Arena: true, Do: func() {
			for range n {
				a := p.Get()
				arena.New[item](a)
				p.Put(a)
			}
		}}}}
	})
	add("Group", 50, func(n int) growth.Work {
		return growth.Work{Reference: func() { sink = append(sink[:0], make([]int, 400*n)); sink = nil }, Ours: []growth.Way{{Arena: true, Do: func() {
			g := arena.NewGroup()
			for range n {
				a := g.Arena()
				arena.New[item](a)
			}
			g.Stats()
			g.Free()
		}}}}
	})
	add("Local", 1000, func(n int) growth.Work {
		a := arena.NewArena()
		return growth.Work{Reference: func() {}, Ours: []growth.Way{{Arena: true, Do: func() {
			for range n {
				arenakit.Local[item](a)
			}
		}}}}
	})
	add("RefList", 4000, func(n int) growth.Work {
		a := arena.NewArena()
		space := ref.In(a)
		return growth.Work{Reference: func() {
			var s []int
			for i := range n {
				s = append(s, i)
			}
			sink = append(sink[:0], s)
		}, Ours: []growth.Way{{Arena: true, Do: func() {
			var l ref.List[int]
			for i := range n {
				l.Append(space, i)
			}
		}}}}
	})
	add("RefSlab and RefString", 1000, func(n int) growth.Work {
		a := arena.NewArena()
		spaces := ref.In(a)
		return growth.Work{Reference: func() { sink = append(sink[:0], make([]int, 4*n)); sink = nil }, Ours: []growth.Way{{Arena: true, Do: func() {
			for range n {
				ref.New[int](spaces)
				ref.NewString(spaces, "text")
			}
		}}}}
	})
	add("CopyRefs", 500, func(n int) growth.Work {
		type list struct{ items ref.List[int] }
		a, b := arena.NewArena(), arena.NewArena()
		spacess := ref.In(a)
		inB := ref.In(b)
		var from, to list
		for i := range n {
			from.items.Append(spacess, i)
		}
		return growth.Work{Reference: func() { sink = append(sink[:0], make([]int, n)) }, Ours: []growth.Way{{Arena: true, Do: func() {
			ref.Copy(inB, &to, spacess, &from)
		}}}}
	})
	add("Limit, again and again", 200, func(n int) growth.Work {
		a := arena.NewWith(arena.Options{Limit: 1 << 16})
		return growth.Work{Reference: func() {
			for range n {
				head = &item{text: fmt.Sprint(n)}
			}
		}, Ours: []growth.Way{{Arena: true, Do: func() {
			for range n {
				arena.Try(func() { arena.MakeSlice[int](a, 1<<20, 1<<20) })
			}
		}}}}
	})
	add("JSON of a Map", 500, func(n int) growth.Work {
		m, g := arena.NewMap[string, int](arena.NewArena(), 0), map[string]int{}
		for i := range n {
			m.Set(fmt.Sprint(i), i)
			g[fmt.Sprint(i)] = i
		}
		return growth.Ours(func() { json.Marshal(m) }, func() { json.Marshal(g) })
	})
	return rows
}

type (
	linked struct {
		next *linked
		text string
	}
	shared struct {
		all  []*linked
		_    map[string]*linked
		_    []any
		pair [2]*shared
	}
)

// cloneRows have values that share memory. The reference is the memory that they take. DeepClone
// notes each object that it meets, in a map that doubles, and each text, in a list that does.
func cloneRows() (rows []growth.Row) {
	add := func(name string, n int, size int, value func(n int) any) {
		rules := map[growth.Measure]growth.Rule{growth.Bytes: {Times: 18, Slack: 32 << 10, Grow: 2}}
		rows = append(rows, growth.Row{Name: name, N: n, Unseen: true, Rules: rules, New: func(n int) growth.Work {
			v := value(n)
			var c any
			var b []byte
			return growth.Work{
				Reference: func() { b = make([]byte, size*n) },
				Ours:      []growth.Way{{Name: "DeepClone", Do: func() { c = arena.DeepClone(v); _, _ = b, c }}},
			}
		}})
	}
	add("list", 1000, 24, func(n int) any {
		var l *linked
		for range n {
			l = &linked{next: l, text: "text"}
		}
		return l
	})
	add("ring", 1000, 24, func(n int) any {
		l := &linked{text: "text"}
		last := l
		for range n {
			l = &linked{next: l}
		}
		last.next = l
		return l
	})
	add("one value often", 1000, 8, func(n int) any {
		s := shared{}
		l := &linked{text: "text"}
		for range n {
			s.all = append(s.all, l)
		}
		return &s
	})
	add("two paths at each level", 10, 150, func(n int) any {
		s := &shared{}
		for range n {
			s = &shared{pair: [2]*shared{s, s}}
		}
		return s
	})
	add("maps in maps", 200, 300, func(n int) any {
		m := map[string]any{}
		for range n {
			m = map[string]any{"a": m, "b": 1}
		}
		return m
	})
	add("one map often", 1000, 16, func(n int) any {
		m := map[string]any{"a": 1}
		return slices.Repeat([]any{m}, n)
	})
	add("interfaces", 1000, 40, func(n int) any {
		var v any
		for range n {
			v = []any{v}
		}
		return v
	})
	text := func(n int) string { return strings.Repeat("x", n) }
	add("suffixes of text", 1000, 17, func(n int) any {
		t := text(n)
		var s []string
		for i := range n {
			s = append(s, t[i:])
		}
		return s
	})
	add("prefixes of text", 1000, 17, func(n int) any {
		t := text(n)
		var s []string
		for i := range n {
			s = append(s, t[:i])
		}
		return s
	})
	add("the same text", 1000, 17, func(n int) any {
		return slices.Repeat([]string{text(n)}, n)
	})
	add("windows of text", 1000, 17, func(n int) any {
		t := text(2 * n)
		var s []string
		for i := range n {
			s = append(s, t[i:i+n])
		}
		return s
	})
	add("suffixes of text in structs", 500, 33, func(n int) any {
		t := text(n)
		var s []linked
		for i := range n {
			s = append(s, linked{text: t[i:]})
		}
		return s
	})
	add("suffixes of text as keys", 300, 100, func(n int) any {
		t := text(n)
		s := map[string]string{}
		for i := range n {
			s[t[i:]] = t[:i]
		}
		return s
	})
	add("suffixes of text in interfaces", 500, 33, func(n int) any {
		t := text(n)
		var s []any
		for i := range n {
			s = append(s, t[i:])
		}
		return s
	})
	add("suffixes of bytes", 1000, 25, func(n int) any {
		b := make([]byte, n)
		var s [][]byte
		for i := range n {
			s = append(s, b[i:])
		}
		return s
	})
	add("suffixes of a slice", 1000, 32, func(n int) any {
		b := make([]*linked, n)
		var s [][]*linked
		for i := range n {
			s = append(s, b[i:])
		}
		return s
	})
	add("capped prefixes of bytes", 1000, 25, func(n int) any {
		b := make([]byte, n)
		var s [][]byte
		for i := range n {
			s = append(s, b[:i:i])
		}
		return s
	})
	add("pointers into an array", 1000, 16, func(n int) any {
		b := make([]int, n)
		var s []*int
		for i := range n {
			s = append(s, &b[i])
		}
		return s
	})
	return rows
}
