package arena

import (
	"reflect"
	"slices"
	"sync"

	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/share"
)

// stores is what an arena in use holds: a slab for each type, found by type,
// and its plain memory.
//
// Invariants: active holds every store that isActive, among them every one used since the last
// Reset; each of all is found by slabs, if a function with a type parameter has asked for it, and
// by types, if one with a reflect.Type has; last is noSlab or one of slabs, and so is each of near;
// reserved is the sum of the bytes of all chunks.
type stores struct {
	arena    *Arena       // which they serve, or nil
	last     *slab        // the slab that grew last, where New looks first, or noSlab
	record   watcher      // nil unless the arena is tracked or guarded
	guard    guardian     // nil unless it is guarded
	provider source       // nil unless it has a Memory
	keeper   keeper       // nil unless what is kept after its end is looked for
	space    region.Space // the zero one unless there are references
	peak     int64        // largest use at any Reset
	resets   int64
	unused   *sync.Pool // where they lie when no arena has them
	user     user
	checker  checker
	all      []*slab
	active   []*slab // those that Reset looks at
	resting  bool    // within reset: some of active are not active any more
	near     near
	slabs    index[*slab]               // by mem.TypeID
	few      [fewTypes + 1]entry[*slab] // the entries of slabs, up to fewTypes
	types    index[*slab]               // by descriptorOf
	plain    plain
	locals   share.Locals
	reserved int64
	once     bool     // they use no memory again after a Reset
	spent    bool     // there was a Reset, or what else keeps them from serving another arena after Free
	exposed  bool     // some of all are
	rounds   int      // Resets since memory that is not needed was last let go
	left     []extent // former tables of Maps, of watched arenas, which the watchers already know to have ended
	layout   *layout  // of the first chunks, or nil
	lessons  lessons  // for the next layout
	shared   block    // words, which arenas with a small layout share,
	pieces   int      // and how many of them were given to arenas
	out      string   // what the writer of Sprintf received
	scopes   *scopes  // or nil, if there was no Mark yet
}

// unused holds stores of arenas that were freed, for the next ones: no chunk
// is left in them, but the slabs are there. Arenas that are made for a few
// values and freed again then cost little more than those values. Only those
// without options have layouts.
var unused struct{ simple, withOptions sync.Pool }

// manyTypes is the number of types from which on stores are not used again,
// since the next arena may need none of them.
const manyTypes = 64

// newStores returns stores for a. If a has no options, they are new: first has looked for unused
// ones.
func newStores(a *Arena) *stores {
	if a.opt == nil {
		return emptyStores(&unused.simple)
	}
	st, _ := unused.withOptions.Get().(*stores)
	if st == nil {
		st = emptyStores(&unused.withOptions)
	}
	if st.arena = a; st.isLimited() {
		st.clearHints()
	}
	if st.provider = a.opt.newProvider(); st.provider != nil {
		st.spent = true
		st.space = region.NewFixed(st, a.opt.Memory)
	}
	return st
}

// clearHints forgets what former arenas needed: what fits into a limit must not depend on that.
func (st *stores) clearHints() {
	st.plain.chunks.hint = 0
	for _, s := range st.all {
		s.chunks.hint, s.chunks.tight = 0, false
	}
}

func emptyStores(unused *sync.Pool) *stores {
	st := &stores{unused: unused}
	st.last = &noSlab
	st.slabs.entries = st.few[:]
	st.near.init()
	st.plain.chunks.size = 1
	return st
}

// isOrdinary tells whether the arena began with a layout and has nothing but values: no handles,
// and nobody who watches it. Then releaseParts is all that close would do. It is so for most
// arenas.
func (st *stores) isOrdinary() bool {
	return !checking && st.layout != nil && !st.spent && !st.exposed && st.record == nil && len(st.locals) == 0
}

// close ends the life of the arena: its memory, its record, its handles and its values of
// arenakit.Local. It returns the bytes that were in use. The stores are to be offered then.
func (st *stores) close() (bytes int64) {
	bytes = st.closeMemory()
	if st.spent {
		if o := st.arena.opt; st.provider != nil && o.group != nil {
			o.group.disown(st.provider)
		}
		st.locals = nil // a handle may keep st, but not what these have of the arena's memory
		st.arena = st.arena.former()
		return bytes
	}
	if st.exposed {
		st.renewHandles()
	}
	if len(st.locals) > 0 {
		st.locals.Close(false)
	}
	if st.layout == nil {
		st.learn(bytes)
	}
	return bytes
}

// offer lets the stores, which are closed, serve other arenas, unless they are spent. It is
// inlined.
func (st *stores) offer() {
	if !st.spent {
		st.arena, st.peak, st.resets = nil, 0, 0
		st.unused.Put(st)
	}
}

// closeMemory releases all memory, which is retired first if the arena is watched, and returns the
// bytes that were in use.
func (st *stores) closeMemory() int64 {
	if debugging {
		defer st.user.enter(st).leave(st)
	}
	if st.watched() {
		st.retire()
	}
	st.untrack()
	switch {
	case st.spent:
		bytes := region.Close(st.space, st.name(), "Free") + st.releaseAll(st.all)
		if st.keeper != nil {
			st.keeper.released()
		}
		return bytes
	case st.layout != nil:
		return st.releaseParts()
	}
	return st.releaseAll(st.active)
}

// releaseAll releases all chunks, which are in used, and returns the bytes that were in use.
func (st *stores) releaseAll(used []*slab) (bytes int64) {
	st.layout = nil
	for _, s := range used {
		bytes += s.releaseAll()
	}
	clear(st.active)
	st.active = st.active[:0]
	bytes += st.plain.releaseAll()
	st.unreserve(st.reserved)
	if st.provider != nil {
		st.provider.releaseAll()
	}
	return bytes
}

// reset empties the store and returns the bytes that were in use.
func (st *stores) reset() int64 {
	if debugging {
		defer st.user.enter(st).leave(st)
	}
	if len(st.locals) > 0 {
		st.locals.Reset(!st.watched())
	}
	if st.watched() {
		st.retire()
		bytes := region.Retire(st.space) + st.releaseAll(st.active)
		st.unreserve(-region.Held(st.space)) // A ref.Region is one arena's until Free.
		if st.keeper != nil {
			st.keeper.released()
			st.keepApart(true)
		}
		return bytes
	}
	st.spent, st.layout = true, nil
	st.rounds++
	bytes := st.plain.reset() + region.Reset(st.space) + resetSlabs(st.active)
	if st.resting {
		// Slabs that this round did not touch leave the list: the next Reset need not look at them.
		st.resting = false
		st.active = slices.DeleteFunc(st.active, func(s *slab) bool { return !s.isActive })
	}
	return bytes
}

// inUse returns the bytes handed out since the last Reset.
func (st *stores) inUse() int64 {
	n := st.plain.bytes + region.InUse(st.space)
	for _, s := range st.active {
		_, bytes := s.used()
		n += bytes
	}
	return n
}

// release releases excess bytes of chunks, as far as they are spare, from those
// stores first that hold the most.
func (st *stores) release(which spare, excess int64) {
	goal := st.reserved - excess
	share := st.reserved // no store goes below this; halved each time
	if which == spareIdle {
		share = 0
	}
	for st.reserved > goal {
		st.plain.release(st, which, min(st.reserved-goal, st.plain.chunks.bytes-share))
		region.Release(st.space, which == spareIdle, min(st.reserved-goal, region.Held(st.space)-share))
		for _, s := range st.all {
			held := s.chunks.bytes
			s.release(which, min(st.reserved-goal, held-share))
		}
		if share == 0 {
			return
		}
		share /= 2
	}
}

// closeHandles sees to it that slabs which were given away ask the arena, which is about to be
// closed by what is named, before they hand out more. All are Reset. The next user has another
// Space.
func (st *stores) closeHandles(what string) {
	st.space = region.Pass(st.space, st.name(), what)
	if !st.exposed {
		return
	}
	for _, s := range st.active {
		if s.exposed {
			s.close()
		}
	}
	st.active = slices.DeleteFunc(st.active, func(s *slab) bool { return !s.isActive })
}

// serve makes the stores, whose handles are closed, another arena's. Slabs that were given away
// stay behind with the former one, which is closed, but without their chunks.
func (st *stores) serve(a *Arena) {
	if st.exposed {
		st.renewHandles()
	}
	if len(st.locals) > 0 {
		st.locals.Close(false)
	}
	st.arena = a
	st.peak, st.resets = 0, 0
	if a.tracks() {
		st.track()
	}
}

// renewHandles leaves slabs that were given away to the arena, which is closed: without their
// chunks, which others have instead of them.
func (st *stores) renewHandles() {
	closed := &freedStores
	if a := st.arena; a.opt != nil || a.life.state() != stateFreed {
		closed = &stores{arena: a} // the panic has its name, or another reason
	}
	for i, s := range st.all {
		if !s.exposed {
			continue
		}
		t := s.renew(closed)
		st.all[i] = t
		if j := slices.Index(st.active, s); j >= 0 {
			st.active[j] = t // it has a part of the layout
			st.layout.replace(s, t)
		}
		st.enter(t)
		if st.types.find(descriptorOf(t.typ())) == s {
			st.enterType(t)
		}
		if st.last == s {
			st.last = t
		}
	}
	st.exposed = false
}

// former returns an arena that is closed as a is, and not a, which somebody may write an older copy
// of it over.
func (a *Arena) former() *Arena {
	if a.opt == nil {
		return freedStores.arena
	}
	return &Arena{opt: a.opt, life: a.life}
}

// freedStores are the stores of slabs whose arena was freed and has no options. Nobody writes to
// them.
var freedStores = stores{arena: &Arena{life: life(stateFreed)}}

// releaseIdle releases the memory that no Reset found used since the last releaseIdle.
func (st *stores) releaseIdle() {
	st.rounds = 0
	st.release(spareIdle, st.reserved)
}

// look returns the slab for the type with the given id, or another. It is inlined. Where it returns
// another, slabIn is to be asked.
func (st *stores) look(id uintptr) *slab {
	if s := st.last; s.id == id {
		return s
	}
	return st.near.at(id)
}

// slabOf returns the slab of a for T, a new one if there is none.
func slabOf[T any](a *Arena) *slab { return slabIn[T](a.open()) }

// slabIn returns the slab for T, a new one if there is none.
//
//go:noinline
func slabIn[T any](st *stores) *slab {
	id := mem.TypeID[T]()
	if s := st.slabs.find(id); s != nil {
		return s
	}
	return st.addSlab(id, slotTypeFor[T]())
}

// noSlab is for no type. Nobody writes to it.
var noSlab slab

func (st *stores) addSlab(id uintptr, t slotType) *slab {
	s := st.types.find(descriptorOf(t.typ))
	if s == nil {
		s = st.add(t, id)
	}
	st.enter(s)
	return s
}

// slabOfType returns the slab for the type t, a new one if there is none. Its chunks are tight.
func (st *stores) slabOfType(t reflect.Type) *slab {
	s := st.types.find(descriptorOf(t))
	if s == nil {
		s = st.addType(t)
	}
	s.chunks.tight = true
	return s
}

func (st *stores) addType(t reflect.Type) *slab {
	id := typeIDOf(t)
	s := st.slabs.find(id)
	if s == nil {
		s = st.add(slotTypeOf(t), id)
	}
	st.enterType(s)
	return s
}

// add adds a new slab for the type with the given id.
func (st *stores) add(t slotType, id uintptr) *slab {
	s := newSlab(t)
	s.stores, s.id = st, id
	s.chunks.apart = st.plain.chunks.apart
	st.all = append(st.all, s)
	if len(st.all) >= manyTypes {
		st.spent = true
	}
	return s
}

// enter makes slabIn find s for its type.
func (st *stores) enter(s *slab) {
	st.slabs.set(s.id, s)
	st.near.put(s)
}

// enterType makes slabOfType find s for its type.
func (st *stores) enterType(s *slab) { st.types.set(descriptorOf(s.typ()), s) }
