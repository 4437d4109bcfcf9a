//go:build arenadebug || race || asan

package arena

// A checker counts the slow paths of an arena.
type checker struct{ paths int }

// check panics when an invariant of st does not hold. It looks after each of the first slow
// paths, and then after one in a hundred: each look is at the whole arena.
//
// Where memory is used again, which in such programs is so in some tests only, a write through a stale pointer breaks
// invariants.
func (c *checker) check(st *stores) {
	if !st.watched() {
		return
	}
	c.paths++
	if c.paths > 100 && c.paths%100 != 0 {
		return
	}
	if _, err := st.checkInvariants(); err != nil {
		panic("arena: " + st.arena.opt.name() + " is corrupt, by a data race, unsafe code, or a bug of this package: " + err.Error())
	}
}
