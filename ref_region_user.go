package arena

import (
	"errors"
	"fmt"
	"weak"
)

// A RegionUser is an arena as its [Region] sees it. With it the Region tells the arena that it has ended, or can
// no longer be written to, before the arena ends. A Region with a method
//
//	Attach(RegionUser)
//
// gets one from each arena, after the first Grow. It may keep the RegionUser, which does not keep the arena alive.
// A Region without the method cannot tell the arena: a late read or write is a fault then, or worse, and not an
// error.
//
// The methods do nothing when the arena was freed or collected. InUse may be called at any time. The others must
// not be called while another goroutine uses the arena.
//
// It is for packages that build on arenas.
type RegionUser struct{ refs weak.Pointer[refRegion] }

type teller interface{ Attach(RegionUser) }

// get returns the refRegion, or nil if the arena was freed or collected.
func (u RegionUser) get() *refRegion {
	if g := u.refs.Value(); g != nil && !g.freed.Load() {
		return g
	}
	return nil
}

// InUse reports whether the arena still exists and was not freed. It may be called at any time.
func (u RegionUser) InUse() bool { return u.get() != nil }

// RefsOnly limits the arena to references. NewRef, NewRefSlice, NewRefString and the containers built on them
// still allocate. All other allocations fail with a [*MemoryError] whose Err is why: also those of types that are
// not plain, which lie on the Go heap with any other Memory.
func (u RegionUser) RefsOnly(why error) {
	if g := u.get(); g != nil {
		g.from.only = why
	}
}

// Seal says that nothing can be written to the Region any more. From then on NewRef and its like, and all methods
// of containers that are given the arena and change something, fail with a [*MemoryError] whose Err is why, and change nothing. What is
// there can be read. References lead no further than Stats.RefBytes, so the Region may take away the memory behind that.
func (u RegionUser) Seal(why error) {
	if g := u.get(); g != nil && g.sealed == nil {
		g.sealed = why
		g.use(g.from.region[:g.end()])
		for _, s := range g.stores.all {
			if s, ok := s.(interface{ endRun() }); ok {
				s.endRun()
			}
		}
	}
}

// Close says that the memory of the Region is gone. From then on the use of a reference of the arena is a panic
// that says why, and so is each method of a container that is given the arena.
func (u RegionUser) Close(why error) {
	u.Seal(why)
	if g := u.get(); g != nil {
		g.sealed, g.ended = why, why
		g.chunks = [33]refChunk{}
	}
}

// toRead panics when containers cannot be read, because the memory of their Region is gone. They may lie in it
// themselves.
func (a *Arena) toRead() {
	if a != nil && (a.refs == nil || a.refs.ended != nil) {
		a.cannotRead()
	}
}

// refsToRead returns what toRead has found to be readable, or nil if there is anything to check: toRead does that.
func (a *Arena) refsToRead() *refRegion {
	if checking || a == nil || a.refs == nil || a.refs.ended != nil {
		return nil
	}
	return a.refs
}

//go:noinline
func (a *Arena) cannotRead() {
	a.check()
	if a.refs != nil {
		panic((*badRef)(a))
	}
}

// toWrite panics when containers cannot be written to because of their Region.
func (a *Arena) toWrite() {
	if a != nil && (a.refs == nil || a.refs.fixed != nil) {
		a.cannotWrite()
	}
}

//go:noinline
func (a *Arena) cannotWrite() {
	a.check()
	switch g := a.refs; {
	case g == nil:
	case g.sealed != nil:
		panic(&MemoryError{a.stores.name(), 0, g.sealed})
	case !g.told:
		g.resize(a.stores, 0, 0)
	}
}

// errRefs is the panic of using a reference that is not good.
var errRefs = errors.New("arena: a reference is used that does not lie in this arena: it comes from another arena or from before a Reset, or this arena is closed or nil")

// A badRef is the panic of using a reference that is not good in an arena. It says what errRefs says, or why the
// memory is gone. It is a pointer, so Get pays nothing to make one.
type badRef Arena

func (e *badRef) Error() string {
	if e != nil && e.refs != nil && e.refs.ended != nil {
		return fmt.Sprintf("arena: a reference is used whose memory is gone: %v", e.refs.ended)
	}
	return errRefs.Error()
}

// Unwrap lets errors.Is find why.
func (e *badRef) Unwrap() error {
	if e != nil && e.refs != nil && e.refs.ended != nil {
		return e.refs.ended
	}
	return errRefs
}
