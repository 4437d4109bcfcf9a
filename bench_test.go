package arena_test

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenastrings"
)

// The benchmarks make n objects with one lifetime per iteration, fill them,
// and check a sum over them. Each implementation of a workload is a function
// that makes one round; besides ns/op, which is for the round, they report ns/obj.
//
//	heap   new, make, the strings package
//	pool   a sync.Pool to which every object is put back
//	reset  one arena, Reset after each round
//	free   a new arena for each round, Free after it
//	slab   as reset, through the handle from SlabOf

type (
	struct16 struct{ a, b int64 }
	person   struct {
		name, address, phone string
		age, zip             int
	}
	node struct {
		left, _ *node
		n       int
	}
)

var sizes = []int{10, 100, 1000, 10_000, 100_000, 1_000_000}

// An impl makes rounds of n objects and returns a sum over them.
type impl struct {
	name  string
	round func(n int) int
}

func bench(b *testing.B, sizes []int, want func(n int) int, impls ...impl) {
	for _, n := range sizes {
		for _, im := range impls {
			b.Run(fmt.Sprintf("impl=%s/n=%d", im.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if got := im.round(n); got != want(n) {
						b.Fatalf("sum is %d, want %d", got, want(n))
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/obj")
			})
		}
	}
}

// objects returns the implementations of rounds of single values of type T. use
// fills the values of a round and returns a sum over them.
func objects[T any](use func(keep []*T) int) []impl {
	var space []*T
	room := func(n int) []*T {
		space = slices.Grow(space[:0], n)
		return space[:n]
	}
	pool := sync.Pool{New: func() any { return new(T) }}
	reused := arena.NewArena()
	slabbed := arena.NewArena()
	return []impl{
		{"heap", func(n int) int {
			keep := room(n)
			for i := range keep {
				keep[i] = new(T)
			}
			return use(keep)
		}},
		{"pool", func(n int) int {
			keep := room(n)
			for i := range keep {
				keep[i] = pool.Get().(*T)
			}
			sum := use(keep)
			for _, p := range keep {
				var zero T
				*p = zero
				pool.Put(p)
			}
			return sum
		}},
		{"reset", func(n int) int {
			keep := room(n)
			for i := range keep {
				keep[i] = arena.New[T](reused)
			}
			sum := use(keep)
			reused.Reset()
			return sum
		}},
		{"free", func(n int) int {
			keep := room(n)
			a := arena.NewArena()
			for i := range keep {
				keep[i] = arena.New[T](a)
			}
			sum := use(keep)
			a.Free()
			return sum
		}},
		{"slab", func(n int) int {
			keep := room(n)
			s := arena.SlabOf[T](slabbed)
			for i := range keep {
				keep[i] = s.New()
			}
			sum := use(keep)
			slabbed.Reset()
			return sum
		}},
	}
}

// below returns 0 + 1 + ... + n-1.
func below(n int) int { return n * (n - 1) / 2 }

// BenchmarkNew allocates n values and uses the last one only: the cost of
// allocation and Reset alone. The variable outside of the loop keeps the values of
// heap from being moved to the stack.
func BenchmarkNew(b *testing.B) {
	b.Run("type=struct16", func(b *testing.B) { benchNew(b, func(p *struct16) { p.a++ }) })
	b.Run("type=person", func(b *testing.B) { benchNew(b, func(p *person) { p.age++ }) })
}

func benchNew[T any](b *testing.B, touch func(*T)) {
	reused := arena.NewArena()
	slab := arena.SlabOf[T](reused)
	bench(b, []int{10, 1000, 100_000, 1_000_000}, func(n int) int { return n },
		impl{"heap", func(n int) int {
			var last *T
			for range n {
				last = new(T)
			}
			touch(last)
			return n
		}},
		impl{"reset", func(n int) int {
			var last *T
			for range n {
				last = arena.New[T](reused)
			}
			touch(last)
			reused.Reset()
			return n
		}},
		impl{"slab", func(n int) int {
			var last *T
			for range n {
				last = slab.New()
			}
			touch(last)
			reused.Reset()
			return n
		}})
}

// A oneOf is one of many types of one size.
type oneOf[T any] struct {
	_ *oneOf[T]
	n int
	_ [0]T
}

// makeTyped makes a value of one of these types.
func makeTyped[T any](a *arena.Arena, n int) *int {
	v := arena.New[oneOf[T]](a)
	v.n = n
	return &v.n
}

// BenchmarkManyTypes makes values of several types in a random order, one value in each iteration.
func BenchmarkManyTypes(b *testing.B) {
	makers := slices.Concat(eight[[0]int](), eight[[1]int](), eight[[2]int](), eight[[3]int](), eight[[4]int]())
	for _, types := range []int{1, 2, 5, 12, 40} {
		order := make([]func(*arena.Arena, int) *int, 1<<12)
		random := rand.New(rand.NewPCG(1, uint64(types)))
		for i := range order {
			order[i] = makers[random.IntN(types)]
		}
		for _, impl := range []string{"heap", "reset"} {
			b.Run(fmt.Sprintf("types=%d/impl=%s", types, impl), func(b *testing.B) {
				var a *arena.Arena
				if impl == "reset" {
					a = arena.NewArena()
				}
				for i := range b.N {
					if *order[i%len(order)](a, i) != i {
						b.Fatal("another number")
					}
					if i%len(order) == len(order)-1 {
						a.Reset()
					}
				}
			})
		}
	}
}

var sinkPtr any

// BenchmarkScope makes ten values of five types a round: on the heap, in a new arena, in a scope,
// and in an arena that is Reset.
func BenchmarkScope(b *testing.B) {
	type (
		point struct{ x, y float64 }
		name  struct{ first, last string }
		link  struct {
			next *link
			n    int
		}
		flag struct{ a, b bool }
	)
	work := func(a *arena.Arena) {
		for range 2 {
			p, n, l, f := arena.New[point](a), arena.New[name](a), arena.New[link](a), arena.New[flag](a)
			*p, *n, *l, *f = point{1, 2}, name{"a", "b"}, link{nil, 1}, flag{true, false}
			sinkPtr, sinkPtr, sinkPtr, sinkPtr = p, n, l, f
			sinkPtr = arena.New[int](a)
		}
	}
	a := arena.NewArena()
	for _, bench := range []struct {
		name  string
		round func()
	}{
		{"heap", func() { work(nil) }},
		{"arena", func() { a := arena.NewArena(); work(a); a.Free() }},
		{"scope", func() { m := a.Mark(); work(a); a.Rewind(m) }},
		{"reset", func() { work(a); a.Reset() }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			work(a)
			b.ReportAllocs()
			for b.Loop() {
				bench.round()
			}
		})
	}
}

// eight returns makers of values of eight types.
func eight[T any]() []func(*arena.Arena, int) *int {
	return []func(*arena.Arena, int) *int{
		makeTyped[T], makeTyped[*T], makeTyped[[]T], makeTyped[[1]T], makeTyped[map[int]T], makeTyped[chan T], makeTyped[func(T)], makeTyped[*[]T],
	}
}

func BenchmarkStruct16(b *testing.B) {
	bench(b, sizes, below, objects(func(keep []*struct16) (sum int) {
		for i, p := range keep {
			p.a = int64(i)
		}
		for _, p := range keep {
			sum += int(p.a + p.b)
		}
		return sum
	})...)
}

func BenchmarkPerson(b *testing.B) {
	bench(b, sizes, below, objects(func(keep []*person) (sum int) {
		for i, p := range keep {
			p.name, p.address, p.phone, p.age = "Ada Lovelace", "12 St James's Square", "none", i
		}
		for _, p := range keep {
			sum += p.age + p.zip + len(p.phone) - 4
		}
		return sum
	})...)
}

func BenchmarkNode(b *testing.B) {
	bench(b, sizes, below, objects(func(keep []*node) (sum int) {
		for i, p := range keep[:len(keep)-1] {
			p.left, p.n = keep[i+1], i
		}
		keep[len(keep)-1].n = len(keep) - 1
		for p := keep[0]; p != nil; p = p.left {
			sum += p.n
		}
		return sum
	})...)
}

// inArena returns the implementations heap, reset and free of a workload that
// takes an arena, nil for the heap.
func inArena(round func(a *arena.Arena, n int) int) []impl {
	reused := arena.NewArena()
	return []impl{
		{"heap", func(n int) int { return round(nil, n) }},
		{"reset", func(n int) int {
			sum := round(reused, n)
			reused.Reset()
			return sum
		}},
		{"free", func(n int) int {
			a := arena.NewArena()
			sum := round(a, n)
			a.Free()
			return sum
		}},
	}
}

// BenchmarkTrees makes binary trees as the Benchmarks Game does, bottom-up and one
// after the other; n is the depth of each.
func BenchmarkTrees(b *testing.B) {
	type tree struct{ left, right *tree }
	var count func(t *tree) int
	count = func(t *tree) int {
		if t.left == nil {
			return 1
		}
		return 1 + count(t.left) + count(t.right)
	}
	var inHeap func(depth int) *tree
	inHeap = func(depth int) *tree {
		t := new(tree)
		if depth > 0 {
			t.left, t.right = inHeap(depth-1), inHeap(depth-1)
		}
		return t
	}
	var inArena func(a *arena.Arena, depth int) *tree
	inArena = func(a *arena.Arena, depth int) *tree {
		t := arena.New[tree](a)
		if depth > 0 {
			t.left, t.right = inArena(a, depth-1), inArena(a, depth-1)
		}
		return t
	}
	var inSlab func(s *arena.Slab[tree], depth int) *tree
	inSlab = func(s *arena.Slab[tree], depth int) *tree {
		t := s.New()
		if depth > 0 {
			t.left, t.right = inSlab(s, depth-1), inSlab(s, depth-1)
		}
		return t
	}
	reused, slabbed := arena.NewArena(), arena.NewArena()
	nodes := func(depth int) int { return 1<<(depth+1) - 1 }
	for _, depth := range []int{4, 10, 16} {
		for _, im := range []impl{
			{"heap", func(depth int) int { return count(inHeap(depth)) }},
			{"reset", func(depth int) int { defer reused.Reset(); return count(inArena(reused, depth)) }},
			{"free", func(depth int) int { a := arena.NewArena(); defer a.Free(); return count(inArena(a, depth)) }},
			{"slab", func(depth int) int { defer slabbed.Reset(); return count(inSlab(arena.SlabOf[tree](slabbed), depth)) }},
		} {
			b.Run(fmt.Sprintf("impl=%s/n=%d", im.name, depth), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if got := im.round(depth); got != nodes(depth) {
						b.Fatalf("%d nodes, want %d", got, nodes(depth))
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes(depth)), "ns/obj")
			})
		}
	}
}

// BenchmarkParallel runs GOMAXPROCS goroutines, each with its own arena.
func BenchmarkParallel(b *testing.B) {
	const n = 1000
	for _, goroutines := range []int{1, 2} {
		for _, name := range []string{"heap", "reset"} {
			b.Run(fmt.Sprintf("impl=%s/goroutines=%d", name, goroutines), func(b *testing.B) {
				rounds := b.N
				b.ReportAllocs()
				var wg sync.WaitGroup
				for range goroutines {
					wg.Go(func() {
						var a *arena.Arena
						if name == "reset" {
							a = arena.NewArena()
						}
						var keep [n]*person
						for range rounds / goroutines {
							for i := range keep {
								keep[i] = arena.New[person](a)
								keep[i].age = i
							}
							a.Reset()
						}
					})
				}
				wg.Wait()
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/obj")
			})
		}
	}
}

// BenchmarkCollect is the time of runtime.GC with n live nodes in a list.
func BenchmarkCollect(b *testing.B) {
	const n = 1_000_000
	for _, name := range []string{"heap", "arena"} {
		b.Run(fmt.Sprintf("impl=%s/n=%d", name, n), func(b *testing.B) {
			var a *arena.Arena
			if name == "arena" {
				a = arena.NewArena()
			}
			var head *node
			for i := range n {
				p := arena.New[node](a)
				p.left, p.n = head, i
				head = p
			}
			for b.Loop() {
				runtime.GC()
			}
			if head.n != n-1 || head.left.n != n-2 {
				b.Fatal("the list is broken")
			}
			runtime.KeepAlive(a)
		})
	}
}

// BenchmarkManyArenas reports the memory of 1,000 live arenas with an int each.
func BenchmarkManyArenas(b *testing.B) {
	const n = 1000
	for b.Loop() {
		var before, after runtime.MemStats
		var arenas [n]*arena.Arena
		for range 3 {
			runtime.GC() // what is in pools goes too
		}
		runtime.ReadMemStats(&before)
		for i := range arenas {
			arenas[i] = arena.NewArena()
			*arena.New[int](arenas[i]) = i
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/arena")
		for _, a := range arenas {
			a.Free()
		}
	}
}

// BenchmarkAsked is what arena advise counts with: a thousand of each kind of memory, on the heap
// and in an arena that is reset. Count its instructions, as cmd/arena/internal/predicted/README.md
// says.
func BenchmarkAsked(b *testing.B) {
	type (
		A struct {
			_, _ *int
			s    string
			n    int
		}
		B struct {
			_ *A
			x []byte
		}
		C struct {
			_, _, _ *A
			n, m    int
		}
		D struct {
			s string
			_ any
		}
		E struct {
			_ *A
			n [6]int
		}
		F struct {
			_ []*A
			b *B
			_ *C
		}
	)
	var keep struct {
		a    *A
		b    *B
		c    *C
		d    *D
		e    *E
		f    *F
		text string
		any  any
		list []string
	}
	chars, words := []byte("some-name12"), []string{"server", "limits"}
	s, n := words[0], int64(len(words))<<20
	for _, k := range []struct {
		of       string
		heap, in func(a *arena.Arena)
	}{
		{"six_values", func(*arena.Arena) {
			keep.a, keep.b, keep.c, keep.d, keep.e, keep.f = &A{s: s, n: 3}, &B{x: chars}, &C{n: 1, m: 2}, &D{s: s}, &E{n: [6]int{1}}, &F{b: keep.b}
		}, func(a *arena.Arena) {
			keep.a, keep.b, keep.c = arena.Ptr(a, A{s: s, n: 3}), arena.Ptr(a, B{x: chars}), arena.Ptr(a, C{n: 1, m: 2})
			keep.d, keep.e, keep.f = arena.Ptr(a, D{s: s}), arena.Ptr(a, E{n: [6]int{1}}), arena.Ptr(a, F{b: keep.b})
		}},
		{"string_in_an_interface", func(*arena.Arena) { keep.any = s }, func(a *arena.Arena) { keep.any = arena.Box(a, s) }},
		{"int64_in_an_interface", func(*arena.Arena) { keep.any = n }, func(a *arena.Arena) { keep.any = arena.Box(a, n) }},
		{"text", func(*arena.Arena) { keep.text = string(chars) }, func(a *arena.Arena) { keep.text = arena.String(a, chars) }},
		{"joined", func(*arena.Arena) { keep.text = s + "." + words[1] }, func(a *arena.Arena) { keep.text = arena.Concat(a, s, ".", words[1]) }},
		{"make", func(*arena.Arena) { n := len(words); keep.list = make([]string, n) }, func(a *arena.Arena) { n := len(words); keep.list = arena.MakeSlice[string](a, n, n) }},
		{"append", func(*arena.Arena) { keep.list = append([]string(nil), s) }, func(a *arena.Arena) { keep.list = arena.Push(a, []string(nil), s) }},
		{"built", func(*arena.Arena) {
			var t strings.Builder
			t.Grow(25 * len(words))
			for i, w := range words {
				if i > 0 {
					t.WriteByte('.')
				}
				t.WriteString(w)
			}
			keep.text = t.String()
		}, func(a *arena.Arena) {
			t := arena.NewBuilder(a)
			t.Grow(25 * len(words))
			for i, w := range words {
				if i > 0 {
					t.WriteByte('.')
				}
				t.WriteString(w)
			}
			keep.text = t.String()
		}},
	} {
		for impl, f := range map[string]func(*arena.Arena){"heap": k.heap, "arena": k.in} {
			b.Run("of="+k.of+"/impl="+impl, func(b *testing.B) {
				a := arena.NewArena()
				for b.Loop() {
					for range 1000 {
						f(a)
					}
					a.Reset()
				}
			})
		}
	}
}

// BenchmarkGrown appends structs of 96 bytes one by one to lists of 600 to 9,300, which is what
// arena advise counts with for large slices that grow. Profile it, for what is copied and cleared.
func BenchmarkGrown(b *testing.B) {
	type element struct {
		_ []byte
		_ string
		_ [7]int
	}
	var keep []element
	for _, impl := range []string{"heap", "arena"} {
		b.Run("impl="+impl, func(b *testing.B) {
			var a *arena.Arena
			if impl == "arena" {
				a = arena.NewArena()
			}
			for b.Loop() {
				for _, n := range []int{600, 900, 1300, 2000, 2900, 4300, 6300, 9300} {
					keep = nil
					for range n {
						if a == nil {
							keep = append(keep, element{})
						} else {
							keep = arena.Push(a, keep, element{})
						}
					}
				}
				if a != nil {
					a.Reset()
				}
			}
		})
	}
}

// Types of a small tree, from 16 to 96 bytes, most of them with pointers.
type (
	ident    struct{ _ string }
	number   struct{ _, _ int }
	unary    struct{ _, _ any }
	binary   struct{ _, _, _, _ uintptr }
	callExpr struct {
		_ *ident
		_ []any
		_ int
	}
	field struct {
		_, _ string
		_    any
	}
	list struct {
		_, _ *list
		_    int
	}
	blockStmt struct {
		_    []any
		_, _ int
	}
	fun struct {
		_    *ident
		_, _ []any
		_    *blockStmt
	}
	comment struct {
		_ string
		_ int
	}
	ret struct {
		_ []any
		_ int
	}
	imports struct {
		_, _ string
		_    *comment
		_, _ int
	}
)

// mixed makes the i-th of a round of values of 12 types, or of the first few of them.
func mixed(a *arena.Arena, i int) any {
	switch i {
	case 0:
		return arena.New[ident](a)
	case 1:
		return arena.New[number](a)
	case 2:
		return arena.New[unary](a)
	case 3:
		return arena.New[binary](a)
	case 4:
		return arena.New[callExpr](a)
	case 5:
		return arena.New[field](a)
	case 6:
		return arena.New[list](a)
	case 7:
		return arena.New[blockStmt](a)
	case 8:
		return arena.New[fun](a)
	case 9:
		return arena.New[comment](a)
	case 10:
		return arena.New[ret](a)
	}
	return arena.New[imports](a)
}

// mixedHeap is mixed without arenas.
func mixedHeap(i int) any {
	switch i {
	case 0:
		return new(ident)
	case 1:
		return new(number)
	case 2:
		return new(unary)
	case 3:
		return new(binary)
	case 4:
		return new(callExpr)
	case 5:
		return new(field)
	case 6:
		return new(list)
	case 7:
		return new(blockStmt)
	case 8:
		return new(fun)
	case 9:
		return new(comment)
	case 10:
		return new(ret)
	}
	return new(imports)
}

// BenchmarkFresh makes few values of several types in a new arena, which it frees.
func BenchmarkFresh(b *testing.B) {
	keep := make([]any, 1000)
	for _, shape := range [][2]int{{1, 1}, {2, 1}, {10, 1}, {10, 5}, {12, 12}, {24, 12}, {62, 8}, {120, 12}, {1000, 12}} {
		n, types := shape[0], shape[1]
		run := func(impl string, round func()) {
			b.Run(fmt.Sprintf("n=%d/types=%d/impl=%s", n, types, impl), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					round()
				}
			})
		}
		run("heap", func() {
			for i, k := 0, 0; i < n; i++ {
				keep[i] = mixedHeap(k)
				if k++; k == types {
					k = 0
				}
			}
		})
		run("free", func() {
			a := arena.NewArena()
			for i, k := 0, 0; i < n; i++ {
				keep[i] = mixed(a, k)
				if k++; k == types {
					k = 0
				}
			}
			a.Free()
		})
	}
}

// onHeapMap is what keeps the maps of BenchmarkMap from the stack.
var onHeapMap any

// BenchmarkMap compares Go's map with a Map in one arena, which is Reset after each
// round. A round of set, of hint and of ref makes a map of n entries; hint with room for
// them, and ref counts each key twice. A round of get, miss, and all reads such a map.
func BenchmarkMap(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	ints, texts := make([]int, 2*sizes[len(sizes)-1]), make([]string, 2*sizes[len(sizes)-1])
	for i := range ints {
		ints[i] = int(r.Uint64())
		texts[i] = fmt.Sprintf("key-%d", r.Uint64N(1e9)*uint64(len(ints))+uint64(i))
	}
	benchMap(b, "int", ints)
	benchMap(b, "string", texts)
}

func benchMap[K comparable](b *testing.B, name string, keys []K) {
	run := func(op string, n int, impl string, round func() int, want int) {
		b.Run(fmt.Sprintf("op=%s/key=%s/impl=%s/n=%d", op, name, impl, n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if got := round(); got != want {
					b.Fatalf("sum is %d, want %d", got, want)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/obj")
		})
	}
	a := arena.NewArena()
	for _, op := range []string{"set", "hint"} {
		for _, n := range sizes {
			hint := 0
			if op == "hint" {
				hint = n
			}
			run(op, n, "heap", func() int {
				m := make(map[K]int, hint)
				onHeapMap = m
				for i, k := range keys[:n] {
					m[k] = i
				}
				return len(m)
			}, n)
			run(op, n, "reset", func() int {
				m := arena.NewMap[K, int](a, hint)
				for i, k := range keys[:n] {
					m.Set(k, i)
				}
				n := m.Len()
				a.Reset()
				return n
			}, n)
		}
	}
	for _, n := range sizes {
		run("ref", n, "heap", func() int {
			m := map[K]int{}
			onHeapMap = m
			for range 2 {
				for _, k := range keys[:n] {
					m[k]++
				}
			}
			return len(m)
		}, n)
		run("ref", n, "reset", func() int {
			m := arena.NewMap[K, int](a, 0)
			for range 2 {
				for _, k := range keys[:n] {
					*m.Entry(k)++
				}
			}
			n := m.Len()
			a.Reset()
			return n
		}, n)
	}
	for _, n := range sizes {
		std, m := map[K]int{}, arena.NewMap[K, int](a, 0)
		onHeapMap = std
		for i, k := range keys[:n] {
			std[k] = i
			m.Set(k, i)
		}
		order := rand.New(rand.NewPCG(3, 4)).Perm(n)
		for _, c := range []struct {
			op   string
			from int
			want int
		}{{"get", 0, below(n)}, {"miss", n, 0}} {
			asked := make([]K, n) // in another order
			for i, at := range order {
				asked[i] = keys[c.from+at]
			}
			run(c.op, n, "heap", func() (sum int) {
				for _, k := range asked {
					sum += std[k]
				}
				return sum
			}, c.want)
			run(c.op, n, "reset", func() (sum int) {
				for _, k := range asked {
					v, _ := m.Get(k)
					sum += v
				}
				return sum
			}, c.want)
		}
		run("all", n, "heap", func() (sum int) {
			for _, v := range std {
				sum += v
			}
			return sum
		}, below(n))
		run("all", n, "reset", func() (sum int) {
			for _, v := range m.All() {
				sum += v
			}
			return sum
		}, below(n))
		runtime.KeepAlive(m)
		a.Reset()
	}
}

// A scratch is what a program without arenas keeps in a sync.Pool: room for the
// values of one round.
type scratch struct {
	people [1000]person
	n      int
}

// rounds are the implementations of taking memory, making n objects in it, and
// giving it back.
//
//	heap    new
//	struct  a sync.Pool of a struct with room for the objects, cleared by the round
//	pool    Get, New, Put of an arena.Pool
//	do      the same, by Do
//	free    a new arena, and Free
func rounds() []impl {
	var pool arena.Pool
	structs := sync.Pool{New: func() any { return new(scratch) }}
	fill := func(a *arena.Arena, n int) (sum int) {
		var last *person
		for i := range n {
			p := arena.New[person](a)
			p.age = i
			if last != nil {
				sum += last.age
			}
			last = p
		}
		return sum + last.age
	}
	return []impl{
		{"heap", func(n int) int { return fill(nil, n) }},
		{"struct", func(n int) (sum int) {
			s := structs.Get().(*scratch)
			var last *person
			for i := range n {
				p := &s.people[s.n]
				s.n++
				p.age = i
				if last != nil {
					sum += last.age
				}
				last = p
			}
			sum += last.age
			clear(s.people[:s.n])
			s.n = 0
			structs.Put(s)
			return sum
		}},
		{"pool", func(n int) int {
			a := pool.Get()
			sum := fill(a, n)
			pool.Put(a)
			return sum
		}},
		{"do", func(n int) (sum int) {
			pool.Do(func(a *arena.Arena) { sum = fill(a, n) })
			return sum
		}},
		{"free", func(n int) int {
			a := arena.NewArena()
			sum := fill(a, n)
			a.Free()
			return sum
		}},
	}
}

var roundSizes = []int{1, 10, 100, 1000}

// BenchmarkPool is a round of n objects, by one goroutine and by all.
func BenchmarkPool(b *testing.B) {
	b.Run("serial", func(b *testing.B) { bench(b, roundSizes, below, rounds()...) })
	b.Run("parallel", func(b *testing.B) {
		for _, n := range roundSizes {
			for _, im := range rounds() {
				b.Run(fmt.Sprintf("impl=%s/n=%d", im.name, n), func(b *testing.B) {
					b.ReportAllocs()
					b.RunParallel(func(pb *testing.PB) {
						for pb.Next() {
							if got := im.round(n); got != below(n) {
								b.Errorf("sum is %d, want %d", got, below(n))
								return
							}
						}
					})
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/obj")
				})
			}
		}
	})
}

// BenchmarkDo is the cost of an arena alone: nothing is allocated from it.
func BenchmarkDo(b *testing.B) {
	var pool arena.Pool
	for _, im := range []struct {
		name string
		do   func()
	}{
		{"do", func() { arena.Do(func(a *arena.Arena) {}) }},
		{"pool", func() { pool.Put(pool.Get()) }},
		{"free", func() { arena.NewArena().Free() }},
	} {
		b.Run("impl="+im.name+"/n=0", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				im.do()
			}
		})
	}
}

// BenchmarkGroup makes n objects in each of as many goroutines as the name says, all in
// one Group, which is reset after that. Mobj/s is the throughput of all
// together: two goroutines next to one show what sharing a Group costs. cpu is the
// control, which uses no memory: how far two goroutines are faster on this machine now.
func BenchmarkGroup(b *testing.B) {
	fill := func(a *arena.Arena, n int) {
		for i := range n {
			arena.New[struct16](a).a = int64(i)
		}
	}
	g, own := arena.NewGroup(), arena.NewGroup()
	limited := &arena.Group{Options: arena.Options{Limit: 1 << 40}}
	both := func(goroutines int, f func()) {
		var wg sync.WaitGroup
		for range goroutines {
			wg.Go(f)
		}
		wg.Wait()
	}
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		for _, im := range []struct {
			name  string
			round func(goroutines int)
		}{
			{"cpu", func(goroutines int) {
				both(goroutines, func() {
					x := uint64(n)
					for range 5 * n {
						x ^= x << 13
						x ^= x >> 7
						x ^= x << 17
					}
					if x == 0 {
						b.Error("xorshift has no way to zero")
					}
				})
			}},
			{"heap", func(goroutines int) { both(goroutines, func() { fill(nil, n) }) }},
			{"arena", func(goroutines int) {
				both(goroutines, func() { fill(own.Arena(), n) })
				own.Reset()
			}},
			{"go", func(goroutines int) {
				for range goroutines {
					g.Go(func(a *arena.Arena) { fill(a, n) })
				}
				g.Wait()
				g.Reset()
			}},
			{"limit", func(goroutines int) { // chunks are made under a lock
				for range goroutines {
					limited.Go(func(a *arena.Arena) { fill(a, n) })
				}
				limited.Wait()
				limited.Reset()
			}},
		} {
			for _, goroutines := range []int{1, 2} {
				b.Run(fmt.Sprintf("impl=%s/n=%d/goroutines=%d", im.name, n, goroutines), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						im.round(goroutines)
					}
					objects := float64(b.N) * float64(n*goroutines)
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/objects, "ns/obj")
					b.ReportMetric(objects/b.Elapsed().Seconds()/1e6, "Mobj/s")
				})
			}
		}
	}
}

func BenchmarkSlice(b *testing.B) {
	var keep [][]byte
	bench(b, sizes, textLengthsOf, inArena(func(a *arena.Arena, n int) (sum int) {
		keep = slices.Grow(keep[:0], n)[:n]
		for i := range keep {
			keep[i] = arena.MakeSlice[byte](a, textLengths[i%256], textLengths[i%256])
		}
		for _, s := range keep {
			sum += len(s) + int(s[0])
		}
		return sum
	})...)
}

// BenchmarkAppend appends n ints one by one; to one slice, and to eight in turn.
func BenchmarkAppend(b *testing.B) {
	for _, slices := range []int{1, 8} {
		b.Run(fmt.Sprintf("slices=%d", slices), func(b *testing.B) {
			bench(b, sizes, below, inArena(func(a *arena.Arena, n int) (sum int) {
				var s [8][]int
				for i := range n {
					at := i % slices
					s[at] = arena.Append(a, s[at], i)
				}
				for _, s := range s {
					for _, x := range s {
						sum += x
					}
				}
				return sum
			})...)
		})
	}
}

// textLengths are 1 to 256, in a fixed but irregular order.
var textLengths = func() (l [256]int) {
	for i := range l {
		l[i] = (i*167+13)%256 + 1
	}
	return l
}()

func textLengthsOf(n int) (sum int) {
	for i := range n {
		sum += textLengths[i%256]
	}
	return sum
}

func BenchmarkString(b *testing.B) {
	text := strings.Repeat("x", 256)
	var keep []string
	bench(b, sizes, textLengthsOf, inArena(func(a *arena.Arena, n int) (sum int) {
		keep = slices.Grow(keep[:0], n)[:n]
		for i := range keep {
			keep[i] = arena.String(a, text[:textLengths[i%256]])
		}
		for _, s := range keep {
			sum += len(s)
		}
		return sum
	})...)
}

func BenchmarkSprintf(b *testing.B) {
	bench(b, []int{1000}, func(n int) int { return 14 * n }, inArena(func(a *arena.Arena, n int) (sum int) {
		for i := range n {
			sum += len(arena.Sprintf(a, "%08d-%s", i, "hello"))
		}
		return sum
	})...)
}

// BenchmarkBuilder builds a text of n parts: strings, numbers and bytes.
func BenchmarkBuilder(b *testing.B) {
	bench(b, []int{10, 1000}, func(n int) int { return 10 * n }, append(inArena(func(a *arena.Arena, n int) int {
		t := arena.NewBuilder(a)
		for range n {
			t.WriteString("hello")
			t.WriteInt(1234, 10)
			t.WriteByte(' ')
		}
		return len(t.String())
	}), impl{"strings", func(n int) int {
		var t strings.Builder
		for range n {
			t.WriteString("hello")
			fmt.Fprint(&t, 1234)
			t.WriteByte(' ')
		}
		return len(t.String())
	}})...)
}

var sinkText string
var sinkParts []string
var sinkAny any
var sinkBytes []byte

// BenchmarkText makes 100 texts or slices a round, on the heap and in an arena that is Reset after
// each round.
func BenchmarkText(b *testing.B) {
	short, long := "Some Words of one line", strings.Repeat("Some Words of one line, ", 20)
	bytes, reader := []byte(short), strings.NewReader(long)
	home := arena.NewArena()
	counts, ours := map[string]int{}, arena.NewMap[string, int](home, 0)
	count := func(line []byte) {
		if n := arena.LookupText(ours, line); n != nil {
			*n++
		} else {
			ours.Set(arena.String(home, line), 1)
		}
	}
	lines := make([][]byte, 100)
	for i := range lines {
		lines[i] = []byte("/a/path/of/a/request/" + strconv.Itoa(i*7919))
	}
	numbers := slices.Repeat([]int{1, 2, 3}, 20)
	for _, w := range []struct {
		name        string
		heap, arena func(a *arena.Arena, i int)
	}{
		{"String of bytes", func(a *arena.Arena, i int) { sinkText = string(bytes) }, func(a *arena.Arena, i int) { sinkText = arena.String(a, bytes) }},
		{"Itoa", func(a *arena.Arena, i int) { sinkText = strconv.Itoa(i * 7919) }, func(a *arena.Arena, i int) { sinkText = arenastrings.Itoa(a, i*7919) }},
		{"Itoa, small", func(a *arena.Arena, i int) { sinkText = strconv.Itoa(i) }, func(a *arena.Arena, i int) { sinkText = arenastrings.Itoa(a, i) }},
		{"FormatInt, 16", func(a *arena.Arena, i int) { sinkText = strconv.FormatInt(int64(i)*7919, 16) }, func(a *arena.Arena, i int) { sinkText = arenastrings.FormatInt(a, int64(i)*7919, 16) }},
		{"FormatFloat", func(a *arena.Arena, i int) { sinkText = strconv.FormatFloat(float64(i)/7, 'g', -1, 64) }, func(a *arena.Arena, i int) { sinkText = arenastrings.FormatFloat(a, float64(i)/7, 'g', -1, 64) }},
		{"FormatFloat, f", func(a *arena.Arena, i int) { sinkText = strconv.FormatFloat(float64(i)/7, 'f', 2, 64) }, func(a *arena.Arena, i int) { sinkText = arenastrings.FormatFloat(a, float64(i)/7, 'f', 2, 64) }},
		{"Quote", func(a *arena.Arena, i int) { sinkText = strconv.Quote(short) }, func(a *arena.Arena, i int) { sinkText = arenastrings.Quote(a, short) }},
		{"Quote, long", func(a *arena.Arena, i int) { sinkText = strconv.Quote(long) }, func(a *arena.Arena, i int) { sinkText = arenastrings.Quote(a, long) }},
		{"ToLower", func(a *arena.Arena, i int) { sinkText = strings.ToLower(short) }, func(a *arena.Arena, i int) { sinkText = arenastrings.ToLower(a, short) }},
		{"ToLower, long", func(a *arena.Arena, i int) { sinkText = strings.ToLower(long) }, func(a *arena.Arena, i int) { sinkText = arenastrings.ToLower(a, long) }},
		{"ToLower, unchanged", func(a *arena.Arena, i int) { sinkText = strings.ToLower("some words of one line") }, func(a *arena.Arena, i int) { sinkText = arenastrings.ToLower(a, "some words of one line") }},
		{"ToLower, not ASCII", func(a *arena.Arena, i int) { sinkText = strings.ToLower("Söme Words of one line") }, func(a *arena.Arena, i int) { sinkText = arenastrings.ToLower(a, "Söme Words of one line") }},
		{"ToUpper", func(a *arena.Arena, i int) { sinkText = strings.ToUpper(short) }, func(a *arena.Arena, i int) { sinkText = arenastrings.ToUpper(a, short) }},
		{"Repeat", func(a *arena.Arena, i int) { sinkText = strings.Repeat("ab", 20) }, func(a *arena.Arena, i int) { sinkText = arenastrings.Repeat(a, "ab", 20) }},
		{"ReplaceAll", func(a *arena.Arena, i int) { sinkText = strings.ReplaceAll(short, "o", "00") }, func(a *arena.Arena, i int) { sinkText = arenastrings.ReplaceAll(a, short, "o", "00") }},
		{"Fields", func(a *arena.Arena, i int) { sinkParts = strings.Fields(short) }, func(a *arena.Arena, i int) { sinkParts = arenastrings.Fields(a, short) }},
		{"Fields, long", func(a *arena.Arena, i int) { sinkParts = strings.Fields(long) }, func(a *arena.Arena, i int) { sinkParts = arenastrings.Fields(a, long) }},
		{"Fields, not ASCII", func(a *arena.Arena, i int) { sinkParts = strings.Fields("Söme Words of one line") }, func(a *arena.Arena, i int) { sinkParts = arenastrings.Fields(a, "Söme Words of one line") }},
		{"Split", func(a *arena.Arena, i int) { sinkParts = strings.Split(short, " ") }, func(a *arena.Arena, i int) { sinkParts = arenastrings.Split(a, short, " ") }},
		{"Split, long", func(a *arena.Arena, i int) { sinkParts = strings.Split(long, ", ") }, func(a *arena.Arena, i int) { sinkParts = arenastrings.Split(a, long, ", ") }},
		{"ReadAll", func(a *arena.Arena, i int) { reader.Reset(long); sinkBytes, _ = io.ReadAll(reader) }, func(a *arena.Arena, i int) { reader.Reset(long); sinkBytes, _ = arena.ReadAll(a, reader) }},
		{"LookupText, there", func(a *arena.Arena, i int) { counts[string(lines[i])]++ }, func(a *arena.Arena, i int) { count(lines[i]) }},
		{"LookupText, new", func(a *arena.Arena, i int) {
			if i == 0 {
				clear(counts)
			}
			counts[string(lines[i])]++
		}, func(a *arena.Arena, i int) {
			if i == 0 {
				ours.Clear()
			}
			count(lines[i])
		}},
		{"Collect", func(a *arena.Arena, i int) { numbers = slices.Collect(slices.Values(numbers[:60])) }, func(a *arena.Arena, i int) { numbers = arena.Collect(a, slices.Values(numbers[:60])) }},
		{"Box of an int", func(a *arena.Arena, i int) { sinkAny = i + 1000 }, func(a *arena.Arena, i int) { sinkAny = arena.Box(a, i+1000) }},
		{"Box of a string", func(a *arena.Arena, i int) { sinkAny = short[:i%20+1] }, func(a *arena.Arena, i int) { sinkAny = arena.Box(a, short[:i%20+1]) }},
		{"Box of a struct", func(a *arena.Arena, i int) { sinkAny = struct16{int64(i), 2} }, func(a *arena.Arena, i int) { sinkAny = arena.Box(a, struct16{int64(i), 2}) }},
	} {
		for i := range lines {
			counts[string(lines[i])]++
			count(lines[i])
		}
		for impl, f := range maps.All(map[string]func(*arena.Arena, int){"heap": w.heap, "arena": w.arena}) {
			b.Run("op="+w.name+"/impl="+impl, func(b *testing.B) {
				a := arena.NewArena()
				for b.Loop() {
					for i := range 100 {
						f(a, i)
					}
					a.Reset()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/obj")
			})
		}
	}
}

// BenchmarkWatch is what finding mistakes costs: a round of a Pool in which n objects are made, and
// a text and a slice for each tenth of them.
//
//	pool     an ordinary Pool
//	sampled  one arena in 1,000 in guard mode
//	track    all tracked
//	guard    all in guard mode
func BenchmarkWatch(b *testing.B) {
	round := func(p *arena.Pool) func(n int) int {
		return func(n int) int {
			a := p.Get()
			sum := 0
			for i := range n {
				q := arena.New[person](a)
				q.age = i
				if i%10 == 0 {
					q.name = arena.String(a, "a name of a person")
					sum += len(arena.MakeSlice[int](a, 10, 10)) - 10
				}
				sum += q.age
			}
			p.Put(a)
			return sum
		}
	}
	bench(b, []int{10, 100, 1000}, below,
		impl{"pool", round(new(arena.Pool))},
		impl{"sampled", round(&arena.Pool{GuardEvery: 1000})},
		impl{"track", round(&arena.Pool{Options: arena.Options{Track: true}})},
		impl{"guard", round(&arena.Pool{GuardEvery: 1})},
	)
}

// BenchmarkMakeMap counts n words in four maps: maps of Go on the heap, with a nil arena, in an
// arena that is reset, and Maps in one.
func BenchmarkMakeMap(b *testing.B) {
	words := make([]string, 1000)
	for i := range words {
		words[i] = "word" + strconv.Itoa(i)
	}
	counted := func(m map[string]int, n int) int {
		for _, w := range words[:n] {
			m[w]++
		}
		return len(m)
	}
	a := arena.NewArena()
	ways := []struct {
		name  string
		count func(n int) int
	}{
		{"heap", func(n int) int { return counted(make(map[string]int), n) }},
		{"nil", func(n int) int { return counted(arena.MakeMap[map[string]int](nil, 0), n) }},
		{"reset", func(n int) int { return counted(arena.MakeMap[map[string]int](a, 0), n) }},
		{"Map", func(n int) int {
			m := arena.NewMap[string, int](a, 0)
			for _, w := range words[:n] {
				*m.Entry(w)++
			}
			return m.Len()
		}},
	}
	for _, n := range []int{3, 20, 1000} {
		for _, way := range ways {
			b.Run(fmt.Sprintf("n=%d/%s", n, way.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					for range 4 {
						if way.count(n) != n {
							b.Fatal("a word is missing")
						}
					}
					a.Reset()
				}
			})
		}
	}
}
