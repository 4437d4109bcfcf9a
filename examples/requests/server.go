package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/examples/internal/measure"
)

// When a server is to say what it has used.
const (
	afterGC = "after GC"
	now     = "now"
)

// A message goes from the server to the process that has started it, one JSON
// value each: first the address, then the usage each time it is asked for.
type message struct {
	Addr  string         `json:",omitempty"`
	Usage *measure.Usage `json:",omitempty"`
}

// serve serves until stdin ends, which is when the process that has started this one closes
// it, or is no more. Each line of stdin, which is afterGC or now, asks for the usage.
func serve(stdin io.Reader, stdout io.Writer, c config, way string) error {
	if strings.HasPrefix(way, heapGOGC) {
		debug.SetGCPercent(c.gogc)
	}
	handler := newHandler(newCatalogue(c.live))
	if way == inArena {
		handler = arenahttp.Middleware(handler, arenahttp.Options{})
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: timeout}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()

	out := json.NewEncoder(stdout)
	err = out.Encode(message{Addr: listener.Addr().String()})
	for lines := bufio.NewScanner(stdin); err == nil && lines.Scan(); {
		if lines.Text() == afterGC {
			runtime.GC()
		}
		u := measure.Used()
		err = out.Encode(message{Usage: &u})
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		server.Close()
	}
	if serveErr := <-served; serveErr != http.ErrServerClosed {
		return serveErr
	}
	return err
}
