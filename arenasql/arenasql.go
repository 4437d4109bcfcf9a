package arenasql

import (
	"database/sql"
	"errors"
	"fmt"
	"reflect"

	"github.com/arena-go/arena"
)

// A Match says how the columns of a row become a T.
type Match uint8

const (
	// Auto is ByName for structs and Value for all other types. It is also Value for structs that
	// are one value: time.Time, and structs with a method Scan.
	Auto Match = iota
	// ByName has a field for each column, and a column for each field.
	ByName
	// ByNameLax has a field for each column.
	ByNameLax
	// ByPos has the first column in the first field, and as many columns as fields.
	ByPos
	// Value has one column, which is the T.
	Value
)

// ErrTooManyRows is the error of [Exactly] if there is more than one row.
var ErrTooManyRows = errors.New("arenasql: there is more than one row, where exactly one was asked for")

// Collect returns all rows as values of type T, in their order, and closes rows. At most one match
// may be given; the default is [Auto]. If there are no rows, the slice is empty, and not nil.
//
// The values and their errors are the results of rows.Scan for pointers to the fields. An error
// about columns that do not match occurs with the first row. With an error there is no slice.
//
// The slice, and the memory of the values, are in a, and become stale with a.Reset; the package
// comment lists the exceptions. If a is nil, everything is on the heap. Collect panics if a was
// freed, and with an [*arena.LimitError] if a may not grow any further. It closes rows first.
func Collect[T any](a *arena.Arena, rows *sql.Rows, match ...Match) ([]T, error) {
	list := []T{}
	var zero T
	err := each(a, rows, match, true, func() *T {
		list = arena.Push(a, list, zero)
		return &list[len(list)-1]
	}, nil)
	if err != nil {
		return nil, err
	}
	return list, nil
}

// CollectPointers is [Collect] for pointers to values, which are in a one by one.
func CollectPointers[T any](a *arena.Arena, rows *sql.Rows, match ...Match) ([]*T, error) {
	list := []*T{}
	err := each(a, rows, match, true, func() *T {
		v := arena.New[T](a)
		list = arena.Push(a, list, v)
		return v
	}, nil)
	if err != nil {
		return nil, err
	}
	return list, nil
}

// ForEach calls f with each row, as a new T in a, and closes rows. If f returns an error, ForEach
// returns it, and reads no further. For results that are too large for memory, f may call a.Reset
// when it needs none of the earlier values. The rest is as with [Collect].
func ForEach[T any](a *arena.Arena, rows *sql.Rows, f func(*T) error, match ...Match) error {
	return each(a, rows, match, false, func() *T { return arena.New[T](a) }, f)
}

// One returns the first row as a T, and closes rows. Without rows the error is sql.ErrNoRows. With
// an error the T is zero. The memory of the value is in a, as with [Collect].
func One[T any](a *arena.Arena, rows *sql.Rows, match ...Match) (T, error) {
	return one[T](a, rows, match, func(*T) error { return errEnough })
}

// Exactly is [One] where more than one row is an error, [ErrTooManyRows].
func Exactly[T any](a *arena.Arena, rows *sql.Rows, match ...Match) (T, error) {
	return one[T](a, rows, match, nil)
}

// errNilRows is what a nil *sql.Rows panics with.
const errNilRows = "arenasql: the rows are nil; look at the error of the query first"

// errEnough ends the reading of rows, unless there is an error when they are closed.
var errEnough = errors.New("enough")

// one returns the first row. A second one is an error, whatever is in it, unless f ends the
// reading.
func one[T any](a *arena.Arena, rows *sql.Rows, match []Match, f func(*T) error) (T, error) {
	var v *T
	var zero T
	err := each(a, rows, match, true, func() *T {
		if v != nil {
			return nil
		}
		v = arena.New[T](a)
		return v
	}, f)
	switch {
	case err != nil && err != errEnough:
		return zero, err
	case v == nil:
		return zero, sql.ErrNoRows
	}
	return *v, nil
}

// each decodes each row into what next returns, which is zero, or nil if there are too many rows.
// It calls f with it unless f is nil. keep tells that values are used when their row is over.
func each[T any](a *arena.Arena, rows *sql.Rows, match []Match, keep bool, next func() *T, f func(*T) error) error {
	if rows == nil {
		panic(errNilRows)
	}
	defer rows.Close()
	var d *decoder
	var p *plan
	for rows.Next() {
		if d == nil {
			columns, err := rows.Columns()
			if err != nil {
				return err
			}
			p, err = planFor(reflect.TypeFor[T](), matchOf(reflect.TypeFor[T](), match), columns)
			if err != nil {
				return err
			}
			if p.raw > 0 && keep {
				return fmt.Errorf("arenasql: column %q becomes an sql.RawBytes, whose bytes are gone with the next row; use []byte, or ForEach", columns[p.raw-1])
			}
			d = decoderFor(a, len(columns))
			defer d.release()
			if p.raw == 0 {
				d.wire(rows, len(columns))
			}
		}
		v := next()
		if v == nil {
			return ErrTooManyRows
		}
		if err := d.row(reflect.ValueOf(v).Elem(), p, rows); err != nil {
			return err
		}
		if f != nil {
			switch err := f(v); {
			case err == errEnough:
				if err := rows.Close(); err != nil {
					return err
				}
				return errEnough
			case err != nil:
				return err
			}
		}
	}
	return rows.Err()
}
