package vars

import "testing"

// TestRun looks at the variables when the arenas were used many times.
func TestRun(t *testing.T) {
	for i := range Ways {
		kept.last, kept.n, list[0], list[1] = "", nil, &node{}, &node{}
		Run("a", i)
		for range 100 {
			Run("b", Ways)
		}
		got := []string{kept.last, list[0].text, list[1].text}
		if kept.n != nil {
			got = append(got, kept.n.text)
		}
		found := false
		for _, s := range got {
			found = found || s == "ax"
		}
		if !found {
			t.Errorf("way %d: %q", i, got)
		}
	}
}
