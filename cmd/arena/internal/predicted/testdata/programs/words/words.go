// Package words counts words, in maps.
package words

import (
	"sort"
	"strings"
)

// A Count says how often a word comes, and how many others come before it.
type Count struct {
	Word        string
	Times, Kind int
}

// Top returns the words that come most often in a text, and how many words come before them.
func Top(text string, n int) []Count {
	times := map[string]int{}
	type pair struct{ a, b string }
	pairs := make(map[pair]int)
	last := ""
	for word := range strings.FieldsSeq(text) {
		times[word]++
		pairs[pair{last, word}]++
		last = word
	}
	kinds := map[string]int{}
	for p := range pairs {
		kinds[p.b]++
	}
	list := make([]Count, 0, len(times))
	for word, t := range times {
		list = append(list, Count{word, t, kinds[word]})
	}
	sort.Slice(list, func(i, j int) bool {
		return list[i].Times > list[j].Times || list[i].Times == list[j].Times && list[i].Word < list[j].Word
	})
	return list[:min(n, len(list))]
}
