package build

import (
	"cmp"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/arena-go/arena"
)

// A Union builds an array of a dense or sparse union. After Append of a code, append a value to the
// child with this code. NewBuilder returns a Union.
type Union struct {
	arena    *arena.Arena
	dtype    arrow.DataType
	of       arrow.UnionType
	children []Builder
	ids      []int // The children by their codes.
	codes    []int8
	offsets  []int32 // Where the values of a dense union are.
	least    int     // There is room for this number of values.
	gate
}

func newUnion(p place, dtype arrow.DataType) *Union {
	u := arena.New[Union](p.home)
	of := storage(dtype).(arrow.UnionType)
	*u = Union{arena: p.arena, dtype: dtype, of: of, gate: p.gate(), children: arena.MakeSlice[Builder](p.home, of.NumFields(), of.NumFields()), ids: of.ChildIDs()}
	for i, f := range of.Fields() {
		u.children[i] = p.builder(f.Type)
	}
	return u
}

// NumChildren returns the number of children.
func (u *Union) NumChildren() int { return len(u.children) }

// Child returns the builder of child i, for the field i of the type, whatever its code.
func (u *Union) Child(i int) Builder { return u.children[i] }

// Append adds a value of the child with this code; append the value itself to that child. The other
// children of a sparse union get empty values automatically, but may also be appended to. Append
// panics if the type has no such code, or if the previous value was not appended to its child.
func (u *Union) Append(code arrow.UnionTypeCode) {
	c := u.child(code)
	u.check()
	u.enter()
	u.reserve(1)
	if u.of.Mode() == arrow.DenseMode {
		n := c.Len()
		if n > math.MaxInt32 {
			panic("build: more than 2^31 values in one child of a union; make a batch of fewer rows")
		}
		u.offsets = append(u.offsets, int32(n))
	} else {
		pad(c, len(u.codes))
	}
	u.codes = append(u.codes, code)
	u.leave()
}

// child returns the child with a code.
func (u *Union) child(code arrow.UnionTypeCode) Builder {
	if code < 0 || int(code) >= len(u.ids) || u.ids[code] < 0 {
		u.refuse(fmt.Sprintf("build: the type %v has no code %d", u.dtype, code))
	}
	return u.children[u.ids[code]]
}

// check panics unless the last value was appended to its child.
func (u *Union) check() {
	last := len(u.codes) - 1
	if last < 0 {
		return
	}
	want := last + 1
	if u.of.Mode() == arrow.DenseMode {
		want = int(u.offsets[last]) + 1
	}
	if c := u.child(u.codes[last]); c.Len() != want {
		checkOpen(u)
		panic(fmt.Sprintf("build: the child with code %d of a union has %d values; append one after Append(%d), and no more", u.codes[last], c.Len(), u.codes[last]))
	}
}

// pad appends empty values until there are n.
func pad(b Builder, n int) {
	for b.Len() < n {
		b.AppendEmptyValue()
	}
}

// AppendNull adds a null of the first child: a union itself has no nulls.
func (u *Union) AppendNull() {
	u.Append(u.of.TypeCodes()[0])
	u.children[0].AppendNull()
}

// AppendEmptyValue adds an empty value of the first child.
func (u *Union) AppendEmptyValue() {
	u.Append(u.of.TypeCodes()[0])
	u.children[0].AppendEmptyValue()
}

func (u *Union) Reserve(n int) {
	u.enter()
	u.reserve(n)
	u.leave()
}

func (u *Union) reserve(n int) {
	u.use()
	u.codes = grown(u.arena, u.codes, n, u.least)
	if u.of.Mode() == arrow.DenseMode {
		u.offsets = grown(u.arena, u.offsets, n, u.least)
	}
}

func (u *Union) DataType() arrow.DataType { return u.dtype }

func (u *Union) Len() int { return len(u.codes) }

// NullN returns 0: only the children have nulls.
func (u *Union) NullN() int { return 0 }

func (u *Union) NewArray() arrow.Array { return newArray(u) }

func (u *Union) newData(all []part) (d *array.Data) {
	u.check()
	u.enter()
	n := len(u.codes)
	if u.of.Mode() == arrow.DenseMode {
		d = newData(all, u.arena, u.dtype, n, &validity{}, newChildren(all, u.children...), arrow.GetBytes(u.codes), arrow.GetBytes(u.offsets))
	} else {
		for i, c := range u.children {
			if pad(c, n); c.Len() != n {
				panic(fmt.Sprintf("build: %d values of a sparse union have %d values of the child %s", n, c.Len(), u.of.Fields()[i].Name))
			}
		}
		d = newData(all, u.arena, u.dtype, n, &validity{}, newChildren(all, u.children...), arrow.GetBytes(u.codes))
	}
	u.least = again(n)
	u.codes, u.offsets = nil, nil
	u.empty()
	return d
}

func (u *Union) broken() string { return cmp.Or(u.gate.broken(), anyBroken(u.children)) }

func (u *Union) Release() {
	for _, c := range u.children {
		c.Release()
	}
	u.codes, u.offsets = nil, nil
	u.empty()
}
