//go:build race || asan

package arena

const looking = true
