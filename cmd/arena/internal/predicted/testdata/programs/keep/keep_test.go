package keep

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkAdd(b *testing.B) {
	var texts []string
	for i := range 50 {
		texts = append(texts, fmt.Sprint(strings.Repeat(fmt.Sprint("Some Words of Document ", i, " "), 10)))
	}
	for i := range size { // the index is full
		Add("title", texts[i%len(texts)])
	}
	for i := 0; b.Loop(); i++ {
		if d := Add("title", texts[i%len(texts)]); len(d.Words) != 50 {
			b.Fatal(d)
		}
	}
}
