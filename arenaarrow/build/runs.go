package build

import (
	"cmp"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/arena-go/arena"
)

// Runs builds a run-end encoded array. After Append of a run, append its value to the builder of
// the values. NewBuilder returns a Runs.
type Runs struct {
	arena  *arena.Arena
	dtype  arrow.DataType
	values Builder
	ends   ints
	length int
	gate
}

func newRuns(p place, dtype arrow.DataType) *Runs {
	r := arena.New[Runs](p.home)
	t := storage(dtype).(*arrow.RunEndEncodedType)
	*r = Runs{arena: p.arena, dtype: dtype, gate: p.gate(), values: p.builder(t.Encoded()), ends: newInts(p.arena, t.RunEnds())}
	return r
}

// ValueBuilder returns the builder of the values, with one value for each run.
func (r *Runs) ValueBuilder() Builder { return r.values }

// Append begins a run of n equal values, one of which is then appended to the builder of the
// values. It panics if n is not positive, or if the array becomes longer than its type allows.
func (r *Runs) Append(n int) {
	r.enter()
	r.add(n)
	r.ends.append(uint64(r.length))
	r.leave()
}

// ContinueRun makes the last run longer by n values. It panics if there is no run, and like Append.
func (r *Runs) ContinueRun(n int) {
	if r.length == 0 {
		r.refuse("build: ContinueRun without a run; begin one with Append")
	}
	r.enter()
	r.add(n)
	r.ends.set(uint64(r.length))
	r.leave()
}

func (r *Runs) add(n int) {
	if n <= 0 || uint64(n) > r.ends.most-uint64(r.length) {
		panic(fmt.Sprintf("build: a run of %d values in an array of %d, whose ends are %v", n, r.length, r.ends.dtype))
	}
	r.length += n
}

// AppendNull adds a run of one null.
func (r *Runs) AppendNull() {
	r.Append(1)
	r.values.AppendNull()
}

// AppendEmptyValue adds a run of one empty value.
func (r *Runs) AppendEmptyValue() {
	r.Append(1)
	r.values.AppendEmptyValue()
}

// Reserve makes room for n more runs.
func (r *Runs) Reserve(n int) {
	r.enter()
	r.reserve(n)
	r.leave()
}

func (r *Runs) reserve(n int) {
	r.use()
	r.ends.reserve(n)
	r.values.reserve(n)
}

func (r *Runs) DataType() arrow.DataType { return r.dtype }

// Len returns the length of all runs together.
func (r *Runs) Len() int { return r.length }

// NullN returns 0: only the values have nulls.
func (r *Runs) NullN() int { return 0 }

func (r *Runs) NewArray() arrow.Array { return newArray(r) }

func (r *Runs) newData(all []part) *array.Data {
	n := r.ends.len()
	if r.values.Len() != n {
		panic(fmt.Sprintf("build: %d runs have %d values; append one for each of them", n, r.values.Len()))
	}
	r.enter()
	ends := newData(all[1:], r.arena, r.ends.dtype, n, &validity{}, nil, r.ends.take())
	children := []arrow.ArrayData{ends, r.values.newData(all[2:])}
	d := newData(all, r.arena, r.dtype, r.length, &validity{}, children)
	r.length = 0
	r.empty()
	return d
}

func (r *Runs) broken() string { return cmp.Or(r.gate.broken(), r.values.broken()) }

func (r *Runs) Release() {
	r.values.Release()
	r.ends.bytes, r.length = nil, 0
	r.empty()
}
