package fix

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestLater: there is no arena in what is called later, and in what another goroutine allocates
// with.
func TestLater(t *testing.T) {
	t.Parallel()
	o := Options{Dir: original(t, "later"), Roots: []string{"later.Run"}}
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	src := string(r.Files[filepath.Join(o.Dir, "later.go")])
	for _, want := range []string{
		"g.Go(func() { all[i] = build(s, 3) })",
		"all[20+i] = build(s, 2)",
		"register(func() *Node { return build(s, 1) })",
		"buildIn(ar, s, 0)",
		"g.Go(func() { others[i] = p.all() })",
		"t := &table{arena: ar, ",
	} {
		if !strings.Contains(src, want) {
			t.Errorf("no\n%s\nin\n%s", want, src)
		}
	}
	if got := strings.Join(r.Carriers, " "); got != "example.com/later.table" {
		t.Errorf("carriers %s", got)
	}
	const pkg = "example.com/later."
	for way, want := range map[Way]struct{ bare, always bool }{
		{pkg + "atOnce", pkg + "build"}:        {false, false},
		{pkg + "build", pkg + "build"}:         {false, false},
		{pkg + "gone", pkg + "build"}:          {true, true},
		{pkg + "both", pkg + "build"}:          {true, false},
		{pkg + "values", pkg + "buildAnother"}: {true, true},
	} {
		if always, bare := r.Ways.Bare[way]; bare != want.bare || always != want.always {
			t.Errorf("%v is without an arena: %v, always %v", way, bare, always)
		}
	}
	if !r.Ways.Carried[pkg+"table.one"] || r.Ways.Carried[pkg+"build"] {
		t.Errorf("with the arena in a struct: %v", r.Ways.Carried)
	}
	o.Carriers = []string{"later.parser"}
	if _, err := Run(o); err == nil || !strings.Contains(err.Error(), "another goroutine") {
		t.Errorf("a carrier that goes to another goroutine: %v", err)
	}
}
