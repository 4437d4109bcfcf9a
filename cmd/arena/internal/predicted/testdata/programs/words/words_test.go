package words

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func BenchmarkTop(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for range 3000 {
		fmt.Fprintf(&text, "word%d ", int(r.ExpFloat64()*100))
	}
	for b.Loop() {
		if top := Top(text.String(), 10); len(top) != 10 || top[0].Times < top[9].Times {
			b.Fatal(top)
		}
	}
}
