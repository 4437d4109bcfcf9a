package arena

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/arena-go/arena/internal/books"
	"github.com/arena-go/arena/internal/tools"
)

// The core of the package is what hands out memory and takes it back: chunks, slabs, plain memory
// and the stores of an arena. It names none of what gives it memory, keeps books, or looks for
// mistakes. They meet in this file:
//
//   - A source supplies the memory of plain types instead of the Go heap: Options.Memory.
//   - A guardian also supplies it, and learns when it ends: guard mode.
//   - A watcher keeps the books on an arena: Live, and the report of one that was lost.
//   - A keeper notes the values of an arena, to find those that are reachable after its end.
//   - A family counts memory for several arenas: a Group.
//   - Tools that a program is built with are functions without a receiver, in package tools,
//     watch_race_on.go and watch_debug_on.go. Without them constants are false, and calls compile
//     to nothing.
//
// An ordinary arena has none of them: the fields of its stores are nil. New never looks at them,
// and others do where a chunk is made, released or retired.

// A giver gives memory for values of plain types.
type giver interface {
	// alloc returns size > 0 zero bytes, for values of type t. If it returns nil and no error, the
	// Go heap gives them.
	alloc(size int, t reflect.Type) ([]byte, error)
}

// A source is a giver that takes the memory back.
type source interface {
	giver
	least() (bytes int, why error) // the least that is worth asking for, or why nothing may be allocated
	has(at pointer) bool           // whether it has given a chunk that begins there
	release(at pointer)            // takes that chunk back, if it has given one
	claim(b []byte) bool           // b, all memory for references, is its own; whether it has given none of it for anything else
	limit(why error)               // nothing but memory for references may be allocated
	releaseAll()                   // takes all back
}

// A guardian is a giver that watches over what it has given, and over all other memory of the
// arena.
type guardian interface {
	giver
	expect(what string)              // the next alloc is for this
	forget()                         // nobody knows what the next alloc is for
	handedOut(b []byte)              // b was handed out of what alloc has returned last
	retire(all []extent, freed bool) // the arena has ended all of this: by Free, or by a Reset
	mark()                           // a scope begins
	rewind(open int, all []extent)   // only open scopes remain open, and all of this has ended
	left(m extent)                   // a Map has moved out of m, its former table
}

// A watcher keeps the books on an arena.
type watcher interface {
	publish(reserved int64, now interface{ stats() Stats }) // the arena has grown, or was Reset
	hold(reserved int64)                                    // it has shrunk
	close()                                                 // it is nobody's any more
}

// A keeper notes the values of an arena, each of which has memory of its own, to find those that
// are reachable after the end of the arena.
type keeper interface {
	made(m extent, count int) (more bool)       // m is for one value, or one slice of count values; whether the next one is to be noted
	chunk(m extent, count int)                  // m is for several values, or if its type is nil, text and slices of plain types
	plain(b []byte, t reflect.Type) (more bool) // b is for a slice of type t, or if t is nil text
	references(b []byte)                        // b is a chunk of a region
	label(what string)                          // what the arena is used for
	ended(freed bool)                           // by Free, or by a Reset: what was made can be read for the last time
	released()                                  // the arena has nothing of that any more
	mark()                                      // a scope begins
	rewinding(open int)                         // what was made since can be read for the last time; open scopes stay open
}

// A family is several arenas that have one limit, and end together.
type family interface {
	reserve(st *stores, size, want, need int) int // is stores.reserve for all arenas of the family
	unreserve(bytes int64)                        // undoes reserve
	adopt(source)                                 // when the family is lost, so is the source
	disown(source)                                // undoes that
}

// newProvider returns the source of an arena with the settings o, or nil.
func (o *settings) newProvider() source {
	if o == nil || o.Memory == nil || o.Guard || o.keeps {
		return nil
	}
	p := &provider{memory: o.Memory}
	if o.group != nil {
		o.group.adopt(p)
	}
	return p
}

// giver returns what gives memory to the arena. It is nil for the Go heap.
func (st *stores) giver() giver {
	if st.guard != nil {
		return st.guard
	}
	if st.provider != nil {
		return st.provider
	}
	return nil
}

// worth returns how many slots of size bytes to ask the source for, where want would do.
func (st *stores) worth(size, want, need int) int {
	least, why := st.provider.least()
	if why != nil {
		panic(&MemoryError{st.name(), int64(need) * int64(size), why})
	}
	return max(want, least/max(size, 1))
}

// take returns memory for want slots of size bytes, or for fewer, down to need, and how many these
// are. reserved counts all of want before the call, and only what was returned after it.
func (st *stores) take(from giver, size, want, need int, t reflect.Type) ([]byte, int) {
	got := 0
	defer func() { st.unreserve(int64(want-got) * int64(size)) }()
	slots := want
	b, err := from.alloc(slots*size, t)
	for err != nil && slots > need {
		slots = max(slots/2, need)
		b, err = from.alloc(slots*size, t)
	}
	if err != nil {
		panic(&MemoryError{st.name(), int64(slots) * int64(size), err})
	}
	got = slots
	return b, slots
}

// tracks tells whether a is to be tracked, or may be chosen for it.
func (a *Arena) tracks() bool {
	return books.Tracks() || a.opt != nil && (a.opt.Guard || a.opt.Track || a.opt.keeps || a.opt.Memory != nil && a.opt.group == nil)
}

// track is track of an arena that is about to be given to somebody.
func (a *Arena) track() {
	if a.stores == nil {
		a.first()
	} else {
		a.stores.track()
	}
}

// track begins the record of the arena, if it is to have one, and its guard. The arena is new, or
// about to be given to somebody.
func (st *stores) track() {
	o := st.arena.opt
	guarded := o != nil && o.Guard
	if o != nil && o.keeps && !guarded {
		st.keepFrom(newKeeper(o, nil, callers()))
	}
	owner := st.provider != nil && o.group == nil
	if !guarded && (o == nil || !o.Track) && !owner && !books.Chosen() {
		return
	}
	r := o.newRecord()
	if r.Guarded = guarded; owner {
		r.adopt(st.provider)
	}
	r.begin(st.arena)
	st.record = r
	if guarded {
		st.once, st.spent = true, true
		g := newGuard(r, o.sampled)
		if st.guard = g; !o.sampled {
			st.keepFrom(newKeeper(o, g, r.Made))
		}
	}
	r.publish(st.reserved, st)
}

// keepFrom has k note the values of the arena from now on.
func (st *stores) keepFrom(k keeper) {
	st.once, st.spent, st.keeper = true, true, k
	st.keepApart(true)
}

// keepApart has each value lie in a chunk of its own from now on, or not. It is not inlined, so
// that what calls it seldom is short.
//
//go:noinline
func (st *stores) keepApart(apart bool) {
	st.plain.chunks.apart = apart
	for _, s := range st.all {
		s.chunks.apart = apart
	}
}

// keep notes m, a new chunk of c of type t, unless it is one for text or a slice of plain type: of
// these keepPlain knows more.
func (st *stores) keep(c *chunks, m block, t *slotType) {
	switch k := st.keeper; {
	case k == nil || c.size == 0:
	case c == &st.plain.chunks:
		if !c.apart {
			k.chunk(m.extent(c.size, nil), m.n)
		}
	case !c.apart:
		k.chunk(m.extent(c.size, t.typ), m.n)
	case !k.made(m.extent(c.size, t.typ), m.n):
		st.keepApart(false)
	}
}

// keepPlain notes b, the memory of a slice of the type of s, or if that is nil of a text.
func (st *stores) keepPlain(s *slab, b []byte) {
	if st.keeper == nil || !st.plain.chunks.apart {
		return
	}
	var t reflect.Type
	if s != nil {
		t = s.typ()
	}
	if !st.keeper.plain(b, t) {
		st.keepApart(false)
	}
}

// untrack ends the record of the arena, if it has one.
func (st *stores) untrack() {
	if st.record != nil {
		st.record.close()
		st.record = nil
	}
}

// grown is called when a chunk was made or taken. If s is not nil, s is about to gain a slice of
// size bytes in plain memory.
func (st *stores) grown(s *slab, size int) {
	st.checker.check(st)
	st.remember()
	if st.record != nil {
		st.publish(s, size)
	}
}

// publish publishes what is in the arena, with the slice of size bytes that s is about to gain.
func (st *stores) publish(s *slab, size int) {
	if s == nil || size == 0 {
		st.record.publish(st.reserved, st)
		return
	}
	n := size / s.chunks.size
	s.plainItems += n
	st.record.publish(st.reserved, st)
	s.plainItems -= n
}

// watched tells whether the arena uses no memory again after Reset. Its memory is retired then, and
// the collector takes it when nothing points at it any more. That is so in guard mode, where kept
// values are looked for, and in programs that are built to find mistakes: with the race detector,
// with the address sanitizer, or with the tag arenadebug.
func (st *stores) watched() bool {
	return tools.Racing || sanitizing || tools.Filling || st.once
}

// retire tells all watchers that what the arena has handed out must not be used any more. The
// caller releases it.
func (st *stores) retire() {
	freed := st.arena.life.state() == stateFreed
	if st.keeper != nil {
		st.keeper.ended(freed) // as long as it can be read
	}
	var all []extent
	for _, s := range st.active {
		all = s.chunks.extents(all, s.typ())
	}
	all = st.plain.chunks.extents(all, reflect.TypeFor[byte]())
	all = st.withoutLeft(st.spaceChunks(all))
	st.left = nil
	if st.guard != nil {
		st.guard.retire(all, freed)
	}
	st.ended(all)
}

// withoutLeft returns all except the memory that left has already reported to the watchers.
func (st *stores) withoutLeft(all []extent) []extent {
	if len(st.left) == 0 {
		return all
	}
	slices.SortFunc(st.left, func(x, y extent) int { return cmp.Compare(x.at.address(), y.at.address()) })
	var rest []extent
	for _, m := range all {
		rest = m.without(rest, st.left)
	}
	return rest
}

// ended tells the tools that all must not be used any more. The guard knows it.
func (st *stores) ended(all []extent) {
	if st.guard == nil && tools.Filling {
		for _, m := range all {
			if kindOf(m.typ) == kindPlain {
				m.fill()
			}
		}
	}
	for _, m := range all {
		poison(m)
	}
	if tools.Racing {
		if st.provider != nil {
			// What goes back to a Memory is not ours any more, and is written to by it.
			all = slices.DeleteFunc(all, func(m extent) bool { return st.provider.has(m.at) })
		}
		markEnded(all)
	}
}

// watched is stores.watched of an arena that may be nil, or closed.
func (a *Arena) watched() bool {
	return tools.Racing || sanitizing || tools.Filling || a != nil && a.stores != nil && a.stores.guard != nil
}

// left tells all watchers that the contents of m, a part of the memory of a, have moved, and that m
// must not be used any more. m is left out when a is retired later: two writes in no known order,
// told to the race detector, are a race.
func (a *Arena) left(m extent) {
	var st *stores
	if a != nil {
		st = a.stores
	}
	plain := kindOf(m.typ) == kindPlain
	if st != nil {
		st.left = append(st.left, m)
	}
	if st != nil && st.guard != nil {
		st.guard.left(m)
	} else if tools.Filling && plain {
		m.fill()
	}
	poison(m)
	if st == nil || st.provider == nil || !plain {
		markLeft(m)
	}
}

// poison makes each access to m an error for the address sanitizer.
func poison(m extent) {
	if sanitizing {
		tools.Poison(m.raw())
	}
}

// unpoison makes m good again.
func unpoison(m extent) {
	if sanitizing {
		tools.Unpoison(m.raw())
	}
}

// handOut makes m, of slots of size bytes, good for the address sanitizer.
func handOut(m block, size int) {
	if sanitizing {
		unpoison(m.extent(size, nil))
	}
}

// hide makes m, a new chunk of slots of size bytes, bad for the address sanitizer until it is
// handed out.
func hide(m block, size int) {
	if sanitizing {
		poison(m.extent(size, nil))
	}
}

// strict tells whether a second Free is reported.
func (a *Arena) strict() bool {
	return a != nil && (checking || a.opt != nil && a.opt.Guard)
}

// noteFree notes where Free was called.
func (a *Arena) noteFree() {
	if a.opt == nil {
		a.opt = new(settings)
	}
	a.opt.freed = callers()
}

// freedTwice reports a second Free.
func (a *Arena) freedTwice() {
	r := &Report{Mistake: SecondFree, Used: callers()}
	var f func(*Report)
	if o := a.opt; o != nil {
		r.Arena, r.Ended, f = o.Name, o.freed, o.Report
	}
	r.send(f)
}

// letOut is called at the end of what has ended an arena with the settings o.
func (o *settings) letOut() {
	if o != nil && o.Guard {
		letOut()
	}
}

const (
	looking    = tools.Looking
	checking   = tools.Checking
	sanitizing = tools.Sanitizing
)

// textIsRead tells the detectors of mistakes that the bytes of s are read.
func textIsRead(s string) { tools.TextIsRead(s) }
