//go:build !asan

package tools

const (
	Sanitizing = false // the program is built with the address sanitizer
	RedZone    = 0
	Granule    = 1
)

// Zones counts nothing.
type Zones struct{}

func (Zones) Add(int)    {}
func (Zones) Slots() int { return 0 }

func Zone(int) int    { return 0 }
func Poison([]byte)   {}
func Unpoison([]byte) {}
