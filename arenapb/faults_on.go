//go:build arenadebug

package arenapb

// Programs that are built with the tag arenadebug call onStep, unless it is nil, at each step of
// decoding: it may panic.
const faulty = true

var onStep func()

func step() {
	if onStep != nil {
		onStep()
	}
}
