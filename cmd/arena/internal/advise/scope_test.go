package advise

import (
	"math"
	"strings"
	"testing"
)

// TestEnds: where an arena ends if functions call themselves, loop for ever, or are tests.
func TestEnds(t *testing.T) {
	const (
		server = " net/http.(*conn).serve:9"
		chi    = " example.com/chi.(*Mux).route:5 example.com/chi.(*Mux).ServeHTTP:4 example.com/chi.(*Mux).Mount.func1:3 example.com/chi.(*Mux).route:6 example.com/chi.(*Mux).ServeHTTP:4"
		bench  = " example.com/p.BenchmarkX.func1@_test:8 example.com/p.BenchmarkX@_test:7 testing.(*B).runN:3"
	)
	for _, c := range []struct {
		name  string
		calls []string // where it works and allocates; the first one twice as much
		want  string   // the scopes
	}{
		{"a handler below a router that calls itself", []string{"example.com/p.build:2 example.com/p.build:3 example.com/p.Users:4" + chi + server}, "example.com/p.Users"},
		{"two of them", []string{"example.com/p.build:2 example.com/p.Users:4" + chi + server, "example.com/p.build:2 example.com/p.Orders:4" + chi + server},
			"example.com/chi.(*Mux).Mount.func1"},
		{"two of them, at several depths", []string{"example.com/p.build:2 example.com/p.Users:4" + chi + server, "example.com/p.build:2 example.com/p.Orders:4 example.com/chi.(*Mux).route:5 example.com/chi.(*Mux).ServeHTTP:4" + server},
			"example.com/chi.(*Mux).ServeHTTP (the outermost call)"},
		{"a router that middleware calls", []string{"example.com/p.build:2 example.com/p.Users:4" + chi + " example.com/p.log.func1:2" + server}, "example.com/p.log.func1"},
		{"goroutines that walk a tree", []string{"example.com/p.scratch:2 example.com/p.Sum:4", "example.com/p.scratch:2 example.com/p.Sum:4 example.com/p.Sum:5"}, "example.com/p.Sum (the outermost call)"},
		{"a goroutine's loop", []string{"example.com/w.work:2 example.com/w.handle:4 example.com/w.Run:3"}, "example.com/w.handle (in w.Run)"},
		{"one of a group", []string{"example.com/w.work:2 example.com/w.handle:4 example.com/w.Each:3 golang.org/x/sync/errgroup.(*Group).Go.func1:3"}, "example.com/w.handle (in w.Each)"},
		{"a loop that main calls", []string{"example.com/w.work:2 example.com/w.handle:4 example.com/w.(*Worker).Run:3 main.run:2 main.main:1"}, "example.com/w.handle (in w.(*Worker).Run)"},
		{"a parser that main calls", []string{"example.com/w.work:2 example.com/w.parse:4 example.com/w.Parse:3 main.run:2 main.main:1"}, "example.com/w.Parse"},
		{"a handler that a server calls", []string{"example.com/w.work:2 example.com/w.handle:4 example.com/w.Run:3" + server}, "example.com/w.Run"},
		{"a benchmark's function", []string{"example.com/p.parse:2 example.com/p.read:3" + bench}, "example.com/p.read"},
		{"an exported one", []string{"example.com/p.parse:2 example.com/p.Parse:3" + bench}, "example.com/p.Parse"},
		{"two of them in a benchmark", []string{"example.com/p.parse:2 example.com/p.Parse:3" + bench, "example.com/p.Check:3" + bench}, "example.com/p.Parse, example.com/p.Check"},
		{"a benchmark that allocates itself", []string{strings.TrimSpace(bench)}, "example.com/p.BenchmarkX.func1"},
		{"a benchmark of one that calls itself", []string{"example.com/p.expr:2 example.com/p.expr:2 example.com/p.expr:3" + bench}, "example.com/p.expr (the outermost call)"},
	} {
		p := program{[]call{{worker, 200, 0, 0, 0}}}
		for i, st := range c.calls {
			weight := int64(2 - min(i, 1))
			p.calls = append(p.calls, call{st, 100 * weight, 0, 0, 0}, call{newOf + st, 100 * weight, 10e6 * weight, 500 * mb * weight, 0})
		}
		a := analyze(t, p, nil)
		var names []string
		var bytes float64
		for _, s := range a.Scopes {
			names = append(names, s.name())
			bytes += s.Bytes
		}
		if got := strings.Join(names, ", "); got != c.want || math.Abs(bytes-1) > 1e-9 {
			t.Errorf("%s: scopes %s with %v of the bytes, want %s", c.name, got, bytes, c.want)
		}
	}
}

// TestNoScope: bytes that would move, and that no scope has, are among those that are left.
func TestNoScope(t *testing.T) {
	p := parser()
	for i := range int64(20) {
		p.calls = append(p.calls, call{newOf + "example.com/q.make" + string(rune('a'+i)) + ":2", 0, 4e6, 200 * mb, 0})
	}
	a := analyze(t, p, nil)
	var sum float64
	for _, s := range a.Scopes {
		sum += s.Bytes
	}
	if len(a.Left) != 1 || !strings.Contains(a.Left[0].Why, "no function found") || math.Abs(sum+a.Left[0].Bytes-1) > 1e-9 {
		t.Errorf("%v of the bytes in scopes, left %v", sum, a.Left)
	}
}
