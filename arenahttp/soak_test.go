package arenahttp_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/arenascope"
	"github.com/arena-go/arena/internal/testrun"
)

var soakTime = flag.Duration("soak", time.Second, "how long TestSoak runs; give -timeout as well when it is more than some minutes")

// TestSoak mixes requests that are answered with such that are refused, panic, and are reset by
// their client at any moment, over HTTP/1 and h2c, round after round. All answers are right. After
// each round no arena is in use and no goroutine left, and after the last one no more memory is in
// use than after the second.
func TestSoak(t *testing.T) {
	seed := testrun.Seed(t)
	pool := &arena.Pool{Options: arena.Options{Limit: 1 << 20}}
	var requests, refused atomic.Int64
	h := arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		soakHandler(w, r)
	}), arenahttp.Options{Pool: pool, Observe: func(_ *http.Request, s arenascope.Summary) {
		if s.Limit != nil {
			refused.Add(1)
		}
	}})
	goroutines, live, second := runtime.NumGoroutine(), int64(0), int64(0)
	begin := time.Now()
	rounds := uint64(0)
	for ; rounds < 3 || time.Since(begin) < *soakTime; rounds++ {
		t.Run(fmt.Sprint(rounds), func(t *testing.T) { soakRound(t, []int{1, h2c}[rounds%2], h, seed, rounds) })
		// The server closes a connection of HTTP/2 without waiting for its handlers.
		eventually(func() bool {
			st := pool.Stats()
			return st.Out == 0 && st.Reserved == 0 && runtime.NumGoroutine() <= goroutines
		})
		if st := pool.Stats(); st.Lost != 0 {
			t.Errorf("arenas are missing: %+v", st)
		}
		if t.Failed() {
			t.Fatalf("round %d", rounds)
		}
		for range 2 { // so that nothing is left in a sync.Pool
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if live = int64(m.HeapAlloc); rounds == 1 {
			second = live
		}
	}
	t.Logf("%d rounds, %d requests, %d refused; %d KiB in use after the second round, %d KiB at the end", rounds, requests.Load(), refused.Load(), second>>10, live>>10)
	if live > second+4<<20+int64(rounds)<<10 { // testing remembers each subtest
		t.Errorf("the memory in use has grown from %d KiB to %d KiB", second>>10, live>>10)
	}
	if refused.Load() == 0 {
		t.Error("no request was refused")
	}
}

// soakKinds are what the first byte of a path says of the end of a request, and soakStarts what
// the second says of its start.
const (
	soakKinds  = "rwlpak"
	soakStarts = "nhb"
)

// soakHandler does what the path says. It does not write to the header after an informational
// status: net/http is not made for that.
func soakHandler(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	path := arena.String(a, strings.Repeat(r.URL.Path, 1000))
	for i := range 50 {
		w.Header()[fmt.Sprintf("X-%d", i)] = []string{arena.Sprintf(a, "%s %d", r.URL.Path, i)}
	}
	switch r.URL.Path[2] {
	case 'h':
		w.WriteHeader(http.StatusEarlyHints)
	case 'b':
		io.WriteString(w, path)
		http.NewResponseController(w).Flush()
	}
	switch r.URL.Path[1] {
	case 'w':
		io.WriteString(w, path)
	case 'l':
		arena.MakeSlice[byte](a, 2<<20, 2<<20)
	case 'p':
		panic(path)
	case 'a':
		panic(http.ErrAbortHandler)
	case 'k':
		arenahttp.Keep(r.Context())
	}
}

func soakPath(rnd *rand.Rand) string {
	return fmt.Sprintf("/%c%c%d", soakKinds[rnd.IntN(len(soakKinds))], soakStarts[rnd.IntN(len(soakStarts))], 1000+rnd.IntN(9000))
}

func soakRound(t *testing.T, proto int, h http.Handler, seed, round uint64) {
	srv := newServer(t, proto, h)
	defer srv.Close()
	// A connection of HTTP/1 is free before the client has looked at a response without a body. If
	// its request is given up then, net/http also gives up the next request on the connection.
	impatient := &http.Client{Transport: srv.Client().Transport.(*http.Transport).Clone()}
	defer impatient.CloseIdleConnections()
	var wg sync.WaitGroup
	for c := range uint64(4) {
		rnd := rand.New(rand.NewPCG(seed, round<<8|c))
		wg.Go(func() {
			for range 20 {
				path, client, cancel := soakPath(rnd), srv.Client(), rnd.IntN(3) == 0
				if cancel {
					client = impatient
				}
				if err := soakRequest(t.Context(), client, srv.URL+path, path, cancel); err != nil {
					t.Error(err)
				}
			}
		})
		if proto == h2c {
			wg.Go(func() { soakResets(t, srv, rand.New(rand.NewPCG(seed, round<<8|1<<7|c))) })
		}
	}
	wg.Wait()
}

// soakRequest makes a request, and gives it up after the header or before, if cancel is true.
func soakRequest(ctx context.Context, client *http.Client, url, path string, cancel bool) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if cancel {
		go func() {
			runtime.Gosched()
			stop()
		}()
	}
	req, err := http.NewRequestWithContext(ctx, "POST", url, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	var body []byte
	if err == nil {
		defer resp.Body.Close()
		body, err = io.ReadAll(resp.Body)
	}
	if cancel {
		return nil
	}
	kind, start := path[1], path[2]
	cut := kind == 'p' || kind == 'a' || kind == 'l' && start == 'b'
	if (err != nil) != cut {
		return fmt.Errorf("%s: the error is %v", path, err)
	} else if cut {
		return nil
	}
	status, want := 200, ""
	if start == 'b' {
		want += strings.Repeat(path, 1000)
	}
	switch kind {
	case 'w':
		want += strings.Repeat(path, 1000)
	case 'l':
		status, want = 503, "the request needs more memory than it may have\n"
	}
	if resp.StatusCode != status || string(body) != want || resp.Header.Get("X-49") != path+" 49" {
		return fmt.Errorf("%s: the answer is %s %v %.100q", path, resp.Status, resp.Header, body)
	}
	return nil
}

// soakResets makes requests over a connection of its own, and resets each after a while.
func soakResets(t *testing.T, srv *server, rnd *rand.Rand) {
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Error(err)
		return
	}
	drained := make(chan bool)
	go func() {
		io.Copy(io.Discard, conn)
		close(drained)
	}()
	defer func() {
		conn.Close()
		<-drained
	}()
	frame := func(kind, flags byte, stream uint32, payload ...byte) {
		b := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
		b = binary.BigEndian.AppendUint32(append(b, flags), stream)
		conn.Write(append(b, payload...)) // The server may have closed the connection: then the rest is for nothing.
	}
	io.WriteString(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	frame(4, 0, 0) // SETTINGS
	for i := range uint32(40) {
		path := soakPath(rnd)
		header := append([]byte{0x82, 0x86, 0x41, 1, 'x', 4, byte(len(path))}, path...) // GET http://x, and the path
		frame(1, 5, 2*i+1, header...)
		time.Sleep(time.Duration(rnd.IntN(16)) * 25 * time.Microsecond)
		frame(3, 0, 2*i+1, 0, 0, 0, 8) // RST_STREAM
	}
}
