//go:build !race && !asan

package arenahttp_test

const raceEnabled = false
