//go:build arenadebug || race || asan

package region

import (
	"math/rand/v2"
	"reflect"
)

// A checker knows what references were made since the last Reset, and makes the numbers of all
// others bad: they are combined with a key that is another one after each Reset. In a Fixed the
// numbers must stay, and there is no key.
type checker struct {
	key    uint32                  // 0 for none
	before uint32                  // nothing is known of references that are less
	refs   map[uint32]reflect.Type // all others
}

// renew forgets all references. If before is not 0 there is no key.
func (c *checker) renew(before uint32) {
	c.before, c.refs = before, map[uint32]reflect.Type{}
	if before == 0 {
		c.key = rand.Uint32() | 1<<31 // no reference has this bit: so none becomes 0
	}
}

// made notes a reference to a value, or values, of type t, and returns it as the program gets it.
func (c *checker) made(at uint32, t reflect.Type) uint32 {
	c.refs[at] = t
	return at ^ c.key
}

// gone forgets the reference at, so that its use is found, and reports true: what it leads to is
// not used again.
func (c *checker) gone(at uint32) bool {
	delete(c.refs, at)
	return true
}

// decode returns what made was called with.
func (c *checker) decode(off uint32) uint32 {
	if off = off ^ c.key; off>>31 != 0 && c.key != 0 {
		return 0
	}
	return off
}

// Checked returns off without the key, and panics if it is not a reference to a value of type t.
func Checked(s Space, off uint32, t reflect.Type) uint32 {
	if off == 0 || s.g == nil || s.g.ended != nil {
		return off
	}
	c := &s.g.check
	at := c.decode(off)
	if at >= c.before && c.refs[at] != t {
		panic(ErrBad)
	}
	return at
}
