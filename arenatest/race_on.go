//go:build race

package arenatest

// often is how many times what counts allocates in a measurement. The race detector loses what is
// Put into a sync.Pool one time in four, and small values do not share blocks there.
const often = runs / 2
