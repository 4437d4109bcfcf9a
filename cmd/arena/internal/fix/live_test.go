package fix

import "testing"

// TestLive: a function below a root may meet values that were made elsewhere, and whose methods
// keep what they get.
func TestLive(t *testing.T) {
	o := Options{Dir: original(t, "live"), Roots: []string{"live.Run", "live.NewSteps"}}
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	asCommented(t, o.Dir, r)
}
