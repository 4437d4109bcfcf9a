package ref

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/region"
)

// A Region is an [arena.Memory] in which everything that has references, see [Of], lies in one
// piece. A reference is the offset in the piece, divided by 8. So references stay valid when the
// bytes are brought back later. One arena at a time may add to a Region. A Region that can become
// read-only, or can end before its arenas are freed, has the method that [RegionUser] describes.
type Region interface {
	arena.Memory

	// Grow makes the first size bytes of the region usable, and returns them, or more. size is a
	// multiple of 8, and at most 32 GiB. The bytes are at the same address each time, which is a
	// multiple of 8. Bytes that were not there before are zero.
	//
	// Grow of a size that is there already asks whether the bytes may be written to. Grow(0)
	// returns what is there already. At least the first 8 bytes of that belong to the Region: the
	// arena adds behind all of it.
	Grow(size int) ([]byte, error)
}

// A RegionUser is an arena as its [Region] sees it. With it the Region tells the arena that it has
// ended, or can no longer be written to, before the arena ends. A Region with a method
//
//	Attach(RegionUser)
//
// gets one for each [Space], after the first Grow. It may keep the RegionUser, which does not keep
// the arena alive. A Region without the method cannot tell the arena: a late read or write is a
// fault then, or worse, and not an error.
//
//	func (u RegionUser) InUse() bool         // whether the Space still exists, and has not ended
//	func (u RegionUser) RefsOnly(why error)  // all allocations except references fail with why
//	func (u RegionUser) Seal(why error)      // nothing can be written any more: that fails with why
//	func (u RegionUser) Close(why error)     // the memory is gone: each use of a reference panics with why
//
// What fails does so with an [arena.MemoryError] whose Err is why. The methods do nothing when the
// Space has ended or was collected. InUse may be called at any time. The others must not be called
// while another goroutine uses the arena.
//
// It is for packages that build on arenas.
type RegionUser = region.User
