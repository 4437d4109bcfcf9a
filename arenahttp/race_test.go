//go:build race

package arenahttp_test

const raceEnabled = true
