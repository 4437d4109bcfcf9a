package arenadebug

import (
	"fmt"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/books"
	"github.com/arena-go/arena/internal/guard"
)

// SetReporter makes f receive the reports of all arenas that have no Options.Report. If f is nil,
// reports are written to standard error, which is the default.
//
// Any goroutine may call f, at the end of the Reset, Put or Free of an arena other than the
// reported one. The goroutine that runs cleanups also calls f. So f should neither block nor panic.
// It must not use the arena of the report.
func SetReporter(f func(*arena.Report)) { books.SetReporter(f) }

// CheckQuarantine looks for writes to the values of arenas in guard mode since these were Reset or
// freed. It reports each such value once. Values that leave the quarantine are checked as well.
//
// After [CatchFaults] it also reports the faults that the program has survived.
// [debug.SetPanicOnFault] makes panics of faults, and a method that package fmt calls, or a
// server's handler, may recover from these. Each Reset, Put or Free of an arena in guard mode
// reports them as well. A fault that was passed to [FaultReport] is not reported again.
//
// Any goroutine may call CheckQuarantine.
func CheckQuarantine() { guard.Check() }

// CatchFaults makes faults explain themselves. When the program touches memory that guard mode has
// made inaccessible, the first part of the [arena.Report] is written to standard error. Then the
// program ends as it would have anyway, with the stack of the access.
//
// CatchFaults installs a handler for the signal SIGSEGV, which then calls the previous handler. It
// knows arenas that are Reset later, so call it when the program starts. It needs no cgo. It works
// on linux on amd64 and arm64, and returns an error elsewhere.
func CatchFaults() error {
	if err := guard.Catch(); err != nil {
		return fmt.Errorf("arenadebug: CatchFaults: %w", err)
	}
	return nil
}

// FaultReport returns the report of a fault in the memory of an arena in guard mode, or nil if v is
// no such fault. v is the result of recover, in a goroutine that has called
// debug.SetPanicOnFault(true). The function that has called recover must call FaultReport itself:
// then the report has the stack of the access.
func FaultReport(v any) *arena.Report {
	f, ok := guard.Recovered(v)
	if !ok {
		return nil
	}
	return reportOf(f)
}

func reportOf(f guard.Finding) *arena.Report { return f.Owner.Error(f).(*arena.Report) }
