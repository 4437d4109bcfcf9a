package reach

import "testing"

// TestReuser: what the arena of one call has is not used by the next one.
func TestReuser(t *testing.T) {
	r := NewReuser()
	for range 40 {
		n := r.Parse("xyz")
		if n.Text != "xyz!cdeABC" || len(n.Kids) != 1 || n.Kids[0].Text != "x;" || n.Kids[0].Kids[0].Text != "y;" {
			t.Fatalf("%+v", n)
		}
	}
}
