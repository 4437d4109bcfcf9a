package arenapgx_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

type product struct {
	ID      int64
	SKU     string
	Name    string
	Price   pgtype.Numeric
	Stock   int32
	Updated time.Time
	Note    *string
	Tags    []string
	Attrs   []byte
}

// BenchmarkCollect reads rows of an order service, without a server: with pgx, here onto the heap,
// and here into an arena that is reset.
func BenchmarkCollect(b *testing.B) {
	m := pgtype.NewMap()
	const columns = "id int8, sku text, name text, price numeric, stock int4, updated timestamptz, note text, tags _text, attrs jsonb"
	const line = `42, SKU-000042, A product with a name, 19.99, 7, 2026-01-02 03:04:05.678+00, null, {a}, {"color":"red"}`
	for _, n := range []int{1, 20, 200} {
		rows := made(m, columns, strings.Split(strings.Repeat(line+"\n", n), "\n")[:n]...)
		for i, f := range rows.fields {
			if f.DataTypeOID == pgtype.JSONBOID { // as it comes from a server
				rows.fields[i].Format = pgtype.TextFormatCode
				for _, r := range rows.rows {
					r[i] = r[i][1:]
				}
			}
		}
		again := func() { rows.at, rows.closed = 0, false }
		check := func(b *testing.B, list []product, err error) {
			if err != nil || len(list) != n || list[n-1].SKU != "SKU-000042" {
				b.Fatal(len(list), err)
			}
			again()
		}
		for _, impl := range []string{"pgx", "heap", "arena"} {
			b.Run(fmt.Sprintf("rows=%d/impl=%s", n, impl), func(b *testing.B) {
				b.ReportAllocs()
				again()
				switch impl {
				case "pgx":
					for b.Loop() {
						list, err := pgx.CollectRows(rows, pgx.RowToStructByName[product])
						check(b, list, err)
					}
				case "heap":
					for b.Loop() {
						list, err := arenapgx.Collect[product](nil, rows)
						check(b, list, err)
					}
				default:
					a := arena.NewArena()
					for b.Loop() {
						list, err := arenapgx.Collect[product](a, rows)
						check(b, list, err)
						a.Reset()
					}
				}
			})
		}
	}
}

// BenchmarkScan scans rows of pgx's own whose bytes have come. All rows are of one result, or each
// is the only one of its result.
func BenchmarkScan(b *testing.B) {
	m := pgtype.NewMap()
	for _, n := range []int{1, 2, 3, 8} {
		row := lines(m, n)
		var (
			id         int64
			stock      int32
			name, sku  string
			price      float64
			note       string
			day        time.Time
			ok         bool
			targets    = []any{&id, &name, &stock, &sku, &price, &note, &day, &ok}[:n]
			scanByPgx  = func(_ *arena.Arena, rows pgx.Rows) error { return rows.Scan(targets...) }
			scanByHere = func(a *arena.Arena, rows pgx.Rows) error { return arenapgx.Scan(a, rows, targets...) }
		)
		for _, impl := range []string{"pgx", "heap", "arena"} {
			scan, a := scanByHere, arena.NewArena()
			switch impl {
			case "pgx":
				scan = scanByPgx
			case "heap":
				a = nil
			}
			scans := 0
			check := func(b *testing.B, err error) {
				if err != nil || id != 42 {
					b.Fatal(id, err)
				}
				if scans++; scans%100 == 0 && a != nil {
					a.Reset()
				}
			}
			b.Run(fmt.Sprintf("columns=%d/rows=many/impl=%s", n, impl), func(b *testing.B) {
				rows := pgx.RowsFromResultReader(m, replayed(b, row, true))
				b.ReportAllocs()
				for b.Loop() {
					rows.Next()
					check(b, scan(a, rows))
				}
			})
			b.Run(fmt.Sprintf("columns=%d/rows=one/impl=%s", n, impl), func(b *testing.B) {
				reader := replayed(b, row, true)
				b.ReportAllocs()
				for b.Loop() {
					rows := pgx.RowsFromResultReader(m, reader)
					rows.Next()
					check(b, scan(a, rows))
				}
			})
		}
	}
}
