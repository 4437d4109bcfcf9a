package lenders

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"sync"
)

func columnsCopied(in []string) []string {
	return with(&tables, func(t *table) []string {
		t.names = append(t.names, in...)
		return slices.Clone(t.names)
	})
}

func count(in []string) int {
	return with(&tables, func(t *table) int {
		t.names = append(t.names, in...)
		return len(t.names)
	})
}

func textCopied(s string) []byte {
	return buffered(func(b *bytes.Buffer) []byte {
		b.WriteString(s)
		return bytes.Clone(b.Bytes())
	})
}

func collectedText(in []string) (all []string) {
	for _, line := range lines(in) {
		all = append(all, string(line))
	}
	return all
}

func read(s string) int {
	b := buffers.Get().(*bytes.Buffer)
	defer func() {
		if b.Cap() <= 1<<20 {
			buffers.Put(b)
		}
	}()
	b.Reset()
	b.WriteString(s)
	return bytes.NewReader(b.Bytes()).Len()
}

// What refers to a pooled value is not that value.

type counted struct {
	w io.Writer
	n int
}

func (c *counted) Write(b []byte) (int, error) {
	c.n += len(b)
	return c.w.Write(b)
}

var countedPool, writerPool sync.Pool

func getCounted(w io.Writer) *counted {
	v := countedPool.Get()
	if v == nil {
		return &counted{w: w}
	}
	c := v.(*counted)
	c.w = w
	return c
}

func getWriter(w io.Writer) *bufio.Writer {
	v := writerPool.Get()
	if v == nil {
		return bufio.NewWriter(w)
	}
	bw := v.(*bufio.Writer)
	bw.Reset(w)
	return bw
}

func okCount(w io.Writer, b []byte) int {
	c := getCounted(w)
	bw := getWriter(c)
	bw.Write(b)
	bw.Flush()
	writerPool.Put(bw)
	n := c.n
	countedPool.Put(c)
	return n
}
