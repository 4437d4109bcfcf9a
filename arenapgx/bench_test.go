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

// BenchmarkCollect reads rows of an order service, without a server: with pgx, here onto the heap, and here into an arena that is reset.
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
