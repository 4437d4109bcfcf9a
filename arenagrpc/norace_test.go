//go:build !race

package arenagrpc_test

const raceEnabled = false
