package main

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
)

// An index says where words are. It is built by one goroutine: add, in the order of files and
// lines, then finish. After that any number of goroutines may use the other methods. Strings and
// slices that it returns are its own, and valid until it is closed.
type index interface {
	// add notes that word is at a place. The word is copied.
	add(word string, at place)

	// finish ends the building. The files are those that places refer to.
	finish(files []document)

	files() int
	file(i int) document

	// words returns the number of different words.
	words() int

	// beginning iterates over the words that begin with prefix, in the order of their bytes, and
	// says how often each is there.
	beginning(prefix string) iter.Seq2[string, int]

	// count returns how often a word is there, which may be several times at a place.
	count(word string) int

	// places returns the places of a word, in order, to be read only.
	places(word string) []place

	// size returns the bytes of the arena, 0 if there is none.
	size() int64

	close() error
}

// A place is a line in a file, which counts from 1.
type place struct{ file, line uint32 }

// A document is a file that was read.
type document struct {
	name         string
	bytes, lines int
}

// A builder adds documents to an index.
type builder struct {
	index
	docs []document
}

// read adds a document.
func (b *builder) read(name, text string) {
	file := uint32(len(b.docs))
	lines := split(text, func(word string, line uint32) { b.add(word, place{file, line}) })
	b.docs = append(b.docs, document{name, len(text), lines})
}

// maxWord bounds the words, in bytes: what is longer is data.
const maxWord = 64

// split calls add for each word of the text, and returns the number of lines. A word is made of
// letters, digits, underscores and whatever is not ASCII, and does not begin with a digit.
func split(text string, add func(word string, line uint32)) (lines int) {
	line, start := uint32(1), -1
	for i := 0; i <= len(text); i++ {
		c := byte(0)
		if i < len(text) {
			c = text[i]
		}
		if classes[c] != 0 {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			if classes[text[start]] == letter && i-start <= maxWord {
				add(text[start:i], line)
			}
			start = -1
		}
		if c == '\n' {
			line++
		}
	}
	if text == "" || text[len(text)-1] == '\n' {
		line--
	}
	return int(line)
}

// The classes of bytes in words; 0 for all others.
const (
	letter = 1 + iota
	digit
)

var classes = func() (t [256]byte) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c >= 0x80:
			t[c] = letter
		case c >= '0' && c <= '9':
			t[c] = digit
		}
	}
	return t
}()

// A source is a list of files to read.
type source struct {
	dir   string
	names []string // with slashes, below dir, in a fixed order
	bytes int64
}

// newSource returns the Go files below dir, the first ones up to size bytes; 0 is for all.
func newSource(dir string, size int64) (*source, error) {
	s := &source{dir: dir}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".go" {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if size > 0 && s.bytes+info.Size() > size {
			return filepath.SkipAll
		}
		name, err := filepath.Rel(dir, path)
		s.names = append(s.names, filepath.ToSlash(name))
		s.bytes += info.Size()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the files to index: %w; name a directory of Go files with -dir", err)
	}
	if len(s.names) == 0 {
		return nil, fmt.Errorf("there are no Go files in %s, or none within -size; name a directory with -dir", dir)
	}
	return s, nil
}

// readInto adds all files to the index, and finishes it.
func (s *source) readInto(ctx context.Context, x index) error {
	b := builder{index: x}
	for _, name := range s.names {
		if err := ctx.Err(); err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		b.read(name, string(text))
	}
	b.finish(b.docs)
	return nil
}
