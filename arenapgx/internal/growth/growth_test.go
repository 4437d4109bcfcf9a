// Package growth_test contains the rows of arenapgx, next to pgx.
package growth_test

import (
	"bytes"
	"encoding/binary"
	encodingjson "encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapgx"
	"github.com/arena-go/arena/internal/growth"
)

func TestMain(m *testing.M) { growth.Main(m) }

func TestRows(t *testing.T) { growth.Run(t, rows()) }

// table is n times the same row, from a server that is not there.
type table struct {
	m      *pgtype.Map
	fields []pgconn.FieldDescription
	row    [][]byte
	n      int
	failed error
	closed bool
}

func (r *table) Close()                                       { r.closed = true }
func (r *table) Err() error                                   { return r.failed }
func (r *table) CommandTag() pgconn.CommandTag                { return pgconn.CommandTag{} }
func (r *table) FieldDescriptions() []pgconn.FieldDescription { return r.fields }
func (r *table) RawValues() [][]byte                          { return r.row }
func (r *table) Conn() *pgx.Conn                              { return nil }
func (r *table) TypeMap() *pgtype.Map                         { return r.m }
func (r *table) Values() ([]any, error)                       { return nil, errors.New("nobody asks for them") }

func (r *table) Next() bool {
	if r.closed || r.n == 0 {
		r.closed = true
		return false
	}
	r.n--
	return true
}

func (r *table) Scan(targets ...any) error {
	var err error
	if s, ok := targets[0].(pgx.RowScanner); ok && len(targets) == 1 {
		err = s.ScanRow(r)
	} else {
		err = pgx.ScanRow(r.m, r.fields, r.row, targets...)
	}
	if err != nil {
		r.failed = err
		r.Close()
	}
	return err
}

// A column is a name, a type and the value in each row, in binary.
type column struct {
	name, typ string
	value     []byte
}

func make1(n int, columns ...column) *table {
	r := &table{m: pgtype.NewMap(), n: n}
	for _, c := range columns {
		t, ok := r.m.TypeForName(c.typ)
		if !ok {
			panic(c.typ)
		}
		r.fields = append(r.fields, pgconn.FieldDescription{Name: c.name, DataTypeOID: t.OID, Format: pgtype.BinaryFormatCode})
		r.row = append(r.row, c.value)
	}
	return r
}

// texts returns an array of n texts.
func texts(n int) []byte {
	b := binary.BigEndian.AppendUint32(nil, 1)
	for _, v := range []uint32{0, pgtype.TextOID, uint32(n), 1} {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	for range n {
		b = append(binary.BigEndian.AppendUint32(b, 4), "text"...)
	}
	return b
}

type (
	plain struct {
		ID   int32
		Name string
	}
	document struct{ Doc any }
	schema   struct {
		Properties map[string]schema
		Rest       [60]int64 `json:"-"`
	}
	schemas struct{ Doc schema }
	list    struct{ Tags []string }
)

var number = []byte{0, 0, 0, 7}

// collect is the same work with T as rows. With right, the rows of source contain a mistake, which
// is noticed while decoding, and the rows of right do not.
func collect[T any](name string, n int, source, right func(n int) *table) growth.Row {
	return growth.Row{Name: name, N: n, New: func(n int) growth.Work {
		a := arena.NewArena()
		r := source(n)
		also := new(table)
		if right != nil {
			also = right(n)
		}
		var out, want []T
		_, _ = out, want
		input := 0
		for _, v := range r.row {
			input += len(v) * r.n
		}
		return growth.Work{
			Input: input,
			Reference: func() {
				want, _ = pgx.CollectRows(r, pgx.RowToStructByName[T])
				if right != nil {
					want, _ = pgx.CollectRows(also, pgx.RowToStructByName[T])
				}
			},
			Ours: []growth.Way{
				{Name: "heap", Do: func() { out, _ = arenapgx.Collect[T](nil, r) }},
				{Name: "arena", Arena: true, Do: func() { out, _ = arenapgx.Collect[T](a, r) }},
				{Name: "ForEach", Arena: true, Do: func() { arenapgx.ForEach(a, r, func(*T) error { return nil }) }},
				{Name: "ForEach, and stops", Arena: true, Do: func() { arenapgx.ForEach(a, r, func(*T) error { return errors.New("enough") }) }},
			},
		}
	}}
}

func rows() (rows []growth.Row) {
	rows = append(rows,
		collect[plain]("rows", 500, func(n int) *table {
			return make1(n, column{"id", "int4", number}, column{"name", "text", []byte("text")})
		}, nil),
		collect[plain]("long text", 500, func(n int) *table {
			return make1(1, column{"id", "int4", number}, column{"name", "text", bytes.Repeat([]byte("text"), n)})
		}, nil),
		collect[plain]("wrong numbers", 500, func(n int) *table {
			return make1(n, column{"id", "int4", number[1:]}, column{"name", "text", []byte("text")})
		}, nil),
		collect[plain]("NULL where there is no place", 500, func(n int) *table { return make1(n, column{"id", "int4", number}, column{"name", "text", nil}) }, nil),
		collect[list]("arrays", 500, func(n int) *table { return make1(5, column{"tags", "_text", texts(n)}) }, nil),
	)
	for name, shape := range map[string]growth.Shape{
		"lists":              {Open: `[`, Fill: `0,`, Leaf: `1`, Close: `]`},
		"objects":            {Open: `{"a":{`, Fill: `"x":{},`, Leaf: `"b":1`, Close: `}}`},
		"objects, repeated":  {Open: `{"a":{`, Fill: `"":[1,2,3],`, Leaf: `"b":1`, Close: `}}`},
		"schemas, repeated":  {Open: `{"Properties":{`, Fill: `"":{},`, Leaf: `"b":{}`, Close: `}}`},
		"schemas, the same":  {Open: `{"Properties":{"a":{"Properties":{`, Fill: `"x":{},`, Leaf: `"b":{}`, Close: `}}}}`},
		"names in any order": {Open: `{"properties":{`, Fill: `"x":{},`, Leaf: `"b":{}`, Close: `}}`},
	} {
		for _, form := range growth.Forms {
			if form == growth.Both && json(shape.Doc(form, 9, growth.Nowhere, "")) != nil {
				continue
			}
			for _, place := range []growth.Place{growth.Nowhere, growth.End} {
				title := "JSON/" + name + "/" + string(form)
				if place == growth.End {
					title += "/error"
				}
				n := map[growth.Form]int{growth.Deep: 500, growth.Long: 1000, growth.Both: 4096}[form]
				source := func(n int) *table { return make1(3, column{"doc", "json", shape.Doc(form, n, place, "x")}) }
				var right func(n int) *table
				if place == growth.End {
					right = func(n int) *table { return make1(3, column{"doc", "json", shape.Doc(form, n, growth.Nowhere, "")}) }
				}
				if strings.Contains(name, "schemas") {
					rows = append(rows, collect[schemas](title, n, source, right))
				} else {
					rows = append(rows, collect[document](title, n, source, right))
				}
			}
		}
	}
	// As many of the same name as wait on the side, on each level.
	many := growth.Shape{Open: `{"Properties":{` + strings.Repeat(`"":{},`, 254) + `"a":`, Leaf: `{}`, Close: `}}`}
	rows = append(rows, collect[schemas]("JSON/schemas, many of the same", 20, func(n int) *table {
		return make1(1, column{"doc", "json", many.Doc(growth.Deep, n, growth.Nowhere, "")})
	}, nil))
	// Structs with many fields, for as many columns.
	var types = map[int]reflect.Type{}
	rows = append(rows, growth.Row{Name: "columns", N: 50, Max: 400, New: func(n int) growth.Work {
		if types[n] == nil {
			var fields []reflect.StructField
			for i := range n {
				fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: reflect.TypeFor[int32]()})
			}
			types[n] = reflect.StructOf(fields)
		}
		var columns []column
		for i := range n {
			columns = append(columns, column{fmt.Sprint("f", i), "int4", number})
		}
		r := make1(20, columns...)
		targets := func() (all []any) {
			v := reflect.New(types[n]).Elem()
			for i := range n {
				all = append(all, v.Field(i).Addr().Interface())
			}
			return all
		}
		t := targets()
		return growth.Ours(func() {
			for r.Next() {
				arenapgx.Scan(nil, r, t...)
			}
		}, func() {
			for r.Next() {
				r.Scan(t...)
			}
		})
	}})
	return rows
}

func json(b []byte) error { return encodingjson.Unmarshal(b, new(any)) }
