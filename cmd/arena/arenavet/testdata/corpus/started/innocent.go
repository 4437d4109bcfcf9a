// Package started has functions that start a goroutine in some of their calls, and say so.
package started

import (
	"errors"
	"strings"
	"sync"
	"testing/synctest"

	"github.com/arena-go/arena"
)

var errClosed = errors.New("closed")

// An encoder compresses one block in a goroutine while the next one is filled.
type encoder struct {
	wg   sync.WaitGroup
	once sync.Once
	err  error
	n    int
	text string
}

var (
	encoders = sync.Pool{New: func() any { return new(encoder) }}
	pool     arena.Pool
)

func (e *encoder) start() {
	e.wg.Add(1)
	go func() {
		defer e.wg.Done()
		e.n += len(e.text)
	}()
}

// next starts a goroutine only if it returns nil.
func (e *encoder) next(final bool) error {
	e.wg.Wait()
	if e.err != nil {
		return e.err
	}
	if final && e.n == 0 {
		return nil
	}
	e.start()
	return nil
}

// finish does not wait if nothing was started.
func (e *encoder) finish() error {
	if err := e.next(true); err != nil {
		return err
	}
	e.wg.Wait()
	return e.err
}

func encode(n int) (int, error) {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	if err := e.finish(); err != nil {
		return 0, err
	}
	return e.n, nil
}

func encodeDirectly(n int) (int, error) {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	if err := e.next(true); err != nil {
		return 0, err
	}
	e.wg.Wait()
	return e.n, nil
}

// try says by its result whether it has started something.
func (e *encoder) try(b bool) bool {
	if b {
		e.start()
	}
	return b
}

func encodeIf(b bool) int {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	if !e.try(b) {
		return 0
	}
	e.wg.Wait()
	return e.n
}

// A counter reads text in a goroutine.
type counter struct {
	wg  sync.WaitGroup
	err error
	n   int
}

func (c *counter) next(s string) error {
	if c.err != nil {
		return c.err
	}
	c.wg.Add(1)
	go func() {
		defer c.wg.Done()
		c.n += strings.Count(s, " ")
	}()
	return nil
}

func (c *counter) finish(s string) error {
	if err := c.next(s); err != nil {
		return err
	}
	c.wg.Wait()
	return c.err
}

func count(b []byte) (int, error) {
	a := pool.Get()
	defer pool.Put(a)
	c := new(counter)
	if err := c.finish(arena.String(a, b)); err != nil {
		return 0, err
	}
	return c.n, nil
}

func countIf(b []byte) int {
	a := pool.Get()
	defer pool.Put(a)
	c := new(counter)
	err := c.next(arena.String(a, b))
	if err != nil {
		return 0
	}
	c.wg.Wait()
	return c.n
}

// begin starts something of the arena itself.
func (c *counter) begin(a *arena.Arena, b []byte) error {
	if c.err != nil {
		return errClosed
	}
	c.wg.Add(1)
	go func() {
		defer c.wg.Done()
		c.n += len(arena.String(a, b))
	}()
	return nil
}

func beginBoth(b []byte) (string, error) {
	a := pool.Get()
	defer pool.Put(a)
	c := new(counter)
	if err := c.begin(a, b); err != nil {
		return string(arena.String(a, b)[:1]) + "!", err
	}
	c.wg.Wait()
	return "", nil
}

// beginElse uses the arena itself if no goroutine does.
func beginElse(b []byte) int {
	a := pool.Get()
	c := new(counter)
	if c.begin(a, b) != nil {
		c.n = len(arena.String(a, b))
	} else {
		c.wg.Wait()
	}
	pool.Put(a)
	return c.n
}

// Functions that wait by others.

func (c *counter) wait()  { c.wg.Wait() }
func (c *counter) close() { c.wait() }

func countClosing(b []byte) int {
	a := pool.Get()
	defer pool.Put(a)
	c := new(counter)
	if err := c.next(arena.String(a, b)); err != nil {
		return 0
	}
	c.close()
	return c.n
}

func (c *counter) closeLate() { defer c.wg.Wait() }

func countClosingLate(b []byte) int {
	a := pool.Get()
	c := new(counter)
	c.next(arena.String(a, b))
	c.closeLate()
	pool.Put(a)
	return c.n
}

func (e *encoder) Close() error {
	e.once.Do(func() { e.wg.Wait() })
	return e.err
}

func encodeClosing() int {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.start()
	defer e.Close()
	return 1
}

// closeIf waits only if something was started.
func (e *encoder) closeIf() {
	if e.err == nil {
		e.wait()
	}
}

func (e *encoder) wait() { e.wg.Wait() }

func encodeAndCloseIf() {
	e := encoders.Get().(*encoder)
	if e.err == nil {
		e.start()
	}
	e.closeIf()
	encoders.Put(e)
}

func settle() { synctest.Wait() }

func countInBubble(b []byte) int {
	a := pool.Get()
	c := new(counter)
	_ = c.next(arena.String(a, b))
	settle()
	pool.Put(a)
	return c.n
}

// A closer waits by an interface.
type closer interface{ Close() error }

type stream struct {
	encoder
	closer
}

func (s *stream) end() { s.closer.Close() }

func (s *stream) endAll() { s.end() }

func streamed(s *stream, b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	s.text = arena.String(a, b)
	s.encoder.start()
	s.endAll()
	s.text = ""
}

// startOne starts a goroutine on one way and waits on the same way later.
func startOne(b []byte, one bool) int {
	a := pool.Get()
	defer pool.Put(a)
	c := new(counter)
	if one {
		_ = c.next(arena.String(a, b))
	}
	if !one {
		return 0
	}
	c.wg.Wait()
	return c.n
}

func startOthers(all [][]byte) int {
	a := pool.Get()
	c := new(counter)
	n := 0
	for _, b := range all {
		if err := c.next(arena.String(a, b)); err != nil {
			break
		}
		n++
	}
	if n > 0 {
		c.wg.Wait()
	}
	pool.Put(a)
	return c.n
}

func startEach(all [][]byte) (int, error) {
	a := pool.Get()
	defer pool.Put(a)
	c := new(counter)
	for _, b := range all {
		err := c.next(arena.String(a, b))
		if err != nil {
			c.wg.Wait()
			return 0, err
		}
	}
	c.wg.Wait()
	return c.n, nil
}

// swap starts a goroutine, unless it returns an old one to wait for.
func (c *counter) swap(s string) *sync.WaitGroup {
	if c.n > 0 {
		return nil
	}
	_ = c.next(s)
	return &c.wg
}

func swapped(b []byte) int {
	a := pool.Get()
	defer pool.Put(a)
	c := new(counter)
	wg := c.swap(arena.String(a, b))
	if wg == nil {
		return 0
	}
	wg.Wait()
	return c.n
}
