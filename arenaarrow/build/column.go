package build

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/arena-go/arena"
)

// A Column builds an array of numbers, decimals, times or the like. T is the Go type of its values,
// as in Arrow's array.
type Column[T arrow.FixedWidthType] struct {
	arena  *arena.Arena
	dtype  arrow.DataType
	values []T
	least  int // There is room for this number of values.
	gate
	validity
}

// NewColumn returns a column in the arena for values of a type of which each takes as many bytes as
// T does, with room for capacity of them. It panics if dtype is another one.
func NewColumn[T arrow.FixedWidthType](a *arena.Arena, dtype arrow.DataType, capacity int) *Column[T] {
	return newColumn[T](inside(a), dtype, capacity)
}

func newColumn[T arrow.FixedWidthType](p place, dtype arrow.DataType, capacity int) *Column[T] {
	w, ok := storage(dtype).(arrow.FixedWidthDataType)
	if ok {
		switch w.ID() {
		case arrow.DICTIONARY, arrow.FIXED_SIZE_BINARY, arrow.FIXED_SIZE_LIST:
			ok = false
		}
	}
	if !ok || w.BitWidth() != 8*size[T]() {
		var zero T
		panic(fmt.Sprintf("build: NewColumn: a column of %v is not one of %T", dtype, zero))
	}
	c := arena.New[Column[T]](p.home)
	*c = Column[T]{arena: p.arena, dtype: dtype, least: capacity, gate: p.gate()}
	return c
}

// Append adds a value.
func (c *Column[T]) Append(v T) {
	if len(c.values) == cap(c.values) {
		c.Reserve(1)
	}
	c.values = append(c.values, v)
}

func (c *Column[T]) AppendNull() {
	c.enter()
	c.reserve(1)
	c.null(c.arena, len(c.values))
	var zero T
	c.values = append(c.values, zero)
	c.leave()
}

func (c *Column[T]) AppendEmptyValue() {
	var zero T
	c.Append(zero)
}

// AppendValues adds values. Those for which valid is false are null; a valid that is nil or empty
// means that none is. AppendValues panics if there are other numbers of them.
func (c *Column[T]) AppendValues(v []T, valid []bool) {
	c.enterValues(len(v), len(valid))
	c.reserve(len(v))
	c.validity.append(c.arena, len(c.values), valid)
	c.values = append(c.values, v...)
	c.leave()
}

func (c *Column[T]) Reserve(n int) {
	c.enter()
	c.reserve(n)
	c.leave()
}

func (c *Column[T]) reserve(n int) {
	c.use()
	c.values = grown(c.arena, c.values, n, c.least)
}

func (c *Column[T]) DataType() arrow.DataType { return c.dtype }

func (c *Column[T]) Len() int { return len(c.values) }

func (c *Column[T]) NewArray() arrow.Array { return newArray(c) }

func (c *Column[T]) newData(all []part) *array.Data {
	c.enter()
	d := newData(all, c.arena, c.dtype, len(c.values), &c.validity, nil, arrow.GetBytes(c.values))
	c.least = again(len(c.values))
	c.Release()
	return d
}

func (c *Column[T]) Release() {
	c.values, c.validity = nil, validity{}
	c.empty()
}
