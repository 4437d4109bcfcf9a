package fix

import "testing"

// TestHostile: nothing moves that goes where it outlives the arena, by a function value, a library,
// a place of another type, or an alias.
func TestHostile(t *testing.T) {
	t.Parallel()
	r, err := Run(Options{Dir: original(t, "hostile"), Roots: []string{"hostile.Run"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sites) < 200 {
		t.Errorf("%d sites", len(r.Sites))
	}
	for _, s := range r.Sites {
		if s.Why == "" {
			t.Errorf("%s:%d: %s moves", s.File, s.Line, s.Kind)
		}
	}
}
