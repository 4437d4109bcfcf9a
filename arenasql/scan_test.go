package arenasql_test

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenasql"
)

// destinations are of every kind that Scan distinguishes, including the fields of everything.
func destinations() (list []reflect.Type) {
	typ := reflect.TypeFor[everything]()
	for i := range typ.NumField() {
		list = append(list, typ.Field(i).Type)
	}
	type flag bool
	return append(list, reflect.TypeFor[flag](), reflect.TypeFor[*flag](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[sql.Null[json.RawMessage]](),
		reflect.TypeFor[sql.Null[loud]](), reflect.TypeFor[*loud](), reflect.TypeFor[**loud](), reflect.TypeFor[sql.NullByte](), reflect.TypeFor[sql.NullInt16](),
		reflect.TypeFor[time.Duration](), reflect.TypeFor[*time.Duration](), reflect.TypeFor[sql.Null[number]](), reflect.TypeFor[[4]byte](), reflect.TypeFor[[]string](),
		reflect.TypeFor[*sql.NullString](), reflect.TypeFor[uint16](), reflect.TypeFor[***int]())
}

// oddValues are those that only drivers of tests give.
var oddValues = []driver.Value{int(7), int32(-3), uint8(200), status("named"), number(5), json.RawMessage(`{"x":1}`), []string{"x"}}

// fill sets v to something, so that what a scan leaves alone is seen.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("before")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(99)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		if v.NumField() == 2 && v.Field(1).Kind() == reflect.Bool {
			fill(v.Field(0))
			v.Field(1).SetBool(true)
		}
	}
}

// filled returns a value of each type, and pointers to them.
func filled(types []reflect.Type) (values []reflect.Value, dest []any) {
	for _, typ := range types {
		p := reflect.New(typ)
		fill(p.Elem())
		values, dest = append(values, p.Elem()), append(dest, p.Interface())
	}
	return values, dest
}

// scanBoth scans a row into destinations of types by Rows.Scan, and by Scan, and compares.
func scanBoth(t *testing.T, a *arena.Arena, tab *table, types []reflect.Type) {
	t.Helper()
	want, dest := filled(types)
	rows := query(t, tab)
	rows.Next()
	wantErr := rows.Scan(dest...)
	var wanted []string
	for _, v := range want {
		wanted = append(wanted, show(v))
	}
	rows.Close()

	row := sql.OpenDB(tab).QueryRow("all")
	rows = query(t, tab)
	defer rows.Close()
	rows.Next()
	for _, from := range []interface{ Scan(...any) error }{rows, rows, row} {
		got, dest := filled(types)
		err := arenasql.Scan(a, from, dest...)
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Errorf("%v into %v:\n%v, %T.Scan:\n%v", tab.rows[0], types, err, from, wantErr)
			continue
		}
		for i := range got {
			if show(got[i]) != wanted[i] {
				t.Errorf("%v into %v, of %v:\n%s, Scan:\n%s", tab.rows[0][i], types[i], types, show(got[i]), wanted[i])
			}
		}
	}
}

// show prints a value with what it leads to, and with its types.
func show(v reflect.Value) string {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct && v.NumField() == 2 && v.Field(1).Kind() == reflect.Bool {
		return fmt.Sprintf("%v %v %v", v.Type(), show(v.Field(0)), v.Field(1))
	}
	return fmt.Sprintf("%#v", v)
}

// TestScan scans each value into each type, alone and between others, and compares with Rows.Scan.
func TestScan(t *testing.T) {
	a := arena.NewArena()
	all := append(append([]driver.Value{}, values...), oddValues...)
	between := []reflect.Type{reflect.TypeFor[string](), nil, reflect.TypeFor[*string](), reflect.TypeFor[sql.NullInt64](), reflect.TypeFor[string]()}
	for _, typ := range destinations() {
		between[1] = typ
		for _, v := range all {
			tab := &table{columns: strings.Fields("a b c d e"), rows: [][]driver.Value{{"one", v, []byte("two"), int64(3), []byte("four")}}}
			for _, a := range []*arena.Arena{nil, a} {
				scanBoth(t, a, tab, between)
			}
			a.Reset()
		}
	}
}

// TestScanModel scans random rows.
func TestScanModel(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 1))
	a := arena.NewArena()
	types := destinations()
	all := append(append([]driver.Value{}, values...), oddValues...)
	for range 3000 {
		n := r.IntN(6)
		tab := &table{rows: [][]driver.Value{nil}}
		var into []reflect.Type
		for i := range n {
			tab.columns = append(tab.columns, fmt.Sprint("c", i))
			tab.rows[0] = append(tab.rows[0], all[r.IntN(len(all))])
			typ := types[r.IntN(len(types))]
			if r.IntN(2) == 0 {
				typ = reflect.TypeOf(tab.rows[0][i]) // which fits
			}
			if typ == nil {
				typ = reflect.TypeFor[any]()
			}
			into = append(into, typ)
		}
		scanBoth(t, a, tab, into)
		a.Reset()
	}
}

// TestScanMisuse checks what is said of destinations and rows that are none.
func TestScanMisuse(t *testing.T) {
	tab := &table{columns: []string{"x"}, rows: [][]driver.Value{{"text"}}}
	var s string
	var raw sql.RawBytes
	for _, dest := range [][]any{{}, {&s, &s}, {nil}, {s}, {(*string)(nil)}, {(*sql.RawBytes)(nil)}, {&s}, {new(chan int)}, {&raw}} {
		for _, next := range []bool{false, true} {
			var errs [2]error
			for i, scan := range []func(rows *sql.Rows) error{
				func(rows *sql.Rows) error { return rows.Scan(dest...) },
				func(rows *sql.Rows) error { return arenasql.Scan(nil, rows, dest...) },
			} {
				rows := query(t, tab)
				if next {
					rows.Next()
				}
				errs[i] = errors.Join(scan(rows), scan(rows))
				rows.Close()
			}
			if fmt.Sprint(errs[1]) != fmt.Sprint(errs[0]) {
				t.Errorf("%v: %v, Scan: %v", dest, errs[1], errs[0])
			}
		}
	}
	for _, nothing := range []func() error{
		func() error { return arenasql.Scan(nil, nil, &s) },
		func() error { return arenasql.Scan(nil, (*sql.Rows)(nil), &s) },
	} {
		if got := panicOf(func() { nothing() }); !strings.HasPrefix(fmt.Sprint(got), "arenasql: the rows are nil") {
			t.Error(got)
		}
	}
}

func panicOf(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}

// TestScanPanics checks that a panic of the arena leaves rows usable.
func TestScanPanics(t *testing.T) {
	tab := &table{columns: []string{"x"}, rows: [][]driver.Value{{[]byte(strings.Repeat("x", 5000))}, {[]byte("y")}}}
	rows := query(t, tab)
	rows.Next()
	var s string
	if err := arena.Try(func() { arenasql.Scan(arena.NewWith(arena.Options{Limit: 1000}), rows, &s) }); !errors.Is(err, arena.ErrLimit) {
		t.Error(err)
	}
	freed := arena.NewArena()
	freed.Free()
	if got := panicOf(func() { arenasql.Scan(freed, rows, &s) }); !strings.Contains(fmt.Sprint(got), "after Free") {
		t.Error(got)
	}
	rows.Next()
	if err := arenasql.Scan(arena.NewArena(), rows, &s); err != nil || s != "y" {
		t.Error(s, err)
	}
	if err := rows.Close(); err != nil {
		t.Error(err)
	}
}

type (
	base     struct{ ID int64 }
	Contact  struct{ Email string }
	Profile  struct{ *Contact }
	customer struct {
		base
		*Profile
		Name string
	}
	hidden struct {
		*base
		Name string
	}
)

// TestEmbeddedPointers checks that structs behind embedded pointers are made where a column needs
// them.
func TestEmbeddedPointers(t *testing.T) {
	tab := &table{columns: []string{"id", "email", "name"}, rows: [][]driver.Value{{int64(1), []byte("a@x"), "Ada"}}}
	got, err := arenasql.Collect[customer](arena.NewArena(), query(t, tab))
	if err != nil || got[0].ID != 1 || got[0].Email != "a@x" || got[0].Name != "Ada" {
		t.Error(got, err)
	}
	short := &table{columns: []string{"id", "name"}, rows: [][]driver.Value{{int64(1), "Ada"}}}
	got, err = arenasql.Collect[customer](arena.NewArena(), query(t, short), arenasql.ByNameLax)
	if err != nil || got[0].Profile != nil {
		t.Error(got, err)
	}
	_, err = arenasql.Collect[hidden](nil, query(t, short))
	if err == nil || !strings.HasPrefix(err.Error(), "arenasql: field ID of arenasql_test.hidden is behind the pointer base") {
		t.Error(err)
	}
}

// TestScanAllocs checks that Scan has no object of its own.
func TestScanAllocs(t *testing.T) {
	tab := &table{columns: strings.Fields("a b c d")}
	for range 1100 {
		tab.rows = append(tab.rows, []driver.Value{[]byte("one"), int64(2), []byte("three"), []byte("42")})
	}
	a := arena.NewArena()
	perRow := func(scan func(rows *sql.Rows, dest ...any) error) float64 {
		rows := query(t, tab)
		defer rows.Close()
		return testing.AllocsPerRun(1000, func() {
			var e struct {
				A, C string
				B, D int64
			}
			if !rows.Next() {
				t.Fatal(rows.Err())
			}
			if err := scan(rows, &e.A, &e.B, &e.C, &e.D); err != nil {
				t.Fatal(err)
			}
		})
	}
	plain := perRow((*sql.Rows).Scan)
	ours := perRow(func(rows *sql.Rows, dest ...any) error { return arenasql.Scan(a, rows, dest...) })
	if ours != plain-3 {
		t.Errorf("%v objects a row, Rows.Scan has %v", ours, plain)
	}
}
