//go:build !unix

package main

import "time"

var start = time.Now()

// cpuTime returns the time that has passed, where there is no other one.
func cpuTime() time.Duration { return time.Since(start) }
