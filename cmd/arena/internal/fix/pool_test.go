package fix

import (
	"slices"
	"strings"
	"testing"
)

var poolRoots = []string{"pools.Parse", "pools.Last", "pools.Zeroed", "pools.Cleared", "pools.Kept", "pools.Memo", "pools.Held"}

// TestPools: what comes from a sync.Pool leads to an arena, unless something of one could go back
// to the pool and be read.
func TestPools(t *testing.T) {
	t.Parallel()
	r, err := Run(Options{Dir: original(t, "pools"), Roots: poolRoots})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.Carriers, " "); !strings.Contains(got, "pools.parser") || !strings.Contains(got, "pools.reader") {
		t.Errorf("carriers %s", got)
	}
	if slices.Contains(r.Carriers, "example.com/pools.holder") {
		t.Error("a carrier that is in a variable of the package, so it never has an arena")
	}
	stays := map[string]string{}
	for _, s := range r.Sites {
		if s.Why != "" && s.Kind != kindLibrary {
			stays[strings.TrimPrefix(s.Function, "example.com/pools.")] = s.Why
		}
	}
	for _, f := range []string{"Parse", "Last", "newParser", "parser.list", "parser.word", "parser.leaf", "Zeroed", "reader.all", "reader.one", "reader.made", "holder.one", "holder.two"} {
		if stays[f] != "" {
			t.Errorf("in %s something stays: %s", f, stays[f])
		}
	}
	for _, f := range []string{"Cleared", "Kept"} {
		if stays[f] == "" {
			t.Errorf("in %s all moves", f)
		}
	}
}
