//go:build !arenadebug && !race && !asan

package arena

import "reflect"

// A checker does nothing.
type checker struct{}

func (checker) check(*stores) {}

// A refChecker knows nothing.
type refChecker struct{}

func (refChecker) renew(uint32)                          {}
func (refChecker) made(at uint32, _ reflect.Type) uint32 { return at }
func (refChecker) decode(off uint32) uint32              { return off }

func (*Arena) checkRef(off uint32, _ reflect.Type) uint32 { return off }
