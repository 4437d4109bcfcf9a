//go:build !linux

package objects

import "time"

// pauseUntil returns at a time, or a little later.
func pauseUntil(due time.Time) { time.Sleep(time.Until(due)) }
