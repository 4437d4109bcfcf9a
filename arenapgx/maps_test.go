package arenapgx_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
	"weak"

	"github.com/arena-go/arena/arenapgx"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

type (
	upper string
	lower string
	names struct {
		U  upper
		L  *lower
		S  string
		Us []upper
		Ls []*lower
	}
)

// A marking is a scan plan that puts a mark in front of text.
type marking struct{ mark string }

func (p *marking) SetNext(pgtype.ScanPlan) {}
func (p *marking) Scan(b []byte, target any) error {
	reflect.ValueOf(target).Elem().SetString(p.mark + string(b))
	return nil
}

// marker returns a function that claims t. All that it returns have the same code.
//
//go:noinline
func marker(t reflect.Type, mark string) pgtype.TryWrapScanPlanFunc {
	return func(target any) (pgtype.WrappedScanPlanNextSetter, any, bool) {
		if reflect.TypeOf(target) == reflect.PointerTo(t) {
			return &marking{mark}, new(string), true
		}
		return nil, nil, false
	}
}

// with returns a Map with these functions in front of pgx's own.
func with(funcs ...pgtype.TryWrapScanPlanFunc) *pgtype.Map {
	m := pgtype.NewMap()
	m.TryWrapScanPlanFuncs = append(funcs, m.TryWrapScanPlanFuncs...)
	return m
}

var markable = []reflect.Type{reflect.TypeFor[upper](), reflect.TypeFor[lower](), reflect.TypeFor[string](), reflect.TypeFor[int]()}

// TestClosures gives Maps functions that differ in what they have captured only.
func TestClosures(t *testing.T) {
	rows := made(pgtype.NewMap(), "u text, l text, s text, us _text, ls _text", "a, b, c, {d}, {e}", "f, null, h, null, {null}")
	one := made(rows.m, "t text", "x")
	check := func(m *pgtype.Map) {
		t.Helper()
		rows.m, one.m = m, m
		both(t, rows, pgx.RowToStructByName[names])
		both(t, one, pgx.RowTo[upper])
		both(t, one, pgx.RowTo[*lower])
		ours, theirs := one.again(), one.again()
		ours.Next()
		theirs.Next()
		var x, y upper
		if err, theirErr := arenapgx.Scan(nil, ours, &x), theirs.Scan(&y); err != nil || theirErr != nil || x != y {
			t.Errorf("%q, %v; pgx: %q, %v", x, err, y, theirErr)
		}
	}
	lowers, uppers := with(marker(markable[1], "lower:")), with(marker(markable[0], "upper:"))
	for range 2 {
		check(lowers)
		check(uppers)
		check(with())
	}
	if got, err := arenapgx.Collect[upper](nil, made(uppers, "t text", "x")); err != nil || got[0] != "upper:x" {
		t.Error(got, err)
	}

	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	var maps [4]*pgtype.Map
	for i := range 200 {
		m := &maps[r.IntN(len(maps))]
		if *m == nil || r.IntN(3) == 0 {
			var funcs []pgtype.TryWrapScanPlanFunc
			for range r.IntN(3) {
				funcs = append(funcs, marker(markable[r.IntN(len(markable))], fmt.Sprint(i, ":")))
			}
			*m = with(funcs...)
		}
		if i%50 == 0 {
			runtime.GC() // closures may come to lie where others have lain
		}
		check(*m)
	}
}

// TestClosuresEnd checks that a plan keeps the functions of one Map at most.
func TestClosuresEnd(t *testing.T) {
	type own struct{ large [1 << 10]int }
	const n = 20
	var kept []weak.Pointer[own]
	for range n {
		x := new(own)
		kept = append(kept, weak.Make(x))
		m := with(func(any) (pgtype.WrappedScanPlanNextSetter, any, bool) { return nil, nil, x.large[0] > 0 })
		both(t, made(m, "t text", "x"), pgx.RowTo[string])
	}
	for left := n; left > 1; { // or until go test ends it
		runtime.GC()
		left = 0
		for _, p := range kept {
			if p.Value() != nil {
				left++
			}
		}
	}
}

// TestPlansStay checks that Maps with functions of their own share a plan while those claim the
// same types.
func TestPlansStay(t *testing.T) {
	fields := made(pgtype.NewMap(), "u text, us _text", "a, {b}").fields
	in := func(m *pgtype.Map) any { return arenapgx.PlanOf[names](m, fields) }
	plain := in(with())
	odd := pgtype.NewMap()
	odd.TryWrapScanPlanFuncs = odd.TryWrapScanPlanFuncs[1:]
	for i, test := range []struct {
		x, y *pgtype.Map
		want bool
	}{
		{with(), with(marker(markable[3], "")), true}, // which claims none of the types
		{with(marker(markable[0], "x")), with(marker(markable[0], "y")), true},
		{with(marker(markable[0], "")), with(), false},
		{with(marker(markable[0], "")), with(marker(markable[1], "")), false},
		{with(wrapString), with(wrapString), true},
		{odd, odd, true},
		{odd, with(), false},
		{with(), odd, false},
	} {
		if got := in(test.x) == in(test.y); got != test.want {
			t.Errorf("%d: one plan: %v, want %v", i, got, test.want)
		}
	}
	if in(with()) == plain {
		t.Error("a plan was not replaced")
	}
}
