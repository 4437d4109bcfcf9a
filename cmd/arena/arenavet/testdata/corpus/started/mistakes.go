package started

import "github.com/arena-go/arena"

func encodeForgetting(n int) error {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	return e.next(false) // want `syncpool: a goroutine that nobody has waited for may use what the pool gets`
}

func encodeStarted() int {
	e := encoders.Get().(*encoder)
	e.start() // want `syncpool: a goroutine that nobody has waited for may use what the pool gets`
	encoders.Put(e)
	return 1
}

func countForgetting(b []byte) error {
	a := pool.Get()
	c := new(counter)
	if err := c.next(arena.String(a, b)); err != nil { // want `outlives: a goroutine that nobody has waited for may use the arena when it ends`
		pool.Put(a)
		return err
	}
	pool.Put(a)
	return nil
}

func countUnlessClosed(b []byte) error {
	a := arena.NewArena()
	c := new(counter)
	if err := c.next(arena.String(a, b)); err != nil { // want `outlives: a goroutine that nobody has waited for may use the arena when it ends`
		return err
	}
	a.Reset()
	return nil
}

func countAnyway(b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	c := new(counter)
	_ = c.next(arena.String(a, b)) // want `outlives: a goroutine that nobody has waited for may use the arena when it ends`
}

// leave waits on one way only, which does not depend on what was started.
func (e *encoder) leave() error {
	e.start()
	if e.n > 100 {
		return e.err
	}
	e.wg.Wait()
	return e.err
}

func encodeLeaving() (int, error) {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	if err := e.leave(); err != nil { // want `syncpool: a goroutine that nobody has waited for may use what the pool gets`
		return 0, err
	}
	return e.n, nil
}

func beginWaitingWrongly(b []byte) int {
	a := pool.Get()
	c := new(counter)
	if c.begin(a, b) != nil { // want `outlives: a goroutine that nobody has waited for may use the arena when it ends`
		c.wg.Wait()
	}
	pool.Put(a)
	return c.n
}

// tryForgetting waits only if nothing was started.
func tryForgetting(b bool) {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.try(b) // want `syncpool: a goroutine that nobody has waited for may use what the pool gets`
}
