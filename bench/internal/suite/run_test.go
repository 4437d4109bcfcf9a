package suite

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestSave checks that what Load reads is what Save has written, and that this has lines.
func TestSave(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.json")
	r := &Run{
		Machine: `one with "quotes" and {"Name":1}`, Count: 2, Versions: map[string]string{"a": "v1"}, Skipped: []string{`{"Rounds":`},
		Workloads: []Measured{{Name: "w", N: 3, Values: []Value{{Name: "late", Unit: "%"}}, Cells: []Cell{
			{Implementation: "heap", Results: []Result{{Rounds: 5, Wall: 1e-9, Check: 1<<64 - 1}, {Rounds: 6, Values: map[string]float64{"late": 0.5}}}},
			{Implementation: "other", Unsound: true, Failed: "why\nand how"},
		}}},
		Soundness: []Verdict{{Implementation: "heap", Test: "t", Outcome: "kept", Sound: true}},
	}
	if err := r.Save(file); err != nil {
		t.Fatal(err)
	}
	again, err := Load(file)
	if err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("%v: %+v", err, again)
	}
	text, err := os.ReadFile(file)
	if lines := strings.Count(string(text), "\n"); err != nil || lines < 6 {
		t.Errorf("%d lines, %v:\n%s", lines, err, text)
	}
	if err := os.WriteFile(file, text[:len(text)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file); err == nil || !strings.HasPrefix(err.Error(), file) {
		t.Errorf("half a file: %v", err)
	}
}

// TestRatio checks that ratios are of the same rounds, and what their median is.
func TestRatio(t *testing.T) {
	of := func(all ...float64) *Cell {
		c := new(Cell)
		for _, v := range all {
			c.Results = append(c.Results, Result{CPU: v})
		}
		return c
	}
	for _, test := range []struct {
		base, c *Cell
		want    Spread
	}{
		{of(8, 30, 10), of(2, 10, 10), Spread{3, 1, 4}},
		{of(8, 30), of(2, 10), Spread{3.5, 3, 4}},
		{of(8, 30, 10, 60), of(2, 10, 10, 10), Spread{3.5, 1, 6}},
		{of(8), of(2, 1), Spread{4, 4, 4}},    // one round is missing
		{of(8, 8), of(2, 0), Spread{4, 4, 4}}, // one has no figure
		{of(), of(2), Spread{}},
	} {
		if got := test.c.Ratio(test.base, CPU); got != test.want {
			t.Errorf("%+v and %+v: %+v, not %+v", test.base, test.c, got, test.want)
		}
	}
}
