//go:build race

package arenagrpctest_test

const raceEnabled = true
