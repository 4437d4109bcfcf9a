package build

import (
	"fmt"
	"math"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/arena-go/arena"
)

// Text builds an array of strings, or of bytes.
type Text struct {
	arena *arena.Arena
	dtype arrow.DataType
	kind  textKind
	bytes []byte // All values, one after the other; of views the last of the blocks.

	// Where each value begins in bytes; the views themselves, for views.
	starts []int32
	large  []int64
	views  []arrow.ViewHeader
	blocks [][]byte // Those before bytes.
	width  int      // Of values of fixed size.
	length int      // Of values of fixed size.

	least, leastBytes int // There is room for this number of values, and of their bytes.
	gate
	validity
}

type textKind uint8

const (
	textStarts textKind = iota
	textLarge
	textViews
	textFixed
)

// maxText is how many bytes an array has whose values begin where an int32 says. Tests have less.
var maxText = math.MaxInt32

const tooMuchText = "build: more than 2^31 bytes of text in one array; make a batch of fewer rows, or one of a large type"

// The blocks in which the bytes of views are.
const (
	minBlock = 1 << 10
	maxBlock = 1 << 24
)

// NewText returns an empty Text in the arena, for the types String, Binary, LargeString,
// LargeBinary, StringView, BinaryView and FixedSizeBinary. It panics if dtype is another type.
func NewText(a *arena.Arena, dtype arrow.DataType) *Text { return newText(inside(a), dtype) }

func newText(p place, dtype arrow.DataType) *Text {
	t := arena.New[Text](p.home)
	*t = Text{arena: p.arena, dtype: dtype, gate: p.gate()}
	switch s := storage(dtype); s.ID() {
	case arrow.STRING, arrow.BINARY:
		t.kind = textStarts
	case arrow.LARGE_STRING, arrow.LARGE_BINARY:
		t.kind = textLarge
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		t.kind = textViews
	case arrow.FIXED_SIZE_BINARY:
		t.kind, t.width = textFixed, s.(*arrow.FixedSizeBinaryType).ByteWidth
	default:
		panic(fmt.Sprintf("build: NewText of %v; want a type of text or bytes, such as arrow.BinaryTypes.String", dtype))
	}
	return t
}

// Append adds a copy of s. It panics if the type fixes a length other than the length of s.
func (t *Text) Append(s string) { appendText(t, s) }

// AppendBytes adds a copy of b. It panics if the type fixes a length other than the length of b.
func (t *Text) AppendBytes(b []byte) { appendText(t, b) }

// AppendInt adds the decimal digits of n.
func (t *Text) AppendInt(n int64) {
	var digits [20]byte
	appendText(t, strconv.AppendInt(digits[:0], n, 10))
}

// AppendValues adds copies of values. Values whose valid is false are null; a nil or empty valid
// means that none is null. AppendValues panics if the lengths of v and valid differ otherwise.
func (t *Text) AppendValues(v []string, valid []bool) {
	t.enterValues(len(v), len(valid))
	t.reserve(len(v))
	if t.kind == textStarts || t.kind == textLarge {
		n := 0
		for _, s := range v {
			n += len(s)
		}
		t.reserveData(n)
	}
	t.leave()
	for i, s := range v {
		if len(valid) > 0 && !valid[i] {
			t.AppendNull()
		} else {
			appendText(t, s)
		}
	}
}

func appendText[S string | []byte](t *Text, s S) {
	if t.kind != textStarts {
		appendOther(t, s)
		return
	}
	if cap(t.starts)-len(t.starts) < 2 {
		t.Reserve(1)
	}
	if len(t.bytes)+len(s) > cap(t.bytes) {
		t.ReserveData(len(s))
	}
	t.starts = append(t.starts, int32(len(t.bytes)))
	t.bytes = append(t.bytes, s...)
}

func appendOther[S string | []byte](t *Text, s S) {
	switch t.kind {
	case textLarge:
		t.Reserve(1)
		t.ReserveData(len(s))
		t.large = append(t.large, int64(len(t.bytes)))
		t.bytes = append(t.bytes, s...)
	case textFixed:
		if len(s) != t.width {
			t.refuse(fmt.Sprintf("build: a value of %d bytes in an array of %v", len(s), t.dtype))
		}
		t.Reserve(1)
		t.bytes = append(t.bytes, s...)
		t.length++
	case textViews:
		if len(s) > math.MaxInt32 {
			t.refuse("build: a value of more than 2^31 bytes in an array of views")
		}
		t.Reserve(1)
		var v arrow.ViewHeader
		if arrow.IsViewInline(len(s)) {
			var b [16]byte
			v.SetBytes(b[:copy(b[:], s)])
		} else {
			t.ReserveData(len(s))
			first := len(t.bytes)
			t.bytes = append(t.bytes, s...)
			v.SetBytes(t.bytes[first:])
			v.SetIndexOffset(int32(len(t.blocks)), int32(first))
		}
		t.views = append(t.views, v)
	}
}

func (t *Text) AppendNull() {
	t.enter()
	t.reserve(1)
	t.null(t.arena, t.Len())
	t.leave()
	t.AppendEmptyValue()
}

func (t *Text) AppendEmptyValue() {
	if t.kind != textFixed {
		appendText(t, "")
		return
	}
	t.Reserve(1)
	t.bytes = t.bytes[:len(t.bytes)+t.width]
	clear(t.bytes[len(t.bytes)-t.width:])
	t.length++
}

func (t *Text) Reserve(n int) {
	t.enter()
	t.reserve(n)
	t.leave()
}

func (t *Text) reserve(n int) {
	t.use()
	switch t.kind {
	case textStarts:
		t.starts = grown(t.arena, t.starts, n+1, t.least) // One more for the end.
	case textLarge:
		t.large = grown(t.arena, t.large, n+1, t.least)
	case textViews:
		t.views = grown(t.arena, t.views, n, t.least)
	case textFixed:
		t.bytes = grown(t.arena, t.bytes, n*t.width, t.leastBytes)
	}
}

// ReserveData makes room for n more bytes of values. It panics if there would be more bytes than
// the type of the array allows: 2^31, except for large types and views.
func (t *Text) ReserveData(n int) {
	t.enter()
	t.reserveData(n)
	t.leave()
}

func (t *Text) reserveData(n int) {
	switch {
	case len(t.bytes)+n <= cap(t.bytes):
		return
	case t.kind == textViews:
		next := grown[byte](t.arena, nil, min(n, math.MaxInt32), max(t.leastBytes, min(2*cap(t.bytes), maxBlock), minBlock))
		if len(t.bytes) > 0 {
			t.blocks = arena.Append(t.arena, t.blocks, t.bytes)
		}
		t.bytes, t.leastBytes = next, 0
		return
	case t.kind == textStarts:
		if len(t.bytes)+n > maxText {
			panic(tooMuchText)
		}
		t.bytes = grownTo(t.arena, t.bytes, n, t.leastBytes, maxText) // So nothing is appended beyond, without coming here.
		return
	}
	t.bytes = grown(t.arena, t.bytes, n, t.leastBytes)
}

func (t *Text) DataType() arrow.DataType { return t.dtype }

func (t *Text) Len() int {
	switch t.kind {
	case textStarts:
		return len(t.starts)
	case textLarge:
		return len(t.large)
	case textViews:
		return len(t.views)
	}
	return t.length
}

func (t *Text) NewArray() arrow.Array { return newArray(t) }

func (t *Text) newData(all []part) (d *array.Data) {
	t.enter()
	if t.kind == textStarts && len(t.bytes) > maxText {
		panic(tooMuchText) // Starts are negative. Appends do not let it come to this.
	}
	n := t.Len()
	t.least, t.leastBytes = again(n)+1, again(len(t.bytes))
	if t.bytes == nil {
		t.bytes = []byte{} // Arrow takes a value of length zero that is nil for null in JSON.
	}
	switch t.kind {
	case textStarts:
		ends := withEnd(t.arena, t.starts, len(t.bytes))
		d = newData(all, t.arena, t.dtype, n, &t.validity, nil, arrow.GetBytes(ends), t.bytes)
	case textLarge:
		ends := withEnd(t.arena, t.large, len(t.bytes))
		d = newData(all, t.arena, t.dtype, n, &t.validity, nil, arrow.GetBytes(ends), t.bytes)
	case textViews:
		buffers := arena.MakeSlice[[]byte](t.arena, 1, 2+len(t.blocks))
		buffers[0] = arrow.GetBytes(t.views)
		for _, b := range t.blocks {
			t.leastBytes += len(b)
			buffers = append(buffers, b)
		}
		if len(t.bytes) > 0 {
			buffers = append(buffers, t.bytes)
		}
		t.leastBytes = min(t.leastBytes, maxBlock)
		d = newData(all, t.arena, t.dtype, n, &t.validity, nil, buffers...)
	case textFixed:
		d = newData(all, t.arena, t.dtype, n, &t.validity, nil, t.bytes)
	}
	t.Release()
	return d
}

func (t *Text) Release() {
	t.bytes, t.starts, t.large, t.views, t.blocks, t.length, t.validity = nil, nil, nil, nil, nil, 0, validity{}
	t.empty()
}
