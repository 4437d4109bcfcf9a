//go:build !race

package arenaconnecttest_test

const raceEnabled = false
