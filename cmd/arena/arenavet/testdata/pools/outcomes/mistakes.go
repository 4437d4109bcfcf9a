// Package outcomes has functions that give a value to a sync.Pool and say so by their last result.
package outcomes

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

type message struct {
	id   int
	body []byte
	next *message
}

var (
	messages = sync.Pool{New: func() any { return new(message) }}
	texts    = sync.Pool{New: func() any { return new(bytes.Buffer) }}

	errLarge = errors.New("too large")
)

func (m *message) free() { messages.Put(m) }

func (m *message) small() bool {
	if len(m.body) > 100 {
		messages.Put(m)
		return false
	}
	return true
}

// write frees a message that is too large, and no other one.
func write(w io.Writer, m *message) error {
	if len(m.body) > 100 {
		m.free()
		return errLarge
	}
	if _, err := w.Write(m.body); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

func send(w io.Writer) error {
	m := messages.Get().(*message)
	defer m.free() // want `syncpool: `
	if err := write(w, m); err != nil {
		return err
	}
	_, err := w.Write([]byte("."))
	return err
}

func sendOrLog(w io.Writer) {
	m := messages.Get().(*message)
	if err := write(w, m); err != nil {
		fmt.Println(m.id, err) // want `syncpool: .* is used after outcomes.write`
		return
	}
	m.free()
}

func count() int {
	m := messages.Get().(*message)
	defer messages.Put(m) // want `syncpool: `
	if !m.small() {
		return 0
	}
	return len(m.body)
}

// both says what small says.
func both(m *message) (int, bool) {
	if !m.small() {
		return 0, false
	}
	return m.id, true
}

func countBoth() int {
	m := messages.Get().(*message)
	n, ok := both(m)
	if !ok {
		return m.id // want `syncpool: .* is used after outcomes.both`
	}
	m.free()
	return n
}

// A list has a text that close gives back.
type list struct {
	from *bufio.Reader
	text *bytes.Buffer
}

func open(r io.Reader) *list {
	return &list{bufio.NewReader(r), texts.Get().(*bytes.Buffer)}
}

func (l *list) close() { texts.Put(l.text) }

func (l *list) step() bool {
	line, err := l.from.ReadSlice('\n')
	if err != nil {
		l.close()
		return false
	}
	l.text.Reset()
	l.text.Write(line)
	return true
}

func all(r io.Reader) (n int) {
	l := open(r)
	defer l.close() // want `syncpool: a value is put twice`
	for l.step() {
		n++
	}
	return n
}

func early(r io.Reader, most int) {
	l := open(r)
	defer l.close() // want `syncpool: a value is put twice`
	if most > 3 {
		l.close()
	}
	fmt.Println(most)
}
