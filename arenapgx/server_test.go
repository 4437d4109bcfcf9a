//go:build unix

package arenapgx_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapgx"
	"github.com/arena-go/arena/arenapgx/internal/postgres"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// startServer starts one server for all tests of a run.
var startServer = sync.OnceValues(postgres.Start)

func TestMain(m *testing.M) {
	code := testrun.Run(m)
	if started {
		if s, err := startServer(); err == nil {
			s.Stop()
		}
	}
	os.Exit(code)
}

var started bool

// dsn returns how to connect to a server. It skips the test where PostgreSQL is not installed.
func dsn(t testing.TB) string {
	t.Helper()
	started = true
	s, err := startServer()
	if errors.Is(err, postgres.ErrMissing) {
		testrun.Need(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	return s.DSN
}

// connect returns a connection of the test's own.
func connect(t testing.TB) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

// execute runs statements.
func execute(t testing.TB, c interface {
	Exec(context.Context, string, ...any) (pgconn.CommandTag, error)
}, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := c.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// The columns of the table of all types, in the order of the fields of the types below.
const columns = `b, i2, i4, i8, f4, f8, t, v, c, by, u, d, ts, tz, iv, n, j, jb, m, po, ai, at, an, tm, ip`

const schema = `
create type mood as enum ('sad', 'ok', 'happy');
create domain positive as int8 check (value > 0);
create table everything (id serial primary key, b bool, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, t text, v varchar(20), c char(5), by bytea, u uuid, d date,
	ts timestamp, tz timestamptz, iv interval, n numeric, j json, jb jsonb, m mood, po positive, ai int4[], at text[], an numeric[], tm time, ip inet)`

type document struct {
	A int      `json:"a"`
	S []string `json:"s"`
}

// values of columns that may be NULL, as pointers
type pointers struct {
	B      *bool
	I2     *int16
	I4     *int32
	I8     *int64
	F4     *float32
	F8     *float64
	T      *string
	V      *status
	C      *string
	By     []byte
	U      *[16]byte
	D      *time.Time
	Ts     *time.Time
	Tz     *time.Time
	Iv     *pgtype.Interval
	N      *pgtype.Numeric
	J      *document
	Jb     json.RawMessage
	M      *string
	Po     *int64
	Ai     []*int32
	At     []*string
	An     []pgtype.Numeric
	Tm     *time.Duration
	IP     any
	hidden int //lint:ignore U1000 an unexported field is no column
	Skip   int `db:"-"`
}

// the same by the types of pgtype
type typed struct {
	B  pgtype.Bool
	I2 pgtype.Int2
	I4 pgtype.Int4
	I8 pgtype.Int8
	F4 pgtype.Float4
	F8 pgtype.Float8
	T  pgtype.Text
	V  pgtype.Text
	C  pgtype.Text
	By []byte
	U  pgtype.UUID
	D  pgtype.Date
	Ts pgtype.Timestamp
	Tz pgtype.Timestamptz
	Iv pgtype.Interval
	N  pgtype.Numeric
	J  any
	Jb map[string]any
	M  pgtype.Text
	Po pgtype.Int8
	Ai []pgtype.Int4
	At []pgtype.Text
	An pgtype.FlatArray[pgtype.Numeric]
	Tm pgtype.Time
	Ip any
}

// the same with the types of database/sql, with tags and an embedded struct
type nulls struct {
	numbers
	Text    sql.NullString   `db:"t"`
	Varchar sql.Null[string] `db:"v"`
	C       sql.NullString
	By      []byte
	U       sql.NullString
	D       sql.NullTime
	Ts      sql.Null[time.Time]
	Tz      sql.NullTime
	Iv      any
	N       sql.NullString
	J       []byte
	Jb      []byte
	M       sql.NullString
	Po      sql.NullInt64
	Ai      []sql.Null[int32]
	At      []sql.NullString
	An      []*string
	Tm      any
	Ip      *string
}

type numbers struct {
	B  sql.NullBool
	I2 sql.NullInt16
	I4 sql.NullInt32
	I8 sql.NullInt64
	F4 sql.NullFloat64
	F8 sql.Null[float64]
}

// the values themselves, which none may be NULL of
type plainValues struct {
	B  bool
	I2 int
	I4 number
	I8 int64
	F4 float32
	F8 float64
	T  string
	V  status
	C  string
	By []byte
	U  [16]byte
	D  time.Time
	Ts time.Time
	Tz time.Time
	Iv time.Duration
	N  float64
	J  document
	Jb document
	M  status
	Po uint64
	Ai []int
	At []string
	An []float64
	Tm pgtype.Time
	Ip string
}

// sqlValue returns a literal of SQL for a column.
func sqlValue(r *rand.Rand, column string, null bool) string {
	if null && r.IntN(5) == 0 {
		return "null"
	}
	pick := func(v ...string) string { return v[r.IntN(len(v))] }
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	text := func() string { return pick("", "a", "it's", "Grüße", "null", "{", strings.Repeat("x", r.IntN(3000))) }
	whole := func(bits int) string { return fmt.Sprint(int64(r.Uint64()) >> (64 - 1 - r.IntN(bits))) }
	clock := func() string {
		return pick("1999-12-31 23:59:59.999999", "2000-01-01", "0001-01-01 00:00:00", "4713-01-01 00:00:00 BC", "294276-12-31 23:59:59", time.Unix(r.Int64N(4e9), r.Int64N(1e6)*1000).UTC().Format("2006-01-02 15:04:05.000000"))
	}
	doc := func() string { return fmt.Sprintf(`{"a": %d, "s": ["x", %q]}`, r.IntN(1000), text()) }
	number := func() string {
		return pick("0", "1", "-1.50", "1e10", "0.00001", "123456789012345678901234567890.123456789", "100", "1000000", whole(60)+"."+fmt.Sprint(r.IntN(10000)), "NaN", "Infinity")
	}
	if !null && column == "n" {
		number = func() string {
			return pick("0", "19.99", "-1.50", "100", fmt.Sprintf("%d.%02d", r.IntN(1e6), r.IntN(100)))
		}
	}
	switch column {
	case "b":
		return pick("true", "false")
	case "i2":
		return whole(15)
	case "i4":
		return whole(31)
	case "i8":
		return whole(63)
	case "f4", "f8":
		return quote(pick("0", "1.5", "-0", "NaN", "Infinity", fmt.Sprint(float32(r.NormFloat64()))))
	case "t":
		return quote(text())
	case "v", "c":
		return quote(pick("", "a", "five5", "ab"))
	case "by":
		return quote(fmt.Sprintf(`\x%x`, text()))
	case "u":
		return "gen_random_uuid()"
	case "d":
		if null && r.IntN(8) == 0 {
			return pick("'infinity'", "'-infinity'")
		}
		return quote(clock())
	case "ts", "tz":
		if null && r.IntN(8) == 0 {
			return pick("'infinity'", "'-infinity'")
		}
		return quote(clock())
	case "iv":
		if !null {
			return quote(fmt.Sprintf("%d hours", r.IntN(1000)))
		}
		return quote(fmt.Sprintf("%d months %d days %d seconds", r.IntN(100)-50, r.IntN(100)-50, r.IntN(1e6)-5e5))
	case "n":
		return quote(number())
	case "j", "jb":
		if null && column == "j" && r.IntN(8) == 0 {
			return "'null'"
		}
		return quote(doc())
	case "m":
		return pick("'sad'", "'ok'", "'happy'")
	case "po":
		return fmt.Sprint(1 + r.Int64N(1e15))
	case "ai":
		if null {
			return pick("'{}'", "'{1,null,3}'", "'{{1,2},{3,4}}'", "array["+whole(31)+"]::int4[]")
		}
		return pick("'{}'", "array["+whole(31)+"]::int4[]")
	case "at":
		if null {
			return pick("'{}'", `'{a,null,"NULL",""}'`, "array["+quote(text())+","+quote(text())+"]")
		}
		return pick("'{}'", "array["+quote(text())+","+quote(text())+"]")
	case "an":
		return pick("'{}'", "'{1.5,2,1e20}'")
	case "tm":
		return quote(fmt.Sprintf("%02d:%02d:%02d.%06d", r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1e6)))
	}
	return "'10.1.2.3/24'"
}

// fill makes the table of all types, with random rows.
func fill(t *testing.T, c *pgx.Conn, name string, rows int, null bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(rows), 5))
	list := strings.Split(strings.ReplaceAll(columns, " ", ""), ",")
	execute(t, c, "create table "+name+" (like everything including all)")
	for range rows {
		var values []string
		for _, column := range list {
			values = append(values, sqlValue(r, column, null))
		}
		execute(t, c, "insert into "+name+" ("+columns+") values ("+strings.Join(values, ", ")+")")
	}
}

// check reads the same rows with pgx and here.
func check[T any](t *testing.T, c *pgx.Conn, a *arena.Arena, query string, theirs pgx.RowToFunc[T], match ...arenapgx.Match) {
	t.Helper()
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeSimpleProtocol, pgx.QueryExecModeExec} {
		rows, err := c.Query(t.Context(), query, mode)
		if err != nil {
			t.Fatal(err)
		}
		want, wantErr := pgx.CollectRows(rows, theirs)
		rows, err = c.Query(t.Context(), query, mode)
		if err != nil {
			t.Fatal(err)
		}
		got, gotErr := arenapgx.Collect[T](a, rows, match...)
		if !sameError(gotErr, wantErr) {
			t.Errorf("%T in %v: error %v, pgx %v", *new(T), mode, gotErr, wantErr)
			continue
		}
		if !equal(reflect.ValueOf(got), reflect.ValueOf(want)) {
			for i := range want {
				if i < len(got) && !equal(reflect.ValueOf(got[i]), reflect.ValueOf(want[i])) {
					t.Fatalf("row %d of %T in %v:\n%+v, pgx\n%+v", i, *new(T), mode, got[i], want[i])
				}
			}
			t.Fatalf("%d rows of %T, pgx %d", len(got), *new(T), len(want))
		}
		rows, _ = c.Query(t.Context(), query, mode)
		list, gotErr := arenapgx.CollectPointers[T](a, rows, match...)
		if !sameError(gotErr, wantErr) || wantErr == nil && len(list) != len(want) {
			t.Errorf("%d pointers, error %v", len(list), gotErr)
		}
		for i := range list {
			if !equal(reflect.ValueOf(*list[i]), reflect.ValueOf(want[i])) {
				t.Fatalf("pointer %d of %T in %v:\n%+v, pgx\n%+v", i, *new(T), mode, *list[i], want[i])
			}
		}
	}
}

// TestServer reads tables of all types that a real server has, in both formats, and compares with
// pgx.CollectRows.
func TestServer(t *testing.T) {
	c := connect(t)
	execute(t, c, "drop schema if exists server cascade", "create schema server", "set search_path = server", schema)
	rows := 150
	if !testrun.Long() {
		rows = 40
	}
	fill(t, c, "has_null", rows, true)
	fill(t, c, "all_set", rows, false)
	for _, registered := range []bool{false, true} {
		if registered {
			for _, name := range []string{"mood", "_mood", "positive"} {
				typ, err := c.LoadType(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				c.TypeMap().RegisterType(typ)
			}
		}
		for _, a := range []*arena.Arena{nil, arena.NewArena()} {
			check(t, c, a, "select "+columns+" from has_null order by id", pgx.RowToStructByName[pointers])
			check(t, c, a, "select "+columns+" from has_null order by id", pgx.RowToStructByPos[pointers], arenapgx.ByPos)
			check(t, c, a, "select "+columns+" from has_null order by id", pgx.RowToStructByName[typed], arenapgx.ByName)
			check(t, c, a, "select "+columns+" from has_null order by id", pgx.RowToStructByName[nulls])
			a.Reset()
			check(t, c, a, "select "+columns+" from all_set order by id", pgx.RowToStructByName[plainValues])
			check(t, c, a, "select t, i4, m, an from all_set order by id", pgx.RowToStructByNameLax[plainValues], arenapgx.ByNameLax)
			check(t, c, a, "select t, i4, m, an from all_set order by id", pgx.RowToStructByName[plainValues]) // fields without columns
			check(t, c, a, "select *, 1 as more from all_set order by id", pgx.RowToStructByName[plainValues]) // columns without fields
			check(t, c, a, "select "+columns+" from has_null order by id", pgx.RowToStructByName[plainValues]) // NULL
			check(t, c, a, "select i4, t from all_set", pgx.RowToStructByPos[nulls], arenapgx.ByPos)           // too few
			check(t, c, a, "select t from all_set", pgx.RowTo[string])
			check(t, c, a, "select t from has_null", pgx.RowTo[*string])
			check(t, c, a, "select n from has_null", pgx.RowTo[pgtype.Numeric])
			check(t, c, a, "select tz from all_set", pgx.RowTo[time.Time])
			check(t, c, a, "select jb from all_set", pgx.RowTo[document], arenapgx.Value)
			check(t, c, a, "select i4, t from all_set", pgx.RowTo[string])                                // too many
			check(t, c, a, "select "+columns+" from all_set where false", pgx.RowToStructByName[nothing]) // nothing to match
			check(t, c, a, "select "+columns+" from has_null order by id", valuesOf)
			a.Reset()
		}
	}
}

// TestServerComposites reads composites, arrays of them, and composites in composites, before and
// after pgx knows their types.
func TestServerComposites(t *testing.T) {
	c := connect(t)
	execute(t, c, "drop schema if exists composites cascade", "create schema composites", "set search_path = composites",
		"create type mood as enum ('sad', 'ok')", "create domain positive as int8 check (value > 0)",
		"create type spot as (x int4, name text, tags text[], mood mood, n numeric)", "create type trip as (first spot, best positive, seen timestamptz)",
		"create table trips (id int8, spot spot, spots spot[], trip trip)")
	for i := range 30 {
		spot := fmt.Sprintf(`row(%d, 'a "b", (c)\d', array['x', null, '%s'], 'ok', %d.50)::spot`, i, strings.Repeat("y", i), i)
		if i%5 == 0 {
			spot = "row(null, null, null, null, null)::spot"
		}
		if i%7 == 0 {
			spot = "null::spot"
		}
		execute(t, c, fmt.Sprintf("insert into trips values (%d, %s, array[%[2]s, null], row(%[2]s, %d, '2020-01-02')::trip)", i, spot, i+1))
	}
	type spot struct {
		X    *int32
		Name *string
		Tags []*string
		Mood *status
		N    pgtype.Numeric
	}
	type trip struct {
		First *spot
		Best  int64
		Seen  *time.Time
	}
	type row struct {
		ID    int
		Spot  *spot
		Spots []*spot
		Trip  trip
	}
	type full struct {
		X    int32
		Name string
		Tags []string
		Mood string
		N    float64
	}
	a := arena.NewArena()
	for _, registered := range []bool{false, true} {
		if registered {
			for _, name := range []string{"mood", "positive", "spot", "_spot", "trip"} {
				typ, err := c.LoadType(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				c.TypeMap().RegisterType(typ)
			}
			rows, err := c.Query(t.Context(), "select * from trips order by id")
			if err != nil {
				t.Fatal(err)
			}
			list, err := arenapgx.Collect[row](a, rows)
			if err != nil || len(list) != 30 || *list[3].Spot.X != 3 || *list[3].Trip.First.Tags[2] != "yyy" || list[7].Spot != nil || list[3].Spots[1] != nil {
				t.Fatalf("%d rows, %v", len(list), err)
			}
		}
		for _, in := range []*arena.Arena{nil, a} {
			check(t, c, in, "select * from trips order by id", pgx.RowToStructByName[row])
			check(t, c, in, "select spot from trips order by id", pgx.RowTo[*spot])
			if registered { // else pgx makes an error of NULL, or makes none, as its maps happen to be walked
				check(t, c, in, "select spot from trips where id % 7 = 0", pgx.RowTo[full], arenapgx.Value) // NULL
				check(t, c, in, "select spot from trips where id = 1", pgx.RowTo[full], arenapgx.Value)     // NULL in the array
			}
			check(t, c, in, "select spots from trips order by id", pgx.RowTo[[]*spot])
			check(t, c, in, "select trip from trips order by id", pgx.RowTo[trip], arenapgx.Value)
			check(t, c, in, "select trip from trips order by id", pgx.RowTo[string])
			a.Reset()
		}
	}
}

// TestServerErrors meets what goes wrong between a query and its last row.
func TestServerErrors(t *testing.T) {
	c := connect(t)
	a := arena.NewArena()
	type row struct {
		I int
		T string
	}
	const late = "select i, repeat('x', 100) as t, 1/(500-i) as z from generate_series(1, 1000) i"
	type lateRow struct {
		I int
		T string
		Z int
	}
	query := func(ctx context.Context, sql string) pgx.Rows {
		rows, err := c.Query(ctx, sql)
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}

	// An error in the middle of rows.
	rows := query(t.Context(), late)
	_, want := pgx.CollectRows(rows, pgx.RowToStructByName[lateRow])
	got, err := arenapgx.Collect[lateRow](a, query(t.Context(), late))
	if want == nil || !sameError(err, want) || got != nil {
		t.Errorf("late error: %v, %d rows; pgx: %v", err, len(got), want)
	}
	n := 0
	err = arenapgx.ForEach(a, query(t.Context(), late), func(r *lateRow) error { n++; return nil })
	if !sameError(err, want) || n != 499 {
		t.Errorf("ForEach saw %d rows: %v", n, err)
	}

	// One and Exactly.
	for sql, want := range map[string][2]error{
		"select 1 as i, 'a' as t where false":                            {pgx.ErrNoRows, pgx.ErrNoRows},
		"select 1 as i, 'a' as t":                                        {nil, nil},
		"select i, 'a' as t from generate_series(1, 3) i":                {nil, pgx.ErrTooManyRows},
		"select 'no number' as i, 'a' as t":                              {errAny, errAny},
		"select 1 / (i - 2) as i, 'a' as t from generate_series(1, 3) i": {errAny, errAny},
	} {
		for i, f := range []func(*arena.Arena, pgx.Rows, ...arenapgx.Match) (row, error){arenapgx.One[row], arenapgx.Exactly[row]} {
			theirs := []func(pgx.Rows, pgx.RowToFunc[row]) (row, error){pgx.CollectOneRow[row], pgx.CollectExactlyOneRow[row]}[i]
			v, err := f(a, query(t.Context(), sql))
			u, theirErr := theirs(query(t.Context(), sql), pgx.RowToStructByName[row])
			if want[i] != errAny && !errors.Is(err, want[i]) || want[i] == errAny && err == nil || !sameError(err, theirErr) || err == nil && v != u || err != nil && v != (row{}) {
				t.Errorf("%s: %v, %v; pgx %v, %v", sql, v, err, u, theirErr)
			}
		}
	}

	// The function of ForEach ends it, and the connection is good for the next query.
	stop := errors.New("enough")
	n = 0
	err = arenapgx.ForEach(a, query(t.Context(), "select i, 'x' as t from generate_series(1, 100000) i"), func(r *row) error {
		if n++; n == 7 {
			return stop
		}
		return nil
	})
	if err != stop || n != 7 {
		t.Errorf("ForEach: %v after %d rows", err, n)
	}

	// So it is when the arena is full.
	small := arena.NewWith(arena.Options{Limit: 4 << 10})
	rows = query(t.Context(), "select i, repeat('x', 100) as t from generate_series(1, 1000) i")
	err = arena.Try(func() { arenapgx.Collect[row](small, rows) })
	if !errors.Is(err, arena.ErrLimit) {
		t.Errorf("a full arena: %v", err)
	}
	if one, err := arenapgx.One[int](nil, query(t.Context(), "select 1")); one != 1 || err != nil {
		t.Errorf("after a panic: %v, %v", one, err)
	}

	// A transaction that is over in the middle, and one that is not.
	tx, err := c.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows, _ = tx.Query(t.Context(), "select i, 'x' as t from generate_series(1, 10) i")
	if list, err := arenapgx.Collect[row](a, rows); len(list) != 10 || err != nil {
		t.Errorf("in a transaction: %d, %v", len(list), err)
	}
	rows, _ = tx.Query(t.Context(), late)
	if _, err := arenapgx.Collect[lateRow](a, rows); err == nil {
		t.Error("no error in a transaction")
	}
	rows, _ = tx.Query(t.Context(), "select 1 as i, 'x' as t")
	if _, err := arenapgx.Collect[row](a, rows); err == nil || !strings.Contains(err.Error(), "aborted") {
		t.Errorf("in a transaction that has failed: %v", err)
	}
	tx.Rollback(t.Context())

	// A batch.
	b := &pgx.Batch{}
	for i := range 5 {
		b.Queue("select i, 'x' as t from generate_series(1, $1::int) i", i)
	}
	res := c.SendBatch(t.Context(), b)
	for i := range 5 {
		rows, err := res.Query()
		if err != nil {
			t.Fatal(err)
		}
		if list, err := arenapgx.Collect[row](a, rows); len(list) != i || err != nil || list == nil {
			t.Errorf("in a batch: %d of %d rows, %v", len(list), i, err)
		}
	}
	if err := res.Close(); err != nil {
		t.Error(err)
	}

	// An error in the middle of the rows of a batch, which ends what is behind it too.
	b = &pgx.Batch{}
	b.Queue("select 1 as i, 'x' as t")
	b.Queue(late)
	b.Queue("select 2 as i, 'x' as t")
	res = c.SendBatch(t.Context(), b)
	if list, err := arenapgx.Collect[row](a, first(res.Query())); len(list) != 1 || err != nil {
		t.Errorf("before an error in a batch: %d rows, %v", len(list), err)
	}
	if list, err := arenapgx.Collect[lateRow](a, first(res.Query())); list != nil || !sameError(err, want) {
		t.Errorf("late error in a batch: %d rows, %v; pgx: %v", len(list), err, want)
	}
	if list, err := arenapgx.Collect[row](a, first(res.Query())); list != nil || err == nil {
		t.Errorf("behind an error in a batch: %d rows, %v", len(list), err)
	}
	if err := res.Close(); err == nil {
		t.Error("a batch with an error has none")
	}
	if one, err := arenapgx.One[int](nil, query(t.Context(), "select 1")); one != 1 || err != nil {
		t.Errorf("after the batch: %v, %v", one, err)
	}

	// A context that is cancelled in the middle. The connection is gone then.
	ctx, cancel := context.WithCancel(t.Context())
	n = 0
	err = arenapgx.ForEach(a, query(ctx, "select i, repeat('x', 1000) as t from generate_series(1, 100000) i"), func(r *row) error {
		if n++; n == 10 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled after %d rows: %v", n, err)
	}
	cancel()
}

var errAny = errors.New("any")

// TestServerGone has the server go away in the middle of rows: one connection of it, and then all
// of it.
func TestServerGone(t *testing.T) {
	s, err := postgres.Start()
	if errors.Is(err, postgres.ErrMissing) {
		testrun.Need(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	pool, err := pgxpool.New(t.Context(), s.DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	type row struct {
		I int
		T string
	}
	a := arena.NewArena()
	for _, end := range []func(pid int){
		func(pid int) {
			if _, err := pool.Exec(t.Context(), "select pg_terminate_backend($1)", pid); err != nil {
				t.Error(err)
			}
		},
		func(int) { s.Kill() },
	} {
		var pid int
		if pid, err = arenapgx.One[int](a, first(pool.Query(t.Context(), "select 1"))); err != nil || pid != 1 {
			t.Fatal(pid, err)
		}
		conn, err := pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		pid = int(conn.Conn().PgConn().PID())
		n := 0
		err = arenapgx.ForEach(a, first(conn.Query(t.Context(), "select i, repeat('x', 1000) as t from generate_series(1, 100000) i")), func(r *row) error {
			if n++; n == 100 {
				end(pid)
			}
			if r.I != n || len(r.T) != 1000 {
				return fmt.Errorf("row %d is %d with %d bytes", n, r.I, len(r.T))
			}
			a.Reset()
			return nil
		})
		if err == nil || n < 100 {
			t.Errorf("%d rows and %v from a server that has gone", n, err)
		}
		t.Logf("after %d rows: %v", n, err)
		conn.Release()
	}
}

// first returns rows, whose error comes again when they are read.
func first(rows pgx.Rows, _ error) pgx.Rows { return rows }

// TestPool reads in many goroutines, each with an arena, so that plans are made and found at the
// same time.
func TestPool(t *testing.T) {
	pool, err := pgxpool.New(t.Context(), dsn(t))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	type row struct {
		I int
		N pgtype.Numeric
		T *string
		L []string
	}
	var workers sync.WaitGroup
	for k := range 8 {
		workers.Go(func() {
			a := arena.NewArena()
			for i := range 50 {
				rows, err := pool.Query(t.Context(), "select i, i + 0.5 as n, case when i % 3 > 0 then 't' || i end as t, array['a' || i, 'b'] as l from generate_series(1, $1::int) i", i)
				if err != nil {
					t.Error(err)
					return
				}
				list, err := arenapgx.Collect[row](a, rows)
				if err != nil || len(list) != i {
					t.Errorf("goroutine %d: %d rows, %v", k, len(list), err)
					return
				}
				for j, r := range list {
					if r.I != j+1 || (r.T == nil) != ((j+1)%3 == 0) || r.T != nil && *r.T != fmt.Sprint("t", j+1) || r.L[0] != fmt.Sprint("a", j+1) || r.N.Exp != -1 {
						t.Errorf("goroutine %d, row %d: %+v", k, j, r)
					}
				}
				a.Reset()
			}
		})
	}
	workers.Wait()
}
