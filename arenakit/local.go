package arenakit

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/share"
)

// Local returns a's private T, which the first call makes, and reports whether this is the first
// call for a. A package keeps its tools for the arena in it, for instance handles from [SlabOf].
//
// The T is zero at first. Reset keeps it, and nothing counts it. When a is freed, put into its
// Pool, or ended by its Group, Local forgets the T: the next user of a, perhaps in another
// goroutine, gets a new one.
//
// An expensive T can be passed on instead, if *T has a method ArenaIdle() bool. Put calls it, and
// so does Free if other arenas reuse the memory of a: not after a Reset, and not with most options.
// If it returns true, the T moves unchanged to the next user of a, or of another arena. Local
// returns first = true to that user, unless a Pool returns the same arena again. With true the
// method promises that only Local holds the T, and that nobody will use it without calling Local
// again. The method must not use the arena. If first is true, the handles in the T are stale.
//
// If *T has a method ArenaReset(again bool), Reset calls it, and so do Put and the Reset of a
// Group. The values of the arena are then stale, so the T may reuse objects that it has made for
// them elsewhere, such as Go maps. It must not if again is false: the arena does not reuse its own
// memory either, so that mistakes are found. Free does not call the method, because values outlive
// it. The method must not use the arena. [arena.Arena.Rewind] calls the method
// with again false: only some of what the arena handed out is stale then.
//
// If *T has a method ArenaRetain(most int64) (kept int64), it is called if [arena.Options].Retain
// or [arena.Pool].Retain bounds the memory that the arena keeps, after ArenaReset. The T keeps at
// most this number of bytes, and returns the number that it keeps. The method must not use the
// arena.
//
// Only the goroutine that uses the arena may call Local. It panics if a has been freed. Local(nil)
// returns a new T and true.
func Local[T any](a *arena.Arena) (v *T, first bool) {
	if a == nil {
		return new(T), true
	}
	return share.Local[T](share.LocalsOf(a.Internal()))
}
