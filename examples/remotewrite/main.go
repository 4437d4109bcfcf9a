// Remotewrite is a receiver of Prometheus' remote write protocol, 1.0 and 2.0, which appends what
// it gets to a TSDB of Prometheus. It does so with an arena for each request, on the heap, and with
// Prometheus' own handler, and measures the difference.
//
//	go run . [flags]
//
// It is a module of its own, since it needs all of Prometheus. A request has a sample of each of
// 2,000 series, with 10 labels. What it is made of is Prometheus' own code, too: samples are
// appended to a TSDB, whose write-ahead log the sender reads, queues and encodes, as in any
// Prometheus that has a remote_write in its configuration. That is done once, the requests are
// kept, and each receiver gets the same ones, from Prometheus' client, one after the other.
//
// These are the receivers:
//
//   - prometheus: the handler of package storage/remote, which Prometheus has with
//     -web.enable-remote-write-receiver.
//   - heap: the receiver of this program, with a nil arena, which is the heap. gogo/protobuf's
//     generated Unmarshal decodes.
//   - arena: the same, with an arena for each request. Package arenapb/gogo decodes.
//
// Heap and arena append with the same code, which finds series that are there by their labels
// without a copy. Prometheus' handler copies the labels of each series. Each receiver is a process
// of its own with a new TSDB in a temporary directory. The first requests, which create the series,
// are not measured. Medians of the rounds are printed.
//
// The flags are:
//
//	-series N      have N series in a request (default 2000, which is also the most that a sender sends)
//	-requests N    measure N requests (default 100)
//	-rounds N      run each receiver N times, in turns (default 5)
//	-protocol P    measure 1.0 or 2.0 only
//	-decoder D     measure prometheus, heap or arena only
//
// The exit status is 0, 1 after an error, and 2 if the command line is wrong. Nothing is left
// behind.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/arena-go/arena/examples/internal/command"
	remoteapi "github.com/prometheus/client_golang/exp/api/remote"
)

// settings are what the command line says.
type settings struct {
	series, requests, rounds int
	types                    []remoteapi.WriteMessageType
	decoders                 []string
}

// The receivers.
const (
	prometheus = "prometheus"
	heap       = "heap"
	inArena    = "arena"
)

// maxBody is the most bytes of a request.
const maxBody = 32 << 20

var discard = slog.New(slog.DiscardHandler)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(program(ctx, os.Stdin, os.Stdout, os.Stderr, os.Args[1:]))
}

// program is the whole program; it returns the exit status.
func program(ctx context.Context, stdin io.Reader, w, wErr io.Writer, args []string) int {
	return command.Run(ctx, "remotewrite", wErr, args, parse, func(c settings, decoder string, args []string) error {
		if decoder != "" {
			signal.Ignore(os.Interrupt) // of the terminal: the other process gets it too, and closes stdin
			return serve(stdin, w, decoder)
		}
		return measureAll(ctx, w, wErr, c, args)
	})
}

func parse(wErr io.Writer, args []string) (settings, error) {
	c := settings{
		types:    []remoteapi.WriteMessageType{remoteapi.WriteV1MessageType, remoteapi.WriteV2MessageType},
		decoders: []string{prometheus, heap, inArena},
	}
	fs := flag.NewFlagSet("remotewrite", flag.ContinueOnError)
	fs.SetOutput(wErr)
	fs.Usage = func() {
		fmt.Fprintln(wErr, "usage: remotewrite [flags]\n\nIt receives remote write requests, on the heap and in arenas, and measures the difference.\n\nflags:")
		fs.PrintDefaults()
	}
	fs.IntVar(&c.series, "series", 2000, "have `N` series in a request")
	fs.IntVar(&c.requests, "requests", 100, "measure `N` requests")
	fs.IntVar(&c.rounds, "rounds", 5, "run each receiver `N` times")
	version := fs.String("protocol", "", "measure the `protocol` 1.0 or 2.0 only")
	decoder := fs.String("decoder", "", "measure the receiver `D` only: prometheus, heap or arena")
	if err := fs.Parse(args); err != nil {
		return c, err
	}
	if *version != "" {
		c.types = slices.DeleteFunc(c.types, func(t remoteapi.WriteMessageType) bool { return protocol(t) != *version })
	}
	if *decoder != "" {
		c.decoders = slices.DeleteFunc(c.decoders, func(d string) bool { return d != *decoder })
	}
	var err error
	switch {
	case len(c.types) == 0:
		err = fmt.Errorf("-protocol is %s, and must be 1.0 or 2.0", *version)
	case len(c.decoders) == 0:
		err = fmt.Errorf("-decoder is %s, and must be prometheus, heap or arena", *decoder)
	case c.series < 1 || c.series > 2000:
		err = errors.New("-series must be 1 to 2000")
	case c.requests < 1 || c.requests > 10_000:
		err = errors.New("-requests must be 1 to 10000")
	case c.rounds < 1 || c.rounds > 100:
		err = errors.New("-rounds must be 1 to 100")
	case fs.NArg() > 0:
		err = fmt.Errorf("there are no arguments, only flags: %s", fs.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(wErr, "remotewrite:", err)
	}
	return c, err
}
