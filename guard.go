package arena

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/arena-go/arena/internal/fault"
	"github.com/arena-go/arena/internal/vm"
)

// Bounds of guard mode. Options.Guard tells them.
const (
	maxWards      = 8192 // the system bounds them: Linux to some 65,000, of which the program may need many
	maxFenced     = 256  // allocations of an arena that have pages of their own
	maxSampled    = 8    // the same of one that GuardEvery has chosen
	sharedSize    = 64 << 10
	maxEndings    = 1000
	maxQuarantine = 16 << 20 // bytes
)

// A guard is the guardian of an arena in guard mode.
type guard struct {
	record *record
	what   string // that of the next allocation, where alloc cannot know
	wards  []pages
	fenced int       // allocations that have pages of their own,
	most   int       // and how many may have
	moved  []*ending // what Maps have left since the last Reset, where it shares its pages with other things
	shared []byte    // the free part of a ward for several allocations
	busy   atomic.Bool
}

// pages are memory of the Go heap, whole pages without pointers, and the ward that they are.
type pages struct {
	mem []byte
	*ward
}

// A ward is a region of pages the last of which, the fence, is inaccessible, and from the end of its arena
// on all of them. It does not keep the pages alive: a finalizer makes them accessible when nobody has them
// any more, before they are used for something else.
type ward struct {
	record   *record
	lo, hi   uintptr // the region
	at, size uintptr // what was handed out, if it is one thing
	what     string
	ended    *end // nil while the arena is in use
	slot     int  // in wards
	trap     bool // pointers of many types are aimed at it
}

// An end is a Reset or a Free of an arena in guard mode, or the growth of a Map in one.
type end struct {
	record *record
	free   bool // it was Free
	grown  bool // it was the growth of a Map, and only of its table
	stack  Stack
	at     string // the stack as text, once it was needed
}

// An ending is what an end has left.
type ending struct {
	*end
	mu     sync.Mutex // of values
	wards  []pages
	values []snapshot
	bytes  int
}

// A snapshot is how memory was that must not change.
type snapshot struct {
	extent
	was []byte
}

// isPlain tells whether it is memory that all plain types share.
func (s *snapshot) isPlain() bool { return s.typ.Kind() == reflect.Uint8 }

// wards are all wards. The handler for faults reads the table.
var wards struct {
	sync.Mutex
	table []fault.Range // maxWards of them, once there is one
	all   []*ward       // by slot
	free  []int         // slots
}

// quarantine has the endings of late, the oldest first.
var quarantine struct {
	sync.Mutex
	endings []*ending
	bytes   int // of these
	leaving []*ending
}

// newGuard returns the guard of an arena, which is one of a sample or not.
func newGuard(r *record, sampled bool) *guard {
	g := &guard{record: r, most: maxFenced}
	if sampled {
		g.most = maxSampled
	}
	return g
}

// alloc returns size > 0 bytes of zeroed plain memory on guarded pages, for values of type t. It
// returns nil when there can be no more such pages.
func (g *guard) alloc(size int, t reflect.Type) ([]byte, error) {
	if !g.busy.CompareAndSwap(false, true) {
		panic("arena: " + arenaName(g.record.name) + " is used by two goroutines at the same time; give each an arena of its own, by Fork, or of a Pool or a Group")
	}
	defer g.busy.Store(false)
	what := g.what
	if what == "" {
		what = "values of type " + t.String()
	}
	if g.fenced >= g.most && size <= sharedSize/4 {
		return g.share(size), nil
	}
	g.fenced++
	p := newPages(g.record, what, size)
	if p.mem == nil {
		return nil, nil
	}
	end := len(p.mem) - vm.PageSize()
	b := p.mem[end-size : end : end]
	p.at, p.size = address(b), uintptr(size)
	g.wards = append(g.wards, p)
	return b, nil
}

// expect says what the next allocation is for.
func (g *guard) expect(what string) { g.what = what }

// forget forgets the purpose of the next allocation.
func (g *guard) forget() { g.what = "" }

// handedOut notes that b was handed out of the newest allocation, which also had room for alignment.
func (g *guard) handedOut(b []byte) {
	if n := len(g.wards); n > 0 {
		if w := g.wards[n-1]; w.lo <= address(b) && address(b) < w.hi && w.size > 0 {
			w.at, w.size = address(b), uintptr(len(b))
		}
	}
}

// share is alloc from pages that several allocations share.
func (g *guard) share(size int) []byte {
	if size > len(g.shared) {
		p := newPages(g.record, "text and plain values", sharedSize)
		if p.mem == nil {
			return nil
		}
		g.wards = append(g.wards, p)
		g.shared = p.mem[:sharedSize]
	}
	b := g.shared[:size:size]
	g.shared = g.shared[min((size+63)&^63, len(g.shared)):]
	return b
}

// newPages returns pages with room for size bytes before a fence. They have no memory when there
// are as many wards as there can be, or the system refuses.
func newPages(r *record, what string, size int) pages {
	w := &ward{record: r, what: what}
	if !w.enlist() {
		return pages{}
	}
	// The runtime aligns a multiple of 8 KiB to that much, where this is written.
	page := vm.PageSize()
	unit := max(page, 8<<10)
	n := (1 + size + page + unit - 1) &^ (unit - 1) // the first byte stays ours, because of the finalizer
	all := make([]byte, n)
	if address(all)&uintptr(page-1) != 0 {
		all = make([]byte, n+page)
	}
	skip := int(-address(all) & uintptr(page-1))
	mem := all[skip : skip+n]
	w.lo = address(mem)
	w.hi = w.lo + uintptr(n)
	runtime.SetFinalizer(&all[0], func(p *byte) { w.release(bytesAt(p, skip+n)[skip:]) })
	if !w.protect(mem[n-page:], nil) {
		w.release(mem)
		return pages{}
	}
	return pages{mem, w}
}

// wardTable returns the table of the wards, which it makes when it is asked for first. wards is locked.
func wardTable() []fault.Range {
	if wards.table == nil {
		wards.table = make([]fault.Range, maxWards)
		wards.all = make([]*ward, maxWards)
		wards.free = make([]int, maxWards)
		for i := range wards.free {
			wards.free[i] = maxWards - 1 - i
		}
	}
	return wards.table
}

// enlist takes a slot for w, if there is one.
func (w *ward) enlist() bool {
	wards.Lock()
	defer wards.Unlock()
	wardTable()
	n := len(wards.free)
	if n == 0 {
		return false
	}
	w.slot = wards.free[n-1]
	wards.free = wards.free[:n-1]
	wards.all[w.slot] = w
	return true
}

// protectPages and unprotectPages are variables for tests, in which the system refuses.
var protectPages, unprotectPages = vm.Protect, vm.Unprotect

// protect makes mem, which are pages at the end of w or all of them, inaccessible: for ever, if e has ended it. When
// it reports false, some of them may be.
func (w *ward) protect(mem []byte, e *end) bool {
	wards.Lock()
	defer wards.Unlock()
	w.ended = e
	if protectPages(mem) != nil {
		return false
	}
	var text *fault.Text
	if catching.Load() {
		text = fault.NewText(w.text() + "\n")
	}
	wards.table[w.slot].Set(address(mem), w.hi, text)
	return true
}

// release makes mem, which is that of w, accessible again, and gives up the slot.
func (w *ward) release(mem []byte) {
	wards.Lock()
	defer wards.Unlock()
	if wards.all[w.slot] != w {
		return
	}
	if unprotectPages(mem) != nil {
		stuck = append(stuck, mem)
		return
	}
	w.noteFaults()
	wards.table[w.slot].Set(0, 0, nil)
	wards.all[w.slot] = nil
	wards.free = append(wards.free, w.slot)
}

// stuck is what the system does not make accessible again. It must not become something else's.
var stuck [][]byte

// retire ends what the arena has handed out: the memory of all chunks.
func (g *guard) retire(all []extent, freed bool) {
	e := &ending{
		end:   &end{record: g.record, free: freed, stack: callers()},
		wards: g.wards,
	}
	guarded := map[uintptr]bool{}
	for _, e := range g.moved {
		e.finish() // before it cannot be read any more
	}
	for _, p := range g.wards {
		if p.ended == nil {
			p.takeFaults() // from before its end
			p.protect(p.mem, e.end)
			// If the system has refused, nobody knows which of its pages can be written to, or read: it is left alone.
		}
		for at := p.lo; at < p.hi; at += uintptr(vm.PageSize()) {
			guarded[at] = true
		}
		e.bytes += len(p.mem)
	}
	*g = guard{record: g.record, most: g.most}
	if sanitizing {
		all = nil // the sanitizer knows more of it
	}
	e.aim(all)
	for _, m := range all {
		if at := m.at.address(); m.bytes == 0 || guarded[at&^uintptr(vm.PageSize()-1)] {
			continue
		}
		if kindOf(m.typ) == kindPlain {
			m.fill()
		}
		if e.bytes+2*m.bytes <= maxQuarantine {
			e.values = append(e.values, snapshot{m, m.copy()})
			e.bytes += 2 * m.bytes
		}
	}
	e.begin()
}

// left ends m, the former table of a Map: its pages if these have nothing else in them, or else the values as retire does.
func (g *guard) left(m extent) {
	e := &ending{end: &end{record: g.record, grown: true, stack: callers()}}
	for _, p := range g.wards {
		if at := m.at.address(); p.lo <= at && at < p.hi && p.size > 0 {
			p.takeFaults()
			p.protect(p.mem, e.end)
			return
		}
	}
	if sanitizing {
		return
	}
	plain := kindOf(m.typ) == kindPlain
	if plain {
		m.fill()
	} else {
		e.aim([]extent{m})
	}
	if e.bytes += 2 * m.bytes; e.bytes <= maxQuarantine {
		e.values = []snapshot{{m, m.copy()}}
	}
	if plain {
		g.moved = append(g.moved, e)
	}
	e.begin()
}

// finish looks for what was written to the values of e, for the last time. The reports are sent by letOut.
func (e *ending) finish() {
	reports := e.writes()
	e.mu.Lock()
	e.values = nil
	e.mu.Unlock()
	survived.Lock()
	defer survived.Unlock()
	for _, r := range reports {
		survived.reports = append(survived.reports, survivor{r, e.record.report})
	}
}

// aim makes all pointers of the values that are not on pages point at a ward, one for each type.
func (e *ending) aim(all []extent) {
	traps := map[reflect.Type][]byte{}
	for _, m := range all {
		if m.bytes == 0 || kindOf(m.typ) == kindPlain {
			continue
		}
		m.aim(func() []byte {
			trap, ok := traps[m.typ]
			if !ok {
				trap = e.trap(m.typ)
				traps[m.typ] = trap
			}
			return trap
		})
	}
}

// trap returns where pointers in values of type t are aimed, or nil if there can be no such place: memory that
// cannot be accessed for as long as anything points at it. Through pointers of different types it would be
// memory of all of these types.
//
// Its start is not aimed at, because a stale runtime.SetFinalizer(p, nil) would take away the finalizer that
// makes it accessible.
func (e *ending) trap(t reflect.Type) []byte {
	p := newPages(e.record, "through a pointer in a value of type "+t.String(), 0)
	if p.mem == nil {
		return nil
	}
	p.trap = true
	e.wards = append(e.wards, p)
	e.bytes += len(p.mem)
	if !p.protect(p.mem, e.end) {
		return nil
	}
	return p.mem[trapStart:]
}

// trapStart is where in a trap pointers are aimed, a multiple of what any type is aligned to.
const trapStart = 64

// begin puts e into quarantine, and has the oldest wait to be let out when it is too full.
func (e *ending) begin() {
	q := &quarantine
	q.Lock()
	defer q.Unlock()
	q.endings = append(q.endings, e)
	q.bytes += e.bytes
	n := 0
	for n < len(q.endings)-1 && (q.bytes > maxQuarantine || len(q.endings)-n > maxEndings) {
		q.bytes -= q.endings[n].bytes
		n++
	}
	q.leaving = append(q.leaving, q.endings[:n]...)
	q.endings = slices.Delete(q.endings, 0, n)
}

// letOut lets go of what waits to leave the quarantine. It calls functions of the program. So it is called when
// the arena is in order, and with nothing locked.
func letOut() {
	reportFaults()
	for {
		q := &quarantine
		q.Lock()
		if len(q.leaving) == 0 {
			q.Unlock()
			return
		}
		e := q.leaving[0]
		q.leaving = slices.Delete(q.leaving, 0, 1)
		q.Unlock()
		reports := e.writes()
		e.leave()
		e.send(reports)
	}
}

// leave gives up the memory of e. It stays inaccessible while something points at it. Where there are so
// many wards that new ones need the room, memory of plain types becomes accessible now: what points at it sees the
// values that it had. A trap never does: it has no values, and what points at it is of many types.
func (e *ending) leave() {
	wards.Lock()
	full := len(wards.free) < maxWards/4
	wards.Unlock()
	if full {
		for _, p := range e.wards {
			if !p.trap {
				p.release(p.mem)
			}
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.wards, e.values = nil, nil
}

// CheckQuarantine looks for writes to the values of arenas in guard mode since these were Reset or freed. It
// reports each such value once. What leaves the quarantine is looked at, too.
//
// After [CatchFaults] it also reports the faults that the program has survived. [debug.SetPanicOnFault] makes
// panics of faults, and a method that package fmt calls, or a server's handler, may recover from these. Each
// Reset, Put or Free of an arena in guard mode reports them as well. A fault that was given to [FaultReport] is
// not reported again.
//
// Any goroutine may call CheckQuarantine.
func CheckQuarantine() {
	reportFaults()
	quarantine.Lock()
	endings := slices.Clone(quarantine.endings)
	quarantine.Unlock()
	for _, e := range endings {
		e.send(e.writes())
	}
}

// send sends the reports to the function that they are for. There may be very many: it sends some of them.
func (e *ending) send(reports []*Report) {
	const most = 16
	for i, r := range reports {
		if i == most-1 && len(reports) > most {
			r.Detail += fmt.Sprintf(", and %d others", len(reports)-most)
		} else if i >= most {
			return
		}
		r.send(e.record.report)
	}
}

// writes returns a report for each value that was written to since it was last called.
func (e *ending) writes() (reports []*Report) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.values {
		s := &e.values[i]
		at := s.extent.differs(s.was, 0)
		if at < 0 {
			continue
		}
		size := int(s.typ.Size())
		if s.isPlain() {
			size = max(size, 64) // a value of an unknown type is many bytes
		}
		for at >= 0 {
			reports = append(reports, e.report(s, at))
			at = s.extent.differs(s.was, (at/size+1)*size)
		}
		s.was = s.extent.copy()
	}
	return reports
}

// report returns the report of a byte that was written to.
func (e *ending) report(s *snapshot, at int) *Report {
	size := int(s.typ.Size())
	r := &Report{Mistake: WriteAfterReset, Arena: e.record.name, Made: e.record.made, Ended: e.stack}
	if e.free {
		r.Mistake = WriteAfterFree
	}
	if e.grown {
		r.Mistake = WriteAfterGrowth
	}
	r.Addr = s.at.address() + uintptr(at)
	r.Detail = fmt.Sprintf("byte %d of a value of type %v", at%size, s.typ)
	if s.isPlain() {
		r.Detail = "text or a plain value"
	}
	return r
}

// report returns the report of an access to addr, in w, or if that is 0 to any address in it.
func (w *ward) report(addr uintptr) *Report {
	r := &Report{Mistake: Overflow, Arena: w.record.name, Made: w.record.made, Addr: addr}
	if e := w.ended; e != nil {
		r.Mistake, r.Ended = UseAfterReset, e.stack
		if e.free {
			r.Mistake = UseAfterFree
		}
		if e.grown {
			r.Mistake = UseAfterGrowth
		}
	}
	switch {
	case addr == 0 || w.size == 0:
		r.Detail = w.what
	case addr < w.at: // functions in assembly read whole blocks
		r.Detail = fmt.Sprintf("%d bytes in front of %d bytes, %s", w.at-addr, w.size, w.what)
	case addr < w.at+w.size:
		r.Detail = fmt.Sprintf("byte %d of %d bytes, %s", int(addr-w.at), w.size, w.what)
	default:
		r.Detail = fmt.Sprintf("%d bytes behind the end of %d bytes, %s", addr-w.at-w.size, w.size, w.what)
	}
	return r
}

// text returns the text of report(0). It keeps that of the stacks, for other wards. wards is locked.
func (w *ward) text() string {
	if w.record.at == "" {
		w.record.at = w.record.made.String()
	}
	ended := ""
	if e := w.ended; e != nil {
		if e.at == "" {
			e.at = e.stack.String()
		}
		ended = e.at
	}
	return w.report(0).text("", ended, w.record.at)
}

// catching is set by CatchFaults.
var catching atomic.Bool

// CatchFaults makes faults explain themselves. When the program touches memory that guard mode has made
// inaccessible, the first part of the [Report] is written to standard error. Then the program ends as it would
// have anyway, with the stack of the access.
//
// CatchFaults installs a handler for the signal SIGSEGV, which goes on to the handler that was there. It knows
// arenas that are Reset later, so call it when the program starts. It needs no cgo. It works on linux on amd64 and
// arm64, and returns an error elsewhere.
func CatchFaults() error {
	wards.Lock()
	table := wardTable()
	wards.Unlock()
	if err := fault.Catch(table); err != nil {
		return fmt.Errorf("arena: CatchFaults: %w", err)
	}
	catching.Store(true)
	return nil
}

// FaultReport returns the report of a fault in the memory of an arena in guard mode, or nil when v is no such
// fault. v is the result of recover, in a goroutine that has called debug.SetPanicOnFault(true). The function that
// has called recover must call FaultReport itself: then the report has the stack of the access.
func FaultReport(v any) *Report {
	f, ok := v.(interface{ Addr() uintptr })
	if !ok {
		return nil
	}
	r := reportAt(f.Addr(), true)
	if r != nil {
		r.Used = callers().fault()
	}
	return r
}

// LastFault returns the report of the last fault that the handler of [CatchFaults] has seen, or nil. The report
// does not say where the access was. It is for packages that build on arenas.
func LastFault() *Report { return reportAt(fault.Last(), false) }

// reportAt returns the report of an access to addr, or nil if that is in no ward. If told is set, reportFaults
// does not report it.
func reportAt(addr uintptr, told bool) *Report {
	wards.Lock()
	defer wards.Unlock()
	for i := range wards.table {
		if wards.table[i].Has(addr) {
			if told {
				wards.table[i].TakeOne()
			}
			return wards.all[i].report(addr)
		}
	}
	return nil
}

// survived has the reports of faults that somebody has recovered from, and others that are not sent yet.
var survived struct {
	sync.Mutex
	reports []survivor
	seen    atomic.Uint64 // faults
}

type survivor struct {
	*Report
	to func(*Report)
}

// takeFaults notes the faults in w, for reportFaults.
func (w *ward) takeFaults() {
	wards.Lock()
	defer wards.Unlock()
	w.noteFaults()
}

// noteFaults is takeFaults when wards is locked.
func (w *ward) noteFaults() {
	n, addr, stack := wards.table[w.slot].Take()
	if n == 0 {
		return
	}
	r := w.report(addr)
	r.Used = stack
	if n > 1 {
		r.Detail += fmt.Sprintf(", and %d more such faults", n-1)
	}
	survived.Lock()
	defer survived.Unlock()
	survived.reports = append(survived.reports, survivor{r, w.record.report})
}

// reportFaults reports the faults that were not reported yet. Something has recovered from them, or is about to,
// or the program ends. It calls functions of the program, as letOut does.
func reportFaults() {
	if n := fault.Count(); survived.seen.Swap(n) != n {
		wards.Lock()
		for _, w := range wards.all {
			if w != nil {
				w.noteFaults()
			}
		}
		wards.Unlock()
	}
	survived.Lock()
	reports := survived.reports
	survived.reports = nil
	survived.Unlock()
	for _, s := range reports {
		s.send(s.to)
	}
}
