package arena_test

import (
	"fmt"
	"slices"
	"strings"

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

func ExampleRefMap_Entry() {
	a := arena.NewArena()
	var count arena.RefMap[int64, int64]
	for _, status := range []int64{200, 404, 200} {
		*count.Entry(a, status)++
	}
	n, ok := count.Get(a, 200)
	fmt.Println(count.Len(), "keys; 200:", n, ok)
	// Output: 2 keys; 200: 2 true
}

func ExampleRefMap_Lookup() {
	type account struct{ balance int64 }
	a := arena.NewArena()
	var accounts arena.RefMap[uint64, account]
	accounts.Set(a, 7, account{balance: 100})
	if p := accounts.Lookup(a, 7); p != nil {
		p.balance -= 30 // in the map
	}
	got, _ := accounts.Get(a, 7)
	fmt.Println(got.balance, accounts.Lookup(a, 8) == nil)
	// Output: 70 true
}

// The map may be changed while it is walked over.
func ExampleRefMap_All() {
	a := arena.NewArena()
	var expires arena.RefMap[uint64, int64]
	for session := range uint64(10) {
		expires.Set(a, session, int64(session)*60)
	}
	const now = 400
	for session, at := range expires.All(a) {
		if at < now {
			expires.Delete(a, session)
		}
	}
	fmt.Println(expires.Len(), "left")
	// Output: 3 left
}

func ExampleRefMap_Delete() {
	a := arena.NewArena()
	var m arena.RefMap[int64, int64]
	m.Set(a, 1, 10)
	fmt.Println(m.Delete(a, 1), m.Delete(a, 1), m.Len())
	// Output: true false 0
}

// What is cleared makes room for what comes next.
func ExampleRefMap_Clear() {
	a := arena.NewArena()
	var seen arena.RefMap[int64, int64]
	var bytes int64
	for batch := range int64(3) {
		seen.Clear(a)
		for i := range int64(100) {
			seen.Set(a, batch*100+i, i)
		}
		if batch == 0 {
			bytes = a.Stats().RefBytes
		}
	}
	fmt.Println(seen.Len(), a.Stats().RefBytes == bytes)
	// Output: 100 true
}

// Room that is made at once leaves no smaller map behind.
func ExampleRefMap_Grow() {
	a, b := arena.NewArena(), arena.NewArena()
	var at, grown arena.RefMap[int64, int64]
	at.Grow(a, 500)
	for i := range int64(500) {
		at.Set(a, i, i)
		grown.Set(b, i, i)
	}
	fmt.Println(at.Len(), a.Stats().RefBytes < b.Stats().RefBytes)
	// Output: 500 true
}

func ExampleRefTextMap_Lookup() {
	a := arena.NewArena()
	var stock arena.RefTextMap[int64]
	stock.Set(a, "apples", 3)
	if n := stock.Lookup(a, "apples"); n != nil && *n > 0 {
		*n--
	}
	left, _ := stock.Get(a, "apples")
	fmt.Println(left, stock.Lookup(a, "pears") == nil)
	// Output: 2 true
}

func ExampleRefTextMap_Grow() {
	a := arena.NewArena()
	words := strings.Fields("to be or not to be that is the question")
	var first arena.RefTextMap[int64]
	first.Grow(a, len(words)) // The text of the keys is on top.
	for i, word := range words {
		if first.Lookup(a, word) == nil {
			first.Set(a, word, int64(i))
		}
	}
	at, _ := first.Get(a, "that")
	fmt.Println(first.Len(), at)
	// Output: 8 6
}

// Clear keeps the memory, also that of the keys, until the arena is Reset.
func ExampleRefTextMap_Clear() {
	a := arena.NewArena()
	var m arena.RefTextMap[int64]
	m.Set(a, "key", 1)
	m.Clear(a)
	_, ok := m.Get(a, "key")
	fmt.Println(m.Len(), ok)
	// Output: 0 false
}
