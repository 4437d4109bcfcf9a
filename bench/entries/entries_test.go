package entries

import (
	"slices"
	"testing"
)

// TestWorkloads checks that all keep what they are given, and say what it took; the values are
// checked where they are looked up.
func TestWorkloads(t *testing.T) {
	caches := []string{"bigcache", "freecache", "ristretto"}
	for _, w := range Workloads() {
		for _, i := range w.Implementations {
			t.Run(w.Name+"/"+i.Name, func(t *testing.T) {
				least := 100.
				if slices.Contains(caches, i.Name) {
					least = 99
				}
				r := i.Run(10_000, 0)
				if kept := r.Values["kept"]; kept < least || kept > 100 {
					t.Errorf("%.2f%% of the entries are kept", kept)
				}
				for _, v := range w.Values {
					if _, ok := r.Values[v.Name]; !ok {
						t.Errorf("there is no %q", v.Name)
					}
				}
				if len(r.Values) != len(w.Values) {
					t.Errorf("%d values, not %d: %v", len(r.Values), len(w.Values), r.Values)
				}
				if r.Rounds != 1 || r.CPU < 0 || r.Wall < 0 || r.Values["hit"] < 0 || r.Values["miss"] < 0 || r.Values["gcmax"] < r.Values["gc"] {
					t.Errorf("%+v", r)
				}
			})
		}
	}
}

// TestKeys checks that keys are different.
func TestKeys(t *testing.T) {
	ints, texts := map[uint64]bool{}, map[string]bool{}
	for i := range 100_000 {
		ints[intKey(i)], texts[textKey(i)] = true, true
		if len(textKey(i)) != 20 {
			t.Fatalf("%q has not 20 bytes", textKey(i))
		}
	}
	if len(ints) != 100_000 || len(texts) != 100_000 {
		t.Errorf("%d and %d keys", len(ints), len(texts))
	}
}
