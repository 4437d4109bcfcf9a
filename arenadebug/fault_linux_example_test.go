//go:build linux && (amd64 || arm64) && !asan && !race

package arenadebug_test

import (
	"fmt"
	"runtime/debug"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenadebug"
)

// Code that recovers from all panics, as that of a framework does, hides faults. An adapter around it sees that there was one.
func ExampleLastFault() {
	if err := arenadebug.CatchFaults(); err != nil {
		fmt.Println(err)
	}
	framework := func(f func()) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() { recover() }()
		f()
	}
	a := arena.NewWith(arena.Options{Name: "request", Guard: true, Report: func(*arena.Report) {}})
	text := arena.String(a, "of this request")
	a.Reset()
	before := arenadebug.LastFault()
	framework(func() { fmt.Println(text[0]) }) // a mistake
	if r := arenadebug.LastFault(); r != before {
		fmt.Println(r.Mistake, "of arena", r.Arena)
	}
	a.Free()
	// Output: use after Reset of arena request
}
