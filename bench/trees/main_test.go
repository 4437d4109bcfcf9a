package main

import (
	"strings"
	"testing"
)

// TestGame checks what the programs write; that those in other languages write the same is checked when they are measured.
func TestGame(t *testing.T) {
	const want = "stretch tree of depth 9\t check: 1023\n" +
		"256\t trees of depth 4\t check: 7936\n" +
		"64\t trees of depth 6\t check: 8128\n" +
		"16\t trees of depth 8\t check: 8176\n" +
		"long lived tree of depth 8\t check: 511\n"
	for name, newForest := range forests {
		var out strings.Builder
		if game(8, newForest, &out); out.String() != want {
			t.Errorf("%s: %q", name, &out)
		}
		for nodes := range 20 {
			f := newForest()
			if f.keep(nodes); f.kept() != nodes {
				t.Errorf("%s: %d nodes, not %d", name, f.kept(), nodes)
			}
			f.free()
		}
		f := newForest()
		if c := collect(f, 1000); c.Median <= 0 || c.Max < c.Median {
			t.Errorf("%s: %+v", name, c)
		}
		f.free()
	}
}
