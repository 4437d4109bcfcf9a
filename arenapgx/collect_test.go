package arenapgx_test

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapgx"
	"github.com/arena-go/arena/internal/fake"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// made returns rows with these columns, each "name type", whose values are random or, in text
// format, the values of rows.
func made(m *pgtype.Map, columns string, rows ...string) *wireRows {
	r := &wireRows{m: m}
	for _, c := range strings.Split(columns, ", ") {
		name, typ, _ := strings.Cut(c, " ")
		t, ok := m.TypeForName(typ)
		if !ok {
			panic(typ)
		}
		r.fields = append(r.fields, pgconn.FieldDescription{Name: name, DataTypeOID: t.OID, Format: pgtype.BinaryFormatCode})
	}
	for _, row := range rows {
		var values [][]byte
		for i, v := range strings.Split(row, ", ") {
			if v == "null" {
				values = append(values, nil)
				continue
			}
			var x any
			oid := r.fields[i].DataTypeOID
			if err := m.Scan(oid, pgtype.TextFormatCode, []byte(v), &x); err != nil {
				panic(err)
			}
			b, err := m.Encode(oid, pgtype.BinaryFormatCode, x, []byte{})
			if err != nil {
				panic(err)
			}
			values = append(values, b)
		}
		r.rows = append(r.rows, values)
	}
	return r
}

type inner struct {
	City string
	Zip  *int32 `db:"postal_code"`
}

type person struct {
	ID     int64
	Name   string
	secret int //lint:ignore U1000 an unexported field is no column
	inner
	Tags  []string
	Skip  int    `db:"-"`
	Email string `db:"E-Mail"`
}

const personColumns = "email text, id int8, NAME text, city text, Postal_Code int4, tags _text"

func people(m *pgtype.Map) *wireRows {
	r := made(m, personColumns, "a@x, 1, Ada, London, 42, {x}", ", 2, Bob, , null, {}", "c@x, 3, , Rome, 7, null")
	r.fields[0].Name = "E-Mail"
	return r
}

// TestMatch checks the ways in which columns become fields against pgx.
func TestMatch(t *testing.T) {
	m := pgtype.NewMap()
	both(t, people(m), pgx.RowToStructByName[person])
	both(t, people(m), pgx.RowToStructByName[person], arenapgx.ByName)
	both(t, people(m), pgx.RowToStructByNameLax[person], arenapgx.ByNameLax)
	both(t, people(m), pgx.RowToStructByPos[person], arenapgx.ByPos)
	two := made(m, "id int8, name text", "1, a", "2, b")
	both(t, two, pgx.RowToStructByName[person])
	both(t, two, pgx.RowToStructByNameLax[person], arenapgx.ByNameLax)
	both(t, two, pgx.RowToStructByPos[person], arenapgx.ByPos)
	both(t, made(m, "id int8, other text", "1, a"), pgx.RowToStructByNameLax[person], arenapgx.ByNameLax)
	both(t, made(m, "id int8, id int8", "1, 2"), pgx.RowToStructByNameLax[person], arenapgx.ByNameLax)
	both(t, made(m, "id int8, name text"), pgx.RowToStructByName[nothing]) // no row, so nothing that does not match
	both(t, two, pgx.RowToStructByPos[struct {
		ID   int
		Name string
	}], arenapgx.ByPos)
	both(t, two, pgx.RowTo[int])
	both(t, two, pgx.RowTo[rowScanner2], arenapgx.Value)
	both(t, two, pgx.RowTo[rowScanner2])
	both(t, made(m, "n numeric", "1.50", "7", "1000000000000000000000000000000"), pgx.RowTo[pgtype.Numeric])
	both(t, made(m, "n int4", "1", "null"), pgx.RowTo[*int])
	both(t, made(m, "n int4", "1", "null"), pgx.RowTo[int])
	both(t, people(m), valuesOf)
	both(t, made(m, "a _int4", "{1,2}"), pgx.RowTo[[]any], arenapgx.Value)

	for _, f := range []func(){
		func() { arenapgx.Collect[int](nil, two, arenapgx.ByName, arenapgx.Value) },
		func() { arenapgx.Collect[int](nil, two, 99) },
	} {
		func() {
			defer func() {
				if v := fmt.Sprint(recover()); !strings.HasPrefix(v, "arenapgx: ") {
					t.Error(v)
				}
			}()
			f()
		}()
	}
}

// rowScanner2 takes a row by itself.
type rowScanner2 struct{ Got string }

func (r *rowScanner2) ScanRow(rows pgx.Rows) error {
	var id int
	var name string
	err := rows.Scan(&id, &name)
	r.Got = fmt.Sprint(id, name)
	return err
}

// both reads rows with pgx and here, with an arena and without one.
func both[T any](t *testing.T, rows *wireRows, theirs pgx.RowToFunc[T], match ...arenapgx.Match) {
	t.Helper()
	want, wantErr := pgx.CollectRows(rows.again(), theirs)
	used := arena.NewArena()
	for _, a := range []*arena.Arena{nil, arena.NewArena(), used, used} {
		r := rows.again()
		got, err := arenapgx.Collect[T](a, r, match...)
		if !sameError(err, wantErr) || !equal(reflect.ValueOf(got), reflect.ValueOf(want)) {
			t.Errorf("%v: %+v, %v; pgx: %+v, %v", match, got, err, want, wantErr)
		}
		if !r.closed {
			t.Error("rows were not closed")
		}
		list, err := arenapgx.CollectPointers[T](a, rows.again(), match...)
		if !sameError(err, wantErr) || wantErr == nil && len(list) != len(want) {
			t.Errorf("%d pointers, %v", len(list), err)
		}
		for i, p := range list {
			if !equal(reflect.ValueOf(p).Elem(), reflect.ValueOf(want[i])) {
				t.Errorf("pointer %d: %+v; pgx: %+v", i, *p, want[i])
			}
		}
		one, err := arenapgx.One[T](a, rows.again(), match...)
		theirOne, theirErr := pgx.CollectOneRow(rows.again(), theirs)
		if !sameError(err, theirErr) || err == nil && !equal(reflect.ValueOf(one), reflect.ValueOf(theirOne)) {
			t.Errorf("one: %+v, %v; pgx: %+v, %v", one, err, theirOne, theirErr)
		}
		one, err = arenapgx.Exactly[T](a, rows.again(), match...)
		theirOne, theirErr = pgx.CollectExactlyOneRow(rows.again(), theirs)
		if !sameError(err, theirErr) || err == nil && !equal(reflect.ValueOf(one), reflect.ValueOf(theirOne)) {
			t.Errorf("exactly one: %+v, %v; pgx: %+v, %v", one, err, theirOne, theirErr)
		}
		used.Reset()
	}
}

// TestForEach resets the arena in the middle of rows.
func TestForEach(t *testing.T) {
	m := pgtype.NewMap()
	rows := &wireRows{m: m, fields: people(m).fields}
	for range 100 {
		rows.rows = append(rows.rows, people(m).rows...)
	}
	want, err := pgx.CollectRows(rows.again(), pgx.RowToStructByName[person])
	if err != nil {
		t.Fatal(err)
	}
	a := arena.NewArena()
	var kept []*person
	n := 0
	err = arenapgx.ForEach(a, rows, func(p *person) error {
		arena.String(a, "something of the caller's")
		kept = append(kept, p)
		n++
		for i, p := range kept {
			if !equal(reflect.ValueOf(*p), reflect.ValueOf(want[n-len(kept)+i])) {
				t.Fatalf("row %d: %+v", n, *p)
			}
		}
		if len(kept) == 7 {
			kept = kept[:0]
			a.Reset()
		}
		return nil
	})
	if err != nil || n != len(want) {
		t.Errorf("%d of %d rows: %v", n, len(want), err)
	}
	if in := a.Stats().InUse; in > 16<<10 {
		t.Errorf("%d bytes of 7 rows are in use", in)
	}
}

// TestScan scans into variables that have had other values.
func TestScan(t *testing.T) {
	m := pgtype.NewMap()
	rows := people(m)
	a := arena.NewArena()
	type all struct {
		Email, Name string
		ID          int64
		City        *string
		Zip         *int32
		Tags        []string
	}
	var x, y all
	theirs := rows.again()
	for rows.Next() && theirs.Next() {
		if err := arenapgx.Scan(a, rows, &x.Email, &x.ID, &x.Name, &x.City, &x.Zip, &x.Tags); err != nil {
			t.Fatal(err)
		}
		if err := theirs.Scan(&y.Email, &y.ID, &y.Name, &y.City, &y.Zip, &y.Tags); err != nil {
			t.Fatal(err)
		}
		if !equal(reflect.ValueOf(x), reflect.ValueOf(y)) {
			t.Errorf("%+v, pgx %+v", x, y)
		}
	}
	rows, theirs = people(m), people(m)
	rows.Next()
	theirs.Next()
	x, y = all{}, all{}
	if err := arenapgx.Scan(a, rows, nil, nil, &x.Name, nil, nil, nil); err != nil || x.Name != "Ada" {
		t.Errorf("%+v, %v", x, err)
	}
	err := arenapgx.Scan(a, rows, &x.ID)
	if theirErr := theirs.Scan(&y.ID); !sameError(err, theirErr) || err == nil {
		t.Errorf("%v, pgx %v", err, theirErr)
	}
}

// TestMaps gives Maps that differ in what they have registered the same columns and Go type.
func TestMaps(t *testing.T) {
	plain, own, added := pgtype.NewMap(), pgtype.NewMap(), pgtype.NewMap()
	own.RegisterType(&pgtype.Type{Name: "int4", OID: pgtype.Int4OID, Codec: negative{}})
	added.TryWrapScanPlanFuncs = append([]pgtype.TryWrapScanPlanFunc{wrapString}, added.TryWrapScanPlanFuncs...)
	rows := made(plain, "i int4, s text", "1, a", "2, b")
	type row struct {
		I int32
		S status
	}
	for range 3 {
		for _, m := range []*pgtype.Map{plain, own, added} {
			rows.m = m
			both(t, rows, pgx.RowToStructByName[row])
		}
	}
	rows.m = own
	if list, err := arenapgx.Collect[row](nil, rows.again()); err != nil || list[0].I != -1 {
		t.Error(list, err)
	}
	rows.m = added
	if list, err := arenapgx.Collect[row](nil, rows.again()); err != nil || list[0].S != "wrapped a" {
		t.Error(list, err)
	}
	rows.m = nil
	if got := arenapgx.Fallbacks[row](rows); len(got) != 1 {
		t.Error(got)
	}
}

type (
	named struct {
		ID   int32
		Name string
	}
	outerBehind struct {
		named
		Name string
	}
	outerBefore struct {
		Name string
		named
	}
	closest struct {
		A  int32 `db:"a_b"`
		AB int32
	}
)

// TestClosest has columns that more than one field is like.
func TestClosest(t *testing.T) {
	m := pgtype.NewMap()
	for _, columns := range []string{"id int4, name text", "name text, id int4", "name text, name text", "name text, id int4, name text"} {
		rows := made(m, columns, "1, 2, 3"[:len(strings.Split(columns, ","))*3-2])
		both(t, rows, pgx.RowToStructByName[outerBehind])
		both(t, rows, pgx.RowToStructByName[outerBefore])
		both(t, rows, pgx.RowToStructByNameLax[outerBehind], arenapgx.ByNameLax)
		both(t, rows, pgx.RowToStructByNameLax[outerBefore], arenapgx.ByNameLax)
	}
	for _, columns := range []string{"ab int4", "a_b int4", "A_B int4", "ab int4, a_b int4", "a_b int4, ab int4", "ab int4, ab int4", "aB int4, A_b int4"} {
		rows := made(m, columns, "1, 2"[:len(strings.Split(columns, ","))*3-2])
		both(t, rows, pgx.RowToStructByName[closest])
		both(t, rows, pgx.RowToStructByNameLax[closest], arenapgx.ByNameLax)
	}
}

// TestElements gives Maps other types of elements than their arrays and composites have been made
// with.
func TestElements(t *testing.T) {
	plain, own := newMap(), newMap()
	own.RegisterType(&pgtype.Type{Name: "int4", OID: pgtype.Int4OID, Codec: negative{}})
	list := made(plain, "l _int4", "{1,2}")
	pair := made(plain, "p pair")
	b, err := plain.Encode(pairOID, pgtype.BinaryFormatCode, pgtype.CompositeFields{int32(7), "x", []string{"y"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	pair.rows = [][][]byte{{b}}
	type row struct {
		N int32
		T string
		L []string
	}
	for range 2 {
		for _, m := range []*pgtype.Map{plain, own} {
			list.m, pair.m = m, m
			both(t, list, pgx.RowTo[[]int32], arenapgx.Value)
			both(t, pair, pgx.RowTo[row], arenapgx.Value)
		}
	}
}

// negative is a codec that makes numbers negative.
type negative struct{ pgtype.Int4Codec }

func (negative) PlanScan(*pgtype.Map, uint32, int16, any) pgtype.ScanPlan { return negativePlan{} }

type negativePlan struct{}

func (negativePlan) Scan(b []byte, target any) error {
	*target.(*int32) = -int32(b[3])
	return nil
}

// wrapString takes status away from pgx.
func wrapString(target any) (pgtype.WrappedScanPlanNextSetter, any, bool) {
	if s, ok := target.(*status); ok {
		return &wrapPlan{}, (*string)(s), true
	}
	return nil, nil, false
}

type wrapPlan struct{ next pgtype.ScanPlan }

func (p *wrapPlan) SetNext(next pgtype.ScanPlan) { p.next = next }
func (p *wrapPlan) Scan(b []byte, target any) error {
	s := target.(*status)
	err := p.next.Scan(b, (*string)(s))
	*s = "wrapped " + *s
	return err
}

// TestFallbacks names what is left to pgx.
func TestFallbacks(t *testing.T) {
	m := pgtype.NewMap()
	rows := made(m, "i int4, s text, ip inet, tm time, sc text")
	type row struct {
		I  int
		S  string
		IP string
		Tm pgtype.Time
		Sc scanning
	}
	got := arenapgx.Fallbacks[row](rows)
	want := []string{"ip: inet into string", "tm: time into pgtype.Time", "sc: text into arenapgx_test.scanning"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
	if got := arenapgx.Fallbacks[nothing](rows); len(got) != 1 || !strings.Contains(got[0], "struct doesn't have") {
		t.Errorf("%q", got)
	}
	if got := arenapgx.Fallbacks[string](made(m, "s text")); got != nil {
		t.Errorf("%q", got)
	}
}

// TestObjects checks that rows make no objects on the heap.
func TestObjects(t *testing.T) {
	m := newMap()
	type row struct {
		I  int32
		S  string
		N  pgtype.Numeric
		F  float64
		P  *string
		L  []string
		T  pgtype.Timestamptz
		U  [16]byte
		B  []byte
		J  string
		E  status
		NF float64
	}
	columns := "i int4, s text, n numeric, f float8, p text, l _text, t timestamptz, u uuid, b bytea, j jsonb, e mood, nf numeric"
	line := `7, some text, 1234567890123456789012.50, 1.5, a pointer, {a}, 2020-01-02 03:04:05+00, 00010203-0405-0607-0809-0a0b0c0d0e0f, \x0102, {"a":1}, ok, 19.99`
	lines := strings.Split(strings.Repeat(line+"\n", 500), "\n")
	rows := made(m, columns, lines[:500]...)
	for i, f := range rows.fields {
		if f.Name == "j" { // as it comes from a server
			rows.fields[i].Format = pgtype.TextFormatCode
			for _, r := range rows.rows {
				r[i] = []byte(`{"a": 1}`)
			}
		}
	}
	if got := arenapgx.Fallbacks[row](rows); got != nil {
		t.Fatal(got)
	}
	a := arena.NewArena()
	read := func() {
		list, err := arenapgx.Collect[row](a, rows)
		if err != nil || len(list) != 500 || list[499].S != "some text" || *list[0].P != "a pointer" {
			t.Fatal(err)
		}
		rows.at, rows.closed = 0, false
		a.Reset()
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // A collection empties pools.
	for range 10 {
		read()
	}
	theirs := testing.AllocsPerRun(5, func() {
		for rows.Next() {
		}
		rows.at, rows.closed = 0, false
	})
	if n := testing.AllocsPerRun(5, read) - theirs; n > 100 { // fewer than a fifth of one; with the race detector a sync.Pool forgets some
		t.Errorf("%v objects for 500 rows, beside those of the rows", n)
	}
}

// TestLimit checks that a full arena, or one whose Memory panics, leaves nothing behind that is
// wrong.
func TestLimit(t *testing.T) {
	m := pgtype.NewMap()
	rows := &wireRows{m: m, fields: people(m).fields}
	for range 100 {
		rows.rows = append(rows.rows, people(m).rows...)
	}
	want, _ := pgx.CollectRows(rows.again(), pgx.RowToStructByName[person])
	for _, o := range []func(n int64) arena.Options{
		func(n int64) arena.Options { return arena.Options{Limit: 1<<10 + n*n*64} },
		func(n int64) arena.Options { return arena.Options{Memory: &fake.Memory{Calls: int(n)}} },
	} {
		for n := int64(0); ; n++ {
			a := arena.NewWith(o(n))
			r := rows.again()
			var got []person
			err := arena.Try(func() { got, _ = arenapgx.Collect[person](a, r) })
			if !r.closed {
				t.Fatal("rows are open after a panic")
			}
			if err == nil {
				if !equal(reflect.ValueOf(got), reflect.ValueOf(want)) {
					t.Error("rows are not the same")
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

// TestConcurrent makes plans in many goroutines at once, while the collector runs.
func TestConcurrent(t *testing.T) {
	var workers sync.WaitGroup
	for k := range 8 {
		workers.Go(func() {
			m := newMap()
			r := rand.New(rand.NewPCG(uint64(k), 1))
			a := arena.NewArena()
			for i := range 200 {
				rows := people(m)
				want, _ := pgx.CollectRows(rows.again(), pgx.RowToStructByName[person])
				if r.IntN(3) == 0 {
					rows.fields[1].Name = []string{"id", "ID", "I_d"}[r.IntN(3)]
				}
				got, err := arenapgx.Collect[person](a, rows)
				if err != nil || !equal(reflect.ValueOf(got), reflect.ValueOf(want)) {
					t.Errorf("%+v, %v", got, err)
				}
				if i%50 == 0 {
					runtime.GC()
				}
				a.Reset()
			}
		})
	}
	workers.Wait()
}

// TestUnsafe checks that unsafe stays in its file.
func TestUnsafe(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if i.Path.Value == `"unsafe"` && !strings.HasPrefix(name, "unsafe") {
				t.Errorf("%s imports unsafe", name)
			}
		}
	}
}
