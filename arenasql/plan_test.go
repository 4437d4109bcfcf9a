package arenasql

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena/internal/testrun"
)

// matched returns the names of the fields that columns go to, from the outermost struct on.
func matched(t reflect.Type, match Match, columns []string) ([]string, error) {
	p, err := newPlan(t, match, columns)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range p.fields {
		var name []string
		for i := range f.path {
			name = append(name, t.FieldByIndex(f.path[:i+1]).Name)
		}
		names = append(names, strings.Join(name, "."))
	}
	return names, nil
}

type (
	base struct {
		ID   int
		Name string
	}
	Base   base
	Other  base
	Tagged struct {
		ID   int
		Name string `db:"Name"`
	}
	Renamed struct {
		Name string `db:"base_name"`
	}
	Deep struct{ Base }
)

// TestClosest has columns that more than one field is like.
func TestClosest(t *testing.T) {
	type one struct {
		A  int `db:"a_b"`
		AB int
	}
	type three struct {
		X int `db:"name"`
		N int `db:"NA_ME"`
		Z int
	}
	for _, test := range []struct {
		v       any
		columns string
		lax     string
		strict  string // as lax, if it is empty
	}{
		{one{}, "ab", "AB", "field a_b of"},
		{one{}, "AB", "AB", "field a_b of"},
		{one{}, "a_b", "A", "field AB of"},
		{one{}, "A_B", "A", "field AB of"},
		{one{}, "a_b_", "AB", "field a_b of"},
		{one{}, "a_b ab", "A AB", ""},
		{one{}, "ab a_b", "AB A", ""},
		{one{}, "a_b A_b", `field a_b of arenasql.one has more than one column, the last of which is "A_b"`, ""},
		{one{}, "ab ab", `field AB of arenasql.one has more than one column, the last of which is "ab"`, ""},
		{one{}, "ab Ab", `field AB of arenasql.one has more than one column, the last of which is "Ab"`, ""},
		{struct{ AB, A_B int }{}, "a_b ab", "A_B AB", ""},
		{struct{ AB, A_B int }{}, "aB_ ab", "A_B AB", ""},
		{struct{ AB, A_B int }{}, "aB_", "may be field AB or field A_B of", ""},
		{three{}, "Name na_me", "X N", "field Z of"},
		{three{}, "na__me", "may be field X or field N of", ""},
		{struct {
			X int `db:"x"`
			Y int `db:"x"`
		}{}, "x", "may be field X or field Y of", ""},

		{struct {
			Base
			Name string
		}{}, "id name", "Base.ID Name", ""},
		{struct {
			Name string
			Base
		}{}, "name id", "Name Base.ID", ""},
		{struct {
			Name string `db:"Name"`
			Tagged
		}{}, "name id", "Name Tagged.ID", ""},
		{struct {
			Name string `db:"NAME"`
			Tagged
		}{}, "Name NAME id", "Tagged.Name Name Tagged.ID", ""},
		{struct {
			Name string `db:"n"`
			Base
		}{}, "name n id", "Base.Name Name Base.ID", ""},
		{struct {
			Renamed
			Name string
		}{}, "name base_name", "Name Renamed.Name", ""},
		{struct {
			Name string `db:"-"`
			Base
		}{}, "name id", "Base.Name Base.ID", ""},
		{struct {
			Deep
			Other
		}{}, "name id", "Other.Name Other.ID", ""},
		{struct {
			Base
			Other
		}{}, "name", "may be field Base.Name or field Other.Name of", ""},
		{struct {
			Base
			Other
		}{}, "name name", "may be field Base.Name or field Other.Name of", ""},
	} {
		for match, want := range map[Match]string{ByNameLax: test.lax, ByName: test.strict} {
			if want == "" {
				want = test.lax
			}
			names, err := matched(reflect.TypeOf(test.v), match, strings.Fields(test.columns))
			if got := strings.Join(names, " "); err == nil && got != want || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%T, columns %s, match %d: %s, %v, want %s", test.v, test.columns, match, got, err, want)
			}
		}
	}
	// By position, all fields have columns.
	if _, err := matched(reflect.TypeFor[struct {
		Base
		Name string
	}](), ByPos, []string{"x", "y", "z"}); err != nil {
		t.Error(err)
	}
}

// likes reports whether a column may be of a field as pgx has it: underscores count in tags.
func likes(f reflect.StructField, column string, columns []string) bool {
	tag, tagged := f.Tag.Lookup("db")
	switch {
	case !tagged:
		return strings.EqualFold(strings.ReplaceAll(column, "_", ""), strings.ReplaceAll(f.Name, "_", ""))
	case slices.Contains(columns, tag):
		return column == tag
	}
	return strings.EqualFold(column, tag)
}

// TestClosestModel makes random structs and columns. Their order must not matter, and where pgx
// would have one field for each column, and at most one column for each field, this package must
// have the same.
func TestClosestModel(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	names := []string{"A", "B", "AB", "A_B", "Ab", "C", "CD"}
	columnNames := []string{"a", "b", "ab", "a_b", "AB", "A_B", "Ab", "_a_b", "c", "C", "cd", "c_d", "CD"}
	random := func() (fields []reflect.StructField) {
		for _, i := range r.Perm(len(names))[:1+r.IntN(4)] {
			f := reflect.StructField{Name: names[i], Type: reflect.TypeFor[int]()}
			if r.IntN(2) == 0 {
				f.Tag = reflect.StructTag(fmt.Sprintf("db:%q", columnNames[r.IntN(len(columnNames))]))
			}
			fields = append(fields, f)
		}
		return fields
	}
	same := 0
	for range 5000 {
		fields := random()
		if r.IntN(3) == 0 {
			fields = append(fields, reflect.StructField{Name: "E", Type: reflect.StructOf(random()), Anonymous: true})
		}
		var columns []string
		for _, i := range r.Perm(len(columnNames))[:1+r.IntN(4)] {
			columns = append(columns, columnNames[i])
		}
		match := []Match{ByName, ByNameLax}[r.IntN(2)]
		got, err := matched(reflect.StructOf(fields), match, columns)

		order := r.Perm(len(columns))
		var shuffled []string
		for _, i := range order {
			shuffled = append(shuffled, columns[i])
		}
		others := slices.Clone(fields)
		r.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
		again, againErr := matched(reflect.StructOf(others), match, shuffled)
		if (err == nil) != (againErr == nil) {
			t.Fatalf("%v, columns %q: %v; in another order %v", fields, columns, err, againErr)
		}
		for i, j := range order {
			if err == nil && got[j] != again[i] {
				t.Fatalf("%v, columns %q become %q, in another order %q", fields, columns, got, again)
			}
		}

		want, of := make([]string, len(columns)), 0
		clear := true
		seen := map[string]bool{} // pgx hides no fields
		var look func(fields []reflect.StructField, path string)
		look = func(fields []reflect.StructField, path string) {
			for _, f := range fields {
				if f.Anonymous {
					look(reflect.VisibleFields(f.Type), path+f.Name+".")
					continue
				}
				clear = clear && !seen[f.Name]
				seen[f.Name] = true
				n := 0
				for i, c := range columns {
					if likes(f, c, columns) {
						clear = clear && want[i] == ""
						want[i] = path + f.Name
						n++
					}
				}
				clear = clear && n <= 1 && (n == 1 || match == ByNameLax)
				of += n
			}
		}
		look(fields, "")
		if clear && of == len(columns) {
			same++
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%v, columns %q become %q, %v, want %q", fields, columns, got, err, want)
			}
		}
	}
	if same < 100 {
		t.Errorf("%d structs are as pgx has them", same)
	}
}
