package arenavet

import (
	"fmt"
	"strings"
	"testing"
)

// TestSize: what is known of a function has a bound, also where each function has many times what
// one that it calls has.
func TestSize(t *testing.T) {
	var src strings.Builder
	src.WriteString("package m\n\nimport \"sync\"\n\nvar pool = sync.Pool{New: func() any { return new(int) }}\n\ntype t0 struct{ p *int }\n\nfunc new0() *t0 { return &t0{pool.Get().(*int)} }\n")
	for n := 1; n <= 6; n++ {
		var fields, makes strings.Builder
		for i := range 20 {
			fmt.Fprintf(&fields, "f%d *t%d\n", i, n-1)
			fmt.Fprintf(&makes, "new%d(), ", n-1)
		}
		fmt.Fprintf(&src, "\ntype t%[1]d struct {\n%[2]s}\n\nfunc new%[1]d() *t%[1]d { return &t%[1]d{%[3]s} }\n", n, &fields, &makes)
	}
	c := written(t, src.String())
	c.analyze()
	large := false
	for fn, sum := range c.summaries {
		if n := sum.size(); n > maxSize || sum.Unknown && n > 0 {
			t.Errorf("%s has %d values", fn, n)
		}
		large = large || sum.Unknown
	}
	if !large {
		t.Error("no function has too many values")
	}
}

// TestRecursion: a literal that calls itself at several places, by a variable, is applied once for
// each of these.
func TestRecursion(t *testing.T) {
	steps := func(calls int) int {
		c := written(t, `package m

import "sync"

type tree struct{ subs []*tree }

var pool = sync.Pool{New: func() any { return new(tree) }}

func expand(t *tree) (*tree, error) {
	var each func([]*tree) ([]*tree, error)
	var one func(*tree) (*tree, error)
	each = func(all []*tree) (out []*tree, err error) {
		for _, x := range all {
			if x, err = one(x); err != nil {
				return nil, err
			}
			out = append(out, x)
		}
		return out, nil
	}
	one = func(t *tree) (_ *tree, err error) {
`+strings.Repeat(`		if t.subs[0], err = one(t.subs[0]); err != nil {
			return nil, err
		}
		if t.subs, err = each(t.subs); err != nil {
			return nil, err
		}
`, calls)+`		return t, nil
	}
	x := pool.Get().(*tree)
	defer pool.Put(x)
	return one(t)
}
`)
		c.analyze()
		return c.flow(c.ssa.Func("expand")).steps
	}
	few, many := steps(2), steps(6)
	if many > 10*few {
		t.Errorf("6 calls take %d steps, 2 take %d", many, few)
	}
}
