package arenapgx_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// fakeRows are rows as mocks of tests make them: Scan sets what the test has given, and RawValues
// are whatever raw returns.
type fakeRows struct {
	fields   []pgconn.FieldDescription
	rows     [][]any
	m        *pgtype.Map
	raw      func(row []any) [][]byte
	scanErr  error // of the second row
	err      error // of Err, before Close
	closeErr error // of Err, after Close

	n      int
	closed bool
}

var _ pgx.Rows = (*fakeRows)(nil)

func (f *fakeRows) Close()                                       { f.closed = true }
func (f *fakeRows) CommandTag() pgconn.CommandTag                { return pgconn.CommandTag{} }
func (f *fakeRows) FieldDescriptions() []pgconn.FieldDescription { return f.fields }
func (f *fakeRows) Next() bool                                   { f.n++; return !f.closed && f.n <= len(f.rows) }
func (f *fakeRows) Values() ([]any, error)                       { return f.rows[f.n-1], f.scanErr }
func (f *fakeRows) Conn() *pgx.Conn                              { return nil }
func (f *fakeRows) TypeMap() *pgtype.Map                         { return f.m }

func (f *fakeRows) RawValues() [][]byte {
	if f.raw == nil {
		return nil
	}
	return f.raw(f.rows[max(f.n-1, 0)])
}

func (f *fakeRows) Err() error {
	if f.closed {
		return f.closeErr
	}
	return f.err
}

func (f *fakeRows) Scan(targets ...any) error {
	if s, ok := rowScanner(targets); ok {
		return s.ScanRow(f)
	}
	row := f.rows[f.n-1]
	if len(targets) != len(row) {
		return fmt.Errorf("%d targets for %d values", len(targets), len(row))
	}
	if f.n == 2 && f.scanErr != nil {
		return f.scanErr
	}
	for i, target := range targets {
		if target == nil {
			continue
		}
		to, v := reflect.ValueOf(target).Elem(), reflect.ValueOf(row[i])
		switch {
		case !v.IsValid():
			to.SetZero()
		case !v.CanConvert(to.Type()):
			return fmt.Errorf("%T into %v", row[i], to.Type())
		default:
			to.Set(v.Convert(to.Type()))
		}
	}
	return nil
}

// A disguise has rows of pgx and another Scan than theirs.
type disguise struct{ pgx.Rows }

func (d disguise) Scan(targets ...any) error {
	err := d.Rows.Scan(targets...)
	for _, target := range targets {
		if s, ok := target.(*string); ok {
			*s = "<" + *s + ">"
		}
	}
	return err
}

type fakeUser struct {
	ID   int64
	Name string
}

// fakes returns makers of rows with a number and a text that no bytes stand for, or others.
func fakes(t *testing.T) map[string]func() pgx.Rows {
	oids := []uint32{pgtype.Int8OID, pgtype.TextOID}
	printed := func(row []any) (list [][]byte) {
		for _, v := range row {
			list = append(list, fmt.Appendf(nil, "%q", fmt.Sprint(v)))
		}
		return list
	}
	raws := map[string]func(row []any) [][]byte{
		"none":    nil,
		"empty":   func(row []any) [][]byte { return make([][]byte, len(row)) },
		"printed": printed,
		"short":   func(row []any) [][]byte { return printed(row)[:1] },
		"others":  func([]any) [][]byte { return [][]byte{make([]byte, 8), []byte("other")} },
	}
	all := map[string]func() pgx.Rows{}
	add := func(name string, f fakeRows) { all[name] = func() pgx.Rows { again := f; return &again } }
	for raw, f := range raws {
		for _, m := range []*pgtype.Map{nil, pgtype.NewMap()} {
			for format := range int16(2) {
				for _, typed := range []bool{false, true} {
					fields := []pgconn.FieldDescription{{Name: "id", Format: format}, {Name: "name", Format: format}}
					for i := range fields {
						if typed {
							fields[i].DataTypeOID = oids[i]
						}
					}
					name := fmt.Sprintf("%s/map=%t/format=%d/typed=%t", raw, m != nil, format, typed)
					rows := fakeRows{fields: fields, m: m, raw: f, rows: [][]any{{int64(1), "Ada"}, {int64(2), "Bob"}, {int64(3), ""}}}
					add(name, rows)
					if !typed && format == 0 {
						continue
					}
					bad := rows
					bad.scanErr = errors.New("cannot scan")
					add(name+"/scan fails", bad)
					bad = rows
					bad.rows = [][]any{{int64(1), "Ada"}, {"two", "Bob"}}
					add(name+"/no number", bad)
					bad = rows
					bad.err = errors.New("connection lost")
					add(name+"/fails", bad)
					bad = rows
					bad.closeErr = errors.New("closed with an error")
					add(name+"/close fails", bad)
					bad = rows
					bad.closed = true
					add(name+"/closed", bad)
					bad = rows
					bad.rows = rows.rows[:1]
					bad.closeErr = errors.New("closed with an error")
					add(name+"/one", bad)
					bad = rows
					bad.rows = nil
					add(name+"/no rows", bad)
					bad = rows
					bad.fields = nil
					add(name+"/no fields", bad)
					bad = rows
					bad.rows = [][]any{{int64(1), nil}, {nil, "Bob"}}
					add(name+"/nulls", bad)
				}
			}
		}
	}
	m := pgtype.NewMap()
	wires := made(m, "id int8, name text", "1, Ada", "2, Bob", "3, ")
	all["disguise"] = func() pgx.Rows { return disguise{wires.again()} }
	all["disguised pgx"] = func() pgx.Rows { return &disguise{pgx.RowsFromResultReader(m, replayed(t, wires, false))} }
	return all
}

// TestFakeRows reads rows whose Scan is not pgx's, with each function here and with its counterpart
// of pgx.
func TestFakeRows(t *testing.T) {
	same := func(name, what string, got any, err error, want any, wantErr error) {
		t.Helper()
		if !reflect.DeepEqual(got, want) || !sameError(err, wantErr) {
			t.Errorf("%s: %s: %+v %v, pgx %+v %v", name, what, got, err, want, wantErr)
		}
	}
	for name, open := range fakes(t) {
		for _, a := range []*arena.Arena{nil, arena.NewArena()} {
			fakeMatch(same, name, a, open, pgx.RowToStructByName[fakeUser])
			fakeMatch(same, name, a, open, pgx.RowToStructByName[fakeUser], arenapgx.ByName)
			fakeMatch(same, name, a, open, pgx.RowToStructByNameLax[fakeUser], arenapgx.ByNameLax)
			fakeMatch(same, name, a, open, pgx.RowToStructByPos[fakeUser], arenapgx.ByPos)
			fakeMatch(same, name, a, open, pgx.RowTo[fakeUser], arenapgx.Value)
			fakeMatch(same, name, a, open, pgx.RowTo[fakeScanner])
			fakeMatch(same, name, a, open, pgx.RowTo[string])
			fakeMatch(same, name, a, open, valuesOf)
			fakeMatch(same, name, a, open, pgx.RowToStructByName[nothing])
			for _, n := range []int{0, 1, 2, 3} {
				var x, y fakeUser
				var other any
				ours, theirs := open(), open()
				for ours.Next() && theirs.Next() {
					err := arenapgx.Scan(a, ours, []any{&x.ID, &x.Name, &other}[:n]...)
					theirErr := theirs.Scan([]any{&y.ID, &y.Name, &other}[:n]...)
					same(name, fmt.Sprint("Scan of ", n), x, err, y, theirErr)
					err = arenapgx.Scan(a, ours, nil, &x.Name)
					theirErr = theirs.Scan(nil, &y.Name)
					same(name, "Scan of a name", x, err, y, theirErr)
				}
				same(name, "Err after Scan", nil, ours.Err(), nil, theirs.Err())
			}
		}
		if got := arenapgx.Fallbacks[fakeUser](open()); len(got) != 1 || !strings.Contains(got[0], "Scan") {
			t.Errorf("%s: the fallbacks are %q", name, got)
		}
	}
}

// A fakeScanner scans itself.
type fakeScanner struct{ text string }

func (s *fakeScanner) ScanRow(rows pgx.Rows) error {
	var u fakeUser
	err := rows.Scan(&u.ID, &u.Name)
	s.text = fmt.Sprint(u)
	return err
}

func fakeMatch[T any](same func(string, string, any, error, any, error), name string, a *arena.Arena, open func() pgx.Rows, f pgx.RowToFunc[T], match ...arenapgx.Match) {
	name += fmt.Sprintf("/%v/%v", reflect.TypeFor[T](), match)
	isClosed := func(rows pgx.Rows) bool { f, ok := rows.(*fakeRows); return !ok || f.closed }
	ours := open()
	got, err := arenapgx.Collect[T](a, ours, match...)
	want, wantErr := pgx.CollectRows(open(), f)
	same(name, "Collect", got, err, want, wantErr)
	same(name, "closed", isClosed(ours), nil, true, nil)

	ours = open()
	pointers, err := arenapgx.CollectPointers[T](a, ours, match...)
	if err == nil {
		got = []T{}
		for _, p := range pointers {
			got = append(got, *p)
		}
	} else {
		got = nil
	}
	same(name, "CollectPointers", got, err, want, wantErr)
	same(name, "closed", isClosed(ours), nil, true, nil)

	ours = open()
	each := []T{}
	err = arenapgx.ForEach(a, ours, func(v *T) error { each = append(each, *v); return nil }, match...)
	if err != nil {
		each = nil
	}
	same(name, "ForEach", each, err, want, wantErr)
	same(name, "closed", isClosed(ours), nil, true, nil)

	for what, pair := range map[string][2]func() (T, error){
		"One": {
			func() (T, error) { return arenapgx.One[T](a, open(), match...) },
			func() (T, error) { return pgx.CollectOneRow(open(), f) },
		},
		"Exactly": {
			func() (T, error) { return arenapgx.Exactly[T](a, open(), match...) },
			func() (T, error) { return pgx.CollectExactlyOneRow(open(), f) },
		},
	} {
		one, err := pair[0]()
		theirOne, theirErr := pair[1]()
		if theirErr != nil {
			theirOne = *new(T) // as is documented
		}
		same(name, what, one, err, theirOne, theirErr)
	}
}

// loud is a codec that puts an exclamation mark behind strings.
type loud struct{ pgtype.TextCodec }

func (c loud) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if _, ok := target.(*string); ok {
		return loudPlan{}
	}
	return c.TextCodec.PlanScan(m, oid, format, target)
}

type loudPlan struct{}

func (loudPlan) Scan(b []byte, target any) error {
	*target.(*string) = string(b) + "!"
	return nil
}

// TestScanReplayed scans rows of pgx's own: two results in turns, targets whose types change, and a
// Map that changes between results.
func TestScanReplayed(t *testing.T) {
	m := pgtype.NewMap()
	wires := made(m, "id int8, name text, tags _text", "1, Ada, {x}", "2, Bob, {}", "3, , null", "4, Dan, {y}")
	others := made(m, "name text, id int8, tags _text", "Ann, 1, {x}", "Ben, 2, {}", "Cyd, 3, null", "Deb, 4, {y}")
	open := func(r *wireRows) pgx.Rows { return pgx.RowsFromResultReader(m, replayed(t, r, false)) }
	a := arena.NewArena()
	for round := range 3 {
		type variables struct {
			id    int64
			short int16
			name  string
			text  pgtype.Text
			bytes []byte
			tags  []string
			any   any
		}
		var x, y variables
		lists := func(v *variables) [][]any {
			return [][]any{{&v.id, &v.name, &v.tags}, {&v.id, &v.name, &v.tags}, {&v.short, &v.text, nil}, {nil, &v.bytes, &v.any}}
		}
		reverse := func(list []any) []any { return []any{list[1], list[0], list[2]} }
		ours, theirs, ourOthers, theirOthers := open(wires), open(wires), open(others), open(others)
		for i := 0; ours.Next() && theirs.Next() && ourOthers.Next() && theirOthers.Next(); i++ {
			for _, pair := range []struct {
				ours, theirs pgx.Rows
				order        func([]any) []any
			}{{ours, theirs, func(list []any) []any { return list }}, {ourOthers, theirOthers, reverse}} {
				err := arenapgx.Scan(a, pair.ours, pair.order(lists(&x)[i])...)
				theirErr := pair.theirs.Scan(pair.order(lists(&y)[i])...)
				if !sameError(err, theirErr) || !reflect.DeepEqual(x, y) {
					t.Errorf("round %d, row %d: %+v %v, pgx %+v %v", round, i, x, err, y, theirErr)
				}
			}
		}
		if round == 1 {
			m.RegisterType(&pgtype.Type{Name: "text", OID: pgtype.TextOID, Codec: loud{}}) // and the plans of the rounds before are wrong
		}
	}
	if got := arenapgx.Fallbacks[fakeUser](pgx.RowsFromResultReader(pgtype.NewMap(), replayed(t, made(pgtype.NewMap(), "id int8, name text"), false))); got != nil {
		t.Errorf("pgx's own rows: %q", got)
	}
}

// TestScanPlans scans results whose columns differ into the same variables, in turns, and changes
// the Map between them.
func TestScanPlans(t *testing.T) {
	m := pgtype.NewMap()
	texts := made(m, "id int8, name text", "1, Ada", "2, Bob", "3, Cyd")
	uuids := made(m, "id int8, name uuid", "1, 00000000-0000-0000-0000-000000000001", "2, 00000000-0000-0000-0000-000000000002", "3, 00000000-0000-0000-0000-000000000003")
	a := arena.NewArena()
	for round := range 2 {
		var pairs [][2]pgx.Rows
		for _, r := range []*wireRows{texts, uuids, texts} {
			pairs = append(pairs, [2]pgx.Rows{
				pgx.RowsFromResultReader(m, replayed(t, r, false)),
				pgx.RowsFromResultReader(m, replayed(t, r, false)),
			})
		}
		for range texts.rows {
			for i, pair := range pairs {
				pair[0].Next()
				pair[1].Next()
				var x, y fakeUser
				err := arenapgx.Scan(a, pair[0], &x.ID, &x.Name)
				theirErr := pair[1].Scan(&y.ID, &y.Name)
				if x != y || !sameError(err, theirErr) {
					t.Errorf("round %d, result %d: %+v %v, pgx %+v %v", round, i, x, err, y, theirErr)
				}
			}
		}
		m.RegisterType(&pgtype.Type{Name: "text", OID: pgtype.TextOID, Codec: loud{}})
	}
}
