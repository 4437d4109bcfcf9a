package arenasql

import (
	"database/sql"
	"errors"
	"reflect"
	"sync"
	"time"

	"github.com/arena-go/arena"
)

// A cell takes what the driver has for a column, while database/sql scans the row: not later,
// because the driver's bytes may be overwritten as soon as that is over, by a context that ends and
// closes the rows.
type cell struct {
	d    *decoder
	dest any    // a pointer to where the value goes
	f    *field // what is done with it; nil for what fieldOf says
}

// Scan implements sql.Scanner.
func (c *cell) Scan(x any) error {
	switch p := c.dest.(type) {
	case *string:
		switch x := x.(type) {
		case string:
			*p = x
			return nil
		case []byte:
			return c.text(p, x)
		}
	case *int64:
		if x, ok := x.(int64); ok {
			*p = x
			return nil
		}
	case *int:
		if x, ok := x.(int64); ok && int64(int(x)) == x {
			*p = int(x)
			return nil
		}
	case *int32:
		if x, ok := x.(int64); ok && int64(int32(x)) == x {
			*p = int32(x)
			return nil
		}
	case *bool:
		if x, ok := x.(bool); ok {
			*p = x
			return nil
		}
	case *float64:
		if x, ok := x.(float64); ok {
			*p = x
			return nil
		}
	case *time.Time:
		if x, ok := x.(time.Time); ok {
			*p = x
			return nil
		}
	}
	return c.set(x)
}

// text sets p to a copy of b in the arena.
func (c *cell) text(p *string, b []byte) (err error) {
	defer c.recover(&err)
	*p = arena.String(c.d.a, b)
	return nil
}

// set sets a value of any type.
func (c *cell) set(x any) (err error) {
	defer c.recover(&err)
	f := c.field()
	v := reflect.ValueOf(c.dest).Elem()
	switch f.form {
	case formScanner:
		return c.dest.(sql.Scanner).Scan(x)
	case formPointerToScanner:
		if x == nil {
			v.SetZero()
			return nil
		}
		v.Set(arena.NewValue(c.d.a, f.typ.Elem()))
		return v.Interface().(sql.Scanner).Scan(x)
	}
	return set(c.d.a, v, f, x)
}

func (c *cell) field() *field {
	if c.f == nil {
		return fieldOf(c.dest)
	}
	return c.f
}

func (c *cell) recover(err *error) {
	if p := recover(); p != nil {
		c.d.panic, *err = p, errPanic
	}
}

// errPanic ends Rows.Scan, where a cell has a panic.
var errPanic = errors.New("arenasql: a panic")

// A decoder decodes the rows of one result.
type decoder struct {
	a       *arena.Arena
	cells   []cell
	targets []any // of Rows.Scan, by column: pointers to the cells, or others
	others  bool  // some of them are others: wires, or where the value itself goes
	panic   any   // of a cell, which must not leave Rows.Scan: that would keep its lock
	wires
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// decoderFor returns a decoder for rows with this number of columns.
func decoderFor(a *arena.Arena, columns int) *decoder {
	d := decoders.Get().(*decoder)
	d.a = a
	if cap(d.cells) < columns {
		d.cells, d.targets = make([]cell, columns), make([]any, columns)
		for i := range d.cells {
			d.cells[i].d = d
			d.targets[i] = &d.cells[i]
		}
	}
	d.cells, d.targets = d.cells[:columns], d.targets[:columns]
	return d
}

// release gives d back. It keeps nothing of the arena or of the rows.
func (d *decoder) release() {
	for i := range d.cells {
		c := &d.cells[i]
		c.dest, c.f = nil, nil
		if d.others {
			d.targets[i] = c
		}
	}
	d.a, d.others, d.wired, d.panic = nil, false, false, nil
	decoders.Put(d)
}

// aim has column i go to dest, by way of a cell.
func (d *decoder) aim(i int, dest any, f *field, text bool) {
	c := &d.cells[i]
	c.dest, c.f = dest, f
	if text && d.wired && !d.list[i].off {
		d.list[i] = wire{c: c}
		d.targets[i], d.others = &d.list[i], true
	}
}

// row decodes the current row into v, which is zero.
func (d *decoder) row(v reflect.Value, p *plan, rows *sql.Rows) error {
	for i := range p.fields {
		f := &p.fields[i]
		dest := d.at(v, f.path).Addr().Interface()
		if f.form == formScan {
			d.targets[i], d.others = dest, true
			continue
		}
		d.aim(i, dest, f, f.text)
	}
	return d.scan(rows)
}

// scan scans a row, and panics if a cell has.
func (d *decoder) scan(row scanner) error {
	for try := 0; ; try++ {
		err := row.Scan(d.targets...)
		if err == nil {
			return nil
		}
		if d.panic != nil {
			panic(d.panic)
		}
		if !d.unwire(try) {
			return err
		}
	}
}

// at returns the field of v at a path. Pointers on the way to embedded structs are set if they are
// nil.
func (d *decoder) at(v reflect.Value, path []int) reflect.Value {
	for n, i := range path {
		if n > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(arena.NewValue(d.a, v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}
