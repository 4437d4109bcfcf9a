package arena_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
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

// BenchmarkAsked is what arena advise counts with: a thousand of each kind of memory, on the heap and in an arena that is reset. Count its
// instructions, as docs/does-it-pay.md says.
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
			keep.a, keep.b, keep.c = arena.Put(a, A{s: s, n: 3}), arena.Put(a, B{x: chars}), arena.Put(a, C{n: 1, m: 2})
			keep.d, keep.e, keep.f = arena.Put(a, D{s: s}), arena.Put(a, E{n: [6]int{1}}), arena.Put(a, F{b: keep.b})
		}},
		{"string_in_an_interface", func(*arena.Arena) { keep.any = s }, func(a *arena.Arena) { keep.any = arena.Box(a, s) }},
		{"int64_in_an_interface", func(*arena.Arena) { keep.any = n }, func(a *arena.Arena) { keep.any = arena.Box(a, n) }},
		{"text", func(*arena.Arena) { keep.text = string(chars) }, func(a *arena.Arena) { keep.text = arena.String(a, chars) }},
		{"joined", func(*arena.Arena) { keep.text = s + "." + words[1] }, func(a *arena.Arena) { keep.text = arena.Concat(a, s, ".", words[1]) }},
		{"make", func(*arena.Arena) { n := len(words); keep.list = make([]string, n) }, func(a *arena.Arena) { n := len(words); keep.list = arena.MakeSlice[string](a, n, n) }},
		{"append", func(*arena.Arena) { keep.list = append([]string(nil), s) }, func(a *arena.Arena) { keep.list = arena.PushNew(a, []string(nil), s) }},
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

// BenchmarkGrown appends structs of 96 bytes one by one to lists of 600 to 9,300, which is what arena advise counts with for large slices that grow. Profile it,
// for what is copied and cleared.
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
							keep = arena.PushNew(a, keep, element{})
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
