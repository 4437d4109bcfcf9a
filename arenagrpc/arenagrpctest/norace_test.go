//go:build !race

package arenagrpctest_test

const raceEnabled = false
