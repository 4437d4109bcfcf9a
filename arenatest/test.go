package arenatest

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/arena-go/arena"
)

// New returns an arena in guard mode. It is freed when t ends, unless t has freed it. Mistakes
// in its use fail t, with the whole [arena.Report]. The goroutine that calls New is the one of t: faults are
// panics in it until t ends.
func New(t testing.TB) *arena.Arena {
	t.Helper()
	s := of(t)
	a := arena.NewWith(s.options())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arenas = append(s.arenas, a)
	return a
}

// Options returns the options of the arenas of [New], for those that t makes itself, and for Pools and
// Groups. All of these arenas must have been Put, freed, dropped or Reset with their Group when t ends,
// after the cleanup functions that t registers later: each that was not is reported as a
// [arena.Leak], as is one that the collector takes.
//
// Limit and Retain may be set. Name is how t knows its arenas, and must stay as it is:
// that of t, with a number behind it if several tests have it in a run.
//
// What is reported after the end of t goes to standard error. Options is called, as New is, by the goroutine of t.
func Options(t testing.TB) arena.Options {
	t.Helper()
	return of(t).options()
}

// Recover is deferred, by itself, and turns a fault in the memory of an arena in guard mode into an error of t, with
// the report. The function that deferred it ends, as after any recovered panic. Other panics go on with the same value.
//
// Faults are panics only after a call of New, Options or debug.SetPanicOnFault(true) by the same goroutine.
func Recover(t testing.TB) {
	v := recover()
	if v == nil {
		return
	}
	r := arena.FaultReport(v)
	if r == nil {
		panic(v)
	}
	t.Helper()
	tests.Lock()
	s := tests.running[t]
	tests.Unlock()
	if s == nil {
		t.Error(r)
		return
	}
	s.report(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = r.Addr
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
	fault  uintptr         // the address of the last fault that has nothing to do with how the test ends
	leaks  map[string]bool // by stack, those that were reported at the end
}

// of returns the test that t is. It begins when it is asked for first.
func of(t testing.TB) *test {
	t.Helper()
	tests.catch.Do(func() {
		// Where there is no handler, the report is that of Recover, or lacks.
		_ = arena.CatchFaults()
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
	if r := arena.LastFault(); r != nil {
		s.fault = r.Addr
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
	if r := s.lastFault(); r != nil {
		s.report(r)
	}
	for _, a := range s.arenas {
		if !a.Stats().Freed {
			a.Free()
		}
	}
	s.reportLeaks()
	arena.CheckQuarantine()

	tests.Lock()
	delete(tests.running, t)
	tests.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.t, s.arenas = nil, nil
}

// lastFault returns the report of the fault in one of the arenas of s because of which the goroutine is panicking, or nil.
func (s *test) lastFault() *arena.Report {
	stack, ok := faultStack()
	if !ok {
		return nil
	}
	r := arena.LastFault()
	// A nil dereference looks the same, and some other test may have had a fault before it.
	if r == nil || r.Arena != s.name || r.Addr == s.fault {
		return nil
	}
	r.Used = stack
	return r
}

// faultStack returns the stack of the fault because of which the goroutine is panicking, if there is
// one. It is called by deferred functions.
func faultStack() (arena.Stack, bool) {
	pc := make(arena.Stack, 128)
	pc = pc[:runtime.Callers(1, pc)]
	for i, p := range pc {
		if f := runtime.FuncForPC(p - 1); f != nil && f.Name() == "runtime.sigpanic" {
			return pc[i+1:], true
		}
	}
	return nil, false
}

// reportLeaks reports the arenas that are still in use, those that come from the same place together.
func (s *test) reportLeaks() {
	var reports []*arena.Report
	count := map[string]int{}
	for _, tr := range arena.Live() {
		if tr.Name != s.name {
			continue
		}
		key := tr.Stack.String()
		if count[key]++; count[key] == 1 {
			reports = append(reports, &arena.Report{Mistake: arena.Leak, Arena: tr.Name, Made: tr.Stack})
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
