//go:build !asan

package arena

const (
	sanitizing  = false
	redZone     = 0
	asanGranule = 1
)

// zones counts nothing.
type zones struct{}

func (zones) add(int)    {}
func (zones) slots() int { return 0 }

func zone(int) int    { return 0 }
func poison(extent)   {}
func unpoison(extent) {}
