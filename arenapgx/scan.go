package arenapgx

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"time"

	"github.com/arena-go/arena"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// Scan reads the current row of rows into the variables that targets point at. It is rows.Scan,
// with the same values and errors, but the memory of the values is in a, and becomes stale with
// a.Reset. A nil target is skipped.
//
// Scan calls rows.Scan if a is nil, if no target needs memory, and for rows that are not pgx's own.
// It keeps its plan from row to row: scan the rows of one result in one loop, into variables of the
// same types. If Scan needs memory it panics like [Collect], and does not close rows.
func Scan(a *arena.Arena, rows pgx.Rows, targets ...any) error {
	if a == nil || needNothing(targets) || !isOwn(rows) {
		return rows.Scan(targets...)
	}
	values := rows.RawValues()
	if len(values) != len(targets) {
		return rows.Scan(targets...)
	}
	d := decoderFor(a)
	if d.rows != rows || !d.plan.takes(targets) {
		if !d.planScan(rows, targets) {
			d.release()
			return rows.Scan(targets...)
		}
	}
	if d.scan(values, targets) {
		if err := rows.Scan(d.left...); err != nil {
			d.release()
			return err
		}
		clear(d.left)
	}
	d.releaseScan()
	return nil
}

// needNothing reports whether values for targets need no memory of an arena, so that pgx's Scan is
// the shortest way.
func needNothing(targets []any) bool {
	for _, target := range targets {
		switch target.(type) {
		case nil, *bool, *int, *int16, *int32, *int64, *uint, *uint16, *uint32, *uint64, *float32, *float64, *time.Time, *[16]byte:
		default:
			return false
		}
	}
	return true
}

// planScan finds the plan for scanning rows into targets, or makes it. It reports false if pgx
// does all of it.
func (d *decoder) planScan(rows pgx.Rows, targets []any) bool {
	m := rows.TypeMap()
	fields := rows.FieldDescriptions()
	if m == nil || len(fields) != len(targets) {
		return false
	}
	if len(targets) == 1 {
		if _, ok := targets[0].(pgx.RowScanner); ok {
			return false
		}
	}
	if p := d.plan; p != nil && p.takes(targets) && p.fits(fields, m) { // the same query again
		d.rows = rows
		return true
	}
	key := planKey{match: scanned, hash: hashOf(fields)}
	for _, target := range targets {
		key.hash *= 0x9e3779b97f4a7c15
		if target != nil {
			key.hash += uint64(reflect.ValueOf(reflect.TypeOf(target)).Pointer())
		}
	}
	p := find(key, fields, m)
	if p == nil || !p.takes(targets) {
		p = newPlan(fields, m, nil, targets)
		keep(key, p)
	}
	if p.whole {
		return false
	}
	d.use(p)
	d.rows = rows
	return true
}

// fewTexts is for how many columns of text a piece of memory each costs less than one for all.
const fewTexts = 3

// scan decodes values into targets, whose types are the types of the plan. It reports whether
// d.left has targets for pgx to scan into.
func (d *decoder) scan(values [][]byte, targets []any) (left bool) {
	apart := len(d.plan.texts) <= fewTexts
	if apart {
		d.text = nil
	} else {
		d.begin(values)
	}
	columns := d.plan.columns[:len(targets)]
	for i, target := range targets {
		c, b := &columns[i], values[i]
		// The most frequent ones, which are short enough to be here.
		switch to := target.(type) {
		case nil:
			continue
		case *string:
			if apart && c.op == opText && b != nil && to != nil {
				*to = arena.String(d.a, b)
				continue
			}
		case *int64:
			if c.op == opInt8ToInt64 && len(b) == 8 && to != nil {
				*to = int64(binary.BigEndian.Uint64(b))
				continue
			}
		case *int32:
			if c.op == opInt4ToInt32 && len(b) == 4 && to != nil {
				*to = int32(binary.BigEndian.Uint32(b))
				continue
			}
		}
		if q := addressOf(target); c.op != opPgx && q != nil && d.field(q, c, b) {
			continue
		}
		d.left[i] = target
		left = true
	}
	return left
}

// field decodes b, or NULL if it is nil, into the variable at q, which may have had another value.
func (d *decoder) field(q pointer, c *column, b []byte) bool {
	if b == nil {
		if c.null {
			setZero(c.typ, q)
		}
		return c.null
	}
	return d.value(q, c, b)
}

// takes reports whether p is for targets of these types.
func (p *plan) takes(targets []any) bool {
	if len(targets) != len(p.targets) {
		return false
	}
	for i, t := range p.targets {
		if reflect.TypeOf(targets[i]) != t {
			return false
		}
	}
	return true
}

// Fallbacks names the columns of rows that package pgx scans when rows are collected as values of
// type T: their values are on the heap, and cost as much time as with pgx. Each string contains a
// column, its type, and the Go type. If no columns match, it returns the error of pgx instead.
//
// Fallbacks is for tests and for exploration. It does not read or close rows, and may be called as
// soon as rows knows its columns, which is before Next.
func Fallbacks[T any](rows pgx.Rows, match ...Match) []string {
	how := matchOf[T](match)
	if !isOwn(rows) {
		return []string{fmt.Sprintf("rows: %T is not pgx's own type: its Scan is called", rows)}
	}
	m := rows.TypeMap()
	if m == nil {
		return []string{"rows: there is no pgtype.Map"}
	}
	fields := rows.FieldDescriptions()
	if how == values {
		return []string{"rows: []any is made by pgx"}
	}
	if _, ok := any((*T)(nil)).(pgx.RowScanner); ok && how == Value {
		return []string{fmt.Sprintf("rows: %v has its own ScanRow", reflect.TypeFor[T]())}
	}
	probe := probe{fields: fields}
	v, err := rowToAddrOf[T](&probe, how)
	if err != nil {
		return []string{"rows: " + err.Error()}
	}
	p := newPlan(fields, m, v, probe.targets)
	if p.whole {
		return []string{"rows: the columns do not match the fields, or the pgtype.Map has not the usual TryWrapScanPlanFuncs"}
	}
	var list []string
	for i, c := range p.columns {
		if c.op == opPgx {
			list = append(list, fmt.Sprintf("%s: %s into %v", fields[i].Name, typeName(m, &fields[i]), reflect.TypeOf(probe.targets[i]).Elem()))
		}
	}
	return list
}

// typeName names the type of a column, and its format.
func typeName(m *pgtype.Map, f *pgconn.FieldDescription) string {
	name := fmt.Sprintf("type %d", f.DataTypeOID)
	if t, ok := m.TypeForOID(f.DataTypeOID); ok {
		name = t.Name
	}
	if f.Format == pgtype.TextFormatCode {
		name += " in text format"
	}
	return name
}
