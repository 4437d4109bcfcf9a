//go:build !asan && !race

package arena_test

import (
	"fmt"
	"log"
	"runtime/debug"

	"github.com/arena-go/arena"
)

// A server that goes on after a panic finds out whether it was a mistake in the use of an arena.
func ExampleFaultReport() {
	serve := func(handler func()) (report *arena.Report) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() {
			if v := recover(); v != nil {
				report = arena.FaultReport(v)
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
	n := arena.New[Node](a)
	a.Reset()
	n.Word = "stale" // a mistake
	arena.CheckQuarantine()
	for _, r := range reports {
		fmt.Println(r.Mistake)
	}
	a.Free()
	// Output: write after Reset
}

// A main function asks for it before anything has an arena. A fault in the memory of an arena is then explained before it
// ends the program.
func ExampleCatchFaults() {
	if err := arena.CatchFaults(); err != nil {
		log.Print(err) // not on this system: a fault ends the program without a word about arenas
	}
	// Output:
}
