package arena

import (
	"math/bits"

	"github.com/arena-go/arena/internal/swiss"
)

// manyGroups are more than the cache next to the processor holds: a lookup waits for memory.
const manyGroups = 1024

// groupsFor returns how many groups a table for n entries has: so many that one
// slot in seven stays free. A table of one group may be full.
func groupsFor(n int) int {
	if n <= swiss.Slots {
		return 1
	}
	return 1 << bits.Len(uint((n-1)/(swiss.Slots-1)))
}
