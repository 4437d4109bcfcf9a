package detached

import (
	"errors"
	"io"
	"sync"
)

// A conn is either kept or given to the pool, which each function up the chain may cause.
type conn struct {
	err  error
	addr io.Reader
	n    int
}

type client struct {
	mu    sync.Mutex
	conns []*conn
	last  error
}

var connPool = sync.Pool{New: func() any { return new(conn) }}

func (c *client) closeConn(cc *conn) {
	cc.n = 0
	connPool.Put(cc)
}

func (c *client) releaseConn(cc *conn) {
	c.mu.Lock()
	c.conns = append(c.conns, cc)
	c.mu.Unlock()
}

func (c *client) acquireConn() *conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.conns); n > 0 {
		cc := c.conns[n-1]
		c.conns = c.conns[:n-1]
		return cc
	}
	return connPool.Get().(*conn)
}

func (c *client) try(fails bool) error {
	cc := c.acquireConn()
	if fails {
		c.closeConn(cc)
		return errors.New("fails")
	}
	c.releaseConn(cc)
	return nil
}

func (c *client) do(fails bool) error {
	for range 3 {
		if err := c.try(fails); err == nil {
			return nil
		}
	}
	return io.EOF
}

func (c *client) Do(fails bool) error { return c.do(fails) }

func get(c *client) error { return c.Do(true) }

// read returns and keeps an error, and what a conn refers to.
func (c *client) read() (io.Reader, error) {
	cc := connPool.Get().(*conn)
	err, addr := cc.err, cc.addr
	c.last = err
	connPool.Put(cc)
	return addr, err
}
