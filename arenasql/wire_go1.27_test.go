//go:build go1.27

package arenasql_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenasql"
)

// A wiredTable is a driver that scans into destinations itself, as pgx does. A column whose name
// begins with x gives no bytes.
type wiredTable struct{ *table }

func (t wiredTable) Connect(context.Context) (driver.Conn, error) { return t, nil }
func (t wiredTable) Prepare(string) (driver.Stmt, error)          { return t, nil }
func (t wiredTable) Query([]driver.Value) (driver.Rows, error) {
	return &wiredCursor{cursor: &cursor{table: t.table}, row: make([]driver.Value, len(t.columns))}, nil
}

type wiredCursor struct {
	*cursor
	row []driver.Value
}

func (c *wiredCursor) Next([]driver.Value) error { return errors.New("Next is not for this driver") }
func (c *wiredCursor) NextRow() error            { return c.cursor.Next(c.row) }
func (c *wiredCursor) ScanColumn(ctx driver.ScanContext, i int, dest any) error {
	v := c.row[i]
	if d, ok := dest.(interface{ ScanBytes([]byte) error }); ok && reflect.TypeOf(dest) != reflect.TypeFor[*sql.RawBytes]() {
		if strings.HasPrefix(c.columns[i], "x") {
			return fmt.Errorf("cannot scan into %T", dest)
		}
		switch v := v.(type) {
		case nil:
			return d.ScanBytes(nil)
		case []byte:
			if v != nil {
				return d.ScanBytes(v)
			}
		}
		return fmt.Errorf("cannot scan %T into %T", v, dest)
	}
	if b, ok := v.([]byte); ok && b != nil && !strings.HasPrefix(c.columns[i], "b") {
		v = string(b) // as a driver does for text
	}
	return sql.ConvertAssign(ctx, dest, v)
}

func queryWired(t *testing.T, tab *table) *sql.Rows {
	t.Helper()
	db := sql.OpenDB(wiredTable{tab})
	t.Cleanup(func() { db.Close() })
	rows, err := db.Query("all")
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestWired compares Scan and Collect with Rows.Scan for a driver that scans into destinations
// itself.
func TestWired(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 2))
	a := arena.NewArena()
	types := destinations()
	for range 2000 {
		tab := &table{rows: make([][]driver.Value, 1+r.IntN(3))}
		var into []reflect.Type
		for range 1 + r.IntN(14) {
			tab.columns = append(tab.columns, fmt.Sprint([]string{"x", "b", "t"}[r.IntN(3)], len(tab.columns)))
			typ := types[r.IntN(len(types))]
			if r.IntN(3) > 0 {
				typ = []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[[]byte](), reflect.TypeFor[*string](), reflect.TypeFor[sql.NullString]()}[r.IntN(4)]
			}
			into = append(into, typ)
			for i := range tab.rows {
				v := values[r.IntN(len(values))]
				if r.IntN(8) > 0 {
					v = []byte("some text")
				}
				tab.rows[i] = append(tab.rows[i], v)
			}
		}
		want, got := queryWired(t, tab), queryWired(t, tab)
		for want.Next() && got.Next() {
			wantValues, wantDest := filled(into)
			gotValues, gotDest := filled(into)
			wantErr, gotErr := want.Scan(wantDest...), arenasql.Scan(a, got, gotDest...)
			if fmt.Sprint(wantErr) != fmt.Sprint(gotErr) {
				t.Fatalf("%v into %v: %v, Scan: %v", tab.rows, into, gotErr, wantErr)
			}
			for i := range into {
				if wantErr == nil && show(wantValues[i]) != show(gotValues[i]) {
					t.Fatalf("%v into %v: %v, Scan: %v", tab.rows, into, show(gotValues[i]), show(wantValues[i]))
				}
			}
		}
		want.Close()
		got.Close()
		a.Reset()
	}
	tab := &table{columns: []string{"name", "xtra"}, rows: [][]driver.Value{{[]byte("Ada"), []byte("x")}, {[]byte("Bob"), nil}}}
	type row struct {
		Name string
		Xtra *string
	}
	got, err := arenasql.Collect[row](a, queryWired(t, tab))
	if err != nil || len(got) != 2 || got[0].Name != "Ada" || *got[0].Xtra != "x" || got[1].Name != "Bob" || got[1].Xtra != nil {
		t.Error(got, err)
	}
}

// TestWiredMisuse has another number of destinations for the same rows.
func TestWiredMisuse(t *testing.T) {
	tab := &table{columns: []string{"a", "b"}, rows: [][]driver.Value{{[]byte("one"), []byte("two")}}}
	rows := queryWired(t, tab)
	rows.Next()
	var a, b, c string
	for _, dest := range [][]any{{&a}, {&a, &b, &c}} {
		want, got := rows.Scan(dest...), arenasql.Scan(nil, rows, dest...)
		if want == nil || fmt.Sprint(got) != want.Error() {
			t.Errorf("%v, Scan: %v", got, want)
		}
	}
	if err := arenasql.Scan(nil, rows, &a, &b); err != nil || a != "one" || b != "two" {
		t.Error(a, b, err)
	}
}

// TestWiredAllocs checks that text of such a driver makes no object.
func TestWiredAllocs(t *testing.T) {
	columns := strings.Fields("a b c xd xe")
	a := arena.NewArena()
	perRow := func(n int) float64 {
		tab := &table{columns: columns[:n]}
		for range 1100 {
			var row []driver.Value
			for i := range n {
				row = append(row, []byte(fmt.Sprint("text", i)))
			}
			tab.rows = append(tab.rows, row)
		}
		rows := queryWired(t, tab)
		defer rows.Close()
		s := make([]string, n)
		dest := make([]any, n)
		for i := range s {
			dest[i] = &s[i]
		}
		return testing.AllocsPerRun(1000, func() {
			if !rows.Next() {
				t.Fatal(rows.Err())
			}
			if err := arenasql.Scan(a, rows, dest...); err != nil {
				t.Fatal(err)
			}
		})
	}
	driver := func(columns int) float64 { return float64(columns) } // its boxes of bytes
	if got := perRow(3) - driver(3); got > 1 {
		t.Errorf("%v objects a row with three columns of text", got)
	}
	// A column that has another way costs what it costs in the driver, and is not tried again.
	if got := perRow(5) - driver(5); got > 1+2*3 {
		t.Errorf("%v objects a row with two columns that give no bytes", got)
	}
}

// TestRowsField checks that package database/sql has the field that reports whether a driver scans
// itself.
func TestRowsField(t *testing.T) {
	if f, ok := reflect.TypeFor[sql.Rows]().FieldByName("rowsi"); !ok || f.Type != reflect.TypeFor[driver.Rows]() {
		t.Error("sql.Rows has no field rowsi: text goes by way of driver.Value")
	}
}
