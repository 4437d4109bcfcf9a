package arena

import (
	"reflect"
	"sync/atomic"

	"github.com/arena-go/arena/internal/guard"
	"github.com/arena-go/arena/internal/mem"
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
		panic("arena: " + arenaName(g.record.Name) + " is used by two goroutines at the same time; give each an arena of its own, by Fork, or of a Pool or a Group")
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

// alone tells whether b, which alloc has returned, has pages of its own. If not, first tells
// whether it is the first on its pages.
func (g *arenaGuard) alone(b []byte) (alone, first bool) { return g.guard.Alone(b) }

// common returns the memory on the pages that several allocations share.
func (g *arenaGuard) common() []byte { return g.guard.Common() }

func (g *arenaGuard) retire(all []extent, freed bool) {
	end := guard.End{Event: guard.Reset, Stack: callers()}
	if freed {
		end.Event = guard.Free
	}
	g.guard.Retire(memoryOf(all), end)
}

func (g *arenaGuard) mark() { g.guard.Mark() }
func (g *arenaGuard) rewind(open int, all []extent) {
	g.guard.Rewind(open, memoryOf(all), guard.End{Event: guard.Rewind, Stack: callers()})
}

func memoryOf(all []extent) []guard.Memory {
	memory := make([]guard.Memory, len(all))
	for i, m := range all {
		memory[i] = m.memory()
	}
	return memory
}

// memory returns m as package guard takes it.
func (m extent) memory() guard.Memory {
	return guard.MemoryOf(m.raw(), m.typ, mem.KindOf(m.typ) == mem.Plain)
}

// fill fills plain memory, which has ended, with bytes that stand out.
func (m extent) fill() { guard.Fill(m.raw()) }

// ArenaName returns the name of the arena.
func (r *record) ArenaName() string { return r.Name }

// Report sends the report of f.
func (r *record) Report(f guard.Finding) { reportOf(f).send(r.report) }

// Error returns the report of f, a *Report.
func (r *record) Error(f guard.Finding) error { return reportOf(f) }

// Text returns the report of f as a text. It keeps the text of the stacks, for other findings.
func (r *record) Text(f guard.Finding) string {
	if r.at == "" {
		r.at = Stack(r.Made).String()
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
	report := &Report{Mistake: Overflow, Arena: r.Name, Detail: f.Detail, Addr: f.Addr, Made: r.Made, Used: f.Used}
	if e := f.End; e != nil {
		report.Ended = e.Stack
		report.rewound = e.Event == guard.Rewind
		report.Mistake = [...]Mistake{guard.Reset: UseAfterReset, guard.Rewind: UseAfterReset, guard.Free: UseAfterFree, guard.Growth: UseAfterGrowth}[e.Event]
		if f.Written {
			report.Mistake = [...]Mistake{guard.Reset: WriteAfterReset, guard.Rewind: WriteAfterReset, guard.Free: WriteAfterFree, guard.Growth: WriteAfterGrowth}[e.Event]
		}
	}
	return report
}

// letOut tells of what was found in guard mode. It calls functions of the program. So it is called
// when the arena is in order, and with nothing locked.
func letOut() { guard.LetOut() }
