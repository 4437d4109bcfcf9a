package arena

import "testing"

// few returns how often a test does what it would do n times: a fifth of that in short mode, and a twentieth of it where
// the race detector looks on, too, with which each time takes about ten times as long.
func few(n int) int {
	switch {
	case !testing.Short():
		return n
	case racing:
		return max(n/20, 1)
	}
	return max(n/5, 1)
}
