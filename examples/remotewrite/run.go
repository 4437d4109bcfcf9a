package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/examples/internal/load"
	"github.com/arena-go/arena/examples/internal/measure"
	remoteapi "github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
)

// serve serves a new TSDB until stdin ends.
func serve(stdin io.Reader, stdout io.Writer, decoder string) (err error) {
	dir, err := os.MkdirTemp("", "remotewrite")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := openTSDB(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var handler http.Handler
	switch decoder {
	case prometheus:
		handler = own(db)
	case heap:
		handler = newReceiver(db, nil, maxBody)
	default:
		handler = newReceiver(db, new(arena.Options), maxBody)
	}
	return load.Serve(stdin, stdout, handler)
}

// warm is how many requests are sent before those that are measured.
const warm = 10

// requests has a Prometheus send requests, and returns them as they are in HTTP bodies. Each has
// one sample of each series.
func requests(ctx context.Context, c settings, typ remoteapi.WriteMessageType) (bodies [][]byte, err error) {
	dir, err := os.MkdirTemp("", "remotewrite")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	to, err := openTSDB(dir + "/receiver")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	var mu sync.Mutex
	receive := newReceiver(to, nil, maxBody)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		receive.ServeHTTP(w, r)
		mu.Lock()
		bodies = append(bodies, body)
		mu.Unlock()
	}))
	defer server.Close()
	s, err := newSender(dir+"/sender", server.URL, typ, 1, c.series)
	if err != nil {
		return nil, err
	}
	sent := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(bodies)
	}
	series := allSeries(c.series)
	start := time.Now().Add(time.Second).UnixMilli() // Prometheus' handler takes samples of at most ten minutes ahead
	for i := range warm + c.requests {
		err := s.append(func(app storage.AppenderV2) error {
			for n, ls := range series {
				if _, err := app.Append(0, ls, 0, start+int64(i)*50, float64(i)*float64(n%100)*1.5, nil, nil, storage.AOptions{}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		// One scrape is one request, which is full. The reader of the log may not have been there
		// yet when it was notified.
		for end := time.Now().Add(time.Minute); sent() <= i; time.Sleep(time.Millisecond) {
			s.queues.Notify()
			if ctx.Err() != nil || time.Now().After(end) {
				return nil, errors.Join(fmt.Errorf("the sender has sent %d of %d requests", sent(), i+1), ctx.Err(), s.close())
			}
		}
	}
	err = s.close()
	if n := sent(); n != warm+c.requests {
		err = errors.Join(err, fmt.Errorf("the sender has sent %d requests, and not %d", n, warm+c.requests))
	}
	return bodies, err
}

// allSeries returns the labels of n series, as of containers that Kubernetes runs.
func allSeries(n int) (all []labels.Labels) {
	for i := range n {
		all = append(all, labels.FromStrings(
			"__name__", fmt.Sprint("container_network_receive_bytes_total_", i%50),
			"cluster", "eu-west-1-production",
			"container", fmt.Sprint("service-", i%37),
			"endpoint", "https-metrics",
			"id", fmt.Sprintf("/kubepods/burstable/pod%08x", i*40503),
			"instance", fmt.Sprintf("10.0.%d.%d:10250", i/250, i%250),
			"job", "kubelet",
			"namespace", fmt.Sprint("team-", i%11),
			"node", fmt.Sprintf("ip-10-0-%d-%d.eu-west-1.compute.internal", i/250, i%250),
			"pod", fmt.Sprintf("service-%d-7d9c8b6f5-%05x", i%37, i*7919),
		))
	}
	return all
}

// A run is what was measured of one receiver.
type run struct {
	requests int64
	usage    measure.Usage
}

var quantities = []measure.Quantity[*run]{
	{Name: "CPU/request", Unit: "nanoseconds", Of: func(r *run) int64 { return int64(r.usage.CPU) / r.requests }},
	{Name: "allocations/request", Unit: "count", Of: func(r *run) int64 { return int64(r.usage.Objects) / r.requests }},
	{Name: "bytes/request", Unit: "bytes", Of: func(r *run) int64 { return int64(r.usage.Bytes) / r.requests }},
	{Name: "GC cycles", Unit: "count", Of: func(r *run) int64 { return int64(r.usage.Cycles) }},
	{Name: "GC CPU", Unit: "nanoseconds", Of: func(r *run) int64 { return int64(r.usage.GCCPU) }},
	{Name: "peak memory", Unit: "bytes", Of: func(r *run) int64 { return int64(r.usage.Peak) }},
}

// measureAll measures all receivers with both protocols, each time in a process of its own, and
// prints the medians.
func measureAll(ctx context.Context, w, wErr io.Writer, c settings, args []string) error {
	p := measure.NewProgress(wErr)
	defer p.Clear()
	for _, typ := range c.types {
		p.Show("protocol %s: a Prometheus sends %d requests", protocol(typ), warm+c.requests)
		bodies, err := requests(ctx, c, typ)
		if err != nil {
			return err
		}
		runs := map[string][]*run{}
		for round := range c.rounds {
			for _, decoder := range c.decoders {
				p.Show("protocol %s, round %d of %d: %s", protocol(typ), round+1, c.rounds, decoder)
				r, err := measureOne(ctx, args, decoder, typ, bodies)
				if err != nil {
					return fmt.Errorf("%s: %w", decoder, err)
				}
				runs[decoder] = append(runs[decoder], r)
			}
		}
		p.Clear()
		fmt.Fprintf(w, "Remote write %s, %s series a request, %s compressed; %s. Medians of %d runs of %d requests:\n\n",
			protocol(typ), measure.Thousands(int64(c.series)), measure.Value(int64(len(bodies[0])), "bytes"), strings.TrimSpace(runtime.Version()), c.rounds, c.requests)
		if err := measure.WriteTable(w, c.decoders, runs, quantities); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return nil
}

func measureOne(ctx context.Context, args []string, decoder string, typ remoteapi.WriteMessageType, bodies [][]byte) (r *run, err error) {
	server, err := load.StartChild(ctx, "remotewrite", args, decoder)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	client, err := newClient("http://"+server.Addr, typ)
	if err != nil {
		return nil, err
	}
	send := func(bodies [][]byte) error {
		for _, b := range bodies {
			if _, err := client.Store(ctx, b, 0); err != nil {
				return err
			}
		}
		return nil
	}
	if err := send(bodies[:warm]); err != nil {
		return nil, err
	}
	before, err := server.Usage(load.AfterGC)
	if err != nil {
		return nil, err
	}
	if err := send(bodies[warm:]); err != nil {
		return nil, err
	}
	after, err := server.Usage(load.Now)
	if err != nil {
		return nil, err
	}
	return &run{int64(len(bodies) - warm), after.Since(before)}, nil
}
