package arena_test

import (
	"fmt"
	"testing"

	"github.com/arena-go/arena"
)

// BenchmarkCopyRefs copies a map whose keys and values are text.
func BenchmarkCopyRefs(b *testing.B) {
	for _, n := range []int{20_000, 1_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			var m, fresh arena.RefTextMap[arena.RefString]
			a, to := arena.NewArena(), arena.NewArena()
			defer a.Free()
			defer to.Free()
			for i := range n {
				m.Set(a, fmt.Sprint("key ", i), arena.NewRefString(a, fmt.Sprint("value ", i)))
			}
			for b.Loop() {
				to.Reset()
				arena.CopyRefs(to, &fresh, a, &m)
			}
		})
	}
}
