//go:build linux

package mysql_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenasql"
	_ "modernc.org/sqlite"
)

// columns are the columns of a table with the types of MySQL, and how to make a value of each.
var columns = []struct {
	name, typ string
	value     func(r *rand.Rand) any
}{
	{"tiny", "tinyint", func(r *rand.Rand) any { return int8(r.Uint32()) }},
	{"small", "smallint", func(r *rand.Rand) any { return int16(r.Uint32()) }},
	{"medium", "mediumint", func(r *rand.Rand) any { return int32(r.Uint32()) >> 8 }},
	{"whole", "int", func(r *rand.Rand) any { return int32(r.Uint32()) }},
	{"big", "bigint", func(r *rand.Rand) any { return int64(r.Uint64()) }},
	{"huge", "bigint unsigned", func(r *rand.Rand) any { return r.Uint64() }},
	{"flag", "bool", func(r *rand.Rand) any { return r.IntN(2) == 0 }},
	{"single", "float", func(r *rand.Rand) any { return float32(r.NormFloat64()) }},
	{"number", "double", func(r *rand.Rand) any { return r.NormFloat64() * 1e100 }},
	{"price", "decimal(30, 10)", func(r *rand.Rand) any { return fmt.Sprintf("%d.%d", r.Int32(), r.IntN(1000)) }},
	{"bits", "bit(12)", func(r *rand.Rand) any { return r.IntN(4096) }},
	{"fixed", "char(20)", func(r *rand.Rand) any { return text(r, 20) }},
	{"variable", "varchar(200)", func(r *rand.Rand) any { return text(r, 200) }},
	{"long_text", "mediumtext", func(r *rand.Rand) any { return text(r, 20_000) }},
	{"digits", "varchar(20)", func(r *rand.Rand) any { return fmt.Sprint(r.IntN(100) - 50) }},
	{"raw", "binary(8)", func(r *rand.Rand) any { return []byte(text(r, 8)) }},
	{"bytes", "blob", func(r *rand.Rand) any { return []byte{byte(r.Uint32()), 0, 0xff} }},
	{"day", "date", func(r *rand.Rand) any { return time.Unix(r.Int64N(4e9), 0).UTC() }},
	{"moment", "datetime(6)", func(r *rand.Rand) any { return time.UnixMicro(r.Int64N(4e15)).UTC() }},
	{"stamp", "timestamp(3) null", func(r *rand.Rand) any { return time.UnixMilli(1e12 + r.Int64N(5e11)).UTC() }},
	{"clock", "time", func(r *rand.Rand) any { return fmt.Sprintf("%d:%02d:%02d", r.IntN(1600)-800, r.IntN(60), r.IntN(60)) }},
	{"since", "year", func(r *rand.Rand) any { return 1950 + r.IntN(150) }},
	{"kind", "enum('small', 'large', '')", func(r *rand.Rand) any { return []string{"small", "large", ""}[r.IntN(3)] }},
	{"marks", "set('a', 'b', 'c')", func(r *rand.Rand) any { return []string{"a", "a,c", ""}[r.IntN(3)] }},
	{"doc", "json", func(r *rand.Rand) any { return fmt.Sprintf(`{"n": [%d, null]}`, r.IntN(100)) }},
}

func text(r *rand.Rand, most int) string {
	return strings.Repeat([]string{"x", "é", "7", " word"}[r.IntN(4)], r.IntN(most/5+1))
}

// everything has a field for each column.
type everything struct {
	Tiny     *int8
	Small    sql.NullInt16
	Medium   *int32
	Whole    sql.Null[int]
	Big      *int64
	Huge     *uint64
	Flag     *bool
	Single   *float32
	Number   sql.NullFloat64
	Price    *string
	Bits     []byte
	Fixed    *string
	Variable sql.NullString
	LongText *string
	Digits   *int
	Raw      []byte
	Bytes    *[]byte
	Day      *time.Time
	Moment   sql.NullTime
	Stamp    any
	Clock    *string
	Since    *int
	Kind     *string
	Marks    sql.Null[string]
	Doc      []byte
}

const total = 12 // rows

// TestMySQL compares what arenasql reads with what Scan reads: values of all types and null into
// fields and values of many types, as text and in MySQL's binary form.
func TestMySQL(t *testing.T) {
	dsn := startMySQL(t)
	db, err := sql.Open("mysql", dsn+"?parseTime=true")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	plain, err := sql.Open("mysql", dsn) // where times are bytes
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()

	var names, defs, marks []string
	for _, c := range columns {
		names, defs, marks = append(names, c.name), append(defs, c.name+" "+c.typ), append(marks, "?")
	}
	if _, err := db.Exec("create table everything (id int primary key, " + strings.Join(defs, ", ") + ")"); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(8, 1))
	for id := range total {
		args := []any{id}
		for _, c := range columns {
			if id == 0 || id > 1 && r.IntN(3) == 0 {
				args = append(args, nil)
			} else {
				args = append(args, c.value(r))
			}
		}
		if _, err := db.Exec("insert into everything values (?, "+strings.Join(marks, ", ")+")", args...); err != nil {
			t.Fatal(err)
		}
	}

	a := arena.NewArena()
	query := func(db *sql.DB, query string, args ...any) *sql.Rows {
		rows, err := db.Query(query, args...)
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	all := "select " + strings.Join(names, ", ") + " from everything where id >= "
	for _, read := range []func() *sql.Rows{
		func() *sql.Rows { return query(db, all+"0 order by id") },
		func() *sql.Rows { return query(db, all+"? order by id", 0) },
	} {
		var want []everything
		rows := read()
		for rows.Next() {
			var e everything
			var fields []any
			for _, field := range reflect.ValueOf(&e).Elem().Fields() {
				fields = append(fields, field.Addr().Interface())
			}
			if err := rows.Scan(fields...); err != nil {
				t.Fatal(err)
			}
			want = append(want, e)
		}
		if err := rows.Err(); err != nil || len(want) != total {
			t.Fatal(len(want), err)
		}
		for _, a := range []*arena.Arena{nil, a} {
			got, err := arenasql.Collect[everything](a, read())
			if err != nil || len(got) != total || !reflect.DeepEqual(got, want) {
				t.Errorf("%+v, %v, Scan:\n%+v", got, err, want)
			}
		}
		a.Reset()
	}
	for _, db := range []*sql.DB{db, plain} {
		for _, c := range columns {
			for id := range total {
				for _, read := range []func() *sql.Rows{
					func() *sql.Rows { return query(db, fmt.Sprint("select ", c.name, " from everything where id = ", id)) },
					func() *sql.Rows { return query(db, "select "+c.name+" from everything where id = ?", id) },
				} {
					compare[string](t, a, read)
					compare[*string](t, a, read)
					compare[[]byte](t, a, read)
					compare[int](t, a, read)
					compare[uint8](t, a, read)
					compare[uint64](t, a, read)
					compare[*float64](t, a, read)
					compare[bool](t, a, read)
					compare[time.Time](t, a, read)
					compare[any](t, a, read)
					compare[sql.NullInt64](t, a, read)
					a.Reset()
				}
			}
		}
	}
}

// compare reads a value with Scan and with arenasql.
func compare[T any](t *testing.T, a *arena.Arena, read func() *sql.Rows) {
	t.Helper()
	var want T
	rows := read()
	rows.Next()
	wantErr := rows.Scan(&want)
	rows.Close()
	got, err := arenasql.Exactly[T](a, read())
	if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
		t.Errorf("%T: %v, Scan: %v", want, err, wantErr)
	} else if err == nil && !reflect.DeepEqual(got, want) {
		t.Errorf("%#v, Scan: %#v", got, want)
	}
}

// A product is a row of nine columns.
type product struct {
	ID       int64
	SKU      string
	Name     string
	Price    float64
	Stock    int
	Weight   *float64
	Supplier *string
	Notes    string
	Updated  string
}

// cpu returns the CPU time that the process has taken: without the server, and with the collector.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRows reads rows of nine columns with each driver: 20, or 200, of 400.
func BenchmarkRows(b *testing.B) {
	for _, driver := range []string{"mysql", "sqlite"} {
		dsn := filepath.Join(b.TempDir(), "products.db")
		if driver == "mysql" {
			dsn = startMySQL(b)
		}
		db, err := sql.Open(driver, dsn)
		if err != nil {
			b.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec(`create table products (id bigint primary key, sku varchar(20), name varchar(80), price double, stock int, weight double null,
			supplier varchar(40) null, notes text, updated varchar(30))`); err != nil {
			b.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 1))
		for id := range 400 {
			var weight, supplier any
			if id%3 > 0 {
				weight, supplier = r.Float64(), fmt.Sprint("supplier ", r.IntN(50))
			}
			if _, err := db.Exec("insert into products values (?, ?, ?, ?, ?, ?, ?, ?, ?)", id, fmt.Sprintf("SKU-%06d", id), "A product with a name "+fmt.Sprint(id),
				float64(r.IntN(10_000))/100, r.IntN(1000), weight, supplier, strings.Repeat("note ", r.IntN(20)), "2026-11-24 10:00:00"); err != nil {
				b.Fatal(err)
			}
		}
		stmt, err := db.Prepare("select * from products where id >= ? and id < ?")
		if err != nil {
			b.Fatal(err)
		}
		defer stmt.Close()
		for _, n := range []int{20, 200} {
			query := func(i int) *sql.Rows {
				from := i * 7 % 200
				rows, err := stmt.Query(from, from+n)
				if err != nil {
					b.Fatal(err)
				}
				return rows
			}
			run := func(way string, f func(b *testing.B, i int)) {
				b.Run(fmt.Sprintf("driver=%s/rows=%d/way=%s", driver, n, way), func(b *testing.B) {
					b.ReportAllocs()
					begin, i := cpu(b), 0
					for ; b.Loop(); i++ {
						f(b, i)
					}
					b.ReportMetric(float64(cpu(b)-begin)/float64(i), "cpu-ns/op")
				})
			}
			run("scan", func(b *testing.B, i int) {
				var list []product
				rows := query(i)
				for rows.Next() {
					var p product
					if err := rows.Scan(&p.ID, &p.SKU, &p.Name, &p.Price, &p.Stock, &p.Weight, &p.Supplier, &p.Notes, &p.Updated); err != nil {
						b.Fatal(err)
					}
					list = append(list, p)
				}
				if err := rows.Err(); err != nil || len(list) != n {
					b.Fatal(len(list), err)
				}
			})
			a := arena.NewArena()
			run("arena", func(b *testing.B, i int) {
				if list, err := arenasql.Collect[product](a, query(i)); err != nil || len(list) != n {
					b.Fatal(len(list), err)
				}
				a.Reset()
			})
		}
	}
}
