//go:build !race && !asan

package arena

// looking says that textIsRead does something.
const looking = false

// textIsRead shows those who look for mistakes that the bytes of s are read.
func textIsRead(string) {}
