//go:build arenadebug

package arenapb

// OnStep has f called at each step of decoding.
func OnStep(f func()) { onStep = f }
