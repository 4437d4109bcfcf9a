package proof

import (
	"go/build"
	"os"
	"regexp"
	"slices"
	"testing"
)

var newestOnly = regexp.MustCompile(`(?m)^//go:build (go1\.\d+)$`)

// isNewer reports whether a file is for a newer Go than the test's, which may not be able to parse
// it.
func isNewer(t *testing.T, name string) bool {
	t.Helper()
	source, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	tag := newestOnly.FindSubmatch(source)
	return tag != nil && !slices.Contains(build.Default.ReleaseTags, string(tag[1]))
}
