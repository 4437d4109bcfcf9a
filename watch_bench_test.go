package arena_test

import (
	"testing"

	"github.com/arena-go/arena"
)

// BenchmarkWatch is what finding mistakes costs: a round of a Pool in which n objects are made, and a text
// and a slice for each tenth of them.
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
