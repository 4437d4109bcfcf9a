package arena

import (
	"reflect"
	"slices"
	"sync"

	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/region"
	"github.com/arena-go/arena/internal/tools"
)

// A store holds the values of one type in an arena: a *slab or a *valueSlab.
type store interface {
	common() *base
	typ() reflect.Type
	// used returns the values handed out since the last Reset and their bytes,
	// without those in slices that lie in the arena's plain memory.
	used() (count int, bytes int64)
	// reset takes back all that was handed out, and tells how many bytes those
	// were and whether the store was used at all.
	reset() (bytes int64, active bool)
	// trim drops chunks until excess bytes are gone.
	trim(how trimming, excess int64)
	// free drops all chunks and returns the bytes that were in use. The store is not active any more.
	free() int64

	newValue() reflect.Value        // a pointer to a new value
	sliceValue(n int) reflect.Value // n > 0 new values
}

// base is the part of a store that does not depend on its type.
type base struct {
	stores     *stores // nil for the zero Slab, which is the heap
	id         uintptr // see typeID
	isActive   bool
	exposed    bool // SlabOf has given it away
	kind       kind
	zones      tools.Zones
	plainItems int // values in slices that lie in the arena's plain memory
	chunks     chunks
}

func (b *base) common() *base { return b }

// activate puts s, whose base is b, on the list that Reset walks.
func (b *base) activate(s store) {
	if !b.isActive {
		b.list(s)
	}
}

//go:noinline
func (b *base) list(s store) {
	b.isActive = true
	b.stores.active = append(b.stores.active, s)
}

// stores is what an arena in use holds: a store for each type, found by type,
// and its plain memory.
//
// Invariants: active has those of all that are isActive, among them every one
// used since the last Reset; slabs has those of all that are a *slab, and others the others; last is noSlab or one of slabs, and so are those of near;
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
	user     user
	checker  checker
	all      []store
	active   []store // those that Reset looks at
	near     near
	slabs    index[*slab]
	few      [fewTypes + 1]entry[*slab] // the entries of slabs, up to fewTypes
	others   index[store]
	plain    plain
	locals   []local
	reserved int64
	simple   bool     // the arena was made without options
	once     bool     // they use no memory again after a Reset
	spent    bool     // there was a Reset, or what else keeps them from serving another arena after Free
	exposed  bool     // some of all are
	rounds   int      // Resets since memory that is not needed was last let go
	left     []extent // former tables of Maps, of watched arenas: what they were told of already
	layout   *layout  // of the first chunks, or nil
	lessons  lessons  // for the next layout
	shared   block    // words, which arenas with a small layout share,
	pieces   int      // and how many of them were given to arenas
	out      string   // what the writer of Sprintf received
}

// unused holds stores of arenas that were freed, for the next ones: no chunk
// is left in them, but the slabs are there. Arenas that are made for a few
// values and freed again then cost little more than those values. Only those
// without options have layouts.
var unused struct{ simple, withOptions sync.Pool }

// manyTypes is the number of types from which on stores are not used again,
// since the next arena may need none of them.
const manyTypes = 64

// newStores returns stores for a. If a has no options, they are new: first has looked for unused ones.
func newStores(a *Arena) *stores {
	if a.opt == nil {
		st := emptyStores()
		st.simple = true
		return st
	}
	st, _ := unused.withOptions.Get().(*stores)
	if st == nil {
		st = emptyStores()
	}
	if st.arena = a; st.isLimited() {
		st.forgetHints()
	}
	if st.provider = a.opt.newProvider(); st.provider != nil {
		st.spent = true
		st.space = region.NewFixed(st, a.opt.Memory)
	}
	return st
}

// forgetHints forgets what former arenas needed: what fits into a limit must not depend on that.
func (st *stores) forgetHints() {
	st.plain.chunks.hint = 0
	for _, s := range st.all {
		s.common().chunks.hint = 0
	}
}

func emptyStores() *stores {
	st := new(stores)
	st.last = &noSlab
	st.slabs.entries = st.few[:]
	st.near.init()
	st.plain.chunks.size = 1
	return st
}

// isQuick tells whether finish does all that end would do, and the stores are used again. It is so for most arenas that began with a layout.
func (st *stores) isQuick() bool {
	return st.layout != nil && !st.spent && !st.exposed && st.record == nil && len(st.locals) == 0
}

// free drops all chunks and returns the bytes that were in use.
func (st *stores) free() int64 {
	again := !st.spent
	bytes := st.end(again)
	if !again {
		if o := st.arena.opt; st.provider != nil && o.group != nil {
			o.group.disown(st.provider)
		}
		st.locals = nil // a handle may keep st, but not what these have of the arena's memory
		st.arena = st.arena.former()
		return bytes
	}
	if st.exposed {
		st.leave()
	}
	if len(st.locals) > 0 {
		st.leaveLocals(nil)
	}
	if st.layout == nil {
		st.learn(bytes)
	}
	st.arena, st.peak, st.resets = nil, 0, 0
	if st.simple {
		unused.simple.Put(st)
	} else {
		unused.withOptions.Put(st)
	}
	return bytes
}

// end is free but for what comes of st, which may serve again.
func (st *stores) end(again bool) int64 {
	if debugging {
		defer st.user.enter(st).leave(st)
	}
	if st.watched() {
		st.retire()
	}
	st.untrack()
	switch {
	case again && st.layout != nil:
		return st.finish()
	case again:
		return st.drop(st.active)
	}
	bytes := region.End(st.space, st.name(), "Free") + st.drop(st.all)
	if st.keeper != nil {
		st.keeper.dropped()
	}
	return bytes
}

// drop drops all chunks, which are in used, and returns the bytes that were in use.
func (st *stores) drop(used []store) (bytes int64) {
	st.layout = nil
	for _, s := range used {
		bytes += s.free()
	}
	clear(st.active)
	st.active = st.active[:0]
	bytes += st.plain.free()
	st.release(st.reserved)
	if st.provider != nil {
		st.provider.freeAll()
	}
	return bytes
}

// reset takes back all that was handed out and returns its bytes.
func (st *stores) reset() int64 {
	if debugging {
		defer st.user.enter(st).leave(st)
	}
	if len(st.locals) > 0 {
		st.resetLocals()
	}
	if st.watched() {
		st.retire()
		bytes := region.Empty(st.space) + st.drop(st.active)
		st.release(-region.Held(st.space)) // A ref.Region is one arena's until Free.
		if st.keeper != nil {
			st.keeper.dropped()
			st.keepApart(true)
		}
		return bytes
	}
	st.spent, st.layout = true, nil
	st.rounds++
	bytes := st.plain.reset() + region.Reset(st.space)
	// Stores that this round did not touch leave the list, so that the next
	// Reset need not look at them.
	idle := 0
	for i, s := range st.active {
		n, active := s.reset()
		bytes += n
		if !active {
			idle++
		} else if idle > 0 {
			st.active[i-idle] = s
		}
	}
	if idle > 0 {
		kept := len(st.active) - idle
		clear(st.active[kept:])
		st.active = st.active[:kept]
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

// trim drops excess bytes of chunks, if there are any, as far as how allows it, from those
// stores first that hold the most.
func (st *stores) trim(how trimming, excess int64) {
	goal := st.reserved - excess
	share := st.reserved // no store drops below this; halved each time
	if how == trimIdle {
		share = 0
	}
	for st.reserved > goal {
		st.plain.trim(st, how, min(st.reserved-goal, st.plain.chunks.bytes-share))
		region.Trim(st.space, how == trimIdle, min(st.reserved-goal, region.Held(st.space)-share))
		for _, s := range st.all {
			held := s.common().chunks.bytes
			s.trim(how, min(st.reserved-goal, held-share))
		}
		if share == 0 {
			return
		}
		share /= 2
	}
}

// sleep sees to it that slabs which were given away ask the arena, which is about to be
// closed by what is named, before they hand out more. All are Reset. The next user has another Space.
func (st *stores) sleep(what string) {
	st.space = region.Pass(st.space, st.name(), what)
	if !st.exposed {
		return
	}
	for _, s := range st.active {
		if s, ok := s.(handle); ok && s.common().exposed {
			s.sleep()
		}
	}
	st.active = slices.DeleteFunc(st.active, func(s store) bool { return !s.common().isActive })
}

// move makes the stores, which are asleep, those of another arena. Slabs that were given away stay behind
// with the former one, which is closed, but without their chunks.
func (st *stores) move(a *Arena) {
	if st.exposed {
		st.leave()
	}
	if len(st.locals) > 0 {
		st.leaveLocals(nil)
	}
	st.arena = a
	st.peak, st.resets = 0, 0
	if a.tracks() {
		st.track()
	}
}

// leave leaves slabs that were given away to the arena, which is closed: without their chunks, which others have instead of
// them.
func (st *stores) leave() {
	closed := &freedStores
	if a := st.arena; a.opt != nil || a.life.state() != stateFreed {
		closed = &stores{arena: a} // the panic has its name, or another reason
	}
	for i, s := range st.all {
		if s, ok := s.(handle); ok && s.common().exposed {
			st.all[i] = s.renew(closed)
			if j := slices.Index(st.active, store(s)); j >= 0 {
				st.active[j] = st.all[i] // it has a part of the layout
				st.layout.replace(s, st.all[i])
			}
			st.enter(st.all[i])
			if st.last == s {
				st.last = st.all[i].(*slab)
			}
		}
	}
	st.exposed = false
}

// former returns an arena that is closed as a is, and not a, which somebody may write an older copy of it over.
func (a *Arena) former() *Arena {
	if a.opt == nil {
		return freedStores.arena
	}
	return &Arena{opt: a.opt, life: a.life}
}

// freedStores are those of slabs whose arena was freed and has no options. Nobody writes to them.
var freedStores = stores{arena: &Arena{life: life(stateFreed)}}

// A handle is a store that SlabOf can give away.
type handle interface {
	store
	sleep()
	renew(closed *stores) store
}

// trimIdle lets the memory go that no Reset found used since the last trimIdle.
func (st *stores) trimIdle() {
	st.rounds = 0
	st.trim(trimIdle, st.reserved)
}

// look returns the slab for the type with the given id, or another. It is inlined. Where it returns another, slabIn is to be asked.
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
	return st.addSlab(id, slotsFor[T]())
}

// noSlab is for no type. Nobody writes to it.
var noSlab slab

func (st *stores) addSlab(id uintptr, t slots) *slab {
	s := newSlab(t)
	st.add(s, id)
	return s
}

// storeOf returns a store of a for the type t, a new one if there is none.
func storeOf(a *Arena, t reflect.Type) store {
	st := a.open()
	if s := st.find(t); s != nil {
		return s
	}
	if s := st.slabs.find(typeIDOf(t)); s != nil {
		return s
	}
	return st.addValueSlab(t)
}

// valueSlabOf is storeOf where the store must not be a Slab.
func valueSlabOf(a *Arena, t reflect.Type) *valueSlab {
	st := a.open()
	if s := st.find(t); s != nil {
		return s
	}
	return st.addValueSlab(t)
}

func (st *stores) addValueSlab(t reflect.Type) *valueSlab {
	s := newValueSlab(t)
	st.add(s, descriptorOf(t))
	return s
}

// find returns the valueSlab for the type t, or nil.
func (st *stores) find(t reflect.Type) *valueSlab {
	s, _ := st.others.find(descriptorOf(t)).(*valueSlab)
	return s
}

// add adds s, which is new, for the type with the given id.
func (st *stores) add(s store, id uintptr) {
	b := s.common()
	b.stores, b.id = st, id
	b.chunks.apart = st.plain.chunks.apart
	st.all = append(st.all, s)
	if len(st.all) >= manyTypes {
		st.spent = true
	}
	st.enter(s)
}

// enter makes s the one that is found for its type.
func (st *stores) enter(s store) {
	id := s.common().id
	if slab, ok := s.(*slab); ok {
		st.slabs.set(id, slab)
		st.near.put(slab)
	} else {
		st.others.set(id, s)
	}
}
