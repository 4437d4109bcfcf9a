package arenavet

import (
	"go/types"
	"os"
	"path/filepath"
	"testing"

	"github.com/arena-go/arena/cmd/arena/internal/load"
)

// TestPerhaps demands that innocent functions are not even suspected.
func TestPerhaps(t *testing.T) {
	env := append(os.Environ(), "GOWORK=", "GOFLAGS=", "GOPROXY=off")
	all, err := load.Packages(load.Config{Dir: "testdata/pools", Env: env}, "./detached")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		c := checkerOf(p, func(*types.Func, *summary) bool { return false })
		c.analyze()
		for _, d := range c.sorted() {
			if at := c.position(d.pos); filepath.Base(at.Filename) == "innocent.go" {
				t.Errorf("line %d: %s: %s", at.Line, d.code, d.message)
			}
		}
	}
}
