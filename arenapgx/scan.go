package arenapgx

import (
	"fmt"
	"reflect"

	"github.com/arena-go/arena"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// Scan reads the values of the row that rows is at into what targets point at: it is rows.Scan, with the same values and errors, but what the values need lies in a, and
// becomes stale with a.Reset. A target that is nil is left out. Where a is nil, all of it lies on the heap.
//
// Scan looks for its plan with each row. [Collect] and [ForEach] do so once, and are faster. Scan panics as Collect does, and does not close rows then.
func Scan(a *arena.Arena, rows pgx.Rows, targets ...any) error {
	m := rows.TypeMap()
	fields := rows.FieldDescriptions()
	values := rows.RawValues()
	if m == nil || len(fields) != len(targets) || len(values) != len(targets) {
		return rows.Scan(targets...)
	}
	if len(targets) == 1 {
		if _, ok := targets[0].(pgx.RowScanner); ok {
			return rows.Scan(targets...)
		}
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
		return rows.Scan(targets...)
	}
	d := decoderFor(a)
	defer d.release()
	d.use(p)
	d.begin(values)
	left := false
	for i, target := range targets {
		c, b := &p.columns[i], values[i]
		if target == nil {
			continue
		}
		if c.op != opPgx {
			v := reflect.ValueOf(target)
			if !v.IsNil() {
				if b == nil && c.null {
					v.Elem().SetZero()
					continue
				}
				if b != nil && d.value(addressOf(v), c, b) {
					continue
				}
			}
		}
		d.left[i] = target
		left = true
	}
	if !left {
		return nil
	}
	return rows.Scan(d.left...)
}

// takes tells whether p is for targets of these types.
func (p *plan) takes(targets []any) bool {
	if p.whole {
		return true
	}
	for i, target := range targets {
		t := reflect.TypeOf(target)
		if c := &p.columns[i]; c.op != opPgx && (t == nil || t.Kind() != reflect.Pointer || t.Elem() != c.typ) {
			return false
		}
	}
	return true
}

// Fallbacks names the columns of rows that package pgx scans when rows are collected as values of type T: their values lie on the heap, and take the time that
// they take with pgx. Each string has a column, its type, and the Go type. Without columns that match it returns the error of pgx in their place.
//
// Fallbacks is for tests and for finding out. It does not read or close rows, and may be called as soon as rows has its columns, which is before Next.
func Fallbacks[T any](rows pgx.Rows, match ...Match) []string {
	m := rows.TypeMap()
	how := matchOf[T](match)
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
