package load

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// testLoad returns a load for a server of the test, which answers each request alike.
func testLoad(t *testing.T, conns int, serve http.HandlerFunc) (*Load, string) {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	l := &Load{Requests: [][]byte{[]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")}, Conns: conns}
	addr := server.Listener.Addr().String()
	if err := l.Once(t.Context(), addr); err != nil {
		t.Fatal(err)
	}
	return l, addr
}

// TestOpenLoopStall stalls a server, and looks for the requests that are due meanwhile:
// what they took must have them wait from when they were due.
func TestOpenLoopStall(t *testing.T) {
	const stall, d, rate = 60 * time.Millisecond, 100 * time.Millisecond, 1000
	var served atomic.Int64
	l, addr := testLoad(t, 1, func(w http.ResponseWriter, r *http.Request) {
		if served.Add(1) == 2 { // the first one of the loop
			time.Sleep(stall)
		}
		fmt.Fprint(w, "answer")
	})
	samples, err := l.Open(t.Context(), addr, rate, d)
	if err != nil {
		t.Fatal(err)
	}
	if n := served.Load() - 1; n != 100 || len(samples) != 100 {
		t.Errorf("%d requests, %d samples, want 100", n, len(samples))
	}
	for i, s := range samples {
		if want := time.Duration(i) * time.Second / rate; s.Due != want {
			t.Errorf("request %d is due at %v, want %v", i, s.Due, want)
		}
		if s.Took <= 0 || s.Due+s.Took < stall && s.Due < stall {
			t.Errorf("a request that was due at %v took %v, with a stall until %v", s.Due, s.Took, stall)
		}
	}
}

// TestOpenLoopEnds ends the context when the first request is there, while connections wait for
// others to be due, the last one for half a minute. These must not be sent.
func TestOpenLoopEnds(t *testing.T) {
	const conns = 30
	var served atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l, addr := testLoad(t, conns, func(w http.ResponseWriter, r *http.Request) {
		if served.Add(1) > 1 { // the first one of the loop
			cancel()
		}
		fmt.Fprint(w, "answer")
	})
	if _, err := l.Open(ctx, addr, 1, time.Minute); err == nil || served.Load() >= conns {
		t.Errorf("%v, and %d requests were served", err, served.Load())
	}
}

// TestClosedLoop counts requests at the server.
func TestClosedLoop(t *testing.T) {
	var served atomic.Int64
	l, addr := testLoad(t, 3, func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		fmt.Fprint(w, "answer")
	})
	for d := 20 * time.Millisecond; ; d *= 2 {
		before := served.Load()
		count, err := l.Closed(t.Context(), addr, d)
		if err != nil || count != served.Load()-before {
			t.Fatalf("%d requests, %v, and %d were served", count, err, served.Load()-before)
		}
		if count > 0 {
			return // and not only connections, as on a machine that is busy
		}
	}
}

// TestHead reads heads of responses, right and wrong ones.
func TestHead(t *testing.T) {
	for _, test := range []struct {
		head           string
		status, length int
		want           string
	}{
		{"HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 17\r\n\r\n", 200, 17, ""},
		{"HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n", 404, 0, ""},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 0, 0, "without a Content-Length"},
		{"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n", 0, 0, "without a Content-Length"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", 0, 0, ""},
		{"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", 0, 0, "invalid syntax"},
		{"HTTP/1.1 OK\r\n\r\n", 0, 0, "no response"},
		{"HTTP/1.1 abc\r\n\r\n", 0, 0, "no status"},
		{"HTTP/1.0 200 OK\r\n\r\n", 0, 0, "no response"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 17\r\n", 0, 0, "EOF"},
		{"", 0, 0, "EOF"},
		{strings.Repeat("x", 20000), 0, 0, "buffer full"},
	} {
		c := &Client{in: bufio.NewReaderSize(bytes.NewReader([]byte(test.head)), 16<<10)}
		status, length, err := c.head()
		if status != test.status || length != test.length || err == nil != (test.status > 0) || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.60q: %d, %d, %v", test.head, status, length, err)
		}
	}
}

// TestSummarize computes percentiles of 1 to 1000.
func TestSummarize(t *testing.T) {
	for _, n := range []int{1, 10, 1000, 1001} {
		r := &Run{}
		for i := range n {
			r.Samples = append(r.Samples, Sample{Took: time.Duration(n - i)})
		}
		r.Summarize()
		want := map[int][4]time.Duration{1: {1, 1, 1, 1}, 10: {5, 10, 10, 10}, 1000: {500, 990, 999, 1000}, 1001: {501, 991, 1000, 1001}}[n]
		if got := [4]time.Duration{r.P50, r.P99, r.P999, r.Max}; got != want {
			t.Errorf("of %d: %v, want %v", n, got, want)
		}
	}
}
