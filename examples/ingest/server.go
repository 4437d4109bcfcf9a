package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"runtime"
	"time"

	"github.com/arena-go/arena/examples/internal/measure"
)

// serve serves until ctx is done, and waits for the requests that are under way. Then it saves the
// windows, if there is a directory for them. It calls started when it listens.
func (s *service) serve(ctx context.Context, c config, started func(addr string)) error {
	if c.data != "" {
		if err := s.load(c.data); err != nil {
			return err
		}
	}
	listener, err := net.Listen("tcp", c.listen)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/", s.handler())
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile) // a service like this one is worth a profile, too
	server := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: c.timeout,
		ReadTimeout:       c.timeout, // a client that is slower is cut off
		WriteTimeout:      c.timeout + time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	started(listener.Addr().String())

	ticks := time.NewTicker(max(c.window/4, 10*time.Millisecond))
	defer ticks.Stop()
	for ctx.Err() == nil {
		select {
		case now := <-ticks.C:
			if !s.anyPast {
				s.store.expire(now)
			}
		case err := <-served:
			return err
		case <-ctx.Done():
		}
	}
	end, cancel := context.WithTimeout(context.Background(), c.timeout)
	defer cancel()
	if server.Shutdown(end) != nil {
		server.Close()
	}
	if err := <-served; err != http.ErrServerClosed {
		return err
	}
	if c.data == "" {
		return nil
	}
	return s.save(c.data)
}

// When a child is to say what it has used.
const (
	afterGC = "after GC"
	now     = "now"
)

// A message goes from a child to the process that has started it, one JSON value each.
type message struct {
	Addr  string         `json:",omitempty"` // of a server
	Usage *measure.Usage `json:",omitempty"`
	Load  *loadResult    `json:",omitempty"`
	Batch *batchResult   `json:",omitempty"`
}

// serveChild serves until stdin ends, which is when the process that has started this one closes
// it, or is no more. Each line of stdin, which is afterGC or now, asks for the usage.
func serveChild(stdin io.Reader, stdout io.Writer, c config, way string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.listen, c.timeout = "127.0.0.1:0", time.Minute
	out := json.NewEncoder(stdout)
	s := newService(c, way == onHeap)
	s.anyPast = true
	return s.serve(ctx, c, func(addr string) {
		out.Encode(message{Addr: addr})
		go func() {
			defer cancel()
			for lines := bufio.NewScanner(stdin); lines.Scan(); {
				if lines.Text() == afterGC {
					runtime.GC()
				}
				u := measure.Used()
				out.Encode(message{Usage: &u})
			}
		}()
	})
}

// serveForEver is the command with -listen.
func serveForEver(ctx context.Context, w io.Writer, c config) error {
	way := c.ways[len(c.ways)-1]
	s := newService(c, way == onHeap)
	err := s.serve(ctx, c, func(addr string) {
		fmt.Fprintf(w, "http://%s takes profiles: POST /ingest?name=app{key=value}&from=seconds; ask /apps, /top?app=, /flamegraph?app=, /export?app=, /metrics (%s)\n", addr, way)
	})
	if err == nil && ctx.Err() == nil {
		err = errors.New("the server ended")
	}
	return err
}
