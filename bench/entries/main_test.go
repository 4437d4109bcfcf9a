package main

import "testing"

// TestImplementations checks that all keep what they are given; the values are checked where they are looked up.
func TestImplementations(t *testing.T) {
	for _, i := range implementations {
		t.Run(i.name, func(t *testing.T) {
			r := i.run(10_000, 20_000)
			if r.Kept < 0.99 || r.Kept > 1 {
				t.Errorf("%.2f%% of the entries are kept", 100*r.Kept)
			}
			if r.Build <= 0 || r.Hit <= 0 || r.Miss <= 0 || r.GCMax < r.GC || r.GCCPU < 0 {
				t.Errorf("%+v", r)
			}
		})
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
