package advise

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestStd: the list of the standard library has all of the toolchain that runs.
func TestStd(t *testing.T) {
	out, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range strings.FieldsSeq(string(out)) {
		if first, _, _ := strings.Cut(pkg, "/"); !slices.Contains(std, first) {
			t.Errorf("%s is not in the list", pkg)
		}
	}
}

// TestModulesWithoutDot: a module whose path has no dot is the program's own, wherever its files
// are.
func TestModulesWithoutDot(t *testing.T) {
	for _, c := range []struct {
		pkg, file string
		want      bool
	}{
		{"backend/internal/worker", "backend/internal/worker/worker.go", false}, // with -trimpath
		{"backend/internal/worker", "/home/u/src/backend/internal/worker/worker.go", false},
		{"encoding/json", "encoding/json/decode.go", true},
		{"encoding/json", "/usr/local/go/src/encoding/json/decode.go", true},
		{"encoding/json", "/home/u/json/decode.go", false},
		{"vendor/golang.org/x/net/http2/hpack", "vendor/golang.org/x/net/http2/hpack/hpack.go", true},
	} {
		if got := (view{}).isStd(frame{pkg: c.pkg, file: c.file}); got != c.want {
			t.Errorf("%s in %s: of the standard library: %v", c.pkg, c.file, got)
		}
	}
}
