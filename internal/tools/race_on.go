//go:build race

package tools

import (
	"runtime"
	"unsafe"
)

const race = true

// Racing is a variable for the tests of what ordinary programs do, under the race detector.
var Racing = true

// TextIsRead shows the race detector that the bytes of s are read, which the compiler takes for
// constant.
func TextIsRead(s string) {
	if Racing && s != "" {
		// SAFETY: the bytes of s are read.
		runtime.RaceReadRange(unsafe.Pointer(unsafe.StringData(s)), len(s))
	}
}

func ignoreRaces() { Racing = false }
