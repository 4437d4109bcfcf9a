package arena_test

import (
	"fmt"
	"slices"

	"github.com/arena-go/arena"
)

// A map whose values are references: all of it lies in the arena, and nothing of it is looked at by the collector.
func ExampleRefMap() {
	type order struct {
		amount int64
		next   arena.Ref[order]
	}
	a := arena.NewArena()
	defer a.Free()

	var last arena.RefMap[uint32, arena.Ref[order]] // by customer
	for i, customer := range []uint32{7, 8, 7, 7} {
		o, p := arena.NewRef[order](a)
		p.amount = int64(i) * 100
		p.next, _ = last.Get(a, customer)
		last.Set(a, customer, o)
	}
	for o, _ := last.Get(a, 7); !o.IsNil(); o = o.Get(a).next {
		fmt.Println(o.Get(a).amount)
	}
	// Output:
	// 300
	// 200
	// 0
}

func ExampleRefTextMap() {
	a := arena.NewArena()
	defer a.Free()

	var count arena.RefTextMap[int]
	for _, word := range []string{"to", "be", "or", "not", "to", "be"} {
		*count.Entry(a, word)++
	}
	var words []string
	for word, n := range count.All(a) {
		words = append(words, fmt.Sprint(word, " ", n))
	}
	slices.Sort(words)
	fmt.Println(words)
	// Output: [be 2 not 1 or 1 to 2]
}
