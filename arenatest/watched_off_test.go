//go:build !race && !asan && !arenadebug

package arenatest_test

const watched = false
