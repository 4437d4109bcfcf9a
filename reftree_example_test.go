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

func ExampleRefTree_Lookup() {
	a := arena.NewArena()
	var t arena.RefTree[int64, int64]
	t.Set(a, 5, 50)
	if v := t.Lookup(a, 5); v != nil {
		*v++ // in the tree
	}
	v, ok := t.Get(a, 5)
	fmt.Println(v, ok, t.Lookup(a, 6) == nil)
	// Output: 51 true true
}

// A queue of timers: the first one is taken out, again and again.
func ExampleRefTree_Min() {
	a := arena.NewArena()
	var timers arena.RefTree[int64, uint32] // what is due, by time
	for i, at := range []int64{300, 100, 200} {
		timers.Set(a, at, uint32(i))
	}
	for timers.Len() > 0 {
		at, timer, _ := timers.Min(a)
		timers.Delete(a, at)
		fmt.Println(at, timer)
	}
	// Output:
	// 100 1
	// 200 2
	// 300 0
}

func ExampleRefTree_Max() {
	a := arena.NewArena()
	var t arena.RefTree[int64, float64]
	_, _, ok := t.Max(a)
	fmt.Println(ok)
	t.Set(a, 60, 10.5)
	t.Set(a, 120, 11.5)
	at, price, ok := t.Max(a)
	fmt.Println(at, price, ok)
	// Output:
	// false
	// 120 11.5 true
}

// A page of a list is what comes from where the last one ended.
func ExampleRefTree_From() {
	a := arena.NewArena()
	var t arena.RefTree[int64, int64]
	for id := range int64(7) {
		t.Set(a, id*10, id)
	}
	for from, more := int64(0), true; more; {
		var page []int64
		more = false
		for id := range t.From(a, from) {
			if len(page) == 3 {
				from, more = id, true
				break
			}
			page = append(page, id)
		}
		fmt.Println(page)
	}
	// Output:
	// [0 10 20]
	// [30 40 50]
	// [60]
}

func ExampleRefTree_Backward() {
	a := arena.NewArena()
	var scores arena.RefTree[int64, uint32] // players by score
	for player, score := range []int64{70, 95, 80} {
		scores.Set(a, score, uint32(player))
	}
	for score, player := range scores.Backward(a) {
		fmt.Println(score, player)
	}
	// Output:
	// 95 1
	// 80 2
	// 70 0
}

func ExampleRefTree_Clear() {
	a := arena.NewArena()
	var t arena.RefTree[int64, int64]
	t.Set(a, 1, 2)
	t.Clear(a) // The next entries use the same nodes.
	fmt.Println(t.Len())
	// Output: 0
}

func ExampleRefTextTree_Entry() {
	a := arena.NewArena()
	var count arena.RefTextTree[int64]
	for word := range strings.FieldsSeq("to be or not to be") {
		*count.Entry(a, word)++
	}
	for word, n := range count.All(a) { // in order
		fmt.Println(word, n)
	}
	fmt.Println(count.Len(), "words")
	// Output:
	// be 2
	// not 1
	// or 1
	// to 2
	// 4 words
}

func ExampleRefTextTree_Lookup() {
	a := arena.NewArena()
	var t arena.RefTextTree[int64]
	t.Set(a, "apples", 3)
	if n := t.Lookup(a, "apples"); n != nil {
		*n-- // in the tree
	}
	n, ok := t.Get(a, "apples")
	fmt.Println(n, ok, t.Lookup(a, "pears") == nil)
	// Output: 2 true true
}

// A dictionary finds the word itself, or the last one before it.
func ExampleRefTextTree_BackwardFrom() {
	a := arena.NewArena()
	var t arena.RefTextTree[int64]
	for i, word := range []string{"ant", "bee", "cat"} {
		t.Set(a, word, int64(i))
	}
	for word := range t.BackwardFrom(a, "beetle") {
		fmt.Println(word)
		break
	}
	// Output: bee
}

func ExampleRefTextTree_Backward() {
	a := arena.NewArena()
	var files arena.RefTextTree[int64] // sizes by name
	files.Set(a, "log.2024-01", 10)
	files.Set(a, "log.2024-02", 20)
	files.Set(a, "log.2024-03", 30)
	for name, size := range files.Backward(a) { // the newest first
		fmt.Println(name, size)
	}
	// Output:
	// log.2024-03 30
	// log.2024-02 20
	// log.2024-01 10
}

func ExampleRefTextTree_Range() {
	a := arena.NewArena()
	var files arena.RefTextTree[int64]
	for i, name := range []string{"a.go", "b.go", "c.go", "d.go"} {
		files.Set(a, name, int64(i))
	}
	for name := range files.Range(a, "b", "d") { // without those from d on
		fmt.Println(name)
	}
	// Output:
	// b.go
	// c.go
}

func ExampleRefTextTree_Min() {
	a := arena.NewArena()
	var t arena.RefTextTree[int64]
	for i, word := range []string{"pear", "apple", "quince"} {
		t.Set(a, word, int64(i))
	}
	least, i, _ := t.Min(a)
	greatest, j, _ := t.Max(a)
	fmt.Println(least, i, greatest, j)
	// Output: apple 1 quince 2
}

func ExampleRefTextTree_Max() {
	a := arena.NewArena()
	var t arena.RefTextTree[int64]
	_, _, ok := t.Max(a)
	fmt.Println(ok)
	// Output: false
}

// Nodes that are left empty are used again. The text of the keys stays in the arena until its Reset.
func ExampleRefTextTree_Delete() {
	a := arena.NewArena()
	var t arena.RefTextTree[int64]
	t.Set(a, "a", 1)
	t.Set(a, "b", 2)
	fmt.Println(t.Delete(a, "a"), t.Delete(a, "a"), t.Len())
	t.Clear(a)
	fmt.Println(t.Len())
	// Output:
	// true false 1
	// 0
}
