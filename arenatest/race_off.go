//go:build !race

package arenatest

// often is how many times what counts allocates in a measurement. Of values of a byte, which share
// blocks, one in sixteen is seen.
const often = runs / 32
