//go:build goexperiment.arenas

package objects

import (
	"slices"
	"testing"

	"github.com/arena-go/arena/bench/internal/suite"
)

// TestStandardWorkloads checks that programs without the experiment know what those with it can do.
func TestStandardWorkloads(t *testing.T) {
	var can []string
	for _, w := range Workloads() {
		if slices.ContainsFunc(w.Implementations, func(i suite.Implementation) bool { return i.Name == "std" && i.Here() }) {
			can = append(can, w.Name)
		}
	}
	if !slices.Equal(can, standardWorkloads) {
		t.Errorf("it can do %q, and standardWorkloads are %q", can, standardWorkloads)
	}
}
