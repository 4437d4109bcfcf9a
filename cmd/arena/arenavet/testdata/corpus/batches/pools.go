package batches

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"sync"
)

type line struct{ b []byte }

var lines = sync.Pool{New: func() any { return &line{b: make([]byte, 0, 512)} }}

func format(ts int64, msg string) []byte {
	l := lines.Get().(*line)
	l.b = strconv.AppendInt(l.b[:0], ts, 10)
	l.b = append(l.b, msg...)
	out := l.b
	lines.Put(l)
	return out // want `syncpool: `
}

var scratch = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

type decoded struct{ payload []byte }

func decode(src []byte) *decoded {
	bp := scratch.Get().(*[]byte)
	b := (*bp)[:0]
	for _, c := range src {
		if c != '\\' {
			b = append(b, c)
		}
	}
	m := &decoded{b}
	*bp = b
	scratch.Put(bp)
	return m // want `syncpool: `
}

var readers = sync.Pool{New: func() any { return bufio.NewReader(nil) }}

func header(r io.Reader) ([]byte, error) {
	br := readers.Get().(*bufio.Reader)
	defer readers.Put(br)
	br.Reset(r)
	b, err := br.ReadSlice('\n')
	return b, err // want `syncpool: `
}

type logEntry struct{ msg string }

type logger struct {
	pool sync.Pool
	hist []*logEntry
}

func (l *logger) log(level int, msg string) {
	e, _ := l.pool.Get().(*logEntry)
	if e == nil {
		e = new(logEntry)
	}
	e.msg = msg
	if level > 3 {
		l.hist = append(l.hist, e) // want `syncpool: `
	}
	l.pool.Put(e)
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func offer(c chan []byte, s string) {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.WriteString(s)
	select {
	case c <- b.Bytes(): // want `syncpool: `
	default:
	}
}

type tx struct{ writes [][]byte }

var txs = sync.Pool{New: func() any { return new(tx) }}

func (t *tx) rollback() { txs.Put(t) }

func (t *tx) commit(flush func([][]byte) error) error {
	if err := flush(t.writes); err != nil {
		t.rollback()
		return err
	}
	txs.Put(t)
	return nil
}

func update(flush func([][]byte) error) {
	t := txs.Get().(*tx)
	if t.commit(flush) != nil {
		t.rollback() // want `syncpool: `
	}
}
