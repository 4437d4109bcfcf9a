//go:build !unix

package suite

import "time"

var start = time.Now()

// CPUTime returns the time that has passed, where there is no other one.
func CPUTime() time.Duration { return time.Since(start) }
