package lenders

import (
	"bytes"
	"slices"
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
