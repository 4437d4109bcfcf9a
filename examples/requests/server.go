package main

import (
	"io"
	"runtime/debug"
	"strings"

	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/examples/internal/load"
)

// serve serves until stdin ends, which is when the process that has started this one closes
// it, or is no more. Each line of stdin, which is load.AfterGC or load.Now, asks for the usage.
func serve(stdin io.Reader, stdout io.Writer, c config, way string) error {
	if strings.HasPrefix(way, heapGOGC) {
		debug.SetGCPercent(c.gogc)
	}
	handler := newHandler(newCatalogue(c.live))
	if way == inArena {
		handler = arenahttp.Middleware(handler, arenahttp.Options{})
	}
	return load.Serve(stdin, stdout, handler)
}
