package headers

import (
	"bufio"
	"bytes"
	"io"
)

func size() int {
	w := open()
	w.close()
	return w.n
}

func detached() []byte {
	w := open()
	w.detach()
	return w.buf
}

func copied(b []byte) byte {
	c := append([]byte(nil), b...)
	blocks.Put(&c)
	return b[0]
}

func perhaps(large bool) byte {
	b := make([]byte, 10)
	if large {
		b = take()
	}
	c := b[0]
	if large {
		leaveSmall(b)
	}
	return c
}

func text() string {
	b := take()
	defer leaveSmall(b)
	return string(b)
}

func larger(n int) []byte {
	b := take()
	if cap(b) < n {
		leaveSmall(b)
		b = make([]byte, n)
	}
	return b
}

func large(n int) []byte {
	b := take()
	for cap(b) < n {
		leaveSmall(b)
		b = take()
	}
	return b[:n]
}

// replaced takes the memory out of the pointer.
func replaced() []byte {
	c := start()
	defer c.stop()
	b := *c.buf
	*c.buf = make([]byte, 0, 100)
	return b
}

func position() int {
	c := start()
	defer c.stop()
	return len(*c.buf) + c.pos
}

func okFirstLine(r io.Reader) (string, error) {
	p := pages.Get().(*[]byte)
	defer pages.Put(p)
	sc := bufio.NewScanner(r)
	sc.Buffer(*p, len(*p))
	for sc.Scan() {
		if line := bytes.TrimSpace(sc.Bytes()); len(line) > 0 {
			return string(line), nil
		}
	}
	return "", sc.Err()
}

// A deferred literal returns the memory of buf with its address.
func okRead(r io.Reader) (int, error) {
	p := pages.Get().(*[]byte)
	buf := (*p)[:cap(*p)]
	defer func() {
		*p = buf[:0]
		pages.Put(p)
	}()
	return r.Read(buf)
}

func okBack(p *[]byte, buf []byte) {
	*p = buf[:0]
	pages.Put(p)
}

func okHelper(r io.Reader) (int, error) {
	p := pages.Get().(*[]byte)
	buf := (*p)[:cap(*p)]
	n, err := r.Read(buf)
	buf = buf[:n]
	okBack(p, buf)
	return n, err
}
