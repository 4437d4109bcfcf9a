package arenasql

import (
	"database/sql"
	"reflect"
	"sync"
	"time"

	"github.com/arena-go/arena"
)

type scanner interface{ Scan(dest ...any) error }

// Scan is row.Scan with the memory of the values in a: row is the *sql.Rows or *sql.Row, or a type
// that embeds one, such as sqlx's. It accepts the same destinations, and returns the same values
// and errors.
//
//	for rows.Next() {
//		e := arena.New[Entry](a)
//		if err := arenasql.Scan(a, rows, &e.ID, &e.Title, &e.Author); err != nil {
//			return err
//		}
//	}
//
// Text and bytes are in a if the driver returns bytes, and so is the T of a **T. They become stale
// with a.Reset. With Go 1.27 the text of a driver that scans into destinations itself, such as
// github.com/jackc/pgx/v5/stdlib, is copied from the connection to the arena. Three kinds of
// destinations are left to row.Scan: an [sql.Scanner], an *any, and an *sql.RawBytes. Values that
// database/sql converts, such as a number to text, are on the heap. If a is nil, everything is on
// the heap.
//
// One goroutine at a time may use a, and row. Scan panics if a was freed, and with an
// [*arena.LimitError] if a may not grow any further. It does not close rows.
func Scan(a *arena.Arena, row interface{ Scan(dest ...any) error }, dest ...any) error {
	rows, ok := row.(*sql.Rows)
	if row == nil || ok && rows == nil {
		panic(errNilRows)
	}
	d := decoderFor(a, len(dest))
	defer d.release()
	if ok && !hasRaw(dest) {
		d.wire(rows, len(dest))
	}
	for i, p := range dest {
		switch p := p.(type) {
		case *string:
			if p != nil {
				d.aim(i, p, nil, true)
				continue
			}
		case *int64, *int, *int32, *bool, *float64, *time.Time:
			if !isNil(p) {
				d.aim(i, p, nil, false)
				continue
			}
		default:
			if f := fieldOf(p); f != nil {
				d.aim(i, p, f, f.text)
				continue
			}
		}
		d.targets[i], d.others = p, true // for database/sql, to scan or to say what is wrong with it
	}
	return d.scan(row)
}

// hasRaw reports whether there is a destination for memory of the driver, which allows one scan
// only.
func hasRaw(dest []any) bool {
	for _, p := range dest {
		if _, ok := p.(*sql.RawBytes); ok {
			return true
		}
	}
	return false
}

// fieldOf returns what is done with values for the destination p, or nil if it is left to
// database/sql.
func fieldOf(p any) *field {
	t := reflect.TypeOf(p)
	if t == nil || t.Kind() != reflect.Pointer || isNil(p) {
		return nil
	}
	f, ok := destinations.Load(t)
	if !ok {
		made := fieldFor(t.Elem(), nil)
		if made.form >= formScanner {
			made.form = formScan
		}
		f, _ = destinations.LoadOrStore(t, &made)
	}
	if f := f.(*field); f.form != formScan {
		return f
	}
	return nil
}

// isNil reports whether the pointer p is nil.
func isNil(p any) bool { return reflect.ValueOf(p).IsNil() }

var destinations sync.Map // of *field, by the type of the destination
