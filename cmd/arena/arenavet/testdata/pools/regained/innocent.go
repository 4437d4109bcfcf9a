package regained

import (
	"bytes"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
)

func (j *journal) addCopy(n int) {
	p := space.Get().(*[]byte)
	b := strconv.AppendInt((*p)[:0], int64(n), 10)
	j.entries = append(j.entries, bytes.Clone(b))
	*p = b
	space.Put(p)
}

func (j *journal) keep(n int) {
	p := space.Get().(*[]byte)
	b := strconv.AppendInt(make([]byte, 0, 20), int64(n), 10)
	j.entries = append(j.entries, b)
	*p = append((*p)[:0], b...)
	space.Put(p)
}

func (j *journal) write(w io.Writer, n int) {
	p := space.Get().(*[]byte)
	b := strconv.AppendInt((*p)[:0], int64(n), 10)
	j.entries = append(j.entries[:0], b)
	w.Write(j.entries[0])
	j.entries = nil
	*p = b
	space.Put(p)
}

func cellCopied(in []byte, n int) []byte {
	t := tables.Get().(*table)
	defer tables.Put(t)
	t.fill(in)
	return bytes.Clone(t.cells[n])
}

func encoded(s string) string {
	c := codecFor(s)
	defer c.done()
	return string(c.encode(s))
}

func kept(s string) codec {
	c := codecFor(s)
	if len(c.encode(s)) == 0 {
		c.done()
		return nil
	}
	return c
}

func rows(root string) (n int) {
	filepath.Walk(root, func(path string, _ fs.FileInfo, err error) error {
		t := tables.Get().(*table)
		defer tables.Put(t)
		t.fill([]byte(path))
		n += len(t.cells)
		return err
	})
	return n
}

// readOwn returns the first n bytes of r. Who calls it gets memory of the pool, and the pool gets
// another one.
func readOwn(r io.Reader, n int) ([]byte, error) {
	p := space.Get().(*[]byte)
	if len(*p) < n {
		*p = make([]byte, 2*n)
	}
	head := (*p)[:n]
	_, err := io.ReadFull(r, head)
	*p = nil
	space.Put(p)
	return head, err
}

func readLarge(r io.Reader, n int) ([]byte, error) {
	p := space.Get().(*[]byte)
	defer space.Put(p)
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	*p = append((*p)[:0], b...)
	return b, nil
}

func splitCopied(s string) (words []string) {
	lines.do(func(l *line) {
		l.words = append(l.words[:0], s)
		words = slices.Clone(l.words)
		l.n++
	})
	return words
}
