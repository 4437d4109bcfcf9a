package region

import (
	"bytes"
	"errors"
	"fmt"
	"weak"

	"github.com/arena-go/arena/internal/mem"
	"github.com/arena-go/arena/internal/tools"
)

// A Fixed is memory in one piece that says itself where it is: a ref.Region.
type Fixed interface {
	Grow(size int) ([]byte, error)
}

type teller interface{ Attach(User) }

// NewFixed returns a Space in memory, if that is a Fixed, and the zero Space if not.
func NewFixed(st Stores, memory any) Space {
	fixed, ok := memory.(Fixed)
	if !ok {
		return Space{}
	}
	g := &region{fixed: fixed, stores: st}
	b, err := fixed.Grow(0)
	if err != nil {
		g.fail(0, err)
	}
	g.use(g.accept(b, 0))
	g.begin, g.next = g.limit, g.limit
	g.renewCheck()
	_, g.told = fixed.(teller)
	g.attach()
	return Space{g}
}

// attach gives the Fixed a User, if it wants one.
func (g *region) attach() {
	if r, ok := g.fixed.(teller); ok {
		r.Attach(User{weak.Make(g)})
	}
}

// accept returns b, which the Fixed has returned for Grow(size), and panics if that breaks its
// contract.
func (g *region) accept(b []byte, size int) []byte {
	switch at := mem.Address(b); {
	case len(b) < max(size, Granule):
		panic(fmt.Sprintf("ref: Grow(%d) of a %T returned %d bytes; a Region returns what was asked for, or more, and at least the 8 bytes that are its own", size, g.fixed, len(b)))
	case at%Granule != 0:
		panic(fmt.Sprintf("ref: Grow(%d) of a %T returned memory at %#x; a Region begins at a multiple of 8", size, g.fixed, at))
	case len(g.whole) > 0 && mem.Address(g.whole) != at:
		panic(fmt.Sprintf("ref: Grow(%d) of a %T returned memory at %#x, and not where it was before; a Region does not move", size, g.fixed, at))
	case !g.stores.Claim(b):
		panic(fmt.Sprintf("ref: Grow(%d) of a %T returned memory that its Alloc has returned as well", size, g.fixed))
	}
	return b
}

// use makes b the only memory of a fixed region. A value may extend from one chunk into the next
// chunks.
func (g *region) use(b []byte) {
	b = b[:min(uint64(len(b))/Granule, 1<<32-1)*Granule]
	g.limit = uint32(len(b) / Granule)
	g.whole = b
	g.chunks = [33]chunk{}
	for k := 1; k <= 32 && uint32(1)<<(k-1) < g.limit; k++ {
		part := b[Granule<<(k-1):]
		g.chunks[k] = chunk{startOf(part), uint64(len(part)), 1 << (k - 1)}
	}
}

// grow makes room for need granules behind next in a fixed region.
func (g *region) grow(need uint32) {
	const most = min(1<<32-1, MaxBytes/Granule) // with 32-bit addresses a region is at most as large as these
	least := uint64(g.next) + uint64(need)
	if least > most {
		g.fail(int64(need)*Granule, ErrFull)
	}
	more := min(max(uint64(g.limit-g.begin), leastStep/Granule), 4<<20/Granule) // on top of limit
	want := max(min(uint64(g.limit)+more, most), least)
	fewest := int(least - uint64(g.limit))
	reserved := g.stores.Reserve(int(want-uint64(g.limit)), fewest)
	before := g.limit
	defer func() { g.stores.Unreserve(int64(reserved-int(g.limit-before)) * Granule) }()
	g.use(g.resize(reserved, fewest))
	g.size += int64(g.limit-before) * Granule
}

// resize asks the Fixed for slots behind limit, or for fewer, down to fewest. It returns all memory
// of the Fixed.
func (g *region) resize(slots, fewest int) []byte {
	for {
		size := (int(g.limit) + slots) * Granule
		b, err := g.fixed.Grow(size)
		switch {
		case err == nil:
			b = g.accept(b, size)[:size]
			if fresh := b[int(g.limit)*Granule:]; tools.Checking && len(bytes.Trim(fresh[:min(len(fresh), 64<<10)], "\x00")) != 0 {
				panic(fmt.Sprintf("ref: Grow(%d) of a %T returned memory that is not zero behind what was there before", size, g.fixed))
			}
			return b
		case slots == fewest:
			g.fail(int64(slots)*Granule, err)
		}
		slots = max(slots/2, fewest)
	}
}

// A User is an arena as its Region sees it: see ref.RegionUser, which it is.
type User struct{ refs weak.Pointer[region] }

// get returns the region, or nil if the arena was freed or collected.
func (u User) get() *region {
	if g := u.refs.Value(); g != nil && !g.freed.Load() {
		return g
	}
	return nil
}

// InUse reports whether the arena still exists and was not freed. It may be called at any time.
func (u User) InUse() bool { return u.get() != nil }

// RefsOnly limits the arena to references. References and the containers built on them still
// allocate. All other allocations fail with an arena.MemoryError whose Err is why. These include
// allocations of types that are not plain, which are on the Go heap with any other Memory.
func (u User) RefsOnly(why error) {
	if g := u.get(); g != nil {
		g.stores.RefsOnly(why)
	}
}

// Seal says that nothing can be written to the Region any more. From then on everything that makes
// a reference, and all methods of containers that change something, fail with an arena.MemoryError
// whose Err is why, and change nothing. What is there can be read. References lead no further than
// arena.Stats.RefBytes, so the Region may take away the memory behind that.
func (u User) Seal(why error) {
	if g := u.get(); g != nil && g.sealed == nil {
		g.sealed = why
		g.use(g.whole[:g.end()])
		g.stores.Claim(g.whole) // what is behind it may be anybody's
		g.closeRuns()
	}
}

// Close says that the memory of the Region is gone. From then on the use of a reference of the
// arena is a panic that says why, and so is each method of a container that is given the Space.
func (u User) Close(why error) {
	u.Seal(why)
	if g := u.get(); g != nil {
		g.sealed, g.ended = why, &goneError{why}
		g.chunks = [33]chunk{}
	}
}

// Readable reports whether containers can be read in s, also those that lie in it themselves. The
// zero Space is no Space of a container with anything in it.
func Readable(s Space) bool { return s.g != nil && s.g.ended == nil }

// ToRead panics when containers cannot be read, because the memory of s is gone.
func ToRead(s Space) {
	if s.g != nil && s.g.ended != nil {
		panic(s.g.ended)
	}
}

// ToWrite panics when containers cannot be written to, because s has ended or because of its
// Region.
func ToWrite(s Space) {
	if s.g != nil && (s.g.fixed != nil || s.g.ended != nil) {
		s.g.toWrite()
	}
}

//go:noinline
func (g *region) toWrite() {
	switch {
	case g.sealed != nil:
		g.cannotWrite()
	case !g.told:
		g.resize(0, 0)
	}
}

// cannotWrite is the panic of writing to a region that is sealed, or ended.
//
//go:noinline
func (g *region) cannotWrite() {
	switch {
	case g == nil:
		panic(errors.New("ref: references need an arena: a reference is a position in one, and the zero Space has none; use the Space that In returns"))
	case g.stores == nil:
		panic(g.ended)
	}
	g.stores.Check()
	g.fail(0, g.sealed)
}

// ErrBad is the panic of using a reference that is not good.
var ErrBad = errors.New("ref: a reference is used that does not lie in this Space: it comes from another arena or from before a Reset, or the Space is zero")

var errNone = errors.New("there is none")

// A bad is the panic of using a reference that is not good in a region. It says what ErrBad says,
// or why the memory is gone. It is a pointer, so At pays nothing to make one.
type bad region

func (e *bad) Error() string { return e.Unwrap().Error() }

// Unwrap lets errors.Is find why.
func (e *bad) Unwrap() error {
	if e != nil && e.ended != nil {
		return e.ended
	}
	return ErrBad
}

// A goneError says why the memory of a Fixed is gone.
type goneError struct{ why error }

func (e *goneError) Error() string {
	return fmt.Sprintf("ref: a reference is used whose memory is gone: %v", e.why)
}
func (e *goneError) Unwrap() error { return e.why }

// An overError says that a Space is used whose arena has ended.
type overError struct{ name, what string }

func (e *overError) Error() string {
	name := "an arena"
	if e.name != "" {
		name = "arena " + e.name
	}
	return "ref: the Space of " + name + " is used after " + e.what + "; ask In of package ref for the Space of an arena that is open"
}
