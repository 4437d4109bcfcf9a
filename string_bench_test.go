package arena_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
)

// textLengths are 1 to 256, in a fixed but irregular order.
var textLengths = func() (l [256]int) {
	for i := range l {
		l[i] = (i*167+13)%256 + 1
	}
	return l
}()

func textLengthsOf(n int) (sum int) {
	for i := range n {
		sum += textLengths[i%256]
	}
	return sum
}

func BenchmarkString(b *testing.B) {
	text := strings.Repeat("x", 256)
	var keep []string
	bench(b, sizes, textLengthsOf, inArena(func(a *arena.Arena, n int) (sum int) {
		keep = slices.Grow(keep[:0], n)[:n]
		for i := range keep {
			keep[i] = arena.String(a, text[:textLengths[i%256]])
		}
		for _, s := range keep {
			sum += len(s)
		}
		return sum
	})...)
}

func BenchmarkSprintf(b *testing.B) {
	bench(b, []int{1000}, func(n int) int { return 14 * n }, inArena(func(a *arena.Arena, n int) (sum int) {
		for i := range n {
			sum += len(arena.Sprintf(a, "%08d-%s", i, "hello"))
		}
		return sum
	})...)
}

// BenchmarkBuilder builds a text of n parts: strings, numbers and bytes.
func BenchmarkBuilder(b *testing.B) {
	bench(b, []int{10, 1000}, func(n int) int { return 10 * n }, append(inArena(func(a *arena.Arena, n int) int {
		t := arena.NewBuilder(a)
		for range n {
			t.WriteString("hello")
			t.WriteInt(1234, 10)
			t.WriteByte(' ')
		}
		return len(t.String())
	}), impl{"strings", func(n int) int {
		var t strings.Builder
		for range n {
			t.WriteString("hello")
			fmt.Fprint(&t, 1234)
			t.WriteByte(' ')
		}
		return len(t.String())
	}})...)
}
