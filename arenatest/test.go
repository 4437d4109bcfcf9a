package arenatest

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/books"
	"github.com/arena-go/arena/internal/guard"
)

// New returns an arena in guard mode. It is freed when t ends, unless t has freed it. Mistakes in
// its use fail t, with the whole [arena.Report], also if something has recovered from the panic.
// Call New on the goroutine of t: faults are panics in it until t ends.
func New(t testing.TB) *arena.Arena {
	t.Helper()
	s := of(t)
	a := arena.NewWith(s.options())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arenas = append(s.arenas, a)
	return a
}

// Options returns the options of the arenas of [New], for arenas that t makes itself, and for Pools
// and Groups. All of these arenas must have been Put, freed, dropped or Reset with their Group when
// t ends, after the cleanup functions that t registers later. Each arena that was not is reported
// as a [arena.Leak], and so is each arena that the collector frees.
//
// Limit and Retain may be set. Name must stay unchanged, because it identifies the arenas of t: it
// is the name of t, followed by a number if several tests of a run have that name.
//
// Reports after the end of t are written to standard error. Call Options on the goroutine of t,
// like New.
func Options(t testing.TB) arena.Options {
	t.Helper()
	return of(t).options()
}

// GuardDo gives [arena.Do] a Pool with the [Options] of t, in all of the program, until t ends. So
// mistakes in the use of arenas of Do fail t; without GuardDo these arenas come from a Pool that is
// out of reach. After t Do uses its previous Pool again.
//
// There is one such Pool at a time. GuardDo panics if another test has such a Pool, unless t is a
// subtest of that test. So tests that call GuardDo must not be parallel to each other. If other
// tests that are parallel to t use Do, their mistakes count as mistakes of t.
func GuardDo(t testing.TB) {
	t.Helper()
	p := &arena.Pool{Options: Options(t)}
	guarded.Lock()
	defer guarded.Unlock()
	if n := len(guarded.by); n > 0 && !strings.HasPrefix(t.Name()+"/", guarded.by[n-1]+"/") {
		panic("arenatest: GuardDo of " + t.Name() + ", while that of " + guarded.by[n-1] + " has not ended; let only one of tests that are parallel call it")
	}
	guarded.by = append(guarded.by, t.Name())
	former := arena.SetDoPool(p)
	t.Cleanup(func() {
		guarded.Lock()
		defer guarded.Unlock()
		arena.SetDoPool(former)
		guarded.by = guarded.by[:len(guarded.by)-1]
	})
}

// guarded has the names of the tests that have called GuardDo, each a part of the one before.
var guarded struct {
	sync.Mutex
	by []string
}

// Recover turns a fault in the memory of an arena in guard mode into an error of t, with the
// report. It must be deferred by itself. The function that deferred it ends, as after any recovered
// panic. Other panics go on with the same value.
//
// Faults are panics only after the same goroutine has called New, Options or
// debug.SetPanicOnFault(true).
func Recover(t testing.TB) {
	v := recover()
	if v == nil {
		return
	}
	f, ok := guard.Recovered(v)
	if !ok {
		panic(v)
	}
	r := f.Owner.Error(f).(*arena.Report)
	t.Helper()
	tests.Lock()
	s := tests.running[t]
	tests.Unlock()
	if s == nil {
		t.Error(r)
		return
	}
	s.report(r)
}

// tests are the tests that have called New or Options.
var tests struct {
	sync.Mutex
	running map[testing.TB]*test
	named   map[string]int // how many there were of a name
	catch   sync.Once
}

// A test is a testing.TB with arenas.
type test struct {
	name   string // of its arenas, and of no others
	faults bool   // whether faults were panics before

	mu     sync.Mutex
	t      testing.TB // nil when it is over
	arenas []*arena.Arena
	ending arena.Stack     // the stack of the fault, if one ends the test
	told   map[access]bool // the uses that were reported
	leaks  map[string]bool // by stack, those that were reported at the end
	keeps  []string        // what Keeps was given
}

// An access is a use of what is stale: at an address, by an instruction.
type access struct{ addr, pc uintptr }

// of returns the test that t is. It begins when it is asked for first.
func of(t testing.TB) *test {
	t.Helper()
	tests.catch.Do(func() {
		// Without a handler, Recover makes the report, or there is none.
		_ = guard.Catch()
	})
	tests.Lock()
	defer tests.Unlock()
	if s := tests.running[t]; s != nil {
		return s
	}
	if tests.running == nil {
		tests.running = map[testing.TB]*test{}
		tests.named = map[string]int{}
	}
	s := &test{t: t, name: t.Name()}
	tests.named[s.name]++
	if n := tests.named[s.name]; n > 1 {
		s.name = fmt.Sprintf("%s#%d", s.name, n)
	}
	s.faults = debug.SetPanicOnFault(true)
	tests.running[t] = s
	t.Cleanup(func() { s.end(t) })
	return s
}

func (s *test) options() arena.Options {
	return arena.Options{Guard: true, Name: s.name, Report: s.report}
}

// report fails the test, if it is not over.
func (s *test) report(r *arena.Report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(r.Used) > 0 && r.Addr != 0 {
		// A fault may be on its way to Recover while another goroutine finds that there was one.
		at := access{r.Addr, r.Used[0]}
		if s.told[at] {
			return
		}
		if s.told == nil {
			s.told = map[access]bool{}
		}
		s.told[at] = true
		if len(s.ending) > 0 && s.ending[0] == at.pc {
			r.Used = s.ending // it is complete
		}
	}
	switch {
	case s.t != nil:
		s.t.Error(r) // under the lock, so that the test does not end meanwhile
	case r.Mistake == arena.Leak && s.leaks[r.Made.String()]:
		// The collector has come to one that was reported when the test ended.
	default:
		fmt.Fprintf(os.Stderr, "arenatest: after the end of %s: %v\n", s.name, r)
	}
}

// end is called when t has ended, by its goroutine, perhaps while that panics.
func (s *test) end(t testing.TB) {
	debug.SetPanicOnFault(s.faults)
	s.mu.Lock()
	s.ending = faultStack()
	s.mu.Unlock()
	guard.Check()
	for _, a := range s.arenas {
		if !a.Stats().Freed {
			a.Free()
		}
	}
	s.reportLeaks()
	guard.Check()
	s.mu.Lock()
	s.arenas = nil
	s.mu.Unlock()
	if !isUnwinding() {
		s.reportKept(t) // and not what variables of the test function have that it does not return from
	}

	tests.Lock()
	delete(tests.running, t)
	tests.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.t = nil
}

// faultStack returns the stack of the fault because of which the goroutine is panicking, or nil. A
// nil dereference is one. It is called by deferred functions.
func faultStack() arena.Stack {
	pc := make(arena.Stack, 128)
	pc = pc[:runtime.Callers(1, pc)]
	for i, p := range pc {
		if f := runtime.FuncForPC(p - 1); f != nil && f.Name() == "runtime.sigpanic" {
			return pc[i+1:]
		}
	}
	return nil
}

// isUnwinding reports whether the goroutine is panicking or exiting, as after FailNow and SkipNow.
// It is called by deferred functions.
func isUnwinding() bool {
	pc := make([]uintptr, 128)
	for _, p := range pc[:runtime.Callers(1, pc)] {
		if f := runtime.FuncForPC(p - 1); f != nil && (f.Name() == "runtime.gopanic" || f.Name() == "runtime.Goexit") {
			return true
		}
	}
	return false
}

// reportLeaks reports the arenas that are still in use, those that come from the same place
// together.
func (s *test) reportLeaks() {
	var reports []*arena.Report
	count := map[string]int{}
	for _, r := range books.Live() {
		if r.Name != s.name {
			continue
		}
		key := arena.Stack(r.Made).String()
		if count[key]++; count[key] == 1 {
			reports = append(reports, &arena.Report{Mistake: arena.Leak, Arena: r.Name, Made: r.Made})
		}
	}
	s.mu.Lock()
	s.leaks = map[string]bool{}
	for key := range count {
		s.leaks[key] = true
	}
	s.mu.Unlock()
	for _, r := range reports {
		if n := count[r.Made.String()]; n > 1 {
			r.Detail = fmt.Sprintf("%d arenas from the same place", n)
		}
		s.report(r)
	}
}
