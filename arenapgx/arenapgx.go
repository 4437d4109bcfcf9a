package arenapgx

import (
	"reflect"
	"sync"
	"time"

	"github.com/arena-go/arena"
	"github.com/jackc/pgx/v5"
)

// A Match says how the columns of a row become a T.
type Match uint8

const (
	// Auto is ByName for structs and Value for all other types. It is also Value for structs that
	// are one value: time.Time, and structs with a method whose name begins with Scan, or without
	// exported fields. A []any contains all columns, as rows.Values returns them.
	Auto Match = iota
	// ByName is pgx.RowToStructByName: each column has a field, and each field a column.
	ByName
	// ByNameLax is pgx.RowToStructByNameLax: a field may have no column.
	ByNameLax
	// ByPos is pgx.RowToStructByPos: the first column is the first field.
	ByPos
	// Value is pgx.RowTo: a row has one column, or T has a method ScanRow.
	Value

	values  // for []any
	scanned // for Scan
)

// Collect returns all rows as values of type T, in their order, and closes rows. It is
// pgx.CollectRows with the function that match selects: the values and the errors are the same. At
// most one match may be given; the default is [Auto].
//
// The slice, and the memory of the values, are in a, and become stale with a.Reset. Nothing refers
// to buffers of pgx. If a is nil, everything is on the heap. Values that pgx scans instead of this
// package are also on the heap: see [Fallbacks].
//
// Collect panics if a was freed, and with an [*arena.LimitError] if a may not grow any further. It
// closes rows first.
func Collect[T any](a *arena.Arena, rows pgx.Rows, match ...Match) ([]T, error) {
	defer rows.Close()
	r := reader{d: decoderFor(a), rows: rows, match: matchOf[T](match)}
	defer r.d.release()
	r.d.together = true
	var zero T
	list := []T{}
	for rows.Next() {
		list = arena.Push(a, list, zero)
		if err := read(&r, &list[len(list)-1]); err != nil {
			return nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return list, nil
}

// CollectPointers is [Collect] for pointers to values, which are in a one by one: growing the slice
// copies no values, and a pointer stays valid after an append to the slice. It is pgx.CollectRows
// with a function such as pgx.RowToAddrOfStructByName.
func CollectPointers[T any](a *arena.Arena, rows pgx.Rows, match ...Match) ([]*T, error) {
	defer rows.Close()
	r := reader{d: decoderFor(a), rows: rows, match: matchOf[T](match)}
	defer r.d.release()
	r.d.together = true
	list := []*T{}
	for rows.Next() {
		v := arena.New[T](a)
		list = arena.Push(a, list, v)
		if err := read(&r, v); err != nil {
			return nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return list, nil
}

// ForEach calls f with each row, as a new T in a, and closes rows. If f returns an error, ForEach
// returns it, and reads no further.
//
// It is for results that are too large for memory: f may call a.Reset when it needs none of the
// earlier values, after each row or after each thousand rows. f may allocate in a. If it never
// calls Reset, all values stay valid, as they do with [CollectPointers].
//
// The rest is as with [Collect]. Values that f got before an error stay unchanged.
func ForEach[T any](a *arena.Arena, rows pgx.Rows, f func(*T) error, match ...Match) error {
	defer rows.Close()
	r := reader{d: decoderFor(a), rows: rows, match: matchOf[T](match)}
	defer r.d.release()
	for rows.Next() {
		v := arena.New[T](a)
		if err := read(&r, v); err != nil {
			return err
		}
		if err := f(v); err != nil {
			return err
		}
	}
	return rows.Err()
}

// One returns the first row as a T, and closes rows. It is pgx.CollectOneRow: if there are no rows,
// the error is pgx.ErrNoRows. With an error the T is zero. What the value needs is in a, as with
// [Collect].
func One[T any](a *arena.Arena, rows pgx.Rows, match ...Match) (T, error) {
	return one[T](a, rows, match, false)
}

// Exactly returns the only row as a T, and closes rows. It is pgx.CollectExactlyOneRow: if there
// are no rows, the error is pgx.ErrNoRows, and if there are more, pgx.ErrTooManyRows. With an error
// the T is zero. What the value needs is in a, as with [Collect].
func Exactly[T any](a *arena.Arena, rows pgx.Rows, match ...Match) (T, error) {
	return one[T](a, rows, match, true)
}

// one returns the first row. exactly is whether others are an error.
func one[T any](a *arena.Arena, rows pgx.Rows, match []Match, exactly bool) (T, error) {
	defer rows.Close()
	r := reader{d: decoderFor(a), rows: rows, match: matchOf[T](match)}
	defer r.d.release()
	r.d.together = true
	var zero T
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return zero, err
		}
		return zero, pgx.ErrNoRows
	}
	v := arena.New[T](a)
	if err := read(&r, v); err != nil {
		return zero, err
	}
	if exactly && rows.Next() {
		return zero, pgx.ErrTooManyRows
	}
	if !exactly {
		rows.Close() // before Err, which does not say before that whether there was an error behind the row
	}
	if err := rows.Err(); err != nil {
		return zero, err
	}
	return *v, nil
}

// A reader reads the rows of one result.
type reader struct {
	d     *decoder
	rows  pgx.Rows
	match Match
	ready bool // there is a plan, if there is to be one
}

// read decodes the row that r is at into v, which is zero.
func read[T any](r *reader, v *T) error {
	if !r.ready {
		if err := prepare[T](r); err != nil {
			return err
		}
	}
	if !r.d.plan.whole {
		return r.d.row(pointerTo(v), r.rows)
	}
	x, err := rowTo[T](r.rows, r.match)
	*v = x
	return err
}

// prepare finds the plan for r, or makes it. An error is one of pgx, about columns that do not
// match.
func prepare[T any](r *reader) error {
	r.ready = true
	if r.match == values || !isOwn(r.rows) {
		r.d.use(&plan{whole: true})
		return nil
	}
	m := r.rows.TypeMap()
	if m == nil {
		r.d.use(&plan{whole: true})
		return nil
	}
	fields := r.rows.FieldDescriptions()
	key := planKey{reflect.TypeFor[T](), r.match, hashOf(fields)}
	if p := find(key, fields, m); p != nil {
		r.d.use(p)
		return nil
	}
	var p *plan
	if _, ok := any((*T)(nil)).(pgx.RowScanner); ok && r.match == Value {
		p = newPlan(fields, m, nil, nil)
	} else {
		probe := probe{fields: fields}
		v, err := rowToAddrOf[T](&probe, r.match)
		if err != nil {
			return err
		}
		p = newPlan(fields, m, v, probe.targets)
	}
	keep(key, p)
	r.d.use(p)
	return nil
}

// matchOf returns the Match that the caller has asked for.
func matchOf[T any](match []Match) Match {
	if len(match) > 1 {
		panic("arenapgx: more than one Match was given: columns become fields in one way only")
	}
	m := Auto
	if len(match) == 1 {
		m = match[0]
	}
	if m > Value {
		panic("arenapgx: there is no such Match: use ByName, ByNameLax, ByPos or Value")
	}
	if m != Auto {
		return m
	}
	t := reflect.TypeFor[T]()
	if m, ok := autos.Load(t); ok {
		return m.(Match)
	}
	switch m = Value; {
	case t == reflect.TypeFor[[]any]():
		m = values
	case isRow(t):
		m = ByName
	}
	autos.Store(t, m)
	return m
}

// autos has what Auto is, by the reflect.Type of T.
var autos sync.Map

// isRow reports whether t is a struct whose fields are columns.
func isRow(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() {
		return false
	}
	if reflect.PointerTo(t).NumMethod() > 0 && hasScanMethod(t) {
		return false
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() || f.Anonymous {
			return true
		}
	}
	return false
}

// rowTo is pgx's own function.
func rowTo[T any](row pgx.CollectableRow, match Match) (T, error) {
	switch match {
	case ByName:
		return pgx.RowToStructByName[T](row)
	case ByNameLax:
		return pgx.RowToStructByNameLax[T](row)
	case ByPos:
		return pgx.RowToStructByPos[T](row)
	case values:
		v, err := row.Values()
		x, _ := any(v).(T)
		return x, err
	}
	return pgx.RowTo[T](row)
}

// rowToAddrOf is pgx's own function for a pointer.
func rowToAddrOf[T any](row pgx.CollectableRow, match Match) (*T, error) {
	switch match {
	case ByName:
		return pgx.RowToAddrOfStructByName[T](row)
	case ByNameLax:
		return pgx.RowToAddrOfStructByNameLax[T](row)
	case ByPos:
		return pgx.RowToAddrOfStructByPos[T](row)
	}
	return pgx.RowToAddrOf[T](row)
}
