//go:build race

package arenagrpc_test

const raceEnabled = true
