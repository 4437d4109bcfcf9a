package arenasql

import (
	"database/sql"
	"reflect"
	"slices"
	"weak"

	"github.com/arena-go/arena"
)

// A wire is a cell for drivers that scan into destinations themselves. Some, as pgx, give bytes as
// they are on the wire to destinations that have this method and no method Scan.
type wire struct {
	c     *cell
	given bool // in this row
	off   bool // the driver has another way for this column
}

// ScanBytes sets the value to bytes of the driver, which are nil for NULL.
func (w *wire) ScanBytes(b []byte) (err error) {
	defer w.c.recover(&err)
	w.given = true
	if p, ok := w.c.dest.(*string); ok && b != nil {
		*p = arena.String(w.c.d.a, b)
		return nil
	}
	return setBytes(w.c.d.a, reflect.ValueOf(w.c.dest).Elem(), w.c.field(), b)
}

// A wires is the wires of one result.
type wires struct {
	rows  weak.Pointer[sql.Rows] // whose columns the list is about
	list  []wire                 // by column
	wired bool                   // the driver scans into destinations itself
}

// wire finds out whether columns of rows may be given as they are on the wire.
func (w *wires) wire(rows *sql.Rows, columns int) {
	if w.wired = scansItself(rows); !w.wired {
		return
	}
	if of := weak.Make(rows); w.rows != of || len(w.list) != columns {
		w.rows, w.list = of, slices.Grow(w.list[:0], columns)[:columns]
		clear(w.list)
	}
}

// attempts is how often a row is scanned to find the columns that have no wire, one by one. After
// that, the columns behind are taken to have none.
const attempts = 8

// unwire turns off the first wire that was given nothing, before a row is scanned once more. It
// reports whether there is one.
func (d *decoder) unwire(try int) (found bool) {
	if !d.wired {
		return false
	}
	for i := range d.targets {
		w, ok := d.targets[i].(*wire)
		if !ok {
			continue
		}
		if !w.given && (!found || try >= attempts) {
			found, w.off = true, true
			d.targets[i] = w.c
		}
		w.given = false
	}
	return found
}
