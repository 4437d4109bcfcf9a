package arenapgx_test

import (
	"bytes"
	"errors"
	"math"
	"math/big"
	"reflect"
	"time"

	"github.com/arena-go/arena/arenapgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// wireRows are rows without a server. Their bytes are in a buffer that is overwritten with each
// Next, like the buffer of a connection.
type wireRows struct {
	m      *pgtype.Map
	fields []pgconn.FieldDescription
	rows   [][][]byte
	err    error // behind the last row

	at     int
	values [][]byte
	buf    []byte
	failed error
	closed bool
}

var _ pgx.Rows = (*wireRows)(nil)

func (r *wireRows) Close() {
	r.closed = true
	for i := range r.buf {
		r.buf[i] = 0xdd
	}
	r.values = r.values[:0]
}

func (r *wireRows) Err() error {
	if r.failed == nil && r.closed {
		return r.err
	}
	return r.failed
}

func (r *wireRows) CommandTag() pgconn.CommandTag                { return pgconn.CommandTag{} }
func (r *wireRows) FieldDescriptions() []pgconn.FieldDescription { return r.fields }
func (r *wireRows) RawValues() [][]byte                          { return r.values }
func (r *wireRows) Conn() *pgx.Conn                              { return nil }
func (r *wireRows) TypeMap() *pgtype.Map                         { return r.m }

func (r *wireRows) Next() bool {
	if r.closed || r.at == len(r.rows) {
		r.Close()
		return false
	}
	for i := range r.buf {
		r.buf[i] = 0xdd
	}
	r.buf = append(r.buf[:0], 0) // so that nothing empty is nil
	for _, v := range r.rows[r.at] {
		r.buf = append(r.buf, v...)
	}
	rest := r.buf[1:]
	r.values = r.values[:0]
	for _, v := range r.rows[r.at] {
		n := len(v)
		if v == nil {
			r.values = append(r.values, nil)
			continue
		}
		r.values = append(r.values, rest[:n:n])
		rest = rest[n:]
	}
	r.at++
	return true
}

func (r *wireRows) Scan(targets ...any) error {
	var err error
	if s, ok := rowScanner(targets); ok {
		err = s.ScanRow(r)
	} else {
		err = pgx.ScanRow(r.m, r.fields, r.values, targets...)
	}
	if err != nil {
		r.failed = err
		r.Close()
	}
	return err
}

func rowScanner(targets []any) (pgx.RowScanner, bool) {
	if len(targets) != 1 {
		return nil, false
	}
	s, ok := targets[0].(pgx.RowScanner)
	return s, ok
}

func (r *wireRows) Values() ([]any, error) {
	if r.closed {
		return nil, errors.New("rows is closed")
	}
	list := make([]any, 0, len(r.fields))
	for i, f := range r.fields {
		b := r.values[i]
		t, ok := r.m.TypeForOID(f.DataTypeOID)
		switch {
		case b == nil:
			list = append(list, nil)
		case ok:
			v, err := t.Codec.DecodeValue(r.m, f.DataTypeOID, f.Format, b)
			if err != nil {
				r.failed = err
				r.Close()
				return nil, err
			}
			list = append(list, v)
		case f.Format == pgtype.TextFormatCode:
			list = append(list, string(b))
		default:
			list = append(list, bytes.Clone(b))
		}
	}
	return list, nil
}

// again returns the same rows from the start.
func (r *wireRows) again() *wireRows {
	return &wireRows{m: r.m, fields: r.fields, rows: r.rows, err: r.err}
}

// equal is reflect.DeepEqual, but NaN is NaN, zero is zero in each big.Int, and a time needs the
// name of its location only.
func equal(x, y reflect.Value) bool {
	if x.IsValid() != y.IsValid() || x.IsValid() && x.Type() != y.Type() {
		return false
	}
	if !x.IsValid() {
		return true
	}
	switch x.Type() {
	case reflect.TypeFor[*big.Int]():
		if x.IsNil() || y.IsNil() {
			return x.IsNil() == y.IsNil()
		}
		return x.Interface().(*big.Int).Cmp(y.Interface().(*big.Int)) == 0
	case reflect.TypeFor[time.Time]():
		t, u := x.Interface().(time.Time), y.Interface().(time.Time)
		return t.Equal(u) && t.Location().String() == u.Location().String() && t.String() == u.String()
	}
	switch x.Kind() {
	case reflect.Float32, reflect.Float64:
		return math.Float64bits(x.Float()) == math.Float64bits(y.Float()) || math.IsNaN(x.Float()) && math.IsNaN(y.Float())
	case reflect.Pointer, reflect.Interface:
		if x.IsNil() || y.IsNil() {
			return x.IsNil() == y.IsNil()
		}
		return equal(x.Elem(), y.Elem())
	case reflect.Slice:
		if x.IsNil() != y.IsNil() || x.Len() != y.Len() {
			return false
		}
		for i := range x.Len() {
			if !equal(x.Index(i), y.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range x.NumField() {
			if x.Type().Field(i).IsExported() && !equal(x.Field(i), y.Field(i)) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(x.Interface(), y.Interface())
}

// sameError reports whether both errors are nil, or say the same.
func sameError(x, y error) bool {
	if x == nil || y == nil {
		return x == y
	}
	return x.Error() == y.Error()
}

// nothing has a field that no column has.
type nothing struct{ Nothing int }

// valuesOf is what []any is.
func valuesOf(row pgx.CollectableRow) ([]any, error) { return row.Values() }

func init() { arenapgx.Own(&wireRows{}) }
