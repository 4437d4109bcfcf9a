package arena_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/arena-go/arena"
)

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
// together: two goroutines beside one show what sharing a Group costs. cpu is the
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
