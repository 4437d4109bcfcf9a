package arena_test

import (
	"fmt"
	"strings"

	"github.com/arena-go/arena"
)

func ExampleRefTree() {
	a := arena.NewArena()
	var prices arena.RefTree[int64, float64] // by time
	for i := range int64(100) {
		prices.Set(a, i*60, float64(i)+0.5)
	}
	for at, price := range prices.Range(a, 600, 720) {
		fmt.Println(at, price)
	}
	for at, price := range prices.BackwardFrom(a, 1000) { // the last one until then
		fmt.Println(at, price)
		break
	}
	// Output:
	// 600 10.5
	// 660 11.5
	// 960 16.5
}

// Entries may be deleted, and others added, while a tree is walked over.
func ExampleRefTree_All() {
	a := arena.NewArena()
	var t arena.RefTree[int, int]
	for i := range 10 {
		t.Set(a, i, i*i)
	}
	for k := range t.All(a) {
		if k%3 != 0 {
			t.Delete(a, k)
		}
	}
	for k, v := range t.All(a) {
		fmt.Println(k, v)
	}
	// Output:
	// 0 0
	// 3 9
	// 6 36
	// 9 81
}

func ExampleRefTree_Entry() {
	a := arena.NewArena()
	var lengths arena.RefTree[int, int]
	for word := range strings.FieldsSeq("to be or not to be that is the question") {
		*lengths.Entry(a, len(word))++
	}
	for length, n := range lengths.All(a) {
		fmt.Println(n, "of length", length)
	}
	// Output:
	// 6 of length 2
	// 2 of length 3
	// 1 of length 4
	// 1 of length 8
}

// A tree of text finds the keys that begin with something.
func ExampleRefTextTree() {
	a := arena.NewArena()
	var t arena.RefTextTree[int]
	for i, word := range strings.Fields("red green blue grey black greedy") {
		t.Set(a, word, i)
	}
	for word, i := range t.From(a, "gre") {
		if !strings.HasPrefix(word, "gre") {
			break
		}
		fmt.Println(word, i)
	}
	// Output:
	// greedy 5
	// green 1
	// grey 3
}
