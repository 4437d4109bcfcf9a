package main

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/arena-go/arena/examples/internal/measure"
)

// A match is a file in which all terms of a query are. Its hits are the places of their words, and
// line is the first of them in the file that the first term has.
type match struct {
	file, hits int
	line       uint32
}

// find returns the files in which all terms of a query are, those with the most hits first. A term
// is a word, or the beginning of words and an asterisk; terms are separated by spaces.
func find(x index, query string) []match {
	var found []match
	for i, term := range strings.Fields(query) {
		all := make([]match, x.files())
		for word := range matching(x, term) {
			for _, p := range x.places(word) {
				m := &all[p.file]
				if m.hits++; m.line == 0 || p.line < m.line {
					m.line = p.line
				}
			}
		}
		if i == 0 {
			for file, m := range all {
				found = append(found, match{file, m.hits, m.line})
			}
		}
		found = slices.DeleteFunc(found, func(m match) bool { return all[m.file].hits == 0 })
		if i > 0 {
			for j := range found {
				found[j].hits += all[found[j].file].hits
			}
		}
	}
	slices.SortStableFunc(found, func(m, n match) int { return cmp.Compare(n.hits, m.hits) })
	return found
}

// matching iterates over the words that are a term, or begin with it, in order, and says how often
// each is there.
func matching(x index, term string) iter.Seq2[string, int] {
	if prefix, ok := strings.CutSuffix(term, "*"); ok {
		return x.beginning(prefix)
	}
	return func(yield func(string, int) bool) {
		if count := x.count(term); count > 0 {
			yield(term, count)
		}
	}
}

// A frequency says how often a word is there.
type frequency struct {
	word  string
	count int
}

// top returns the n most frequent words of those that are a term.
func top(x index, term string, n int) []frequency {
	var all []frequency
	for word, count := range matching(x, term) {
		all = append(all, frequency{word, count})
	}
	slices.SortStableFunc(all, func(f, g frequency) int { return cmp.Compare(g.count, f.count) })
	return all[:min(n, len(all))]
}

// writeWords lists the words that begin with prefix, in order, for people.
func writeWords(w io.Writer, x index, prefix string) {
	n := 0
	for word, count := range x.beginning(prefix) {
		fmt.Fprintf(w, "  %6s  %s\n", measure.Thousands(int64(count)), word)
		n++
	}
	fmt.Fprintf(w, "%s words begin with %s\n", measure.Thousands(int64(n)), prefix)
}

// What is listed of an answer.
const (
	listFiles = 5
	listWords = 8
)

// writeAnswer answers a query for people.
func writeAnswer(w io.Writer, x index, query string) {
	found := find(x, query)
	fmt.Fprintf(w, "%s: %s files\n", query, measure.Thousands(int64(len(found))))
	for _, term := range strings.Fields(query) {
		if strings.HasSuffix(term, "*") {
			writeTop(w, x, term, listWords)
		}
	}
	for _, m := range found[:min(listFiles, len(found))] {
		fmt.Fprintf(w, "  %6s  %s:%d\n", measure.Thousands(int64(m.hits)), x.file(m.file).name, m.line)
	}
}

// writeTop writes a line with the most frequent words.
func writeTop(w io.Writer, x index, term string, n int) {
	var list []string
	for _, f := range top(x, term, n) {
		list = append(list, f.word+" "+measure.Thousands(int64(f.count)))
	}
	fmt.Fprintf(w, "  %s is %s\n", term, cmp.Or(strings.Join(list, ", "), "nothing"))
}
