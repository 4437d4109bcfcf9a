//go:build arenadebug || race || asan

package arena

import (
	"math/rand/v2"
	"reflect"
)

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

// A refChecker knows what references were made since the last Reset, and makes the numbers of all others bad:
// they are combined with a key that is another one after each Reset. In a Region the numbers must stay, and there is no key.
type refChecker struct {
	key    uint32                  // 0 for none
	before uint32                  // nothing is known of references that are less
	refs   map[uint32]reflect.Type // all others
}

// renew forgets all references. Where before is not 0 there is no key.
func (c *refChecker) renew(before uint32) {
	c.before, c.refs = before, map[uint32]reflect.Type{}
	if before == 0 {
		c.key = rand.Uint32() | 1<<31 // no reference has this bit: so none becomes 0
	}
}

// made notes a reference to a value, or values, of type t, and returns it as the program gets it.
func (c *refChecker) made(at uint32, t reflect.Type) uint32 {
	c.refs[at] = t
	return at ^ c.key
}

// decode returns what made was called with.
func (c *refChecker) decode(off uint32) uint32 {
	if off = off ^ c.key; off>>31 != 0 && c.key != 0 {
		return 0
	}
	return off
}

// checkRef returns decode(off), and panics when that is not a reference to a value of type t.
func (a *Arena) checkRef(off uint32, t reflect.Type) uint32 {
	if off == 0 || a == nil || a.refs == nil {
		return off
	}
	c := &a.refs.check
	at := c.decode(off)
	if at >= c.before && c.refs[at] != t {
		panic(errRefs)
	}
	return at
}
