/*
Package build makes Arrow arrays in an [arena.Arena]: the values, and the buffers, data and slices that Arrow's own builders
take from the heap for each array. What is left on the heap is one object for each array.

	a := arena.NewArena()
	defer a.Free()
	for batch := range batches {
		prices := build.NewColumn[float64](a, arrow.PrimitiveTypes.Float64, len(batch))
		for _, order := range batch {
			prices.Append(order.Price)
		}
		write(prices.NewArray())
		a.Reset()
	}

Where it pays is in many small arrays, and in appending value by value, which is a store and no call. An array of many values
costs as much as elsewhere.

# Lifetime

An array is valid until its arena is Reset or until its last Release. Release is optional. The buffers and data of the array end with it. Free leaves arrays as they are, like other values in an arena on the Go heap, but programs that look for mistakes report their use. What reads an array after Reset reads other
values. To keep an array for longer, copy it: array.Concatenate of one array does.

Columns are for one goroutine, that of the arena. Arrays may be read by several. The arena must have no Options.Memory for arrays that outlive its
Free.
*/
package build

import (
	"fmt"
	"math"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena"
)

// alignment is that of buffers in bytes, as Arrow recommends it.
const alignment = 64

// A Builder is a [Column], [Bools], [Text] or [List].
type Builder interface {
	// DataType returns that of the array.
	DataType() arrow.DataType

	// Len returns how many values were appended, nulls included.
	Len() int

	// NewArray returns what was appended, and makes the builder empty. Release of the array is allowed, and not needed.
	NewArray() arrow.Array

	// newData returns what NewArray is made of.
	newData() *array.Data
}

// newData returns the data of length values, which has one reference.
func newData(a *arena.Arena, dtype arrow.DataType, length int, v *validity, children []arrow.ArrayData, buffers ...[]byte) *array.Data {
	d := arena.New[array.Data](a)
	d.Reset(dtype, length, newBuffers(a, length, v, buffers), children, v.nulls, 0)
	d.Retain()
	return d
}

// newBuffers returns one for the bits of length values, or nil if none is null, and the others.
func newBuffers(a *arena.Arena, length int, v *validity, buffers [][]byte) []*memory.Buffer {
	all := arena.MakeSlice[*memory.Buffer](a, 1+len(buffers), 1+len(buffers))
	if v.nulls > 0 {
		all[0] = buffer(a, v.bits[:(length+7)/8])
	}
	for i, b := range buffers {
		all[1+i] = buffer(a, b)
	}
	return all
}

// newArray returns the array of d, which has the only reference to it then.
func newArray(d *array.Data) arrow.Array {
	defer d.Release()
	return array.MakeFromData(d)
}

// buffer returns a buffer of b, which nobody frees.
func buffer(a *arena.Arena, b []byte) *memory.Buffer {
	p := arena.New[memory.Buffer](a)
	p.Reset(b)
	return p
}

// grown returns s with room for n more.
func grown[T any](a *arena.Arena, s []T, n int) []T {
	if len(s)+n <= cap(s) {
		return s
	}
	next := arena.MakeSliceAligned[T](a, len(s), max(2*cap(s), len(s)+n, alignment), alignment)
	copy(next, s)
	return next
}

// validity tells which values are null.
type validity struct {
	bits  []byte // nil before the first null
	nulls int
}

// append adds a value at index i. Where there were no nulls yet, it is called for the first one.
func (v *validity) append(a *arena.Arena, i int, valid bool) {
	for len(v.bits) <= i/8 {
		v.bits = append(grown(a, v.bits, 1), 0)
		if first := len(v.bits) - 1; v.nulls == 0 && first < i/8 {
			v.bits[first] = 0xff
		} else if v.nulls == 0 {
			v.bits[first] = 1<<(i%8) - 1
		}
	}
	if valid {
		v.bits[i/8] |= 1 << (i % 8)
	} else {
		v.nulls++
	}
}

// A Number is the type of the values of a column in Go: that which the array of Arrow has.
type Number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// A Column is an array of numbers, times or the like in the making.
type Column[T Number] struct {
	arena  *arena.Arena
	dtype  arrow.DataType
	values []T
	validity
}

// NewColumn returns a column for values of a type of which each takes as many bytes as T does, with room for capacity of them. It panics if dtype is
// another one.
func NewColumn[T Number](a *arena.Arena, dtype arrow.DataType, capacity int) *Column[T] {
	var zero T
	if w, ok := dtype.(arrow.FixedWidthDataType); !ok || dtype.ID() == arrow.DICTIONARY || w.BitWidth() != 8*len(arrow.GetBytes([]T{zero})) {
		panic(fmt.Sprintf("build: NewColumn: a column of %v is not one of %T", dtype, zero))
	}
	c := arena.New[Column[T]](a)
	*c = Column[T]{arena: a, dtype: dtype}
	c.values = grown(a, c.values, capacity)
	return c
}

// Append adds a value.
func (c *Column[T]) Append(v T) {
	if len(c.values) == cap(c.values) || c.nulls > 0 {
		c.appendSlowly(v, true)
		return
	}
	c.values = append(c.values, v)
}

// AppendNull adds a null.
func (c *Column[T]) AppendNull() { c.appendSlowly(0, false) }

func (c *Column[T]) appendSlowly(v T, valid bool) {
	if !valid || c.nulls > 0 {
		c.validity.append(c.arena, len(c.values), valid)
	}
	c.values = append(grown(c.arena, c.values, 1), v)
}

// AppendSlice adds values, none of which is null.
func (c *Column[T]) AppendSlice(v []T) {
	if c.nulls > 0 {
		for i := range v {
			c.validity.append(c.arena, len(c.values)+i, true)
		}
	}
	c.values = append(grown(c.arena, c.values, len(v)), v...)
}

func (c *Column[T]) DataType() arrow.DataType { return c.dtype }

func (c *Column[T]) Len() int { return len(c.values) }

func (c *Column[T]) NewArray() arrow.Array { return newArray(c.newData()) }

func (c *Column[T]) newData() *array.Data {
	d := newData(c.arena, c.dtype, len(c.values), &c.validity, nil, arrow.GetBytes(c.values))
	c.values, c.validity = nil, validity{}
	return d
}

// Bools is an array of bools in the making.
type Bools struct {
	arena  *arena.Arena
	bits   []byte
	length int
	validity
}

// NewBools returns an empty one, with room for capacity values.
func NewBools(a *arena.Arena, capacity int) *Bools {
	b := arena.New[Bools](a)
	*b = Bools{arena: a, bits: grown[byte](a, nil, (capacity+7)/8)}
	return b
}

// Append adds a value.
func (b *Bools) Append(v bool) { b.append(v, true) }

// AppendNull adds a null.
func (b *Bools) AppendNull() { b.append(false, false) }

func (b *Bools) append(v, valid bool) {
	if !valid || b.nulls > 0 {
		b.validity.append(b.arena, b.length, valid)
	}
	if b.length%8 == 0 {
		b.bits = append(grown(b.arena, b.bits, 1), 0)
	}
	if v {
		b.bits[b.length/8] |= 1 << (b.length % 8)
	}
	b.length++
}

func (b *Bools) DataType() arrow.DataType { return arrow.FixedWidthTypes.Boolean }

func (b *Bools) Len() int { return b.length }

func (b *Bools) NewArray() arrow.Array { return newArray(b.newData()) }

func (b *Bools) newData() *array.Data {
	d := newData(b.arena, b.DataType(), b.length, &b.validity, nil, b.bits)
	*b = Bools{arena: b.arena}
	return d
}

// offsets are those of what has values of different lengths.
type offsets []int32

// add adds the end of a value, where n is how many bytes or values of a child there are.
func (o *offsets) add(a *arena.Arena, n int) {
	if n > math.MaxInt32 {
		panic("build: more than 2^31 bytes of text, or values in lists, in one array; make a batch of fewer rows")
	}
	if *o == nil {
		*o = append(grown(a, *o, 1), 0)
	}
	*o = append(grown(a, *o, 1), int32(n))
}

// bytes returns them for an array, which has at least one.
func (o *offsets) bytes(a *arena.Arena) []byte {
	if *o == nil {
		*o = append(grown(a, *o, 1), 0)
	}
	return arrow.GetBytes([]int32(*o))
}

// Text is an array of strings, or of bytes, in the making.
type Text struct {
	arena   *arena.Arena
	dtype   arrow.DataType
	offsets offsets
	bytes   []byte
	length  int
	validity
}

// NewText returns an empty one, for the type String or Binary: it panics if dtype is another one.
func NewText(a *arena.Arena, dtype arrow.DataType) *Text {
	if id := dtype.ID(); id != arrow.STRING && id != arrow.BINARY {
		panic(fmt.Sprintf("build: NewText of %v; want arrow.BinaryTypes.String or Binary", dtype))
	}
	t := arena.New[Text](a)
	*t = Text{arena: a, dtype: dtype}
	return t
}

// Append adds a copy of s.
func (t *Text) Append(s string) {
	t.bytes = append(grown(t.arena, t.bytes, len(s)), s...)
	t.end(true)
}

// AppendBytes adds a copy of b.
func (t *Text) AppendBytes(b []byte) {
	t.bytes = append(grown(t.arena, t.bytes, len(b)), b...)
	t.end(true)
}

// AppendInt adds the decimal digits of n.
func (t *Text) AppendInt(n int64) {
	t.bytes = strconv.AppendInt(grown(t.arena, t.bytes, 20), n, 10)
	t.end(true)
}

// AppendNull adds a null.
func (t *Text) AppendNull() { t.end(false) }

func (t *Text) end(valid bool) {
	if !valid || t.nulls > 0 {
		t.validity.append(t.arena, t.length, valid)
	}
	t.length++
	t.offsets.add(t.arena, len(t.bytes))
}

func (t *Text) DataType() arrow.DataType { return t.dtype }

func (t *Text) Len() int { return t.length }

func (t *Text) NewArray() arrow.Array { return newArray(t.newData()) }

func (t *Text) newData() *array.Data {
	d := newData(t.arena, t.dtype, t.length, &t.validity, nil, t.offsets.bytes(t.arena), t.bytes)
	*t = Text{arena: t.arena, dtype: t.dtype}
	return d
}

// A List is an array of lists in the making. The values of a list are appended to its builder before the list is.
type List struct {
	arena   *arena.Arena
	values  Builder
	dtype   arrow.DataType
	size    int // of each list, or -1
	offsets offsets
	length  int
	validity
}

// NewList returns an empty one, whose lists are of what is appended to values, which is empty too. dtype is arrow.ListOf or arrow.FixedSizeListOf of
// their type: NewList panics if it is not.
func NewList(a *arena.Arena, dtype arrow.DataType, values Builder) *List {
	size := -1
	var elem arrow.DataType
	switch t := dtype.(type) {
	case *arrow.ListType:
		elem = t.Elem()
	case *arrow.FixedSizeListType:
		elem, size = t.Elem(), int(t.Len())
	}
	if elem == nil || !arrow.TypeEqual(elem, values.DataType()) || values.Len() != 0 {
		panic(fmt.Sprintf("build: NewList of %v with %d values of %v; want lists of that type, and no values yet", dtype, values.Len(), values.DataType()))
	}
	l := arena.New[List](a)
	*l = List{arena: a, values: values, dtype: dtype, size: size}
	return l
}

// Append adds a list of all values that were appended to the builder of the values since the last one. It panics if the size of lists is fixed and they are
// not as many.
func (l *List) Append() { l.end(true) }

// AppendNull adds a null. Where the size of lists is fixed, it has values too, which do not matter, and which are appended before.
func (l *List) AppendNull() { l.end(false) }

func (l *List) end(valid bool) {
	n := l.values.Len()
	switch {
	case l.size < 0:
		l.offsets.add(l.arena, n)
	case n != (l.length+1)*l.size:
		panic(fmt.Sprintf("build: %d lists of %d values need %d values, and there are %d", l.length+1, l.size, (l.length+1)*l.size, n))
	}
	if !valid || l.nulls > 0 {
		l.validity.append(l.arena, l.length, valid)
	}
	l.length++
}

func (l *List) DataType() arrow.DataType { return l.dtype }

func (l *List) Len() int { return l.length }

func (l *List) NewArray() arrow.Array { return newArray(l.newData()) }

func (l *List) newData() *array.Data {
	values := l.values.newData()
	defer values.Release()
	child := arena.MakeSlice[arrow.ArrayData](l.arena, 1, 1)
	child[0] = values
	var d *array.Data
	if l.size < 0 {
		d = newData(l.arena, l.dtype, l.length, &l.validity, child, l.offsets.bytes(l.arena))
	} else {
		d = newData(l.arena, l.dtype, l.length, &l.validity, child)
	}
	*l = List{arena: l.arena, values: l.values, dtype: l.dtype, size: l.size}
	return d
}

var (
	_ Builder = (*Column[int64])(nil)
	_ Builder = (*Bools)(nil)
	_ Builder = (*Text)(nil)
	_ Builder = (*List)(nil)
)
