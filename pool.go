package arena

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/arena-go/arena/internal/share"
)

// A Pool holds arenas that nobody uses, with their memory, for the next user: a request, a batch, a
// call.
//
// The zero Pool is empty and ready to use. Set its fields before first use. A Pool must not be
// copied after that. Any number of goroutines may use a Pool at the same time. Each arena that it
// gives away has one user. A nil *Pool gives away nil arenas, which are the heap.
//
// A Pool shrinks by itself, as a sync.Pool does: an arena that lies in it unused while the
// collector runs twice goes. An arena that is in use again and again loses at [Pool.Put] the memory
// that it has not needed since the last collections. Retain bounds what an arena may bring back at
// all.
type Pool struct {
	// Options are the options of all arenas of the Pool. The Limit applies to each arena.
	Options Options

	// Retain is the most memory in bytes that an arena keeps when it is Put. 0 means no such bound,
	// a negative value keeps nothing. Unlike Options.Retain it does not bound what a Reset keeps
	// while the arena is in use.
	Retain int64

	// GuardEvery puts the arena of one Get in GuardEvery into guard mode. 0 is none. Options.Guard
	// is for all arenas, and says what guard mode is. Such an arena is new and does not come back:
	// it has one user. Only its first 8 slices and texts have pages of their own, the others share
	// some. It costs some 50 microseconds, and more for what is in it.
	GuardEvery int

	// KeepEvery looks for values that are kept after the end of their arena, in the arena of one
	// Get in KeepEvery. 0 is none. Each value of such an arena has memory of its own, in the Go
	// heap, which is not used again. Some collections after the Put, Free or Reset, each value that
	// something still points at is reported as [Kept]. Up to 8 values of an arena are reported,
	// whether the program uses them or not. A value that only another one of the same arena points
	// at is reported, too.
	//
	// Nothing is changed or inaccessible, so it is for services. Such an arena is new and does not
	// come back. It takes a few microseconds and 150 bytes more for each value, and a collection
	// has that much more to do, until it is reported. Values after the first 100,000 of an arena
	// share memory, which is reported if anything points at one of them. An arena that GuardEvery
	// has chosen is not looked at.
	KeepEvery int

	_      noCopy
	gets   atomic.Int64 // counted where GuardEvery or KeepEvery is set
	arenas sync.Pool    // of the *stores of arenas, or *Arena where an arena has none
	ledger atomic.Pointer[ledger]
}

// A ledger is what a Pool knows of its arenas. It does not point at the Pool, nor at
// them: cleanups refer to it, which would keep them from being collected.
type ledger struct {
	mu      sync.Mutex
	members map[*member]struct{} // the arenas that have not been collected
	gone    PoolStats            // what those did that have been

	sampled, kept atomic.Int64 // for PoolStats
}

// PoolStats say what a [Pool] did and holds.
type PoolStats struct {
	Gets      int64 // arenas given away
	Puts      int64 // arenas that came back
	Freed     int64 // arenas that were freed and did not come back
	Dropped   int64 // arenas that were given to Drop
	Lost      int64 // arenas that the collector took while they were given away: each is a missing Put
	Made      int64 // arenas made, because the Pool was empty
	Collected int64 // arenas that the collector took out of the Pool
	LimitHits int64 // allocations that failed with a [*LimitError]
	Resets    int64 // Resets of arenas, with those by Put
	Allocated int64 // bytes allocated in arenas until they were Reset, Put or freed
	Peak      int64 // the most bytes that an arena had in use when it was Reset, Put or freed

	Out      int64 // arenas that are given away now
	Idle     int64 // arenas that lie in the Pool now
	Reserved int64 // bytes that all of these hold, and dropped arenas that are not collected yet
	Retained int64 // bytes that the arenas in the Pool hold

	Sampled int64 // arenas that KeepEvery has chosen
	Kept    int64 // values of these that were there some collections after the end
	Guarded int64 // bytes of Reserved that these arenas hold, and arenas in guard mode
}

// Get returns an empty arena. The caller gives it back with [Pool.Put], frees it, or leaves it to
// the collector with [Pool.Drop].
func (p *Pool) Get() *Arena {
	if p == nil {
		return nil
	}
	var a *Arena
	var st *stores
	guard, keeps := p.Options.Guard, false
	if p.GuardEvery|p.KeepEvery > 0 {
		guard, keeps = p.choose()
	}
	if !guard && !keeps {
		switch idle := p.arenas.Get().(type) {
		case *stores:
			a, st = idle.arena, idle
		case *Arena:
			a = idle
		}
		if a != nil && !a.isPooled() {
			a, st = nil, nil // somebody wrote another Arena over it
		}
	}
	made := a == nil
	if made {
		a = p.newArena(guard, keeps)
	}
	a.claim()
	a.stores = st
	m := a.opt.member
	if !made {
		m.enter()
	}
	m.idle = nil
	if a.tracks() {
		a.track()
		m.record = a.stores.record
	}
	return a
}

// choose tells whether the next arena is to be in guard mode, and if not, whether what is kept of
// it is looked for. It is not inlined, so that Get is short.
//
//go:noinline
func (p *Pool) choose() (guard, keeps bool) {
	n := p.gets.Add(1)
	guard = p.Options.Guard || p.GuardEvery > 0 && n%int64(p.GuardEvery) == 0
	k := int64(p.KeepEvery)
	return guard, !guard && k > 0 && n%k == k/2 // not the same ones, if both are as large
}

// Put resets a, which came from Get, and keeps it for another Get. Everything allocated from a is
// stale, as after [Arena.Reset], and the caller must not use a any more.
//
// Using a panics until Get gives it away again. From then on nothing notices: to use a, or what was
// allocated from it, is a data race with its next user, and can do what data races can, such as
// corrupt memory. Where somebody may still use it, call [Pool.Drop].
//
// Put of a nil arena, or of one that has been freed, does nothing. Put panics when a lies in the
// Pool already, has been dropped, or is not from this Pool. When a Memory panics, or a method that
// arenakit.Local knows, a is dropped, as by [Pool.Drop].
func (p *Pool) Put(a *Arena) {
	m := p.member(a, "Put")
	if m == nil || !m.leave(memberIdle, "Put") {
		return
	}
	if st := a.stores; st != nil && (len(st.locals) > 0 || st.provider != nil) {
		p.putCareful(a, m)
	} else {
		p.put(a, m)
	}
}

// putCareful is put where code of others runs, which may panic.
func (p *Pool) putCareful(a *Arena, m *member) {
	done := false
	defer func() {
		if !done {
			m.putFailed()
		}
	}()
	p.put(a, m)
	done = true
}

// put keeps a for another Get. Its member is idle already.
func (p *Pool) put(a *Arena, m *member) {
	a.reset()
	if n := m.hits.Load(); n > 0 {
		m.past.Store(n)
	}
	st := a.stores
	if st != nil {
		m.record = nil
		st.peak, st.resets = 0, 0 // the next user's begin anew
		st.untrack()
		st.closeHandles("Pool.Put")
		if len(st.locals) > 0 {
			st.locals.Close(true)
		}
		// So that neither one odd round nor a collector that runs all the
		// time makes an arena give up what the next round needs.
		if now := collections.Load(); now != m.epoch && st.rounds >= 4 {
			m.epoch = now
			st.releaseIdle()
		}
		st.retain(p.Retain)
		m.idle = st.provider
	}
	a.stores = nil
	a.pool()
	if m.isOnce() {
		m.leak.Stop()
		m.collected()
		m.letOut()
		return
	}
	if st != nil {
		p.arenas.Put(st)
	} else {
		p.arenas.Put(a)
	}
}

// Drop says that a, which came from Get, does not come back, because somebody may still use it:
// another goroutine, for instance. The holder of a may go on using it. The collector takes it when
// nothing refers to it any more. Drop does not touch the arena.
//
// If a has an Options.Memory, its last user frees it, or it has Options.Finalize.
//
// Drop of a nil or freed arena does nothing. Drop panics as [Pool.Put] does.
func (p *Pool) Drop(a *Arena) {
	if m := p.member(a, "Drop"); m != nil {
		if m.leave(memberDropped, "Drop") && m.record != nil && m.Memory == nil {
			m.record.close()
		}
		runtime.KeepAlive(a) // it is not lost yet
	}
}

// Do calls f with an arena that lives as long as the call. When f returns, Do gives the arena to
// [Pool.Put], unless f has freed or dropped it. f must not Put it. When f panics, Do gives it to
// [Pool.Drop]: what f leaves behind, such as the value of the panic, may lie in it.
//
// After a panic nobody has that arena to free it. So with an Options.Memory also set
// Options.Finalize, or call [Try] in f: the usual panic comes from a limit.
func (p *Pool) Do(f func(a *Arena)) {
	a := p.Get()
	if a == nil {
		f(nil)
		return
	}
	m := a.opt.member
	done := false
	defer func() {
		switch {
		case !m.isOut():
		case a.opt != &m.settings: // f has written another Arena over it
			if done {
				a.panicCopied("")
			}
		case done:
			p.Put(a)
		default:
			p.Drop(a)
		}
	}()
	f(a)
	done = true
}

// Do calls f with an arena from a common Pool. See [Pool.Do] and [SetDoPool].
func Do(f func(a *Arena)) { doPool(common.Load()).Do(f) }

// common has the Pool of Do, or nil for the first one.
var (
	common  atomic.Pointer[*Pool]
	ownPool Pool
)

func doPool(p **Pool) *Pool {
	if p == nil {
		return &ownPool
	}
	return *p
}

// SetDoPool makes p the Pool of [Do] from now on, in all of the program. It returns the former one,
// so that it can be put back. The fields of p limit, track and guard the arenas of Do, and its
// Stats say what Do does. The first Pool has no Options. If p is nil, Do uses the heap. A Do that
// is running puts its arena back where it came from.
//
// SetDoPool is for main functions, and for tests, which have arenatest.GuardDo. Any goroutine may
// call it at any time.
func SetDoPool(p *Pool) (former *Pool) { return doPool(common.Swap(&p)) }

// newArena returns a new arena of p, in the state of one that lies in p.
func (p *Pool) newArena(guard, keeps bool) *Arena {
	tick.Do(countCollections)
	if p.ledger.Load() == nil {
		p.ledger.CompareAndSwap(nil, &ledger{members: map[*member]struct{}{}})
	}
	l := p.ledger.Load()
	m := &member{ledger: l, settings: settings{Options: p.Options}}
	m.settings.member = m
	m.Guard, m.sampled, m.keeps = guard, !p.Options.Guard, keeps
	if keeps {
		l.sampled.Add(1)
	}
	a := &Arena{opt: &m.settings}
	m.address = a.address()
	a.pool()
	m.leak = runtime.AddCleanup(a, (*member).collected, m)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.members[m] = struct{}{}
	return a
}

// member returns the member that a is, or nil if there is nothing to do.
func (p *Pool) member(a *Arena, what string) *member {
	if a == nil {
		return nil
	}
	if a.opt == nil || a.opt.member == nil || p == nil || a.opt.member.ledger != p.ledger.Load() {
		panic(fmt.Sprintf("arena: Pool.%s of %s that is not from this Pool; Put back what Get returned", what, a.opt.name()))
	}
	if a.opt.member.address != a.address() { // and not a.life, which another goroutine may change
		a.panicCopied("")
	}
	return a.opt.member
}

// collected notes that the collector took the arena.
func (m *member) collected() {
	if m.idle != nil {
		m.idle.releaseAll()
	}
	l := m.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.members, m)
	switch l.gone.add(m) {
	case memberIdle:
		if !m.isOnce() {
			l.gone.Collected++
		}
	case memberOut:
		l.gone.Lost++
	}
}

// Stats returns what p did and holds. Other goroutines may use p and its arenas meanwhile. Each
// count is right. Together they are as right as they can be while things move. The Stats of a nil
// Pool are zero.
func (p *Pool) Stats() PoolStats {
	var l *ledger
	if p != nil {
		l = p.ledger.Load()
	}
	if l == nil {
		return PoolStats{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.gone
	s.Sampled, s.Kept = l.sampled.Load(), l.kept.Load()
	for m := range l.members {
		state, held := s.add(m), m.held.Load()
		s.Reserved += held
		if m.isOnce() {
			s.Guarded += held
		}
		switch state {
		case memberIdle:
			s.Idle++
			s.Retained += held
		case memberOut:
			s.Out++
		}
	}
	return s
}

// add adds what m did, and returns its state.
func (s *PoolStats) add(m *member) int64 {
	s.Made++
	state := m.state.Load()
	puts := state / onePut
	state %= onePut
	s.Puts += puts
	if s.Gets += puts; state != memberIdle {
		s.Gets++
	}
	s.LimitHits += m.hits.Load()
	s.Resets += m.resets.Load() + puts
	s.Allocated += m.allocated.Load()
	s.Peak = max(s.Peak, m.peak.Load())
	switch state {
	case memberFreed:
		s.Freed++
	case memberDropped:
		s.Dropped++
	}
	return state
}

// collections counts the collections of garbage since the first arena of a Pool.
var (
	collections atomic.Uint32
	tick        sync.Once
)

// countCollections counts one more collection each time it is called, because
// it leaves something to the collector whose cleanup is its next call.
func countCollections() {
	collections.Add(1)
	runtime.AddCleanup(new(marker), func(struct{}) { countCollections() }, struct{}{})
}

// A marker is large enough not to share its memory with other small values.
type marker [4]uintptr

// A member is what a ledger has of one arena. Only the user of the arena writes to it.
type member struct {
	settings
	ledger  *ledger
	address life         // of the arena, by which copies of it are known
	state   atomic.Int64 // one of those below, and above it the number of Puts: both change with one operation
	epoch   uint32       // the collections that its last releaseIdle had seen
	record  watcher      // while it is given away and tracked
	idle    source       // of the arena's plain memory, while the arena lies in the Pool
	leak    runtime.Cleanup
	memory  *share.Memory // once somebody has asked for it

	past                          atomic.Int64 // hits of previous users; they only grow, so that Stats never go back
	resets, allocated, peak, held atomic.Int64
}

// States of a member.
const (
	memberOut int64 = iota
	memberIdle
	memberFreed
	memberDropped
	onePut // is added for each Put
)

// isOnce tells whether the arena is not used again.
func (m *member) isOnce() bool { return m.Guard || m.keeps }

// enter notes that an idle member is given away.
func (m *member) enter() { m.state.Add(memberOut - memberIdle) }

// isOut tells whether the member is given away.
func (m *member) isOut() bool { return m.state.Load()%onePut == memberOut }

// leave notes that the member is not given away any more. It reports false when it was freed.
func (m *member) leave(state int64, what string) bool {
	for {
		was := m.state.Load()
		switch was % onePut {
		case memberOut:
			next := was - memberOut + state
			if state == memberIdle {
				next += onePut
			}
			if m.state.CompareAndSwap(was, next) {
				return true
			}
		case memberIdle:
			panic(fmt.Sprintf("arena: Pool.%s of %s that lies in the Pool already; Put what Get returned once, and do not use it after that", what, m.name()))
		case memberDropped:
			panic(fmt.Sprintf("arena: Pool.%s of %s that was dropped, and may be in use; leave it to the collector", what, m.name()))
		case memberFreed:
			return false
		}
	}
}

// putFailed has the member, which leave has made idle, dropped instead: it was in the middle of Put
// when something panicked.
func (m *member) putFailed() { m.state.Add(memberDropped - memberIdle - onePut) }

// freed notes that the arena was freed, with bytes in use. One that was dropped stays that.
func (m *member) freed(bytes int64) {
	m.used(bytes)
	if was := m.state.Load(); was%onePut == memberOut {
		m.state.CompareAndSwap(was, was-memberOut+memberFreed)
	}
}

// used notes that bytes were in use in the arena until now.
func (m *member) used(bytes int64) {
	if bytes == 0 {
		return
	}
	m.allocated.Add(bytes)
	if bytes > m.peak.Load() {
		m.peak.Store(bytes)
	}
}
