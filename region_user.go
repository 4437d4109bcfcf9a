package arena

import (
	"errors"
	"fmt"
	"weak"
)

// A RegionUser is an arena as the [Region] sees it that it has as its Memory. A Region with a method
//
//	Attach(RegionUser)
//
// gets one from each arena, after the first Grow, and may keep it, which does not keep the arena. By it the Region tells the arena when it ends
// before the arena does. Without it what was written too late, or read, is a fault, or worse, in place of an error.
//
// The methods do nothing when the arena was freed, or collected. But for InUse they must not be called while another goroutine uses the arena.
type RegionUser struct{ refs weak.Pointer[refRegion] }

type teller interface{ Attach(RegionUser) }

// get returns the region, or nil if the arena was freed, or collected.
func (u RegionUser) get() *refRegion {
	if g := u.refs.Value(); g != nil && !g.freed.Load() {
		return g
	}
	return nil
}

// InUse reports whether the arena is there, and was not freed. It may be called at any time.
func (u RegionUser) InUse() bool { return u.get() != nil }

// RefsOnly makes all allocations of the arena fail but those of NewRef, NewRefSlice and NewRefString, and of the containers built on them,
// with a [*MemoryError] that says why: also those of types that are not plain, which otherwise lie on the Go heap whatever the Memory is.
func (u RegionUser) RefsOnly(why error) {
	if g := u.get(); g != nil {
		g.stores.provider.only = why
	}
}

// Seal says that nothing can be written to the Region any more. From then on what would do so by the functions of this package fails
// with a [*MemoryError] that says why, before it has changed anything: NewRef and its like, and all methods of containers that change something. What is
// there can be read.
func (u RegionUser) Seal(why error) {
	if g := u.get(); g != nil && g.sealed == nil {
		g.sealed = why
		for _, s := range g.stores.all {
			if s, ok := s.(interface{ endRun() }); ok {
				s.endRun()
			}
		}
	}
}

// Close says that the memory of the Region is gone. From then on using a reference of the arena is a panic that says why, and so is
// each method of a container that is given the arena.
func (u RegionUser) Close(why error) {
	u.Seal(why)
	if g := u.get(); g != nil {
		g.sealed, g.ended = why, why
		g.chunks = [33]refChunk{}
	}
}

// toRead panics when containers, which may themselves lie in the memory of a Region, cannot be read because that is gone.
func (a *Arena) toRead() {
	if a != nil && (a.refs == nil || a.refs.ended != nil) {
		a.cannotRead()
	}
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

// errRefs is what a program is told that uses a reference which is not good.
var errRefs = errors.New("arena: a reference is used that does not lie in this arena: it is from another one, from before a Reset, or the arena is closed or nil")

// A badRef is the panic of one who uses a reference that is not good in the arena: errRefs, or why its memory is gone. It is a pointer, so that making
// one costs Get nothing.
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
