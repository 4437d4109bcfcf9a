package build

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena"
)

// ints are whole numbers of 1, 2, 4 or 8 bytes in the making.
type ints struct {
	arena *arena.Arena
	dtype arrow.DataType
	width int
	most  uint64 // the largest of the type
	bytes []byte
	least int // There is room for this number of bytes.
}

func newInts(a *arena.Arena, dtype arrow.DataType) ints {
	bits := dtype.(arrow.FixedWidthDataType).BitWidth()
	if arrow.IsSignedInteger(dtype.ID()) {
		return ints{arena: a, dtype: dtype, width: bits / 8, most: 1<<(bits-1) - 1}
	}
	return ints{arena: a, dtype: dtype, width: bits / 8, most: 1<<bits - 1}
}

func (s *ints) len() int { return len(s.bytes) / s.width }

func (s *ints) reserve(n int) { s.bytes = grown(s.arena, s.bytes, n*s.width, s.least) }

func (s *ints) append(n uint64) {
	if len(s.bytes)+8 > cap(s.bytes) {
		s.reserve(8)
	}
	s.bytes = s.put(s.bytes, n)
}

func (s *ints) put(b []byte, n uint64) []byte {
	switch s.width {
	case 1:
		return append(b, byte(n))
	case 2:
		return binary.NativeEndian.AppendUint16(b, uint16(n))
	case 4:
		return binary.NativeEndian.AppendUint32(b, uint32(n))
	}
	return binary.NativeEndian.AppendUint64(b, n)
}

// set changes the last one.
func (s *ints) set(n uint64) { s.put(s.bytes[:len(s.bytes)-s.width], n) }

// take returns them, and is empty then.
func (s *ints) take() []byte {
	b := s.bytes
	s.bytes, s.least = nil, again(len(b))+8
	return b
}

// A coded is what both kinds of dictionary have.
type coded struct {
	arena   *arena.Arena
	dtype   arrow.DataType
	indices ints
	values  Builder
	part    [1]part     // of values in the arena
	last    *array.Data // the dictionary before, on the heap
	gate
	validity
}

func newCoded(p place, dtype arrow.DataType, values Builder) coded {
	return coded{arena: p.arena, dtype: dtype, indices: newInts(p.arena, storage(dtype).(*arrow.DictionaryType).IndexType), values: values, gate: p.gate()}
}

// next adds the number of a value that is about to be the next of the dictionary, and returns one
// more than it.
func (c *coded) next() (id int) {
	id = c.values.Len()
	if uint64(id) > c.indices.most {
		panic(fmt.Sprintf("build: more than %d values in a dictionary whose indices are %v; take wider ones", id, c.indices.dtype))
	}
	return id + 1
}

func (c *coded) AppendNull() {
	c.enter()
	c.null(c.arena, c.Len())
	c.indices.append(0)
	c.leave()
}

func (c *coded) Reserve(n int) {
	c.enter()
	c.reserve(n)
	c.leave()
}

func (c *coded) reserve(n int) {
	c.use()
	c.indices.reserve(n)
}

func (c *coded) DataType() arrow.DataType { return c.dtype }

func (c *coded) Len() int { return c.indices.len() }

// DictionarySize returns the number of different values.
func (c *coded) DictionarySize() int { return c.values.Len() }

func (c *coded) newData(all []part) *array.Data {
	c.enter()
	n := c.Len()
	d := newData(all, c.arena, c.dtype, n, &c.validity, nil, c.indices.take())
	values := c.dictionary()
	d.SetDictionary(values)
	values.Release()
	c.validity = validity{}
	c.empty()
	return d
}

// dictionary returns the data of the values, on the heap. It is the data of the previous array if
// the values are the same. An ipc.Writer holds a dictionary for longer than its batch: it writes
// the next dictionary only if it differs.
func (c *coded) dictionary() *array.Data {
	if c.arena == nil {
		return c.values.newData(make([]part, 1))
	}
	d := c.values.newData(c.part[:])
	defer d.Release()
	if c.last == nil || !same(c.last, d) {
		c.last = copyData(d, heap)
	}
	c.last.Retain()
	return c.last
}

// same reports whether both have the same buffers.
func same(x, y *array.Data) bool {
	return x.Len() == y.Len() && slices.EqualFunc(x.Buffers(), y.Buffers(), func(b, c *memory.Buffer) bool {
		return b == c || b != nil && c != nil && bytes.Equal(b.Bytes(), c.Bytes())
	})
}

func (c *coded) release() {
	c.values.Release()
	c.indices.bytes, c.validity = nil, validity{}
	c.empty()
}

func (c *coded) broken() string { return cmp.Or(c.gate.broken(), c.values.broken()) }

// A Dictionary builds an array of numbers, decimals, times or the like, which contains each
// different value once. Each array has a dictionary of its own. NewBuilder returns a Dictionary.
type Dictionary[T arrow.FixedWidthType] struct {
	coded
	column *Column[T]
	ids    *arena.Map[T, int] // one more than the index of a value
	nan    int                // of a value that is not equal to itself
	minus  int                // of -0, which is equal to 0 and another value
}

func newDictionary[T arrow.FixedWidthType](p place, dtype arrow.DataType) *Dictionary[T] {
	d := arena.New[Dictionary[T]](p.home)
	d.column = newColumn[T](p, storage(dtype).(*arrow.DictionaryType).ValueType, 0)
	d.coded = newCoded(p, dtype, d.column)
	return d
}

// Append adds a value. It panics if the dictionary then has more values than its indices can
// number.
func (d *Dictionary[T]) Append(v T) {
	d.enter()
	if d.ids == nil {
		d.ids = arena.NewMap[T, int](d.arena, d.column.least)
	}
	var id *int
	var zero T
	switch {
	case v != v:
		id = &d.nan
	case v == zero && isMinus(v):
		id = &d.minus
	default:
		id = d.ids.Entry(v)
	}
	if *id == 0 {
		*id = d.next()
		d.column.Append(v)
	}
	d.indices.append(uint64(*id - 1))
	d.leave()
}

// isMinus reports whether a zero is -0.
func isMinus[T arrow.FixedWidthType](zero T) bool {
	switch f := any(zero).(type) {
	case float32:
		return math.Signbit(float64(f))
	case float64:
		return math.Signbit(f)
	}
	return false
}

func (d *Dictionary[T]) AppendEmptyValue() {
	var zero T
	d.Append(zero)
}

func (d *Dictionary[T]) NewArray() arrow.Array { return newArray(d) }

func (d *Dictionary[T]) newData(all []part) *array.Data {
	d.ids, d.nan, d.minus = nil, 0, 0
	return d.coded.newData(all)
}

func (d *Dictionary[T]) Release() {
	d.ids, d.nan, d.minus = nil, 0, 0
	d.release()
}

// A TextDictionary builds an array of strings, or of bytes, which contains each different value
// once. Each array has a dictionary of its own. NewBuilder returns a TextDictionary.
type TextDictionary struct {
	coded
	text *Text
	ids  *arena.Map[string, int] // one more than the index of a value
	size int                     // of the dictionary before
}

func newTextDictionary(p place, dtype arrow.DataType) *TextDictionary {
	d := arena.New[TextDictionary](p.home)
	d.text = newText(p, storage(dtype).(*arrow.DictionaryType).ValueType)
	d.coded = newCoded(p, dtype, d.text)
	return d
}

// Append adds s. It panics if the dictionary then has more values than its indices can number.
func (d *TextDictionary) Append(s string) { appendCoded(d, s) }

// AppendBytes adds b. It panics like Append.
func (d *TextDictionary) AppendBytes(b []byte) { appendCoded(d, b) }

func appendCoded[S string | []byte](d *TextDictionary, s S) {
	d.enter()
	if d.ids == nil {
		d.ids = arena.NewMap[string, int](d.arena, d.size)
	}
	var id int
	if p := arena.LookupText(d.ids, s); p != nil {
		id = *p
	} else {
		id = d.next()
		appendText(d.text, s)
		d.ids.Set(arena.String(d.arena, s), id)
	}
	d.indices.append(uint64(id - 1))
	d.leave()
}

func (d *TextDictionary) AppendEmptyValue() {
	if d.text.kind == textFixed {
		d.AppendBytes(make([]byte, d.text.width))
		return
	}
	d.Append("")
}

func (d *TextDictionary) NewArray() arrow.Array { return newArray(d) }

func (d *TextDictionary) newData(all []part) *array.Data {
	d.size, d.ids = d.text.Len(), nil
	return d.coded.newData(all)
}

func (d *TextDictionary) Release() {
	d.ids = nil
	d.release()
}

// dictionary returns the builder for a type of dictionaries.
func (p place) dictionary(dtype arrow.DataType) Builder {
	switch id := storage(storage(dtype).(*arrow.DictionaryType).ValueType).ID(); id {
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY, arrow.STRING_VIEW, arrow.BINARY_VIEW, arrow.FIXED_SIZE_BINARY:
		return newTextDictionary(p, dtype)
	default:
		return makerFor(id, dtype).dictionary(p, dtype)
	}
}
