package build

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/arena-go/arena"
)

// Rows makes one record batch after the other from structs. It is on the heap, and may be reused
// after its arena was Reset.
//
// The columns are the exported fields of T, with the names and types that their tags say. The tags
// are the tags of package arreflect of arrow-go:
//
//	Name  string          `arrow:"name"`
//	Shop  string          `arrow:"shop,dict"`          // a dictionary with indices of 32 bits
//	Day   time.Time       `arrow:"day,date32"`         // or date64, time32, time64; without any, a timestamp in nanoseconds, UTC
//	Price decimal128.Num  `arrow:",decimal(18,2)"`     // with the name of the field
//	Text  string          `arrow:"text,view"`          // or large; both also for lists
//	Skip  chan int        `arrow:"-"`
//
// Numbers, bools, strings and []byte become the types of Arrow that have these names; int and uint
// have 64 bits. A struct becomes a struct, and an embedded one without a tag the columns of its
// fields. A slice becomes a list, an array a list of fixed size, a map a map with its entries in no
// order. time.Duration becomes a duration in nanoseconds. A nil pointer, slice or map is a null.
//
// Rows differs from arreflect: named types become the types of their kinds, slices and maps become
// nullable columns, and a field of type arrow.Date32, arrow.Date64, float16.Num or of an interval
// keeps that type. Times and decimals without an option in the tag get the types that arreflect
// documents, instead of the empty structs that its version 18.8 makes. A tag with ree is an error
// in both.
type Rows[T any] struct {
	builder *RecordBuilder
	columns []column
	problem problem
	row     []T
	length  int
	gate
}

// A column is a field of rows.
type column struct {
	offset uintptr
	append appender
}

// An appender appends n values to a builder: the first is at p, and each further value stride bytes
// after the previous one.
type appender func(p pointer, stride uintptr, n int)

// NewRows returns an empty Rows, whose batches will be in the arena. It returns an error if T is no
// struct, or if a field has no type in Arrow or a wrong tag. The error names the field.
func NewRows[T any](a *arena.Arena) (*Rows[T], error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct || scalarOf(t, tag{}) != nil {
		return nil, fmt.Errorf("build: %v is no struct with columns", t)
	}
	fields, members, err := structOf(t, tag{}, nil)
	if err != nil {
		return nil, fmt.Errorf("build: %v%w", t, err)
	}
	r := &Rows[T]{builder: NewRecordBuilder(a, arrow.NewSchema(fields, nil)), row: make([]T, 1), gate: gate{life: lasting}}
	for i, m := range members {
		r.columns = append(r.columns, column{m.path[0].offset, r.problem.through(m.path, r.builder.Field(i), fields[i].Name)})
	}
	return r, nil
}

// Schema returns the schema of the batches.
func (r *Rows[T]) Schema() *arrow.Schema { return r.builder.Schema() }

// Len returns the number of appended rows.
func (r *Rows[T]) Len() int { return r.length }

// Append adds a row, with copies of everything that it refers to.
func (r *Rows[T]) Append(row T) {
	r.row[0] = row
	r.AppendSlice(r.row)
}

// AppendSlice adds rows, with copies of everything that they refer to. It is faster than Append.
func (r *Rows[T]) AppendSlice(rows []T) {
	if len(rows) == 0 {
		return
	}
	r.builder.checkLost()
	r.enter()
	first, size := firstOf(rows), reflect.TypeFor[T]().Size()
	for _, c := range r.columns {
		c.append(at(first, c.offset), size, len(rows))
	}
	r.length += len(rows)
	r.leave()
}

// Reserve makes room for n more rows.
func (r *Rows[T]) Reserve(n int) { r.builder.Reserve(n) }

// NewRecordBatch returns the appended rows, and empties the Rows. Release of the batch is allowed,
// and not needed. The batch is valid until the arena is Reset. The error names the first value that
// its column cannot hold, such as a time beyond the year 2262 in nanoseconds. Then there is no
// batch, and the rows are discarded as well. The same applies to rows whose append has ended with a
// panic, for instance at a limit of the arena. NewRecordBatch panics if the arena was Reset while
// there were rows.
func (r *Rows[T]) NewRecordBatch() (arrow.RecordBatch, error) {
	r.builder.checkLost()
	err := r.problem.error
	if r.shut {
		err = errors.New(cut)
	}
	if err != nil {
		r.Release()
		return nil, err
	}
	r.enter()
	b := r.builder.NewRecordBatch()
	r.empty()
	r.length = 0
	clear(r.row)
	return b, nil
}

// Release discards the rows that are in no batch. The Rows is then empty, and may be used.
func (r *Rows[T]) Release() {
	r.builder.Release()
	r.problem.error, r.length = nil, 0
	r.empty()
	clear(r.row)
}

// A problem is the first value that could not be held.
type problem struct{ error }

func (e *problem) is(name string, err error) {
	if e.error == nil {
		e.error = fmt.Errorf("build: the column %s: %w", name, err)
	}
}
