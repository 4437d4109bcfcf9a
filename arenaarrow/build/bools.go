package build

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/arena-go/arena"
)

// Bools builds an array of bools.
type Bools struct {
	arena  *arena.Arena
	dtype  arrow.DataType
	bits   []byte
	length int
	least  int // There is room for this number of bytes.
	gate
	validity
}

// NewBools returns an empty Bools in the arena, with room for capacity values.
func NewBools(a *arena.Arena, capacity int) *Bools {
	return newBools(inside(a), arrow.FixedWidthTypes.Boolean, capacity)
}

func newBools(p place, dtype arrow.DataType, capacity int) *Bools {
	b := arena.New[Bools](p.home)
	*b = Bools{arena: p.arena, dtype: dtype, least: (capacity + 7) / 8, gate: p.gate()}
	return b
}

// Append adds a value.
func (b *Bools) Append(v bool) {
	if b.length%8 == 0 {
		b.Reserve(1)
		b.bits = append(b.bits, 0)
	}
	bit := byte(0)
	if v {
		bit = 1
	}
	b.bits[b.length/8] |= bit << (b.length % 8)
	b.length++
}

// AppendValues adds values. Values whose valid is false are null; a nil or empty valid means that
// none is null. AppendValues panics if the lengths of v and valid differ otherwise.
func (b *Bools) AppendValues(v, valid []bool) {
	b.enterValues(len(v), len(valid))
	b.reserve(len(v))
	b.validity.append(b.arena, b.length, valid)
	b.leave()
	for _, v := range v {
		b.Append(v)
	}
}

func (b *Bools) AppendNull() {
	b.enter()
	b.reserve(1)
	b.null(b.arena, b.length)
	b.leave()
	b.Append(false)
}

func (b *Bools) AppendEmptyValue() { b.Append(false) }

func (b *Bools) Reserve(n int) {
	b.enter()
	b.reserve(n)
	b.leave()
}

func (b *Bools) reserve(n int) {
	b.use()
	b.bits = grown(b.arena, b.bits, (b.length+n+7)/8-len(b.bits), b.least)
}

func (b *Bools) DataType() arrow.DataType { return b.dtype }

func (b *Bools) Len() int { return b.length }

func (b *Bools) NewArray() arrow.Array { return newArray(b) }

func (b *Bools) newData(all []part) *array.Data {
	b.enter()
	d := newData(all, b.arena, b.dtype, b.length, &b.validity, nil, b.bits)
	b.least = again(len(b.bits))
	b.Release()
	return d
}

func (b *Bools) Release() {
	b.bits, b.length, b.validity = nil, 0, validity{}
	b.empty()
}

// Nulls builds an array of type Null, which contains only nulls. NewBuilder returns a Nulls.
type Nulls struct {
	arena  *arena.Arena
	dtype  arrow.DataType
	length int
	gate
}

// AppendNull adds a null.
func (n *Nulls) AppendNull() { n.length++ }

// AppendEmptyValue adds a null as well.
func (n *Nulls) AppendEmptyValue() { n.length++ }

func (n *Nulls) Reserve(int) {}

func (n *Nulls) reserve(int) {}

func (n *Nulls) DataType() arrow.DataType { return n.dtype }

func (n *Nulls) Len() int { return n.length }

func (n *Nulls) NullN() int { return n.length }

func (n *Nulls) NewArray() arrow.Array { return newArray(n) }

func (n *Nulls) newData(all []part) *array.Data {
	n.enter()
	d := newData(all, n.arena, n.dtype, n.length, &validity{}, nil)
	d.SetNullN(n.length)
	n.Release()
	return d
}

func (n *Nulls) Release() {
	n.length = 0
	n.empty()
}
