// Package started has functions that start a goroutine in some of their calls, and say so.
package started

import (
	"errors"
	"strings"
	"sync"

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
