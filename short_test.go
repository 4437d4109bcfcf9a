package arena

import (
	"testing"

	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/internal/tools"
)

// few returns how often a test does what it does n times with -long: a fifth of that, a twentieth
// with -short, and a twentieth of the rest beside the race detector, with which each takes ten times as long.
func few(n int) int {
	if !testrun.Long() {
		n /= 5
	}
	if testing.Short() {
		n /= 4
	}
	if tools.Racing && !testrun.Long() {
		n /= 4
	}
	return max(n, 1)
}
