// Crimes commits one mistake in the use of an arena, which its flags name, for the
// tests of what finds such mistakes. It is built as an ordinary program, with the race
// detector, with the address sanitizer, and with the tag arenadebug.
//
// Comments in capitals, such as ACCESS and END, mark the lines that a report has to name.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenadebug"
)

var (
	crime  = flag.String("crime", "stale", "what to do")
	what   = flag.String("thing", "text", "what is stale")
	access = flag.String("access", "read", "read or write")
	end    = flag.String("end", "Reset", "how the values ended")
	other  = flag.Bool("other", false, "another goroutine uses what is stale")
	guard  = flag.String("guard", "", "use guard mode: none, catch for CatchFaults, or recover for FaultReport")
	cycles = flag.Int("cycles", 100_000, "of the load")
	seed   = flag.Uint64("seed", 1, "of the load")

	// What forget does.
	accesses   = flag.Int("accesses", 0, "memory accesses of the goroutine")
	goroutines = flag.Int("goroutines", 0, "goroutines that begin and end")
	resets     = flag.Int("resets", 0, "Resets of another arena")
)

func main() {
	flag.Parse()
	if *guard == "catch" {
		if err := arenadebug.CatchFaults(); err != nil {
			fmt.Println(err)
			os.Exit(3)
		}
	}
	if *crime == "stale" {
		stale()
	} else {
		f, ok := others[*crime]
		if !ok {
			panic("there is no crime " + *crime)
		}
		f()
	}
	arenadebug.CheckQuarantine()
	fmt.Println("end of program")
}

// name is that of all arenas.
const name = "scene"

func options() arena.Options { return arena.Options{Name: name, Guard: *guard != ""} }

// sink keeps the compiler from leaving reads out.
var sink any

// stale uses a value when its arena has ended.
func stale() {
	var use func()
	ends[*end](func(a *arena.Arena) {
		u := things[*what](a)
		if use = u.read; *access == "write" {
			use = u.write
		}
	})
	commit(use)
	if *access == "read" {
		fmt.Printf("read %x\n", sink)
	}
}

// commit calls use, in the goroutine that the flags ask for.
func commit(use func()) {
	if !*other {
		protect(use)
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		protect(use)
	}()
	<-done
}

// protect calls use, and prints the report of a fault where the flags ask for it.
func protect(use func()) {
	if *guard == "recover" {
		debug.SetPanicOnFault(true)
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			r := arenadebug.FaultReport(v)
			if r == nil {
				panic(v)
			}
			fmt.Println(r.Error())
			os.Exit(2)
		}()
	}
	use()
}

// soon calls f until it returns true, for a minute at most.
func soon(f func() bool) {
	for begin := time.Now(); !f(); time.Sleep(time.Millisecond) {
		if time.Since(begin) > time.Minute {
			fmt.Println("in vain")
			os.Exit(4)
		}
	}
}
