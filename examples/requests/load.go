package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// A load is what a server is asked. Its responses are known by their checksums: all
// servers must give the same ones.
type load struct {
	requests [][]byte // with their heads
	sums     []uint32 // of the responses, once a server has answered
	conns    int      // at the same time
}

// A sample is a request of the open loop.
type sample struct {
	due  time.Duration // since the start of the loop
	took time.Duration // from then, or from when it was sent if a connection was waiting
}

// once asks every request once. The first time the responses are taken as right.
func (l *load) once(ctx context.Context, addr string) error {
	first := l.sums == nil
	if first {
		l.sums = make([]uint32, len(l.requests))
	}
	return each(ctx, addr, 1, func(_ context.Context, c *client) error {
		for i, request := range l.requests {
			sum, err := c.do(request)
			if err != nil {
				return err
			}
			if first {
				l.sums[i] = sum
			} else if sum != l.sums[i] {
				return l.wrong(i, c)
			}
		}
		return nil
	})
}

func (l *load) wrong(i int, c *client) error {
	return fmt.Errorf("the response to request %d differs from the first server's: %.200s...", i, c.body)
}

// ask asks request i, or the one that it stands for.
func (l *load) ask(c *client, i int) error {
	i %= len(l.requests)
	sum, err := c.do(l.requests[i])
	if err == nil && sum != l.sums[i] {
		err = l.wrong(i, c)
	}
	return err
}

// closed asks as fast as the server answers, each connection when it has the last
// answer. It returns the number of requests.
func (l *load) closed(ctx context.Context, addr string, d time.Duration) (int64, error) {
	var count, next atomic.Int64
	end := time.Now().Add(d)
	err := each(ctx, addr, l.conns, func(ctx context.Context, c *client) error {
		for ctx.Err() == nil && time.Now().Before(end) {
			if err := l.ask(c, int(next.Add(1)-1)); err != nil {
				return err
			}
			count.Add(1)
		}
		return nil
	})
	return count.Load(), err
}

// open asks at a fixed rate per second, whether the server keeps up or not. A request that
// is due while all connections wait for their answers waits too, and that counts.
//
// What does not count is when a waiting connection wakes up late: that is the clock of this
// process, and not the server.
func (l *load) open(ctx context.Context, addr string, rate int, d time.Duration) ([]sample, error) {
	samples := make([]sample, int64(rate)*int64(d)/int64(time.Second))
	var next atomic.Int64
	start := time.Now()
	err := each(ctx, addr, l.conns, func(ctx context.Context, c *client) error {
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
			} else if -wait > d+timeout {
				return fmt.Errorf("the server is %v behind with %d requests per second; use a lower -rate", -wait.Round(time.Second), rate)
			}
			if err := l.ask(c, i); err != nil {
				return err
			}
			samples[i] = sample{due, time.Since(start) - from}
		}
		return ctx.Err()
	})
	return samples, err
}

// each calls f for each of n connections, at the same time, and returns the first
// error, with which the context that f gets ends.
func each(ctx context.Context, addr string, n int, f func(ctx context.Context, c *client) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	for range n {
		c, err := newClient(addr)
		if err != nil {
			cancel(err)
			break
		}
		wait.Go(func() {
			defer c.close()
			if err := f(ctx, c); err != nil {
				cancel(err)
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}
