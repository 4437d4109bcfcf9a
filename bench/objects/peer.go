package objects

// inRounds returns how a space uses the arena of a peer: one for all rounds, which is reset, or a
// new one for each, which is released. Some have a size, which is said when they are made: a new
// one has room for what is asked for now, and for what the last round has asked for, in bytes.
func inRounds[A comparable](fresh bool, open func(room int) A, reset, release func(a A)) (take func(room int) A, end, free func()) {
	var a, none A
	taken, last := 0, 256<<20
	take = func(room int) A {
		taken += room
		if a == none {
			a = open(max(taken, last))
		}
		return a
	}
	free = func() {
		if a != none {
			release(a)
			a, taken, last = none, 0, taken
		}
	}
	if fresh {
		return take, free, free
	}
	end = func() {
		if a != none {
			reset(a)
		}
	}
	return take, end, free
}

// room returns how many bytes n values take, with a pointer to each, and with what is lost by
// alignment.
func room[T any](n int) int { return n*(sizeOf[T]()+16) + 64 }

// What else takes room, in bytes.
const (
	roomText    = 160 // For one of the texts, on average.
	roomElement = 64  // For an integer that is appended, in slices that grow by a quarter.
)
