package fix

import (
	"strings"
	"testing"
)

// TestOnce: what an older struct makes only if it does not have it stays, because the next call
// finds it. It moves if each call begins without it, or if the struct is made below the root.
func TestOnce(t *testing.T) {
	t.Parallel()
	const source = `
-- a.go --
package m

type Style struct{ Sep string }

type Table struct {
	style *Style
	rows  int
}

func (t *Table) Render(s string) string {
	t.begin()
	t.rows++
	return s + t.get().Sep
}

func Whole(s string) string {
	t := &Table{}
	return t.Render(s)
}

func NewTable() *Table { return &Table{} }

func (t *Table) begin() { %begin }

func (t *Table) get() *Style {
	%get
	return t.style
}
`
	const ifNil = "if t.style == nil {\n\t\tt.style = &Style{\"|\"}\n\t}"
	for _, c := range []struct {
		name, root, begin, get string
		moves                  bool
	}{
		{"if it is nil", "m.Table.Render", "", ifNil, false},
		{"unless it is there", "m.Table.Render", "", "if t.style != nil {\n\t\treturn t.style\n\t}\n\tt.style = &Style{\"|\"}", false},
		{"turned around", "m.Table.Render", "", "if nil == t.style {\n\t\ts := &Style{}\n\t\tif t.rows > 1 {\n\t\t\ts.Sep = \"|\"\n\t\t}\n\t\tt.style = s\n\t}", false},
		{"cleared before", "m.Table.Render", "t.style = nil", ifNil, true},
		{"cleared at times", "m.Table.Render", "if t.rows > 9 {\n\t\tt.style = nil\n\t}", ifNil, false},
		{"each time", "m.Table.Render", "", "t.style = &Style{\"|\"}", true},
		{"of another field", "m.Table.Render", "", "if t.rows == 1 {\n\t\tt.style = &Style{\"|\"}\n\t}", true},
		{"made below the root", "m.Whole", "", ifNil, true},
		{"constructed with an arena", "m.NewTable", "", ifNil, true},
	} {
		r, src := rewritten(t, strings.NewReplacer("%begin", c.begin, "%get", c.get).Replace(source), Options{Roots: []string{c.root}})
		found := false
		for _, s := range r.Sites {
			if s.Kind == kindValue && s.Function == "example.com/m.Table.get" {
				found = true
				if (s.Why == "") != c.moves {
					t.Errorf("%s: it stays because it is %q\n%s", c.name, s.Why, src)
				}
			}
		}
		if !found {
			t.Errorf("%s: no site in\n%s", c.name, src)
		}
	}
}
