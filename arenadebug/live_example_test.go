package arenadebug_test

import (
	"fmt"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenadebug"
)

// A service lists the arenas that are open: which they are, what they hold, and where they were
// made.
func ExampleLive() {
	a := arena.NewWith(arena.Options{Name: "report", Track: true})
	defer a.Free()
	arena.MakeSlice[byte](a, 1<<20, 1<<20)
	for _, t := range arenadebug.Live() {
		if t.Name == "report" { // others may have arenas, too
			fmt.Println(t.Name, t.Reserved >= 1<<20, strings.Contains(t.Stack.String(), "ExampleLive"))
		}
	}
	// Output: report true true
}

// A service that does not know which of its arenas stay open for too long looks at a sample.
func ExampleTrack() {
	arenadebug.Track(1) // each one here, and say one in a thousand in a service
	defer arenadebug.Track(0)

	a := arena.NewWith(arena.Options{Name: "sample"})
	arena.New[int](a)
	tracked := func() (n int) {
		for _, t := range arenadebug.Live() {
			if t.Name == "sample" {
				n++
			}
		}
		return n
	}
	fmt.Println(tracked())
	a.Free()
	fmt.Println(tracked())
	// Output:
	// 1
	// 0
}
