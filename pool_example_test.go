package arena_test

import (
	"context"
	"encoding/json"
	"errors"
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

// Do of a Pool is Get and Put around a function, also when that panics.
func ExamplePool_Do() {
	var pool arena.Pool
	var n int
	pool.Do(func(a *arena.Arena) {
		n = size(insert(a, insert(a, nil, "one"), "two"))
	})
	fmt.Println(n, pool.Stats().Puts)
	// Output: 2 1
}

// A caller that stops waiting cannot give the arena back, since the other goroutine is still using it.
func ExamplePool_Drop() {
	var pool arena.Pool
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // say, because it took too long

	a := pool.Get()
	result := make(chan string, 1)
	begin := make(chan bool)
	go func() {
		<-begin
		result <- arena.Concat(a, "late ", "answer")
	}()
	select {
	case text := <-result:
		fmt.Println(text)
		pool.Put(a)
	case <-ctx.Done():
		pool.Drop(a) // The collector takes it when the goroutine is done.
	}
	close(begin)
	fmt.Println(<-result)
	s := pool.Stats()
	fmt.Println(s.Puts, "put,", s.Dropped, "dropped,", s.Out, "out")
	// Output:
	// late answer
	// 0 put, 1 dropped, 0 out
}

// A program limits what each Do may take, and sees what all of them did.
func ExampleSetDoPool() {
	pool := &arena.Pool{Options: arena.Options{Name: "do", Limit: 1 << 20}}
	defer arena.SetDoPool(arena.SetDoPool(pool)) // a main function does not put the former one back

	err := arena.Try(func() {
		arena.Do(func(a *arena.Arena) { arena.MakeSlice[byte](a, 1<<30, 1<<30) })
	})
	fmt.Println(errors.Is(err, arena.ErrLimit), pool.Stats().LimitHits)
	// Output: true 1
}
