package arena_test

import (
	"context"
	"encoding/json"
	"expvar"
	"fmt"
	"strings"

	"github.com/arena-go/arena"
)

// A server has one Pool. Each request takes an arena from it and gives it back.
func ExamplePool() {
	pool := &arena.Pool{
		Options: arena.Options{Name: "requests", Limit: 64 << 20}, // of each request
		Retain:  1 << 20,                                          // of each arena that waits for the next
	}
	handle := func(request string) int {
		a := pool.Get()
		defer pool.Put(a) // nothing of the request is left
		var words *Node
		for word := range strings.FieldsSeq(request) {
			words = insert(a, words, word)
		}
		return size(words)
	}
	for _, request := range []string{"the cat saw the dog", "a rose is a rose is a rose"} {
		fmt.Println(handle(request), "words")
	}
	s := pool.Stats()
	fmt.Println(s.Gets, "arenas given away,", s.Puts, "back,", s.Out, "out")
	// Output:
	// 4 words
	// 3 words
	// 2 arenas given away, 2 back, 0 out
}

// The Stats of a Pool are a variable of package expvar, at /debug/vars of the
// program. A Lost that rises is a missing Put.
func ExamplePool_Stats() {
	var pool arena.Pool
	if expvar.Get("arenas") == nil { // once in a program
		expvar.Publish("arenas", expvar.Func(func() any { return pool.Stats() }))
	}

	a := pool.Get()
	arena.MakeSlice[byte](a, 1000, 1000)
	pool.Put(a)
	var s arena.PoolStats
	if err := json.Unmarshal([]byte(expvar.Get("arenas").String()), &s); err != nil {
		fmt.Println(err)
	}
	fmt.Println(s.Gets, s.Puts, s.Lost, s.Allocated)
	// Output: 1 1 0 1000
}

// What is needed after Do is copied out, here as a number.
func ExampleDo() {
	count := func(text string) (n int) {
		arena.Do(func(a *arena.Arena) {
			var words *Node
			for word := range strings.FieldsSeq(text) {
				words = insert(a, words, word)
			}
			n = size(words)
		})
		return n
	}
	fmt.Println(count("a rose is a rose is a rose"))
	// Output: 3
}

// Each goroutine makes a part of a result that is used as a whole.
func ExampleGroup() {
	g := arena.NewGroup()
	lines := []string{"the cat saw the dog", "a rose is a rose", "so it goes"}
	trees := make([]*Node, len(lines))
	for range 2 { // one batch after the other, in the same memory
		for i, line := range lines {
			g.Go(func(a *arena.Arena) {
				var words *Node
				for word := range strings.FieldsSeq(line) {
					words = insert(a, words, word)
				}
				trees[i] = words
			})
		}
		g.Wait()
		for _, words := range trees { // all may read what all have made
			fmt.Print(size(words), " ")
		}
		g.Reset() // the trees are stale now
	}
	g.Free()
	// Output: 4 3 3 4 3 3
}

// Code that a context reaches allocates from the arena of the request, and
// from the heap where there is none.
func ExampleNewContext() {
	answer := func(ctx context.Context, name string) string {
		return arena.Concat(arena.FromContext(ctx), "hello ", name)
	}
	arena.Do(func(a *arena.Arena) {
		ctx := arena.NewContext(context.Background(), a)
		fmt.Println(answer(ctx, "arena"))
		fmt.Println(a.Stats().InUse, "bytes")
	})
	fmt.Println(answer(context.Background(), "heap"))
	// Output:
	// hello arena
	// 11 bytes
	// hello heap
}
