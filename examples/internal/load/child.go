package load

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"runtime"
	"time"

	"github.com/arena-go/arena/examples/internal/measure"
	"github.com/arena-go/arena/examples/internal/process"
)

// A Child is a server in a process of its own.
type Child struct {
	*process.Child
	Addr string
}

// StartChild starts a server, which is this program with another flag, and waits until it listens.
func StartChild(ctx context.Context, name string, args []string, way string) (*Child, error) {
	c, err := process.Start(ctx, name, args, way)
	if err != nil {
		return nil, err
	}
	var m message
	if err := c.Read(&m); err != nil {
		return nil, err
	}
	return &Child{c, m.Addr}, nil
}

// Usage returns what the server has used so far, which is until Now or AfterGC.
func (c *Child) Usage(when string) (measure.Usage, error) {
	var m message
	if err := c.Ask(when, &m); err != nil {
		return measure.Usage{}, err
	}
	return *m.Usage, nil
}

// When a server is to say what it has used.
const (
	AfterGC = "after GC"
	Now     = "now"
)

// A message goes from the server to the process that has started it, one JSON
// value each: first the address, then the usage each time it is asked for.
type message struct {
	Addr  string         `json:",omitempty"`
	Usage *measure.Usage `json:",omitempty"`
}

// Serve serves handler until stdin ends, which is when the process that has started this one closes
// it, or is no more. Each line of stdin, which is AfterGC or Now, asks for the usage.
func Serve(stdin io.Reader, stdout io.Writer, handler http.Handler) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: Timeout}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()

	out := json.NewEncoder(stdout)
	err = out.Encode(message{Addr: listener.Addr().String()})
	for lines := bufio.NewScanner(stdin); err == nil && lines.Scan(); {
		if lines.Text() == AfterGC {
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
