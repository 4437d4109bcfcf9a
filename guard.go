package arena

import (
	"fmt"
	"reflect"
	"sync/atomic"

	"github.com/arena-go/arena/internal/guard"
)

// An arenaGuard is the guardian of an arena in guard mode. Package guard does the work.
type arenaGuard struct {
	record *record
	guard  *guard.Guard
	busy   atomic.Bool
}

// newGuard returns the guard of an arena, which is one of a sample or not.
func newGuard(r *record, sampled bool) *arenaGuard {
	most := guard.MaxFenced
	if sampled {
		most = guard.MaxSampled
	}
	return &arenaGuard{record: r, guard: guard.New(r, most, !sanitizing)} // the sanitizer knows more of values than it can
}

func (g *arenaGuard) alloc(size int, t reflect.Type) ([]byte, error) {
	if !g.busy.CompareAndSwap(false, true) {
		panic("arena: " + arenaName(g.record.name) + " is used by two goroutines at the same time; give each an arena of its own, by Fork, or of a Pool or a Group")
	}
	defer g.busy.Store(false)
	return g.guard.Alloc(size, t), nil
}

func (g *arenaGuard) expect(what string) { g.guard.Expect(what) }
func (g *arenaGuard) forget()            { g.guard.Expect("") }
func (g *arenaGuard) handedOut(b []byte) { g.guard.HandedOut(b) }
func (g *arenaGuard) left(m extent) {
	g.guard.Left(m.memory(), guard.End{Event: guard.Growth, Stack: callers()})
}

func (g *arenaGuard) retire(all []extent, freed bool) {
	end := guard.End{Event: guard.Reset, Stack: callers()}
	if freed {
		end.Event = guard.Free
	}
	memory := make([]guard.Memory, len(all))
	for i, m := range all {
		memory[i] = m.memory()
	}
	g.guard.Retire(memory, end)
}

// memory returns m as package guard takes it.
func (m extent) memory() guard.Memory {
	return guard.MemoryOf(m.raw(), m.typ, kindOf(m.typ) == kindPlain)
}

// fill fills plain memory, which has ended, with bytes that stand out.
func (m extent) fill() { guard.Fill(m.raw()) }

// Report sends the report of f.
func (r *record) Report(f guard.Finding) { reportOf(f).send(r.report) }

// Text returns the report of f as a text. It keeps that of the stacks, for other findings.
func (r *record) Text(f guard.Finding) string {
	if r.at == "" {
		r.at = r.made.String()
	}
	ended := ""
	if e := f.End; e != nil {
		if e.Text == "" {
			e.Text = Stack(e.Stack).String()
		}
		ended = e.Text
	}
	return reportOf(f).text("", ended, r.at)
}

// reportOf returns the report of f.
func reportOf(f guard.Finding) *Report {
	r := f.Owner.(*record)
	report := &Report{Mistake: Overflow, Arena: r.name, Detail: f.Detail, Addr: f.Addr, Made: r.made, Used: f.Used}
	if e := f.End; e != nil {
		report.Ended = e.Stack
		report.Mistake = [...]Mistake{guard.Reset: UseAfterReset, guard.Free: UseAfterFree, guard.Growth: UseAfterGrowth}[e.Event]
		if f.Written {
			report.Mistake = [...]Mistake{guard.Reset: WriteAfterReset, guard.Free: WriteAfterFree, guard.Growth: WriteAfterGrowth}[e.Event]
		}
	}
	return report
}

// letOut tells of what was found in guard mode. It calls functions of the program. So it is called when the arena is in order, and
// with nothing locked.
func letOut() { guard.LetOut() }

// CheckQuarantine looks for writes to the values of arenas in guard mode since these were Reset or freed. It
// reports each such value once. What leaves the quarantine is looked at, too.
//
// After [CatchFaults] it also reports the faults that the program has survived. [debug.SetPanicOnFault] makes
// panics of faults, and a method that package fmt calls, or a server's handler, may recover from these. Each
// Reset, Put or Free of an arena in guard mode reports them as well. A fault that was given to [FaultReport] is
// not reported again.
//
// Any goroutine may call CheckQuarantine.
func CheckQuarantine() { guard.Check() }

// CatchFaults makes faults explain themselves. When the program touches memory that guard mode has made
// inaccessible, the first part of the [Report] is written to standard error. Then the program ends as it would
// have anyway, with the stack of the access.
//
// CatchFaults installs a handler for the signal SIGSEGV, which goes on to the handler that was there. It knows
// arenas that are Reset later, so call it when the program starts. It needs no cgo. It works on linux on amd64 and
// arm64, and returns an error elsewhere.
func CatchFaults() error {
	if err := guard.Catch(); err != nil {
		return fmt.Errorf("arena: CatchFaults: %w", err)
	}
	return nil
}

// FaultReport returns the report of a fault in the memory of an arena in guard mode, or nil when v is no such
// fault. v is the result of recover, in a goroutine that has called debug.SetPanicOnFault(true). The function that
// has called recover must call FaultReport itself: then the report has the stack of the access.
func FaultReport(v any) *Report {
	fault, ok := v.(interface{ Addr() uintptr })
	if !ok {
		return nil
	}
	f, ok := guard.At(fault.Addr())
	if !ok {
		return nil
	}
	f.Used = callers().fault()
	return reportOf(f)
}

// LastFault returns the report of the last fault that the handler of [CatchFaults] has seen, or nil. The report
// does not say where the access was. It is for packages that build on arenas.
func LastFault() *Report {
	f, ok := guard.Last()
	if !ok {
		return nil
	}
	return reportOf(f)
}
