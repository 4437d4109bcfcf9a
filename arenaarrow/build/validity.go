package build

import "github.com/arena-go/arena"

// validity records which values are null. Values beyond the bits are not null.
type validity struct {
	bits    []byte // The bits of the first covered values; the bits behind them are zero.
	covered int
	nulls   int
}

// NullN returns the number of null values.
func (v *validity) NullN() int { return v.nulls }

// null makes the value at index i null. It is called for the last value only.
func (v *validity) null(a *arena.Arena, i int) {
	v.fill(a, i)
	if i/8 == len(v.bits) {
		v.bits = append(grown(a, v.bits, 1, 0), 0)
	}
	v.covered = i + 1
	v.nulls++
}

// fill makes bits for the first n values, of which those that have none yet are not null.
func (v *validity) fill(a *arena.Arena, n int) {
	if n <= v.covered {
		return
	}
	all, has := (n+7)/8, len(v.bits)
	v.bits = grown(a, v.bits, all-has, 0)[:all]
	if v.covered%8 != 0 {
		v.bits[has-1] |= 0xff << (v.covered % 8)
	}
	for i := has; i < all; i++ {
		v.bits[i] = 0xff
	}
	if n%8 != 0 {
		v.bits[all-1] &= 1<<(n%8) - 1
	}
	v.covered = n
}

// append adds what valid says, which may be nil, for values that begin at index i.
func (v *validity) append(a *arena.Arena, i int, valid []bool) {
	nulls := 0
	for _, ok := range valid {
		if !ok {
			nulls++
		}
	}
	if nulls == 0 {
		return
	}
	n := i + len(valid)
	v.fill(a, i)
	all, has := (n+7)/8, len(v.bits)
	v.bits = grown(a, v.bits, all-has, 0)[:all]
	clear(v.bits[has:])
	for j, ok := range valid {
		bit := byte(0)
		if ok {
			bit = 1
		}
		v.bits[(i+j)/8] |= bit << ((i + j) % 8)
	}
	v.covered = n
	v.nulls += nulls
}
