package main

import (
	"slices"
	"testing"
)

// TestLegend checks that the legend explains each name, and nothing that is no name.
func TestLegend(t *testing.T) {
	used := map[string]bool{}
	for _, w := range workloads() {
		for _, i := range w.Implementations {
			if meaning(i.Name, used) == "" {
				t.Errorf("the legend does not say what %s is", i.Name)
			}
		}
	}
	for _, l := range slices.Concat(legend, endings) {
		if !used[l.name] {
			t.Errorf("nothing is called %s", l.name)
		}
	}
	if text := meaning("heap-other", used); text != "" {
		t.Errorf("heap-other is %s", text)
	}
}
