package advise

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// deep is a parser of deep input, whose stacks are cut off at the depth that profiles have.
func deep(shallow bool) program {
	const outside = "example.com/p.Parse:3 main.main:9"
	inner := strings.Repeat("example.com/p.(*parser).and:6 example.com/p.(*parser).or:5 ", 100)
	cut := func(st string, depth int) string { return strings.Join(strings.Fields(st)[:depth], " ") }
	p := program{[]call{
		{cut("example.com/p.lex:4 "+inner, 64), 400, 0, 0, 0},
		{cut(newOf+"example.com/p.node:12 "+inner, 64), 300, 0, 0, 0},
		{newOf + cut("example.com/p.node:12 "+inner, 125), 0, 40e6, 2000 * mb, 0},
		{"example.com/p.read:4 main.main:10", 50, 1e6, 20 * mb, 0},
		{worker, 200, 0, 0, 0},
	}}
	if shallow {
		p.calls = append(p.calls, call{newOf + "example.com/p.node:12 example.com/p.(*parser).and:6 example.com/p.(*parser).or:5 " + outside, 20, 1e6, 100 * mb, 0})
	}
	return p
}

// TestCut: a stack that is cut off belongs to what has called its outermost function in others. If
// there are none, there is no advice.
func TestCut(t *testing.T) {
	a := analyze(t, deep(true), nil)
	if a.Total().Low < worthIt || len(a.Scopes) != 1 || a.Scopes[0].Function != "example.com/p.Parse" {
		t.Fatalf("pays %v, %s, scopes %v", a.Verdict, a.Why, a.Scopes)
	}
	if s := a.Scopes[0]; s.Bytes < 0.99 || s.CPU < 0.7 {
		t.Errorf("the scope has %v of the bytes and %v of the CPU time", s.Bytes, s.CPU)
	}
	if want := 2000. / 2120; math.Abs(a.CutBytes-want) > 1e-9 || math.Abs(a.CutCPU-700./970) > 1e-9 {
		t.Errorf("cut off: %v of the bytes, %v of the CPU time", a.CutBytes, a.CutCPU)
	}
	var text strings.Builder
	if err := a.WriteText(&text); err != nil || !strings.Contains(text.String(), "The stacks of 72 % of the CPU time and 94 % of the bytes are cut off.") {
		t.Errorf("%v: %s", err, text.String())
	}

	var cut *CutError
	if a, err := Analyze(deep(false).profiles(t)); !errors.As(err, &cut) || cut.Part < 0.9 {
		t.Errorf("no stack says what has called the parser: error %v, %+v", err, a)
	}

	// Deep stacks are not cut off where goroutines begin.
	p := parser()
	p.calls[1].stack = newOf + "example.com/p.node:12 " + strings.Repeat("example.com/p.(*tree).expr:30 ", 130) + "example.com/p.Parse:3 main.main:9"
	if a := analyze(t, p, nil); a.CutBytes != 0 || a.CutCPU != 0 {
		t.Errorf("nothing is cut off, but %v of the bytes and %v of the CPU time", a.CutBytes, a.CutCPU)
	}
}
