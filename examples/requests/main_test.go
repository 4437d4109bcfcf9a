package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/arena-go/arena/examples/internal/command"
	"github.com/arena-go/arena/examples/internal/load"
)

// TestMain lets the test binary serve, as program starts its own program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == command.ChildFlag {
		os.Exit(program(context.Background(), os.Stdin, os.Stdout, os.Stderr, os.Args[1:]))
	}
	// The race detector has processes wait for a second at their end.
	os.Setenv("GORACE", "atexit_sleep_ms=10 "+os.Getenv("GORACE"))
	os.Exit(m.Run())
}

// runRequests runs the program and returns its output.
func runRequests(ctx context.Context, args ...string) (status int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	status = program(ctx, strings.NewReader(""), &out, &errOut, args)
	return status, out.String(), errOut.String()
}

func TestMeasure(t *testing.T) {
	for _, test := range []struct {
		args  string
		heads []string
	}{
		{"", []string{" heap heap again ratio arena ratio GOGC=400 ratio ", " heap heap again ratio arena ratio GOGC=400 ratio "}},
		{"-heap -endpoint quote", []string{" heap "}},
		{"-arena -endpoint item -rounds 2 -rate 300", []string{" arena "}},
		{"-heap -arena -gogc 0 -endpoint quote -lines 1", []string{" heap heap again ratio arena ratio "}},
	} {
		args := append([]string{"-rounds", "1", "-duration", "40ms", "-live", "500", "-lines", "4", "-conns", "2"}, strings.Fields(test.args)...)
		status, out, stderr := runRequests(t.Context(), args...)
		if status != 0 || stderr != "" {
			t.Errorf("%v: status %d, %s", test.args, status, stderr)
			continue
		}
		words := regexp.MustCompile(` +`).ReplaceAllString(out, " ")
		var heads []string
		for line := range strings.SplitSeq(words, "\n") {
			if strings.HasPrefix(line, " heap") || strings.HasPrefix(line, " arena") {
				heads = append(heads, line+" ")
			}
		}
		if strings.Join(heads, "\n") != strings.Join(test.heads, "\n") {
			t.Errorf("%v: heads %q, want %q", test.args, heads, test.heads)
		}
		for _, want := range []string{" requests/s ", " latency p50 ", " p99 ", " p99.9 ", " CPU/request ", " CPU/request, saturated ", " allocations/request ", " GC cycles ", " GC CPU ", " peak memory ", "\nAll responses were right"} {
			if strings.Count(words, want) != len(test.heads) {
				t.Errorf("%v: not %d times %q in\n%s", test.args, len(test.heads), want, out)
			}
		}
	}
}

// TestManual checks that the manual has every flag.
func TestManual(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	manual, _, _ := strings.Cut(string(source), "package main")
	_, _, usage := runRequests(t.Context(), "-h")
	flags := regexp.MustCompile(`(?m)^  (-\w+)`).FindAllStringSubmatch(usage, -1)
	if len(flags) != 11 {
		t.Errorf("%d flags in\n%s", len(flags), usage)
	}
	for _, f := range flags {
		if !regexp.MustCompile(`(?m)^//\t(-\w+, )?` + f[1] + `\b`).MatchString(manual) {
			t.Errorf("%s is not in the manual", f[1])
		}
	}
	for _, def := range regexp.MustCompile(`\(default ([\d.]+\w*)\)`).FindAllStringSubmatch(usage, -1) {
		if !strings.Contains(manual, "(default "+def[1]+")") {
			t.Errorf("the default %s is not in the manual", def[1])
		}
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		args   string
		status int
		want   string // a regular expression
	}{
		{"-h", 0, `usage: requests`},
		{"-bad", 2, `flag provided but not defined: -bad`},
		{"more", 2, `^requests: there are no arguments, only flags: more\n$`},
		{"-rounds 0", 2, `^requests: -rounds must be 1 to 100`},
		{"-endpoint x", 2, `^requests: -endpoint is x, and must be quote or item`},
		{"-duration 1ms", 2, `^requests: -duration must be`},
		{"-conns 0", 2, `^requests: -conns must be`},
		{"-gogc -1", 2, `^requests: -gogc must not be`},
		{"-live 0", 2, `^requests: -live must be`},
		{"-lines 1001", 2, `^requests: -lines must be`},
		{"-rate -1", 2, `^requests: -rate times`},
		{"-rate 2000000 -duration 1s", 2, `^requests: -rate times`},
		{"-rate 1 -duration 500ms", 2, `^requests: -rate times`},
		{"-plot " + dir, 1, `^requests: open .*: is a directory`},
		{"-plot " + dir + "/none/plot.svg", 1, `^requests: open .*`},
	} {
		status, _, stderr := runRequests(t.Context(), strings.Fields(test.args)...)
		if status != test.status || !regexp.MustCompile(test.want).MatchString(stderr) {
			t.Errorf("%v: status %d, want %d\n%s\nis not like %s", test.args, status, test.status, stderr, test.want)
		}
	}
}

// TestInterrupt interrupts the program before and while it measures for an hour.
func TestInterrupt(t *testing.T) {
	for _, after := range []time.Duration{0, 10 * time.Millisecond, 300 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		status, out, stderr := runRequests(ctx, "-duration", "1h", "-rate", "10", "-live", "500")
		cancel()
		if status != 1 || out != "" || stderr != "requests: interrupted\n" {
			t.Errorf("status %d, %s%s", status, out, stderr)
		}
	}
}

// TestServerFails starts servers that cannot start, or do not answer rightly.
func TestServerFails(t *testing.T) {
	_, err := load.StartChild(t.Context(), "requests", []string{"-live", "x"}, onHeap)
	if err == nil || !strings.Contains(err.Error(), `invalid value "x" for flag -live`) {
		t.Error(err)
	}
	// It ends without an error, but says something.
	_, err = load.StartChild(t.Context(), "requests", []string{"-h"}, onHeap)
	if err == nil || !strings.Contains(err.Error(), "a child: usage: requests") {
		t.Error(err)
	}
	server, err := load.StartChild(t.Context(), "requests", []string{"-live", "10"}, onHeap)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(request string) error {
		l := &load.Load{Requests: [][]byte{[]byte(request)}, Conns: 1}
		return l.Once(t.Context(), server.Addr)
	}
	if err := ask("GET /item/10 HTTP/1.1\r\nHost: x\r\n\r\n"); err == nil || !strings.Contains(err.Error(), `status 404: {"error":"there is no such article"}`) {
		t.Error(err)
	}
	l := newLoad(config{live: 10, conns: 1}, "item")
	if err := l.Once(t.Context(), server.Addr); err != nil {
		t.Error(err)
	}
	l.Sums[1]++
	for _, err := range []error{l.Once(t.Context(), server.Addr), l.Ask(mustDial(t, server.Addr), 1)} {
		if err == nil || !strings.Contains(err.Error(), "the response to request 1 differs") {
			t.Error(err)
		}
	}
	if _, err := l.Closed(t.Context(), server.Addr, time.Hour); err == nil {
		t.Error("a wrong response does not end the closed loop")
	}
	if _, err := l.Open(t.Context(), server.Addr, 1000, time.Hour/100); err == nil {
		t.Error("a wrong response does not end the open loop")
	}
	server.Kill()
	if _, err := l.Closed(t.Context(), server.Addr, time.Hour); err == nil {
		t.Error("no error without a server")
	}
	if _, err := server.Usage(load.Now); err == nil {
		t.Error("usage of a server that is no more")
	}
	server.Stop()
}

func mustDial(t *testing.T, addr string) *load.Client {
	t.Helper()
	c, err := load.NewClient(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestServeEnds lets a server run whose stdin ends at once.
func TestServeEnds(t *testing.T) {
	var out bytes.Buffer
	if err := serve(strings.NewReader(load.AfterGC+"\n"), &out, config{live: 10}, inArena); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 2 || !strings.Contains(out.String(), "127.0.0.1:") {
		t.Errorf("%s", out.String())
	}
	if err := serve(strings.NewReader(""), failing{}, config{live: 10}, onHeap); err == nil {
		t.Error("no error where stdout is closed")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestPlotFile runs the program with a plot.
func TestPlotFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plot.svg")
	status, _, stderr := runRequests(t.Context(), "-rounds", "1", "-duration", "40ms", "-live", "500", "-lines", "3", "-plot", file)
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	svg, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(svg), "<polyline "); lines != 2*3*2 {
		t.Errorf("%d lines, want 2 for each of 3 ways and 2 endpoints", lines)
	}
}
