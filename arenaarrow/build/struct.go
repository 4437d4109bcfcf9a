package build

import (
	"cmp"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/arena-go/arena"
)

// A Struct builds an array of structs. After Append of a struct, append a value to each of its
// fields. NewBuilder returns a Struct.
type Struct struct {
	arena   *arena.Arena
	dtype   arrow.DataType
	of      *arrow.StructType
	fields  []Builder
	length  int
	implied bool // There are as many as the first field has values: these are the entries of maps.
	gate
	validity
}

func newStruct(p place, dtype arrow.DataType, of *arrow.StructType) *Struct {
	s := arena.New[Struct](p.home)
	*s = Struct{arena: p.arena, dtype: dtype, of: of, gate: p.gate(), fields: arena.MakeSlice[Builder](p.home, of.NumFields(), of.NumFields())}
	for i := range s.fields {
		s.fields[i] = p.builder(of.Field(i).Type)
	}
	return s
}

// NumField returns the number of fields.
func (s *Struct) NumField() int { return len(s.fields) }

// FieldBuilder returns the builder of field i.
func (s *Struct) FieldBuilder(i int) Builder { return s.fields[i] }

// Append adds a struct, whose values are appended to the fields. If valid is false it is a null,
// which still needs values: AppendNull appends them.
func (s *Struct) Append(valid bool) {
	if !valid {
		s.enter()
		s.null(s.arena, s.length)
		s.leave()
	}
	s.length++
}

// AppendNull adds a null, and a null to each field.
func (s *Struct) AppendNull() {
	s.Append(false)
	for _, f := range s.fields {
		f.AppendNull()
	}
}

// AppendEmptyValue adds a struct of empty values.
func (s *Struct) AppendEmptyValue() {
	s.Append(true)
	for _, f := range s.fields {
		f.AppendEmptyValue()
	}
}

func (s *Struct) Reserve(n int) {
	s.enter()
	s.reserve(n)
	s.leave()
}

func (s *Struct) reserve(n int) {
	for _, f := range s.fields {
		f.reserve(n)
	}
}

func (s *Struct) DataType() arrow.DataType { return s.dtype }

func (s *Struct) Len() int {
	if s.implied {
		return s.fields[0].Len()
	}
	return s.length
}

func (s *Struct) NewArray() arrow.Array { return newArray(s) }

func (s *Struct) newData(all []part) *array.Data {
	n := s.Len()
	for i, f := range s.fields {
		if f.Len() != n {
			panic(fmt.Sprintf("build: %d structs have %d values of the field %s; append one for each of them", n, f.Len(), s.of.Field(i).Name))
		}
	}
	s.enter()
	d := newData(all, s.arena, s.dtype, n, &s.validity, newChildren(all, s.fields...))
	s.length, s.validity = 0, validity{}
	s.empty()
	return d
}

func (s *Struct) broken() string { return cmp.Or(s.gate.broken(), anyBroken(s.fields)) }

func (s *Struct) Release() {
	for _, f := range s.fields {
		f.Release()
	}
	s.length, s.validity = 0, validity{}
	s.empty()
}
