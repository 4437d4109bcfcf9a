// Package keep has an index of documents, which keeps all that it makes.
package keep

import "strings"

// A Document is one in the index.
type Document struct {
	Title string
	Words []*Word
}

// A Word is one of a document.
type Word struct {
	Text string
	At   int
}

// size is how many documents there are, at most: older ones make room for newer ones.
const size = 20_000

var (
	index [size]*Document
	next  int
)

// Add adds a document to the index.
func Add(title, text string) *Document {
	d := &Document{Title: strings.ToUpper(title)}
	for i, w := range strings.Fields(text) {
		d.Words = append(d.Words, &Word{Text: strings.ToLower(w), At: i})
	}
	index[next%size] = d
	next++
	return d
}
