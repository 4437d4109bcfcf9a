package arena

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/arena-go/arena/internal/mem"
)

// A Group is a lifetime that several goroutines share. Each allocates from an arena of its own,
// without waiting for the others, and all of it ends together.
//
//	g := arena.NewGroup()
//	for _, part := range parts {
//		g.Go(func(a *arena.Arena) { work(a, part) })
//	}
//	g.Wait()
//	// What the goroutines made may be used until here, from anywhere.
//	g.Reset() // or Free, as of an arena
//
// The zero Group is ready to use; set Options before that. A Group must not be copied after first
// use. Any goroutine may call its methods at any time, except [Group.Reset], [Group.Free] and
// [Group.Stats]: they must not be called while an arena of the Group is in use. They panic while a
// function that [Group.Go] or [Group.Do] has called is running.
//
// Arenas of a Group cannot be Reset or freed one by one. After a Reset of the Group they panic when
// they are used: ask the Group for another arena, which will have their memory.
//
// A nil *Group is the heap: Arena returns nil and Do passes nil. Reset, Free and Wait do nothing,
// Stats are zero, and Go panics.
type Group struct {
	// Options apply to the Group as a whole: Limit and Retain bound what its arenas hold together.
	// Memory that Reset has kept is given up before an allocation fails for the Limit, unless it
	// belongs to an arena that was given away since.
	Options Options

	_    noCopy
	self *Group       // the Group itself, from first use on
	held atomic.Int64 // bytes of all chunks

	mu      sync.Mutex
	own     *settings // of all arenas of the Group
	record  *record   // of a Group with a Memory, which is reported when it is lost
	members []*Arena  // given away since the last Reset
	idle    []*Arena  // arenas of members that nobody uses any more
	kept    []*stores // what earlier rounds left
	spare   int       // the least that was left of kept in any round since spare ones were last closed
	running int       // functions that Go and Do have called
	started int       // how many of them Go has started
	ended   sync.Cond // started has become 0
	resets  int64
	peak    int64
	freed   bool
	closed  *Arena // whose the stores in kept are, from the first Reset on
}

// NewGroup returns an empty Group. It is new(Group).
func NewGroup() *Group { return new(Group) }

// Arena returns an empty arena of g. The caller, or one goroutine that the caller passes it to, may
// use it until g is Reset or freed. Arena takes a lock for a moment; allocating from the arena
// takes none. It panics when g has been freed.
func (g *Group) Arena() *Arena {
	if g == nil {
		return nil
	}
	g.lock()
	defer g.mu.Unlock()
	return g.arena()
}

// fork returns another arena for the work of a, which is one of g, or nil when that work is over.
func (g *Group) fork(a *Arena) *Arena {
	g.lock()
	defer g.mu.Unlock()
	if a.life.state() != stateOpen {
		return nil
	}
	return g.arena()
}

// lock locks g, which must not be a copy: that would have the same arenas, and the same stores for
// the next ones.
func (g *Group) lock() {
	g.mu.Lock()
	if g.self != g {
		g.claim()
	}
}

// claim makes g, which is locked and used for the first time, its own. It panics when g is a copy.
func (g *Group) claim() {
	if g.self != nil {
		g.mu.Unlock()
		panicCopy(g.name(), "*Group")
	}
	g.self = g
}

// arena is Arena, with g.mu held.
func (g *Group) arena() *Arena {
	g.check()
	if g.own == nil {
		g.own = &settings{Options: g.Options, group: g}
		g.spare = math.MaxInt
		g.ended.L = &g.mu
		if g.own.Memory != nil {
			g.record = g.own.newRecord()
			g.record.leak = runtime.AddCleanup(g, (*record).lost, g.record)
		}
	}
	a := &Arena{opt: g.own}
	a.claim()
	if n := len(g.kept); n > 0 {
		a.stores = g.kept[n-1]
		a.stores.serve(a)
		g.kept = g.kept[:n-1]
	} else if a.tracks() {
		a.track()
	}
	g.members = append(g.members, a)
	return a
}

// Do calls f with an arena of g that nobody else uses meanwhile. What f made stays until g is
// Reset. The next f gets the arena with its contents. Several goroutines may call Do at the same
// time. It panics when g has been freed.
func (g *Group) Do(f func(a *Arena)) {
	if g == nil {
		f(nil)
		return
	}
	g.do(g.begin(0), 0, f)
}

// Go calls f in a new goroutine, as [Group.Do] does. [Group.Wait] waits for it. Go panics when g is
// nil or has been freed.
func (g *Group) Go(f func(a *Arena)) {
	if g == nil {
		panic("arena: Go of a nil Group; use NewGroup")
	}
	a := g.begin(1)
	go g.do(a, 1, f)
}

// Wait returns when all functions that [Group.Go] has started have returned.
func (g *Group) Wait() {
	if g == nil {
		return
	}
	g.lock()
	defer g.mu.Unlock()
	for g.started > 0 {
		g.ended.Wait()
	}
}

// begin returns an arena for a function that is about to be called, in n goroutines
// of its own.
func (g *Group) begin(started int) *Arena {
	g.lock()
	defer g.mu.Unlock()
	var a *Arena
	if n := len(g.idle); n > 0 {
		a = g.idle[n-1]
		g.idle = g.idle[:n-1]
	} else {
		a = g.arena()
	}
	g.running++
	g.started += started
	return a
}

// do calls f with what begin returned.
func (g *Group) do(a *Arena, started int, f func(a *Arena)) {
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.running--
		if g.started -= started; started > 0 && g.started == 0 {
			g.ended.Broadcast()
		}
		g.idle = append(g.idle, a)
	}()
	f(a)
}

// Reset empties all arenas of g and keeps their memory. Everything allocated from them is stale, as
// after [Arena.Reset]. The arenas themselves cannot be used any more. Memory that 32 successive
// Resets do not find used is left to the collector. Large arenas are emptied by goroutines of their
// own, and Reset waits for these.
//
// Reset panics while a function of Go or Do is running, and when g has been freed.
func (g *Group) Reset() {
	if g == nil {
		return
	}
	if g.Options.Guard {
		defer letOut()
	}
	g.lock()
	defer g.mu.Unlock()
	g.mayEnd("Reset")
	g.check()
	g.resets++
	g.spare = min(g.spare, len(g.kept))
	g.resetMembers()
	if g.closed == nil && g.own != nil { // and not before there are settings: it is for all that is kept from now on
		g.closed = &Arena{opt: g.own, life: life(stateEnded)}
	}
	var bytes int64
	for _, a := range g.members {
		st := a.stores
		a.stores = nil
		if st == nil {
			a.close(stateEnded, 0, 1)
		} else {
			bytes += st.peak
			a.close(stateEnded, st.peak, st.resets)
			st.untrack()
			st.closeHandles("the Reset of its Group")
			st.arena = g.closed
			g.kept = append(g.kept, st)
		}
	}
	g.forget()
	g.peak = max(g.peak, bytes)
	if g.resets%releaseEvery == 0 {
		spare := slices.Clone(g.kept[:g.spare])
		g.kept = slices.Delete(g.kept, 0, g.spare)
		g.spare = math.MaxInt
		mem.Each(spare, closeKept)
	}
	if g.own != nil && g.own.Retain != 0 {
		most := max(g.own.Retain, 0)
		g.release(most)
		most = max(most-g.held.Load(), 0)
		for _, st := range g.kept {
			most = st.locals.Retain(most)
		}
	}
}

// resetMembers resets all arenas that were given away, the large ones at the same time: to zero
// what several goroutines have filled takes one of them too long. What panics in a goroutine, such
// as a value of arenakit.Local, panics here.
func (g *Group) resetMembers() {
	var large struct {
		sync.WaitGroup
		failed atomic.Pointer[any]
	}
	defer large.Wait() // also where a small one panics
	for i, a := range g.members {
		if i < len(g.members)-1 && a.stores != nil && a.stores.inUse() >= maxChunk && !a.stores.watched() && a.stores.provider == nil {
			large.Go(func() {
				defer func() {
					if r := recover(); r != nil {
						large.failed.Store(&r)
					}
				}()
				a.reset()
			})
		} else {
			a.reset()
		}
	}
	large.Wait()
	if r := large.failed.Load(); r != nil {
		panic(*r)
	}
}

// Free closes g and its arenas. What was allocated from them stays valid for as long as something
// points at it, as after [Arena.Free]. A second Free does nothing. Free panics while a function of
// Go or Do is running.
func (g *Group) Free() {
	if g == nil {
		return
	}
	if g.Options.Guard {
		defer letOut()
	}
	g.lock()
	defer g.mu.Unlock()
	if g.freed {
		return
	}
	g.mayEnd("Free")
	g.freed = true
	if g.record != nil {
		g.record.close()
	}
	members, kept := slices.Clone(g.members), g.kept
	g.forget()
	g.kept = nil
	defer mem.Each(kept, closeKept)
	var bytes int64
	mem.Each(members, func(a *Arena) { bytes += a.free() })
	g.peak = max(g.peak, bytes)
}

// closeKept closes stores that no arena has.
func closeKept(st *stores) {
	st.close()
	st.offer()
}

// check panics when g has been freed.
func (g *Group) check() {
	if g.freed {
		panic("arena: " + g.name() + " is used after Free; make a new one, or use Reset to empty a group")
	}
}

// mayEnd panics when an arena of g is in use, as far as g knows.
func (g *Group) mayEnd(what string) {
	if g.running > 0 {
		panic("arena: " + what + " of " + g.name() + " while goroutines use its arenas; Wait for them first")
	}
	for _, a := range g.members {
		if !a.isItself() || a.opt != g.own || a.stores != nil && a.stores.arena != a {
			panic("arena: " + what + " of " + g.name() + ": one of its Arenas was written over; pass a *Arena")
		}
	}
}

// unreserve undoes reserve.
func (g *Group) unreserve(bytes int64) { g.held.Add(-bytes) }

// adopt notes what is lost with g.
func (g *Group) adopt(s source) { g.record.adopt(s) }

// disown takes s off the list of what would be lost.
func (g *Group) disown(s source) { g.record.disown(s) }

// forget empties the lists of the arenas that were given away.
func (g *Group) forget() {
	clear(g.members)
	clear(g.idle)
	g.members, g.idle = g.members[:0], g.idle[:0]
}

// release releases what earlier rounds left until no more than goal bytes are held.
func (g *Group) release(goal int64) {
	for _, st := range g.kept {
		excess := g.held.Load() - goal
		if excess <= 0 {
			return
		}
		st.release(spareAll, excess)
	}
}

// reserve is the part of stores.reserve that all arenas of g have in common.
func (g *Group) reserve(st *stores, size, want, need int) int {
	if g.own != st.arena.opt {
		panic("arena: a Group was written over while its arenas are in use")
	}
	if limit := g.own.Limit; limit > 0 {
		g.mu.Lock()
		defer g.mu.Unlock()
		if goal := limit - int64(need)*int64(size); goal >= 0 {
			st.release(spareUnused, g.held.Load()-goal)
			g.release(goal)
			for _, a := range g.idle {
				if g.held.Load() <= goal {
					break
				}
				if a.stores != nil && a.stores.arena == a {
					a.stores.release(spareUnused, g.held.Load()-goal)
				}
			}
		}
		want = g.own.fit(g.held.Load(), size, want, need)
	}
	g.held.Add(int64(want) * int64(size))
	return want
}

// Stats returns what is in the arenas of g together. Resets counts the Resets of g. Stats panics
// while a function of Go or Do is running.
func (g *Group) Stats() Stats {
	if g == nil {
		return Stats{}
	}
	g.lock()
	defer g.mu.Unlock()
	g.mayEnd("Stats")
	stats := Stats{Resets: g.resets, Freed: g.freed}
	if g.own != nil {
		stats.LimitHits = g.own.hits.Load()
	}
	for _, a := range g.members {
		if a.stores != nil {
			stats.add(a.stores)
		}
	}
	for _, st := range g.kept {
		stats.add(st)
	}
	stats.sort()
	stats.Peak = max(g.peak, stats.InUse)
	return stats
}

func (g *Group) name() string {
	if g.Options.Name == "" {
		return "a group"
	}
	return "group " + g.Options.Name
}
