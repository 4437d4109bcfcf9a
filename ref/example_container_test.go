package ref_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/ref"
)

// A map whose values are references: all of it lies in the arena, and nothing of it is looked at by
// the collector.
func ExampleMap() {
	type order struct {
		amount int64
		next   ref.Of[order]
	}
	a := arena.NewArena()
	s := ref.In(a)
	defer a.Free()

	var last ref.Map[uint32, ref.Of[order]] // by customer
	for i, customer := range []uint32{7, 8, 7, 7} {
		o, p := ref.New[order](s)
		p.amount = int64(i) * 100
		p.next, _ = last.Get(s, customer)
		last.Set(s, customer, o)
	}
	for o, _ := last.Get(s, 7); !o.IsNil(); o = o.Get(s).next {
		fmt.Println(o.Get(s).amount)
	}
	// Output:
	// 300
	// 200
	// 0
}

func ExampleTextMap() {
	a := arena.NewArena()
	s := ref.In(a)
	defer a.Free()

	var count ref.TextMap[int]
	for _, word := range []string{"to", "be", "or", "not", "to", "be"} {
		*count.Entry(s, word)++
	}
	var words []string
	for word, n := range count.All(s) {
		words = append(words, fmt.Sprint(word, " ", n))
	}
	slices.Sort(words)
	fmt.Println(words)
	// Output: [be 2 not 1 or 1 to 2]
}

func ExampleMap_Entry() {
	a := arena.NewArena()
	s := ref.In(a)
	var count ref.Map[int64, int64]
	for _, status := range []int64{200, 404, 200} {
		*count.Entry(s, status)++
	}
	n, ok := count.Get(s, 200)
	fmt.Println(count.Len(), "keys; 200:", n, ok)
	// Output: 2 keys; 200: 2 true
}

func ExampleMap_Lookup() {
	type account struct{ balance int64 }
	a := arena.NewArena()
	s := ref.In(a)
	var accounts ref.Map[uint64, account]
	accounts.Set(s, 7, account{balance: 100})
	if p := accounts.Lookup(s, 7); p != nil {
		p.balance -= 30 // in the map
	}
	got, _ := accounts.Get(s, 7)
	fmt.Println(got.balance, accounts.Lookup(s, 8) == nil)
	// Output: 70 true
}

// The map may be changed while it is walked over.
func ExampleMap_All() {
	a := arena.NewArena()
	s := ref.In(a)
	var expires ref.Map[uint64, int64]
	for session := range uint64(10) {
		expires.Set(s, session, int64(session)*60)
	}
	const now = 400
	for session, at := range expires.All(s) {
		if at < now {
			expires.Delete(s, session)
		}
	}
	fmt.Println(expires.Len(), "left")
	// Output: 3 left
}

func ExampleMap_Delete() {
	a := arena.NewArena()
	s := ref.In(a)
	var m ref.Map[int64, int64]
	m.Set(s, 1, 10)
	fmt.Println(m.Delete(s, 1), m.Delete(s, 1), m.Len())
	// Output: true false 0
}

// What is cleared makes room for what comes next.
func ExampleMap_Clear() {
	a := arena.NewArena()
	s := ref.In(a)
	var seen ref.Map[int64, int64]
	var bytes int64
	for batch := range int64(3) {
		seen.Clear(s)
		for i := range int64(100) {
			seen.Set(s, batch*100+i, i)
		}
		if batch == 0 {
			bytes = a.Stats().RefBytes
		}
	}
	fmt.Println(seen.Len(), a.Stats().RefBytes == bytes)
	// Output: 100 true
}

// Room that is made at once leaves no smaller map behind.
func ExampleMap_Grow() {
	a, b := arena.NewArena(), arena.NewArena()
	s := ref.In(a)
	inB := ref.In(b)
	var at, grown ref.Map[int64, int64]
	at.Grow(s, 500)
	for i := range int64(500) {
		at.Set(s, i, i)
		grown.Set(inB, i, i)
	}
	fmt.Println(at.Len(), a.Stats().RefBytes < b.Stats().RefBytes)
	// Output: 500 true
}

func ExampleTextMap_Lookup() {
	a := arena.NewArena()
	s := ref.In(a)
	var stock ref.TextMap[int64]
	stock.Set(s, "apples", 3)
	if n := stock.Lookup(s, "apples"); n != nil && *n > 0 {
		*n--
	}
	left, _ := stock.Get(s, "apples")
	fmt.Println(left, stock.Lookup(s, "pears") == nil)
	// Output: 2 true
}

func ExampleTextMap_Grow() {
	a := arena.NewArena()
	s := ref.In(a)
	words := strings.Fields("to be or not to be that is the question")
	var first ref.TextMap[int64]
	first.Grow(s, len(words)) // The text of the keys is on top.
	for i, word := range words {
		if first.Lookup(s, word) == nil {
			first.Set(s, word, int64(i))
		}
	}
	at, _ := first.Get(s, "that")
	fmt.Println(first.Len(), at)
	// Output: 8 6
}

// Clear keeps the memory, also of the keys, until the arena is Reset.
func ExampleTextMap_Clear() {
	a := arena.NewArena()
	s := ref.In(a)
	var m ref.TextMap[int64]
	m.Set(s, "key", 1)
	m.Clear(s)
	_, ok := m.Get(s, "key")
	fmt.Println(m.Len(), ok)
	// Output: 0 false
}

func ExampleTree() {
	a := arena.NewArena()
	s := ref.In(a)
	var prices ref.Tree[int64, float64] // by time
	for i := range int64(100) {
		prices.Set(s, i*60, float64(i)+0.5)
	}
	for at, price := range prices.Range(s, 600, 720) {
		fmt.Println(at, price)
	}
	for at, price := range prices.BackwardFrom(s, 1000) { // the last one until then
		fmt.Println(at, price)
		break
	}
	// Output:
	// 600 10.5
	// 660 11.5
	// 960 16.5
}

// Entries may be deleted, and others added, while a tree is walked over.
func ExampleTree_All() {
	a := arena.NewArena()
	s := ref.In(a)
	var t ref.Tree[int, int]
	for i := range 10 {
		t.Set(s, i, i*i)
	}
	for k := range t.All(s) {
		if k%3 != 0 {
			t.Delete(s, k)
		}
	}
	for k, v := range t.All(s) {
		fmt.Println(k, v)
	}
	// Output:
	// 0 0
	// 3 9
	// 6 36
	// 9 81
}

func ExampleTree_Entry() {
	a := arena.NewArena()
	s := ref.In(a)
	var lengths ref.Tree[int, int]
	for word := range strings.FieldsSeq("to be or not to be that is the question") {
		*lengths.Entry(s, len(word))++
	}
	for length, n := range lengths.All(s) {
		fmt.Println(n, "of length", length)
	}
	// Output:
	// 6 of length 2
	// 2 of length 3
	// 1 of length 4
	// 1 of length 8
}

// A tree of text finds the keys that begin with something.
func ExampleTextTree() {
	a := arena.NewArena()
	s := ref.In(a)
	var t ref.TextTree[int]
	for i, word := range strings.Fields("red green blue grey black greedy") {
		t.Set(s, word, i)
	}
	for word, i := range t.From(s, "gre") {
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

func ExampleTree_Lookup() {
	a := arena.NewArena()
	s := ref.In(a)
	var t ref.Tree[int64, int64]
	t.Set(s, 5, 50)
	if v := t.Lookup(s, 5); v != nil {
		*v++ // in the tree
	}
	v, ok := t.Get(s, 5)
	fmt.Println(v, ok, t.Lookup(s, 6) == nil)
	// Output: 51 true true
}

// A queue of timers: the first one is taken out, again and again.
func ExampleTree_Min() {
	a := arena.NewArena()
	s := ref.In(a)
	var timers ref.Tree[int64, uint32] // what is due, by time
	for i, at := range []int64{300, 100, 200} {
		timers.Set(s, at, uint32(i))
	}
	for timers.Len() > 0 {
		at, timer, _ := timers.Min(s)
		timers.Delete(s, at)
		fmt.Println(at, timer)
	}
	// Output:
	// 100 1
	// 200 2
	// 300 0
}

func ExampleTree_Max() {
	a := arena.NewArena()
	s := ref.In(a)
	var t ref.Tree[int64, float64]
	_, _, ok := t.Max(s)
	fmt.Println(ok)
	t.Set(s, 60, 10.5)
	t.Set(s, 120, 11.5)
	at, price, ok := t.Max(s)
	fmt.Println(at, price, ok)
	// Output:
	// false
	// 120 11.5 true
}

// A page of a list is what comes from where the last one ended.
func ExampleTree_From() {
	a := arena.NewArena()
	s := ref.In(a)
	var t ref.Tree[int64, int64]
	for id := range int64(7) {
		t.Set(s, id*10, id)
	}
	for from, more := int64(0), true; more; {
		var page []int64
		more = false
		for id := range t.From(s, from) {
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

func ExampleTree_Backward() {
	a := arena.NewArena()
	s := ref.In(a)
	var scores ref.Tree[int64, uint32] // players by score
	for player, score := range []int64{70, 95, 80} {
		scores.Set(s, score, uint32(player))
	}
	for score, player := range scores.Backward(s) {
		fmt.Println(score, player)
	}
	// Output:
	// 95 1
	// 80 2
	// 70 0
}

func ExampleTree_Clear() {
	a := arena.NewArena()
	s := ref.In(a)
	var t ref.Tree[int64, int64]
	t.Set(s, 1, 2)
	t.Clear(s) // The next entries use the same nodes.
	fmt.Println(t.Len())
	// Output: 0
}

func ExampleTextTree_Entry() {
	a := arena.NewArena()
	s := ref.In(a)
	var count ref.TextTree[int64]
	for word := range strings.FieldsSeq("to be or not to be") {
		*count.Entry(s, word)++
	}
	for word, n := range count.All(s) { // in order
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

func ExampleTextTree_Lookup() {
	a := arena.NewArena()
	s := ref.In(a)
	var t ref.TextTree[int64]
	t.Set(s, "apples", 3)
	if n := t.Lookup(s, "apples"); n != nil {
		*n-- // in the tree
	}
	n, ok := t.Get(s, "apples")
	fmt.Println(n, ok, t.Lookup(s, "pears") == nil)
	// Output: 2 true true
}

// A dictionary finds the word itself, or the last one before it.
func ExampleTextTree_BackwardFrom() {
	a := arena.NewArena()
	s := ref.In(a)
	var t ref.TextTree[int64]
	for i, word := range []string{"ant", "bee", "cat"} {
		t.Set(s, word, int64(i))
	}
	for word := range t.BackwardFrom(s, "beetle") {
		fmt.Println(word)
		break
	}
	// Output: bee
}

func ExampleTextTree_Prefix() {
	s := ref.In(arena.NewArena())
	var files ref.TextTree[int64] // bytes by path
	files.Set(s, "docs/guide.md", 10)
	files.Set(s, "src/arena.go", 20)
	files.Set(s, "src/slab.go", 30)
	files.Set(s, "test/a", 40)
	for path, bytes := range files.Prefix(s, "src/") {
		fmt.Println(path, bytes)
	}
	// Output:
	// src/arena.go 20
	// src/slab.go 30
}

func ExampleTextTree_Backward() {
	a := arena.NewArena()
	s := ref.In(a)
	var files ref.TextTree[int64] // sizes by name
	files.Set(s, "log.2024-01", 10)
	files.Set(s, "log.2024-02", 20)
	files.Set(s, "log.2024-03", 30)
	for name, size := range files.Backward(s) { // the newest first
		fmt.Println(name, size)
	}
	// Output:
	// log.2024-03 30
	// log.2024-02 20
	// log.2024-01 10
}

func ExampleTextTree_Range() {
	a := arena.NewArena()
	s := ref.In(a)
	var files ref.TextTree[int64]
	for i, name := range []string{"a.go", "b.go", "c.go", "d.go"} {
		files.Set(s, name, int64(i))
	}
	for name := range files.Range(s, "b", "d") { // without those from d on
		fmt.Println(name)
	}
	// Output:
	// b.go
	// c.go
}

func ExampleTextTree_Min() {
	a := arena.NewArena()
	s := ref.In(a)
	var t ref.TextTree[int64]
	for i, word := range []string{"pear", "apple", "quince"} {
		t.Set(s, word, int64(i))
	}
	least, i, _ := t.Min(s)
	greatest, j, _ := t.Max(s)
	fmt.Println(least, i, greatest, j)
	// Output: apple 1 quince 2
}

func ExampleTextTree_Max() {
	a := arena.NewArena()
	s := ref.In(a)
	var t ref.TextTree[int64]
	_, _, ok := t.Max(s)
	fmt.Println(ok)
	// Output: false
}

// Nodes that are left empty are used again. The text of the keys stays in the arena until its
// Reset.
func ExampleTextTree_Delete() {
	a := arena.NewArena()
	s := ref.In(a)
	var t ref.TextTree[int64]
	t.Set(s, "a", 1)
	t.Set(s, "b", 2)
	fmt.Println(t.Delete(s, "a"), t.Delete(s, "a"), t.Len())
	t.Clear(s)
	fmt.Println(t.Len())
	// Output:
	// true false 1
	// 0
}
