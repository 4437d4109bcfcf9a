package arenasql_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenasql"
	"github.com/arena-go/arena/internal/fake"
)

// A table is a driver whose only query returns it. Bytes are in a buffer that is overwritten with
// each row, like the buffer of a connection.
type table struct {
	columns []string
	rows    [][]driver.Value
	err     error // behind the last row
	closing error // of Close
}

func (t *table) Connect(context.Context) (driver.Conn, error) { return t, nil }
func (t *table) Driver() driver.Driver                        { return nil }
func (t *table) Prepare(string) (driver.Stmt, error)          { return t, nil }
func (t *table) Begin() (driver.Tx, error)                    { return nil, errors.New("no transactions") }
func (t *table) Close() error                                 { return nil }
func (t *table) NumInput() int                                { return 0 }
func (t *table) Exec([]driver.Value) (driver.Result, error)   { return nil, errors.New("queries only") }
func (t *table) Query([]driver.Value) (driver.Rows, error)    { return &cursor{table: t}, nil }

type cursor struct {
	*table
	at  int
	buf []byte
}

func (c *cursor) Columns() []string { return c.columns }
func (c *cursor) Close() error      { c.spoil(); return c.closing }
func (c *cursor) spoil() {
	for i := range c.buf {
		c.buf[i] = 0xdd
	}
}

func (c *cursor) Next(to []driver.Value) error {
	c.spoil()
	if c.at == len(c.rows) {
		if c.err != nil {
			return c.err
		}
		return io.EOF
	}
	c.buf = c.buf[:0]
	for _, v := range c.rows[c.at] {
		if b, ok := v.([]byte); ok {
			c.buf = append(c.buf, b...)
		}
	}
	rest := c.buf
	for i, v := range c.rows[c.at] {
		to[i] = v
		if b, ok := v.([]byte); ok && b != nil {
			to[i] = rest[:len(b):len(b)]
			rest = rest[len(b):]
		}
	}
	c.at++
	return nil
}

// query returns the rows of a table.
func query(t testing.TB, table *table) *sql.Rows {
	t.Helper()
	db := sql.OpenDB(table)
	t.Cleanup(func() { db.Close() })
	rows, err := db.Query("all")
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

type (
	status string
	number int16
	loud   string
)

func (l *loud) Scan(v any) error {
	if v == nil {
		return errors.New("nothing to shout")
	}
	*l = loud(strings.ToUpper(fmt.Sprintf("%s", v)))
	return nil
}

type inner struct {
	City string
	Zip  *int32 `db:"postal_code"`
}

// everything has fields of all types that are set here, and of others.
type everything struct {
	I    int
	I8   int8
	U    uint64
	N    number
	F    float64
	F32  float32
	B    bool
	S    string
	St   status
	L    loud
	By   []byte
	T    time.Time
	A    any
	PS   *string
	PI   *int64
	PT   *time.Time
	PB   *[]byte
	PSt  *status
	PP   **string
	NS   sql.NullString
	NI   sql.NullInt32
	NF   sql.NullFloat64
	NT   sql.NullTime
	NB   sql.NullBool
	N1   sql.Null[uint8]
	N2   sql.Null[[]byte]
	N3   sql.Null[status]
	N4   sql.Null[time.Time]
	Raw2 map[string]int
}

var values = []driver.Value{
	nil, int64(0), int64(1), int64(-1), int64(300), int64(math.MaxInt64), int64(math.MinInt64), 0.0, 1.5, math.NaN(), float32(0.1), true, false,
	"", "text", "42", "-7", "1.5", "true", "2026-01-02", []byte{}, []byte("bytes"), []byte("42"), []byte("\xff\x00"), time.Unix(1, 2).UTC(), time.Date(2026, 1, 2, 3, 4, 5, 6, time.Local), uint64(math.MaxUint64),
}

// TestValues scans each value into each type, and compares with Rows.Scan.
func TestValues(t *testing.T) {
	typ := reflect.TypeFor[everything]()
	a := arena.NewArena()
	for i := range typ.NumField() {
		for _, v := range values {
			tab := &table{columns: []string{typ.Field(i).Name}, rows: [][]driver.Value{{v}}}
			rows := query(t, tab)
			rows.Next()
			var want everything
			wantErr := rows.Scan(reflect.ValueOf(&want).Elem().Field(i).Addr().Interface())
			rows.Close()
			for _, a := range []*arena.Arena{nil, a} {
				got, err := arenasql.Collect[everything](a, query(t, tab), arenasql.ByNameLax)
				if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
					t.Errorf("%T %v into %s: %v, Scan: %v", v, v, typ.Field(i).Name, err, wantErr)
				} else if err == nil && !equal(got[0], want) {
					t.Errorf("%T %v into %s:\n%+v, Scan:\n%+v", v, v, typ.Field(i).Name, got[0], want)
				}
			}
			a.Reset()
		}
	}
}

// equal is reflect.DeepEqual, but NaN is NaN.
func equal(x, y any) bool {
	return reflect.DeepEqual(x, y) || strings.Contains(fmt.Sprint(x), "NaN") && fmt.Sprintf("%+v", x) == fmt.Sprintf("%+v", y)
}

type person struct {
	ID     int64
	Name   string
	secret int //lint:ignore U1000 an unexported field is no column
	inner
	Email string `db:"E-Mail"`
	Skip  int    `db:"-"`
}

// TestMatch checks which columns become which fields.
func TestMatch(t *testing.T) {
	people := &table{columns: []string{"E-Mail", "id", "NAME", "ci_ty", "Postal_Code"}, rows: [][]driver.Value{
		{"a@x", int64(1), "Ada", []byte("London"), int64(42)}, {nil, int64(2), "Bob", "", nil}}}
	people.rows[1][0] = ""
	zip := int32(42)
	want := []person{{ID: 1, Name: "Ada", inner: inner{"London", &zip}, Email: "a@x"}, {ID: 2, Name: "Bob"}}
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		if got, err := arenasql.Collect[person](a, query(t, people)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v", got, err)
		}
		got, err := arenasql.CollectPointers[person](a, query(t, people))
		if err != nil || len(got) != 2 || !reflect.DeepEqual(*got[0], want[0]) || !reflect.DeepEqual(*got[1], want[1]) {
			t.Errorf("%+v, %v", got, err)
		}
		if got, err := arenasql.One[person](a, query(t, people)); err != nil || !reflect.DeepEqual(got, want[0]) {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := arenasql.Exactly[person](a, query(t, people)); err != arenasql.ErrTooManyRows {
			t.Error(err)
		}
		n := 0
		enough := errors.New("enough")
		err = arenasql.ForEach(a, query(t, people), func(p *person) error {
			if !reflect.DeepEqual(*p, want[n]) {
				t.Errorf("%+v", *p)
			}
			if n++; n == 2 {
				return enough
			}
			a.Reset()
			return nil
		})
		if err != enough || n != 2 {
			t.Error(n, err)
		}
	}
	none := &table{columns: []string{"x", "y"}}
	if list, err := arenasql.Collect[person](nil, query(t, none)); list == nil || len(list) != 0 || err != nil {
		t.Error(list, err)
	}
	if _, err := arenasql.One[person](nil, query(t, none)); err != sql.ErrNoRows {
		t.Error(err)
	}
	if _, err := arenasql.Exactly[int](nil, query(t, none)); err != sql.ErrNoRows {
		t.Error(err)
	}
	two := &table{columns: []string{"id", "name"}, rows: [][]driver.Value{{int64(1), "a"}}}
	type pair struct {
		X int
		Y string
	}
	if got, err := arenasql.Collect[pair](nil, query(t, two), arenasql.ByPos); err != nil || got[0] != (pair{1, "a"}) {
		t.Error(got, err)
	}
	twice := &table{columns: []string{"id", "i_d"}, rows: [][]driver.Value{{int64(1), int64(1)}}}
	one := &table{columns: []string{"id"}, rows: [][]driver.Value{{int64(7)}}}
	if got, err := arenasql.Exactly[int](nil, query(t, one)); err != nil || got != 7 {
		t.Error(got, err)
	}
	// A second row is one too many, even if it is no int.
	null := &table{columns: []string{"id"}, rows: [][]driver.Value{{int64(7)}, {nil}}}
	if got, err := arenasql.Exactly[int](nil, query(t, null)); err != arenasql.ErrTooManyRows || got != 0 {
		t.Error(got, err)
	}
	if got, err := arenasql.One[int](nil, query(t, null)); err != nil || got != 7 {
		t.Error(got, err)
	}
	for want, f := range map[string]func() error{
		"has no field in":          func() error { _, err := arenasql.Collect[pair](nil, query(t, two)); return err },
		"has no column":            func() error { _, err := arenasql.Collect[person](nil, query(t, two)); return err },
		"has more than one column": func() error { _, err := arenasql.Collect[person](nil, query(t, twice)); return err },
		"is the value of one":      func() error { _, err := arenasql.Collect[int](nil, query(t, two)); return err },
		"is no struct":             func() error { _, err := arenasql.Collect[int](nil, query(t, two), arenasql.ByName); return err },
		"has 5 fields for them":    func() error { _, err := arenasql.Collect[person](nil, query(t, two), arenasql.ByPos); return err },
		"a wire that broke": func() error {
			_, err := arenasql.Collect[person](nil, query(t, &table{columns: one.columns, err: errors.New("a wire that broke")}))
			return err
		},
		"converting driver.Value ty": func() error {
			_, err := arenasql.Collect[int8](nil, query(t, &table{columns: one.columns, rows: [][]driver.Value{{int64(300)}}}))
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, without %q", err, want)
		}
	}
	if _, err := arenasql.Collect[person](nil, query(t, two), arenasql.ByNameLax); err != nil {
		t.Error(err)
	}
}

// TestLimit checks that an arena that is full, or whose Memory panics, leaves rows closed, and
// their connection free.
func TestLimit(t *testing.T) {
	tab := &table{columns: []string{"s"}}
	for range 500 {
		tab.rows = append(tab.rows, []driver.Value{[]byte(strings.Repeat("x", 50))})
	}
	db := sql.OpenDB(tab)
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, o := range []func(n int) arena.Options{
		func(n int) arena.Options { return arena.Options{Limit: 256 << n} },
		func(n int) arena.Options { return arena.Options{Memory: &fake.Memory{Calls: n}} },
	} {
		for n := 0; ; n++ {
			rows, err := db.Query("all")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			a := arena.NewWith(o(n))
			err = arena.Try(func() { got, _ = arenasql.Collect[string](a, rows) })
			if err == nil {
				if len(got) != 500 || got[499] != strings.Repeat("x", 50) {
					t.Error(len(got))
				}
				a.Free()
				break
			}
			if !errors.Is(err, arena.ErrLimit) {
				t.Fatal(err)
			}
		}
	}
}

// TestModel reads random tables.
func TestModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	a := arena.NewArena()
	for range 200 {
		tab := &table{columns: []string{"id", "name", "city", "postal_code", "e-mail"}}
		var want []person
		for i := range r.IntN(50) {
			p := person{ID: int64(i), Name: strings.Repeat("n", r.IntN(20)), Email: fmt.Sprint(r.Uint64())}
			p.City = fmt.Sprint("city", r.IntN(1000))
			var zip driver.Value
			if r.IntN(2) == 0 {
				p.Zip = new(int32)
				*p.Zip = int32(r.Uint32())
				zip = int64(*p.Zip)
			}
			row := []driver.Value{p.ID, p.Name, []byte(p.City), zip, []byte(p.Email)}
			if r.IntN(3) == 0 {
				row[0] = []byte(fmt.Sprint(p.ID)) // database/sql converts it
			}
			want = append(want, p)
			tab.rows = append(tab.rows, row)
		}
		got, err := arenasql.Collect[person](a, query(t, tab))
		if err != nil || len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, %v; want %+v", got, err, want)
		}
		a.Reset()
	}
}

// A strict has a method Scan that panics when it is given a number.
type strict string

func (s *strict) Scan(v any) error {
	if n, ok := v.(int64); ok {
		panic(n)
	}
	*s = strict(fmt.Sprintf("%s", v))
	return nil
}

// TestPanickingScan has a method Scan panic. Rows.Scan must not keep its lock, or Close of the rows
// would wait forever, and their connection be lost.
func TestPanickingScan(t *testing.T) {
	type row struct {
		A int8
		B strict
		C *strict
	}
	tab := &table{columns: []string{"a", "b", "c"}}
	db := sql.OpenDB(tab)
	defer db.Close()
	db.SetMaxOpenConns(1)
	two := strict("two")
	for _, test := range []struct {
		row  []driver.Value
		want row
		end  any // an error or a panic, or nil
	}{
		{[]driver.Value{int64(1), "one", []byte("two")}, row{1, "one", &two}, nil},
		{[]driver.Value{"1", nil, nil}, row{1, "%!s(<nil>)", nil}, nil},
		{[]driver.Value{int64(1), int64(2), int64(3)}, row{}, int64(2)},
		{[]driver.Value{int64(1), "one", int64(3)}, row{}, int64(3)},
		{[]driver.Value{int64(300), "one", int64(3)}, row{}, "sql: Scan error on column index 0"}, // the first one counts
	} {
		tab.rows = [][]driver.Value{test.row}
		for _, a := range []*arena.Arena{nil, arena.NewArena()} {
			rows, err := db.Query("all")
			if err != nil {
				t.Fatal(err)
			}
			var got row
			end := func() (end any) {
				defer func() {
					if p := recover(); p != nil {
						end = p
					}
				}()
				if got, err = arenasql.One[row](a, rows); err != nil {
					return err
				}
				return nil
			}()
			if !reflect.DeepEqual(got, test.want) || !strings.HasPrefix(fmt.Sprint(end), fmt.Sprint(test.end)) {
				t.Errorf("%v: %+v, %v", test.row, got, end)
			}
		}
	}
}

// TestRawBytes checks that bytes of the driver are not collected: they are others when the next row
// comes.
func TestRawBytes(t *testing.T) {
	type row struct {
		ID  int
		Raw sql.RawBytes
	}
	tab := &table{columns: []string{"id", "raw"}, rows: [][]driver.Value{{int64(1), []byte("one")}, {int64(2), []byte("two")}}}
	for name, f := range map[string]func() error{
		"Collect":         func() error { _, err := arenasql.Collect[row](nil, query(t, tab)); return err },
		"CollectPointers": func() error { _, err := arenasql.CollectPointers[row](nil, query(t, tab)); return err },
		"One":             func() error { _, err := arenasql.One[row](nil, query(t, tab)); return err },
		"a pointer": func() error {
			_, err := arenasql.Exactly[*sql.RawBytes](nil, query(t, &table{columns: []string{"x"}, rows: [][]driver.Value{{[]byte("x")}}}))
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), "becomes an sql.RawBytes") {
			t.Errorf("%s: %v", name, err)
		}
	}
	all := ""
	if err := arenasql.ForEach(nil, query(t, tab), func(r *row) error { all += string(r.Raw); return nil }); err != nil || all != "onetwo" {
		t.Errorf("ForEach: %q, %v", all, err)
	}
}

// TestOneClose checks that One returns an error that comes with the end of the rows, as sql.Row
// does.
func TestOneClose(t *testing.T) {
	late := errors.New("it ended badly")
	tab := &table{columns: []string{"x"}, rows: [][]driver.Value{{int64(1)}, {int64(2)}}, closing: late}
	if got, err := arenasql.One[int](nil, query(t, tab)); got != 0 || err != late {
		t.Error(got, err)
	}
	defer func() {
		if p, _ := recover().(string); !strings.HasPrefix(p, "arenasql: ") {
			t.Error(p)
		}
	}()
	arenasql.One[int](nil, nil)
}

// TestColumnNames has names of columns that are alike when they stand in a row.
func TestColumnNames(t *testing.T) {
	type pair struct {
		X int `db:"a\x00b"`
		Y int `db:"c"`
		Z int `db:"a"`
		W int `db:"b\x00c"`
	}
	row := [][]driver.Value{{int64(1), int64(2)}}
	if got, err := arenasql.One[pair](nil, query(t, &table{columns: []string{"a\x00b", "c"}, rows: row}), arenasql.ByNameLax); err != nil || got != (pair{X: 1, Y: 2}) {
		t.Error(got, err)
	}
	if got, err := arenasql.One[pair](nil, query(t, &table{columns: []string{"a", "b\x00c"}, rows: row}), arenasql.ByNameLax); err != nil || got != (pair{Z: 1, W: 2}) {
		t.Error(got, err)
	}
}
