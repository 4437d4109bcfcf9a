//go:build !arenadebug

package arenapb

// faulty reports whether decoders ask for faults, which tests of programs with the tag arenadebug
// put into them.
const faulty = false

func step() {}
