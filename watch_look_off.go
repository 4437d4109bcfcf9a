//go:build !race && !asan

package arena

// looking says that textIsRead does something.
const looking = false

// textIsRead tells the detectors of mistakes that the bytes of s are read.
func textIsRead(string) {}
