package fix

import (
	"fmt"
	"strings"
	"testing"
)

// TestCost: what is looked at grows with the functions that the library calls, although each leads
// to all others by the library. A question that was answered is not followed again.
func TestCost(t *testing.T) {
	t.Parallel()
	steps := func(n int) int {
		var source, fields strings.Builder
		for i := range n {
			fmt.Fprintf(&source, `
type T%[1]d struct {
	All  *All
	Name string
}

func (t T%[1]d) MarshalJSON() ([]byte, error) {
	name, err := json.Marshal(t.Name)
	if err != nil {
		return nil, err
	}
	all, err := json.Marshal(t.All)
	return append(name, all...), err
}

func (t *T%[1]d) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &t.Name); err != nil {
		return err
	}
	t.All = &All{}
	return json.Unmarshal(text, t.All)
}
`, i)
			fmt.Fprintf(&fields, "\tT%[1]d *T%[1]d\n", i)
		}
		dir := written(t, "-- a.go --\npackage m\n\nimport \"encoding/json\"\n\ntype All struct {\n"+fields.String()+"}\n\nfunc Parse(text []byte) (*All, error) {\n\ta := &All{}\n\treturn a, json.Unmarshal(text, a)\n}\n\nfunc Print(a *All) ([]byte, error) { return json.Marshal(a) }\n"+source.String())
		o := Options{Dir: dir, Roots: []string{"m.Parse", "m.Print"}}
		l, err := read(dir, o.patterns())
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := run(o, l); err != nil {
			t.Fatal(err)
		}
		once := l.lives.Steps()
		if _, _, err := run(o, l); err != nil {
			t.Fatal(err)
		}
		if again := l.lives.Steps(); again != once {
			t.Errorf("%d instructions the first time, and %d more the second", once, again-once)
		}
		return once
	}
	few, many := steps(12), steps(48)
	t.Logf("%d and %d instructions", few, many)
	if many > 6*few {
		t.Errorf("%d instructions for 12 types, and %d for 48", few, many)
	}
}
