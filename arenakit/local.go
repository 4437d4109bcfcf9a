package arenakit

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/share"
)

// Local returns a's private T, which the first call makes, and reports whether a asks for it for the first time.
// A package keeps its tools with the arena in it: handles from [SlabOf], for instance.
//
// The T is zero at first. Reset keeps it, and nothing counts it. When a is freed, put into its Pool, or ended by
// its Group, Local forgets the T: the next user of a, perhaps in another goroutine, gets a new one.
//
// A T that costs much to make can be passed on instead. Local asks for that if *T has a method ArenaIdle() bool.
// Put calls it, and so does Free if other arenas use the memory of a again: not after a Reset, and not with most
// options. If it reports true, the T goes on unchanged to the next user of a, or of another arena. Local reports
// first = true to that user, unless a Pool gives it the same arena again. With true the method promises that nobody
// but Local has the T, or will use it without asking Local again. The method must not use the arena. If first is
// true, the handles in the T are stale.
//
// If *T has a method ArenaReset(again bool), Reset calls it, and so do Put and the Reset of a Group. What the arena
// has handed out is stale then, so the T may use what it has made for values of the arena elsewhere, such as Go's
// maps. It must not if again is false: the arena does not use its own memory again either, so that mistakes are
// found. [arena.Arena.Rewind] calls the method with again false: only some of what the arena has handed out is stale then.
// Free does not call the method, since values outlive it. The method must not use the arena.
//
// If *T has a method ArenaRetain(most int64) (kept int64), it is called if [arena.Options].Retain or
// [arena.Pool].Retain bounds what the arena keeps, after ArenaReset. The T keeps at most as many bytes, and says how
// many it does keep. The method must not use the arena.
//
// Only the goroutine that uses the arena may call Local. It panics when a has been freed. Local(nil) is a new T, for
// the first time.
func Local[T any](a *arena.Arena) (v *T, first bool) {
	if a == nil {
		return new(T), true
	}
	return share.Local[T](share.LocalsOf(a.Internal()))
}
