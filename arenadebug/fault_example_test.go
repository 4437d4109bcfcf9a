//go:build !asan && !race

package arenadebug_test

import (
	"fmt"
	"log"
	"runtime/debug"
	"sync"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenadebug"
)

// A server that goes on after a panic finds out whether it was a mistake in the use of an arena.
func ExampleFaultReport() {
	serve := func(handler func()) (report *arena.Report) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() {
			if v := recover(); v != nil {
				report = arenadebug.FaultReport(v)
			}
		}()
		handler()
		return nil
	}
	a := arena.NewWith(arena.Options{Name: "request", Guard: true})
	text := arena.String(a, "of this request")
	a.Reset()
	r := serve(func() { fmt.Println(text[0]) }) // a mistake
	fmt.Println(r.Mistake, "of arena", r.Arena)
	a.Free()
	// Output: use after Reset of arena request
}

// A write to a stale value with pointers is found when somebody looks.
func ExampleCheckQuarantine() {
	var reports []*arena.Report
	a := arena.NewWith(arena.Options{Guard: true, Report: func(r *arena.Report) { reports = append(reports, r) }})
	n := arena.New[node](a)
	a.Reset()
	n.word = "stale" // a mistake
	arenadebug.CheckQuarantine()
	for _, r := range reports {
		fmt.Println(r.Mistake)
	}
	a.Free()
	// Output: write after Reset
}

// A main function asks for it before anything has an arena. A fault in the memory of an arena is
// then explained before it ends the program.
func ExampleCatchFaults() {
	if err := arenadebug.CatchFaults(); err != nil {
		log.Print(err) // not on this system: a fault ends the program without a word about arenas
	}
	// Output:
}

// A node has a pointer, so values of its type are in memory of their own.
type node struct{ word string }

// A service counts its mistakes, or logs them, instead of writing them to standard error.
func ExampleSetReporter() {
	var mu sync.Mutex
	mistakes := map[arena.Mistake]int{}
	arenadebug.SetReporter(func(r *arena.Report) { // any goroutine may call it
		if r.Arena == "upload" {
			mu.Lock()
			defer mu.Unlock()
			mistakes[r.Mistake]++
		}
	})

	a := arena.NewWith(arena.Options{Name: "upload", Guard: true})
	a.Free()
	a.Free() // a mistake

	mu.Lock()
	defer mu.Unlock()
	fmt.Println(mistakes)
	// Output: map[second Free:1]
}
