// Package load asks HTTP servers, in a closed and in an open loop, and makes no garbage meanwhile.
package load

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// A Load is what a server is asked. Its responses are known by their checksums: all
// servers must give the same ones.
type Load struct {
	Requests [][]byte // with their heads
	Sums     []uint32 // of the responses, once a server has answered
	Conns    int      // at the same time
}

// A Sample is a request of the open loop.
type Sample struct {
	Due  time.Duration // since the start of the loop
	Took time.Duration // from then, or from when it was sent if a connection was waiting
}

// Once asks every request once. The first time the responses are taken as right.
func (l *Load) Once(ctx context.Context, addr string) error {
	first := l.Sums == nil
	if first {
		l.Sums = make([]uint32, len(l.Requests))
	}
	return each(ctx, addr, 1, func(_ context.Context, c *Client) error {
		for i, request := range l.Requests {
			sum, err := c.Do(request)
			if err != nil {
				return err
			}
			if first {
				l.Sums[i] = sum
			} else if sum != l.Sums[i] {
				return l.wrong(i, c)
			}
		}
		return nil
	})
}

func (l *Load) wrong(i int, c *Client) error {
	return fmt.Errorf("the response to request %d differs from the first server's: %.200s", i, c.Body)
}

// Ask asks request i, or the request that it represents.
func (l *Load) Ask(c *Client, i int) error {
	i %= len(l.Requests)
	sum, err := c.Do(l.Requests[i])
	if err == nil && sum != l.Sums[i] {
		err = l.wrong(i, c)
	}
	return err
}

// Closed asks as fast as the server answers, each connection when it has the last
// answer. It returns the number of requests.
func (l *Load) Closed(ctx context.Context, addr string, d time.Duration) (int64, error) {
	var count, next atomic.Int64
	end := time.Now().Add(d)
	err := each(ctx, addr, l.Conns, func(ctx context.Context, c *Client) error {
		for ctx.Err() == nil && time.Now().Before(end) {
			if err := l.Ask(c, int(next.Add(1)-1)); err != nil {
				return err
			}
			count.Add(1)
		}
		return nil
	})
	return count.Load(), err
}

// Open asks at a fixed rate per second, whether the server keeps up or not. A request that
// is due while all connections wait for their answers waits too, and that counts.
//
// What does not count is when a waiting connection wakes up late: that is the clock of this
// process, and not the server.
func (l *Load) Open(ctx context.Context, addr string, rate int, d time.Duration) ([]Sample, error) {
	samples := make([]Sample, int64(rate)*int64(d)/int64(time.Second))
	var next atomic.Int64
	start := time.Now()
	err := each(ctx, addr, l.Conns, func(ctx context.Context, c *Client) error {
		timer := time.NewTimer(0)
		defer timer.Stop()
		for ctx.Err() == nil {
			i := int(next.Add(1) - 1)
			if i >= len(samples) {
				return nil
			}
			due := time.Duration(int64(i) * int64(time.Second) / int64(rate))
			from := due
			if wait := due - time.Since(start); wait > 0 {
				timer.Reset(wait)
				select {
				case <-timer.C:
				case <-ctx.Done():
					return ctx.Err()
				}
				from = time.Since(start)
			} else if -wait > d+Timeout {
				return fmt.Errorf("the server is %v behind with %d requests per second; use a lower -rate", -wait.Round(time.Second), rate)
			}
			if err := l.Ask(c, i); err != nil {
				return err
			}
			samples[i] = Sample{due, time.Since(start) - from}
		}
		return ctx.Err()
	})
	return samples, err
}

// each calls f for each of n connections, at the same time, and returns the first
// error, with which the context that f gets ends.
func each(ctx context.Context, addr string, n int, f func(ctx context.Context, c *Client) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	for range n {
		c, err := NewClient(addr)
		if err != nil {
			cancel(err)
			break
		}
		wait.Go(func() {
			defer c.Close()
			if err := f(ctx, c); err != nil {
				cancel(err)
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}
