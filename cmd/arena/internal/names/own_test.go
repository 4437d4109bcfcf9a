package names

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var declared = regexp.MustCompile(`(?m)^\top\w+\s+op = "([^"]+)"`)

// TestWords checks that the engines have the ops that the table names, and the table of arenavet,
// and that no function is in it twice.
func TestWords(t *testing.T) {
	var vet, lives, all []string
	for own := range Owns {
		vet, lives, all = append(vet, own.Vet), append(lives, own.Lives), append(all, own.Path+"."+own.Name)
	}
	slices.Sort(all)
	if n := len(slices.Compact(slices.Clone(all))); n != len(all) || n < 200 {
		t.Errorf("%d functions, %d of them different", len(all), n)
	}
	for file, words := range map[string][]string{"../../arenavet/names.go": vet, "../lives/model.go": lives} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		known := []string{"-"}
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			known = append(known, m[1])
		}
		if _, table, ok := strings.Cut(string(text), "const knownText = `\n"); ok {
			table, _, _ = strings.Cut(table, "`")
			for line := range strings.Lines(table) {
				words = append(words, strings.Fields(line)[0])
			}
		}
		for _, word := range words {
			if !slices.Contains(known, word) {
				t.Errorf("%s has no op %q", file, word)
			}
		}
	}
}
