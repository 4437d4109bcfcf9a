//go:build !arenadebug && !race && !asan

package arena

const checking = false

// A checker does nothing.
type checker struct{}

func (checker) check(*stores) {}
