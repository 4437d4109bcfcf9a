package arenaarrow_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena/arenaarrow"
	"github.com/arena-go/arena/internal/testrun"
)

// others are allocators of arrow that ours is to behave as. Mallocator is among them if there is
// cgo.
var others = map[string]func() memory.Allocator{"GoAllocator": func() memory.Allocator { return memory.NewGoAllocator() }}

// TestDropIn runs random programs of Allocate, Reallocate and Free on ours and on others, and
// compares the results: length, capacity, whether they are nil, their addresses, and their bytes.
// There are two documented differences: bytes that come back after a block was made smaller are
// zeros with ours, and with Options.Debug a block never keeps its address.
func TestDropIn(t *testing.T) {
	seed := testrun.Seed(t)
	for name, other := range others {
		for _, o := range []arenaarrow.Options{{}, {Debug: true}, {Retain: -1}} {
			r := rand.New(rand.NewPCG(seed, 0))
			want, ours := other(), arenaarrow.New(o)
			type pair struct{ ours, want []byte }
			var blocks []pair
			compare := func(what string, p pair) pair {
				switch {
				case len(p.ours) != len(p.want) || cap(p.ours) != cap(p.want) || (p.ours == nil) != (p.want == nil):
					t.Fatalf("%s, %+v: %s returns length %d, capacity %d, nil %v; want %d, %d, %v", name, o, what,
						len(p.ours), cap(p.ours), p.ours == nil, len(p.want), cap(p.want), p.want == nil)
				case !bytes.Equal(p.ours, p.want):
					t.Fatalf("%s, %+v: %s returns other bytes", name, o, what)
				}
				for i := range p.ours[:cap(p.ours)] { // including what is behind the length
					v := byte(r.Uint32())
					p.ours[:cap(p.ours)][i], p.want[:cap(p.want)][i] = v, v
				}
				return p
			}
			for range 3000 {
				size := r.IntN(1 << r.IntN(17))
				switch n := r.IntN(10); {
				case n == 0:
					compare("Reallocate of nil", pair{ours.Reallocate(0, nil), want.Reallocate(0, nil)})
					compare("Reallocate of nothing", pair{ours.Reallocate(0, []byte{}), want.Reallocate(0, []byte{})})
					blocks = append(blocks, compare("Reallocate of nil", pair{ours.Reallocate(size+1, nil), want.Reallocate(size+1, nil)}))
				case n < 4 || len(blocks) == 0:
					blocks = append(blocks, compare("Allocate", pair{ours.Allocate(size), want.Allocate(size)}))
				case n < 8:
					i := r.IntN(len(blocks))
					p := blocks[i]
					if r.IntN(3) == 0 {
						size = max(0, len(p.want)+r.IntN(130)-65)
					}
					what := fmt.Sprintf("Reallocate of %d bytes of %d to %d", len(p.want), cap(p.want), size)
					stays, length := size <= cap(p.want), len(p.want)
					q := pair{ours.Reallocate(size, p.ours), want.Reallocate(size, p.want)}
					if stays && !o.Debug && cap(q.ours) > 0 && unsafe.SliceData(q.ours) != unsafe.SliceData(p.ours) {
						t.Fatalf("%s: moves it", what)
					}
					if stays && length < size {
						clear(q.want[length:])
					}
					blocks[i] = compare(what, q)
				default:
					i := r.IntN(len(blocks))
					ours.Free(blocks[i].ours)
					want.Free(blocks[i].want)
					blocks[i] = blocks[len(blocks)-1]
					blocks = blocks[:len(blocks)-1]
				}
			}
			for _, p := range blocks {
				ours.Free(p.ours)
				want.Free(p.want)
			}
			if n := ours.CurrentAlloc(); n != 0 {
				t.Errorf("%s, %+v: %d bytes in use at the end", name, o, n)
			}
		}
	}
}

// builderTypes are those that have builders of their own, and anyType does not return.
var builderTypes = []arrow.DataType{
	arrow.FixedWidthTypes.Date64, arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.DayTimeInterval,
	&arrow.Decimal32Type{Precision: 8, Scale: 2}, &arrow.Decimal64Type{Precision: 16, Scale: 2}, &arrow.Decimal256Type{Precision: 40, Scale: 2},
	arrow.LargeListViewOf(arrow.PrimitiveTypes.Int32), arrow.LargeListViewOf(arrow.BinaryTypes.String),
	extensions.NewUUIDType(), extensions.NewBool8Type(),
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.FixedWidthTypes.Date32},
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: &arrow.FixedSizeBinaryType{ByteWidth: 5}},
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: &arrow.Decimal128Type{Precision: 20, Scale: 2}},
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int64, ValueType: arrow.PrimitiveTypes.Float64},
	arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, arrow.BinaryTypes.StringView),
	arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int64, arrow.ListOf(arrow.PrimitiveTypes.Int8)),
}

// A player plays a program of a builder with one allocator.
type player struct {
	mem    memory.Allocator
	b      array.Builder
	arrays []arrow.Array
}

// play does one operation, and returns what it came to, as text. What it does depends on r and on
// the builder's type, and on its length, which is the same with all allocators.
func (p *player) play(r *rand.Rand, t arrow.DataType) (outcome string, ok bool) {
	defer func() {
		if v := recover(); v != nil {
			outcome, ok = fmt.Sprintf("%s panics: %v\n%s", outcome, v, debug.Stack()), false
		}
	}()
	if p.b == nil {
		p.b = array.NewBuilder(p.mem, t)
	}
	n := any1(r, 0, 1, 2, r.IntN(40), r.IntN(300), 64, 512, 1000, 1024)
	length := p.b.Len()
	switch op := r.IntN(20); {
	case op < 5:
		outcome = fmt.Sprintf("%d values", n)
		appendValues(r, p.b, n)
	case op == 5:
		outcome = fmt.Sprintf("AppendNulls(%d)", n)
		p.b.AppendNulls(n)
	case op == 6:
		outcome = fmt.Sprintf("AppendEmptyValues(%d)", n)
		p.b.AppendEmptyValues(n)
	case op == 7:
		outcome = "AppendNull, AppendEmptyValue"
		p.b.AppendNull()
		p.b.AppendEmptyValue()
	case op == 8:
		outcome = "AppendValueFromString"
		for range 1 + r.IntN(3) {
			outcome += fmt.Sprint(p.b.AppendValueFromString(any1(r, "7", "text of some length", array.NullValueStr, "[1,2]")))
		}
	case op == 9:
		outcome = fmt.Sprintf("Reserve(%d)", n)
		p.b.Reserve(n)
	case op < 13:
		n = any1(r, 0, 0, n, length, length/2, length/20, max(0, length-r.IntN(70)))
		outcome = fmt.Sprintf("Resize(%d) of %d", n, length)
		p.b.Resize(n)
	case op == 13 && length > 0:
		n = r.IntN(length)
		outcome = fmt.Sprintf("SetNull(%d) of %d", n, length)
		p.b.SetNull(n)
	case op == 14:
		outcome = "children"
		for _, c := range children(p.b) {
			c.Reserve(n)
		}
	case op < 17:
		outcome = "NewArray"
		p.arrays = append(p.arrays, p.b.NewArray())
	case op == 17 && len(p.arrays) > 0:
		outcome = "Release of an array"
		i := r.IntN(len(p.arrays))
		p.arrays[i].Release()
		p.arrays = append(p.arrays[:i], p.arrays[i+1:]...)
	case op == 18 && r.IntN(4) == 0:
		outcome = "Release of the builder"
		b := p.b
		p.b = nil
		b.Release()
		return outcome, true
	}
	return fmt.Sprintf("%s: length %d, capacity %d, nulls %d", outcome, p.b.Len(), p.b.Cap(), p.b.NullN()), true
}

// children returns the builders that b has.
func children(b array.Builder) (list []array.Builder) {
	switch b := b.(type) {
	case *array.StructBuilder:
		for i := range b.NumField() {
			list = append(list, b.FieldBuilder(i))
		}
	case *array.RunEndEncodedBuilder:
		list = append(list, b.ValueBuilder())
	case *array.MapBuilder:
		list = append(list, b.KeyBuilder(), b.ItemBuilder())
	case array.ListLikeBuilder:
		list = append(list, b.ValueBuilder())
	}
	return list
}

// A zeroing is a GoAllocator whose blocks grow by zeros even where they were that large before, as
// arrow's allocator written in C++ has it, and ours. With the bytes of before, AppendEmptyValue of
// a builder of views appends a value that Resize has removed.
type zeroing struct{ *memory.GoAllocator }

func (z zeroing) Reallocate(size int, b []byte) []byte {
	result := z.GoAllocator.Reallocate(size, b)
	clear(result[min(len(b), size):])
	return result
}

// equal returns what array.Equal does, which panics for arrays that builders of arrow have made
// wrong.
func equal(x, y arrow.Array) (outcome string) {
	defer func() {
		if v := recover(); v != nil {
			outcome = fmt.Sprint("panics: ", v)
		}
	}()
	return fmt.Sprint(array.Equal(x, y))
}

func (p *player) release() (ok bool) {
	defer func() { ok = recover() == nil }()
	releaseAll(p.arrays)
	if p.b != nil {
		p.b.Release()
	}
	return true
}

// TestBuilders has builders of every type append, grow, shrink, make arrays and be released, in a
// random order, with the Go heap and with ours, and compares after each operation. Neighbours of
// the builders' memory, of every size, must stay unchanged.
func TestBuilders(t *testing.T) {
	seed := testrun.Seed(t)
	rounds := 500
	if !testrun.Long() || builtWith("-race") || builtWith("-asan") {
		rounds = 150
	}
	for i, o := range []arenaarrow.Options{{}, {Retain: -1}, {Debug: true}} {
		top := arenaarrow.New(o)
		if o.Debug {
			rounds /= 5
		}
		var same, all int
		refused := map[string]int{}
		for round := range rounds {
			r := rand.New(rand.NewPCG(seed, uint64(round*10+i)))
			var dt arrow.DataType
			if dt = any1(r, builderTypes...); r.IntN(3) > 0 {
				dt = anyType(r, 2)
			}
			q := top.Child(fmt.Sprint(dt))
			checked := memory.NewCheckedAllocator(zeroing{memory.NewGoAllocator()})
			want, ours := &player{mem: checked}, &player{mem: q}
			neighbours := newNeighbours(top)
			broken := false
			var done []string
			for range 5 + r.IntN(25) {
				s := r.Uint64()
				wanted, ok := want.play(rand.New(rand.NewPCG(s, 1)), dt)
				if !ok {
					refused[dt.Name()]++
					broken = true
					break // No allocator can do that, and nobody knows what state the builder is in.
				}
				got, _ := ours.play(rand.New(rand.NewPCG(s, 1)), dt)
				done = append(done, wanted)
				if got != wanted {
					t.Fatalf("seed %d, options %d, round %d, %v: %q\n%s\nwant\n%s", seed, i, round, dt, done, got, wanted)
				}
				for j := range want.arrays {
					if equal(ours.arrays[j], want.arrays[j]) != equal(want.arrays[j], want.arrays[j]) {
						t.Fatalf("seed %d, options %d, round %d, %v: %q: array %d:\n%v\nwant\n%v", seed, i, round, dt, done, j,
							short(ours.arrays[j]), short(want.arrays[j]))
					}
				}
				if n, m := q.CurrentAlloc(), checked.CurrentAlloc(); n != m {
					t.Fatalf("seed %d, options %d, round %d, %v: %q: %d bytes in use, %d with CheckedAllocator", seed, i, round, dt, done, n, m)
				}
				neighbours.more(r)
			}
			neighbours.check(t)
			all++
			if !broken {
				same++
				if !want.release() {
					broken = true
				}
				if ok := ours.release(); ok == broken {
					t.Fatalf("seed %d, round %d, %v: Release is not the same", seed, round, dt)
				}
				if n, m := q.CurrentAlloc(), checked.CurrentAlloc(); n != m {
					t.Fatalf("seed %d, options %d, round %d, %v: %q: %d bytes in use, %d with CheckedAllocator", seed, i, round, dt, done, n, m)
				}
			}
			q.Close()
		}
		t.Logf("options %d: %d of %d programs ran to their ends; arrow cannot go on in %v", i, same, all, refused)
		if same < all/4 {
			t.Error("these are too few")
		}
	}
}

// TestResizeToNothing is what arrow's builders do to any allocator: a builder of 1,000 values that
// is resized to none clears, in the bitmap that Reallocate has returned for 4 bytes, the 125 bytes
// that it had before.
func TestResizeToNothing(t *testing.T) {
	for _, o := range []arenaarrow.Options{{}, {Debug: true}} {
		q := arenaarrow.New(o)
		for _, n := range []int{1000, 1 << 20} {
			if o.Debug {
				n = 1000
			}
			b := array.NewInt32Builder(q)
			for i := range n {
				b.Append(int32(i))
			}
			b.Resize(0)
			for i := range 100 {
				b.Append(int32(-i))
			}
			a := b.NewInt32Array()
			if a.Len() != 100 || a.Value(99) != -99 || a.NullN() != 0 {
				t.Errorf("%v", a)
			}
			a.Release()
			b.Release()
		}
		q.AssertSize(t, 0)
	}
}

// neighbours are blocks next to blocks of others.
type neighbours struct {
	*arenaarrow.Allocator
	list [][]byte
}

func newNeighbours(top *arenaarrow.Allocator) *neighbours {
	return &neighbours{Allocator: top.Child("neighbours")}
}

const neighbourly = 0xa7

func (n *neighbours) more(r *rand.Rand) {
	for range 4 {
		b := n.Allocate(64 << r.IntN(10))
		for i := range b {
			b[i] = neighbourly
		}
		n.list = append(n.list, b)
	}
}

// check fails if somebody has written to a neighbour, and frees them.
func (n *neighbours) check(t *testing.T) {
	t.Helper()
	for _, b := range n.list {
		if bytes.Count(b, []byte{neighbourly}) != len(b) {
			t.Fatalf("somebody has written to a neighbour of %d bytes", len(b))
		}
		n.Free(b)
	}
	n.Close()
}
