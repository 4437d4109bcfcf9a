package guard

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
)

// An ending is what has ended together.
type ending struct {
	owner  Owner
	end    *End
	mu     sync.Mutex // of values
	wards  []pages
	values []snapshot
	bytes  int
}

// A snapshot is how memory was that must not change.
type snapshot struct {
	Memory
	was []byte
}

// quarantine has the endings of late, the oldest first.
var quarantine struct {
	sync.Mutex
	endings []*ending
	bytes   int // of these
	leaving []*ending
}

// aim makes all pointers of the values that are not on pages point at a ward, one for each type.
func (e *ending) aim(all []Memory) {
	traps := map[reflect.Type][]byte{}
	for _, m := range all {
		if len(m.bytes) == 0 || m.plain {
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

// trap returns where pointers in values of type t are aimed, or nil if there can be no such place:
// memory that cannot be accessed for as long as anything points at it. Through pointers of
// different types it would be memory of all of these types.
//
// Its start is not aimed at, because a stale runtime.SetFinalizer(p, nil) would take away the
// finalizer that makes it accessible.
func (e *ending) trap(t reflect.Type) []byte {
	p := newPages(e.owner, "through a pointer in a value of type "+t.String(), 0)
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
	for n < len(q.endings)-1 && (q.bytes > MaxQuarantine || len(q.endings)-n > MaxEndings) {
		q.bytes -= q.endings[n].bytes
		n++
	}
	q.leaving = append(q.leaving, q.endings[:n]...)
	q.endings = slices.Delete(q.endings, 0, n)
}

// LetOut lets go of what waits to leave the quarantine, and reports what it finds. It calls
// functions of the program. So it is called when the arena is in order, and with nothing locked.
func LetOut() {
	ReportFaults()
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
		writes := e.writes()
		e.leave()
		send(writes)
	}
}

// Empty lets go of all that is in quarantine, as LetOut does. It is for tests.
func Empty() {
	quarantine.Lock()
	quarantine.leaving = append(quarantine.leaving, quarantine.endings...)
	quarantine.endings, quarantine.bytes = nil, 0
	quarantine.Unlock()
	LetOut()
}

// LetGo lets go of what is in quarantine of the arenas with a name, as LetOut does. The memory
// stays inaccessible while something points at it.
func LetGo(name string) {
	q := &quarantine
	q.Lock()
	q.endings = slices.DeleteFunc(q.endings, func(e *ending) bool {
		if e.owner.ArenaName() != name {
			return false
		}
		q.bytes -= e.bytes
		q.leaving = append(q.leaving, e)
		return true
	})
	q.Unlock()
	LetOut()
}

// Check reports the writes to what is in quarantine, each value once, and the faults that the
// program has survived. It calls functions of the program, as LetOut does. Any goroutine may call
// it.
func Check() {
	ReportFaults()
	quarantine.Lock()
	endings := slices.Clone(quarantine.endings)
	quarantine.Unlock()
	for _, e := range endings {
		send(e.writes())
	}
}

// leave gives up the memory of e. It stays inaccessible while something points at it. If new wards
// need the room, memory of plain types becomes accessible at once: pointers to it see its old
// values. A trap never does: it has no values, and pointers of many types refer to it.
func (e *ending) leave() {
	wards.Lock()
	full := len(wards.free) < MaxWards/4
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

// finish looks for what was written to the values of e, for the last time. LetOut reports that.
func (e *ending) finish() {
	writes := e.writes()
	e.mu.Lock()
	e.values = nil
	e.mu.Unlock()
	untold.Lock()
	defer untold.Unlock()
	untold.findings = append(untold.findings, writes...)
}

// writes returns the values that were written to since it was last called.
func (e *ending) writes() (all []Finding) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.values {
		s := &e.values[i]
		at := s.differs(s.was, 0)
		if at < 0 {
			continue
		}
		size := int(s.typ.Size())
		if s.shared() {
			size = max(size, 64) // a value of an unknown type is many bytes
		}
		for at >= 0 {
			all = append(all, e.write(s, at))
			at = s.differs(s.was, (at/size+1)*size)
		}
		s.was = s.copy()
	}
	return all
}

// write returns what is known of a byte that was written to.
func (e *ending) write(s *snapshot, at int) Finding {
	f := Finding{Owner: e.owner, End: e.end, Written: true, Addr: address(s.bytes) + uintptr(at)}
	f.Detail = fmt.Sprintf("byte %d of a value of type %v", at%int(s.typ.Size()), s.typ)
	if s.shared() {
		f.Detail = "text or a plain value"
	}
	return f
}
