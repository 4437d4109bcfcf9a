//go:build race

package arenaconnect_test

const raceEnabled = true
