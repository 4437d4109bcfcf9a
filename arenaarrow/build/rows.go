package build

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/arena-go/arena"
)

// Rows makes one record batch after the other of structs. It is on the heap, and may be used again after its arena was Reset.
//
// The columns are the exported fields of T, with the names and types that their tags say. The tags are those of the package arreflect of arrow-go:
//
//	Name  string          `arrow:"name"`
//	Shop  string          `arrow:"shop,dict"`          // a dictionary with indices of 32 bits
//	Day   time.Time       `arrow:"day,date32"`         // or date64, time32, time64; without any, a timestamp in nanoseconds, UTC
//	Price decimal128.Num  `arrow:",decimal(18,2)"`     // with the name of the field
//	Text  string          `arrow:"text,view"`          // or large; both also for lists
//	Skip  chan int        `arrow:"-"`
//
// Numbers, bools, strings and []byte become the types of Arrow that have these names; int and uint have 64 bits. A struct becomes a struct, and an embedded
// one without a tag the columns of its fields. A slice becomes a list, an array a list of fixed size, a map a map with its
// entries in no order. time.Duration becomes a duration in nanoseconds. A nil pointer, slice or map is a null.
//
// What differs from arreflect is that types with names of their own are those of their kind, that slices and maps are nullable columns, and that a
// field of type arrow.Date32, arrow.Date64, float16.Num or of an interval is of that type. Times and decimals without an option in the tag are
// what arreflect says, and not empty structs, which version 18.8 of it makes of them. A tag with ree is an error in both.
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

// An appender appends n values to a builder: the first one is at p, and each other one stride bytes behind the one before.
type appender func(p pointer, stride uintptr, n int)

// NewRows returns an empty one, whose batches will be in the arena. It returns an error that names the field if T is no struct, or has a field
// that has no type in Arrow, or a tag that is wrong.
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

// Schema returns that of the batches.
func (r *Rows[T]) Schema() *arrow.Schema { return r.builder.Schema() }

// Len returns how many rows were appended.
func (r *Rows[T]) Len() int { return r.length }

// Append adds a row, with copies of all that it leads to.
func (r *Rows[T]) Append(row T) {
	r.row[0] = row
	r.AppendSlice(r.row)
}

// AppendSlice adds rows, with copies of all that they lead to. It is faster than Append.
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

// NewRecordBatch returns what was appended, and makes the Rows empty. Release of the batch is allowed, and not needed. It is valid until the arena is
// Reset. The error is that of the first value that its column cannot hold, such as a time beyond the year 2262 in nanoseconds. Then there is no batch, and
// the rows are gone, too. The same goes for rows of which a panic, such as that of a limit of the arena, has ended the append. NewRecordBatch panics if
// the arena was Reset while there were rows.
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

// Release gives up the rows that are in no batch. The Rows is empty then, and may be used.
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
