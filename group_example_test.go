package arena_test

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/arena-go/arena"
)

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

// A worker that goes on for long takes its arena once.
func ExampleGroup_Arena() {
	g := arena.NewGroup()
	defer g.Free()
	lines := make(chan string)
	trees := make(chan *Node)
	for range 2 {
		a := g.Arena() // for one goroutine
		go func() {
			for line := range lines {
				var words *Node
				for word := range strings.FieldsSeq(line) {
					words = insert(a, words, word)
				}
				trees <- words
			}
		}()
	}
	words := 0
	for _, line := range []string{"the cat saw the dog", "a rose is a rose"} {
		lines <- line
		words += size(<-trees)
	}
	close(lines)
	fmt.Println(words)
	// Output: 7
}

// Goroutines that somebody else has started, such as those of a pool of workers, borrow an arena.
func ExampleGroup_Do() {
	g := arena.NewGroup()
	defer g.Free()
	var workers sync.WaitGroup
	greetings := make([]string, 3)
	for i, name := range []string{"Ada", "Bob", "Cy"} {
		workers.Go(func() {
			g.Do(func(a *arena.Arena) { greetings[i] = arena.Concat(a, "Hello, ", name) })
		})
	}
	workers.Wait()
	fmt.Println(greetings)
	// Output: [Hello, Ada Hello, Bob Hello, Cy]
}

// Code that finds its arena in a context works in a Group, too.
func ExampleGroup_NewContext() {
	greet := func(ctx context.Context, name string) string {
		return arena.Concat(arena.FromContext(ctx), "Hello, ", name)
	}
	g := arena.NewGroup()
	defer g.Free()
	ctx := g.NewContext(context.Background())
	fmt.Println(greet(ctx, "Ada"))
	fmt.Println(g.Stats().InUse, "bytes")
	// Output:
	// Hello, Ada
	// 10 bytes
}

// The Stats are of what all goroutines have made together.
func ExampleGroup_Stats() {
	g := arena.NewGroup()
	defer g.Free()
	for range 4 {
		g.Go(func(a *arena.Arena) {
			for range 250 {
				arena.New[Node](a)
			}
		})
	}
	g.Wait()
	for _, t := range g.Stats().Types {
		fmt.Println(t.Count, t.Name)
	}
	// Output: 1000 arena_test.Node
}
