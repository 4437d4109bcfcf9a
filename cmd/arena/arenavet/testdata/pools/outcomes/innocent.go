package outcomes

import (
	"bufio"
	"bytes"
	"io"
	"sync"
	"sync/atomic"
)

func sent(w io.Writer) (int, error) {
	m := messages.Get().(*message)
	if err := m.check(); err != nil {
		return 0, err
	}
	id := m.id
	m.free()
	return id, nil
}

// check frees what has an error.
func (m *message) check() error {
	if len(m.body) > 100 {
		m.free()
		return errLarge
	}
	return nil
}

func counted() int {
	m := messages.Get().(*message)
	if !m.small() {
		return 0
	}
	defer messages.Put(m)
	return len(m.body)
}

func countedBoth() int {
	m := messages.Get().(*message)
	if n, ok := both(m); ok {
		n += m.id
		m.free()
		return n
	}
	return 0
}

// A shared message has several owners.
type shared struct {
	owners atomic.Int32
	body   []byte
}

var all2 = sync.Pool{New: func() any { return new(shared) }}

func (s *shared) drop() bool {
	if s.owners.Add(-1) == 0 {
		all2.Put(s)
		return true
	}
	return false
}

func (s *shared) leave() {
	if s.owners.Add(-1) == 0 {
		all2.Put(s)
	}
}

func owned() int {
	s := all2.Get().(*shared)
	s.owners.Store(2)
	defer s.leave()
	s.leave()
	return len(s.body)
}

func dropped() int {
	s := all2.Get().(*shared)
	s.owners.Store(2)
	s.drop()
	n := len(s.body)
	if s.drop() {
		return n
	}
	return n + len(s.body)
}

// A page closes itself once.
type page struct {
	from *bufio.Reader
	text *bytes.Buffer
	once sync.Once
}

func (p *page) close() {
	p.once.Do(func() {
		texts.Put(p.text)
		p.text = nil
	})
}

func (p *page) step() bool {
	line, err := p.from.ReadSlice('\n')
	if err != nil {
		p.close()
		return false
	}
	p.text.Write(line)
	return true
}

func pages(r io.Reader) (n int) {
	p := &page{from: bufio.NewReader(r), text: texts.Get().(*bytes.Buffer)}
	defer p.close()
	for p.step() {
		n++
	}
	return n
}

func (p *page) closeOnce() { p.once.Do(func() { texts.Put(p.text) }) }

func closedTwice(r io.Reader, none bool) int {
	p := &page{from: bufio.NewReader(r), text: texts.Get().(*bytes.Buffer)}
	defer p.closeOnce()
	if none {
		p.closeOnce()
	}
	return p.from.Size()
}

// A roll has a flag instead.
type roll struct {
	from   *bufio.Reader
	text   *bytes.Buffer
	closed bool
}

func (l *roll) close() {
	if l.closed {
		return
	}
	l.closed = true
	texts.Put(l.text)
}

func (l *roll) step() bool {
	if _, err := l.from.ReadByte(); err != nil {
		l.close()
		return false
	}
	return true
}

func rolls(r io.Reader) (n int) {
	l := &roll{from: bufio.NewReader(r), text: texts.Get().(*bytes.Buffer)}
	defer l.close()
	for l.step() {
		n++
	}
	return n
}

// again takes another text when the first one is given back.
func again(r io.Reader) (n int) {
	l := open(r)
	for !l.step() {
		l = open(r)
	}
	l.close()
	return n
}

// retried writes a message again unless it was too large.
func retried(w io.Writer) error {
	m := messages.Get().(*message)
	for {
		err := write(w, m)
		if err == nil {
			m.free()
			return nil
		}
		if err == errLarge {
			return err
		}
	}
}
