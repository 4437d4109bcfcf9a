package arenasql

import (
	"database/sql"
	"errors"
	"reflect"
	"sync"
	"time"

	"github.com/arena-go/arena"
)

// A cell takes what the driver has for a column, while database/sql scans the row: not later, because the driver's bytes may be overwritten as soon as
// that is over, by a context that ends and closes the rows.
type cell struct {
	d     *decoder
	f     *field
	v     reflect.Value // where the value goes; the zero Value leaves it out
	left  bool          // the value is left to database/sql
	panic any           // which must not leave Rows.Scan: that would keep its lock
}

// Scan implements sql.Scanner.
func (c *cell) Scan(x any) (err error) {
	if !c.v.IsValid() {
		return nil
	}
	defer c.recover(&err)
	if c.left {
		return c.call(x)
	}
	c.left = true // in case of a panic
	c.left = !c.d.set(c.v, c.f, x)
	return nil
}

// call calls the method Scan of the value.
func (c *cell) call(x any) error {
	if c.f.form == formScanner {
		return c.v.Addr().Interface().(sql.Scanner).Scan(x)
	}
	if x == nil {
		c.v.SetZero()
		return nil
	}
	c.v.Set(arena.NewValue(c.d.a, c.f.typ.Elem()))
	return c.v.Interface().(sql.Scanner).Scan(x)
}

func (c *cell) recover(err *error) {
	if c.panic = recover(); c.panic != nil {
		*err = errPanic
	}
}

// errPanic ends Rows.Scan, where a cell has a panic.
var errPanic = errors.New("arenasql: a panic")

// A decoder decodes the rows of one result.
type decoder struct {
	a       *arena.Arena
	plan    *plan
	cells   []cell
	targets []any // pointers to the cells
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

func decoderFor(a *arena.Arena, p *plan) *decoder {
	d := decoders.Get().(*decoder)
	d.a, d.plan = a, p
	n := len(p.fields)
	if cap(d.cells) < n {
		d.cells, d.targets = make([]cell, n), make([]any, n)
	}
	d.cells, d.targets = d.cells[:n], d.targets[:n]
	for i := range d.cells {
		d.cells[i] = cell{d: d, f: &p.fields[i]}
		d.targets[i] = &d.cells[i]
	}
	return d
}

// release gives d back. It keeps nothing of the arena or of the rows.
func (d *decoder) release() {
	clear(d.cells)
	clear(d.targets)
	d.a, d.plan = nil, nil
	decoders.Put(d)
}

// row decodes the current row into v, which is zero.
func (d *decoder) row(v reflect.Value, rows *sql.Rows) error {
	for i := range d.cells {
		c := &d.cells[i]
		c.v, c.left = at(v, c.f.path), false
	}
	err := d.scan(rows)
	if err != nil {
		return err
	}
	left := false
	for i := range d.cells {
		left = left || d.cells[i].left
	}
	if !left {
		return nil
	}
	// Once more, with database/sql for what is left. It converts it, or says why it cannot, or has the cell call a method.
	for i := range d.cells {
		switch c := &d.cells[i]; {
		case !c.left:
			c.v = reflect.Value{}
		case c.f.form < formScanner:
			d.targets[i] = c.v.Addr().Interface()
		}
	}
	err = d.scan(rows)
	for i := range d.cells {
		d.targets[i] = &d.cells[i]
	}
	return err
}

// scan scans the row, and panics if a cell has.
func (d *decoder) scan(rows *sql.Rows) error {
	err := rows.Scan(d.targets...)
	if err != nil {
		for i := range d.cells {
			if p := d.cells[i].panic; p != nil {
				panic(p)
			}
		}
	}
	return err
}

// at returns the field of v at a path, which goes through no pointers.
func at(v reflect.Value, path []int) reflect.Value {
	for _, i := range path {
		v = v.Field(i)
	}
	return v
}

// set sets v to what the driver has. It reports false, and leaves v as it was, where that takes a conversion or is an error.
func (d *decoder) set(v reflect.Value, f *field, x any) bool {
	switch f.form {
	case formValue:
		return d.assign(v, f.kind, x)
	case formPointer:
		if x == nil {
			v.SetZero()
			return true
		}
		p := arena.NewValue(d.a, f.typ.Elem())
		if !d.assign(p.Elem(), f.kind, x) {
			return false
		}
		v.Set(p)
		return true
	case formNull:
		if x == nil {
			v.SetZero()
			return true
		}
		if !d.assign(v.Field(0), f.kind, x) {
			return false
		}
		v.Field(1).SetBool(true)
		return true
	}
	return false
}

// assign sets v, of a kind, to x.
func (d *decoder) assign(v reflect.Value, k reflect.Kind, x any) bool {
	switch x := x.(type) {
	case int64:
		switch k {
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			if v.OverflowInt(x) {
				return false
			}
			v.SetInt(x)
			return true
		case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			if x < 0 || v.OverflowUint(uint64(x)) {
				return false
			}
			v.SetUint(uint64(x))
			return true
		}
	case float64:
		if k == reflect.Float64 {
			v.SetFloat(x)
			return true
		}
	case float32:
		if k == reflect.Float32 {
			v.SetFloat(float64(x))
			return true
		}
	case bool:
		if k == reflect.Bool {
			v.SetBool(x)
			return true
		}
	case string:
		switch k {
		case reflect.String:
			v.SetString(x)
			return true
		case reflect.Slice:
			v.SetBytes(bytesOf(d.a, x))
			return true
		}
	case []byte:
		switch k {
		case reflect.String:
			v.SetString(arena.String(d.a, x))
			return true
		case reflect.Slice:
			if x == nil {
				return false
			}
			v.SetBytes(bytesOf(d.a, x))
			return true
		}
	case time.Time:
		if k == reflect.Struct {
			// Through the pointer, because reflect would make an object of x.
			*v.Addr().Interface().(*time.Time) = x
			return true
		}
	case nil:
		if k == reflect.Slice {
			v.SetZero()
			return true
		}
	}
	return false
}

// bytesOf returns a copy of x in a, which is not nil.
func bytesOf[S ~string | ~[]byte](a *arena.Arena, x S) []byte {
	if len(x) == 0 {
		return []byte{}
	}
	return arena.Bytes(a, x)
}
