package small

import "testing"

// TestWorkloads checks that all implementations make the same, and that each has what its columns
// want.
func TestWorkloads(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range Workloads() {
		if seen[w.Name] {
			t.Errorf("there are two workloads %s", w.Name)
		}
		seen[w.Name] = true
		for _, n := range w.Quick {
			var check uint64
			for i := range w.Implementations {
				r := w.Implementations[i].Run(n, 1)
				if i == 0 {
					check = r.Check
				}
				if r.Check != check || check == 0 {
					t.Errorf("%s by %s: made %d, not %d", w.Name, w.Implementations[i].Name, r.Check, check)
				}
				for _, v := range w.Values {
					if _, ok := r.Values[v.Name]; !ok {
						t.Errorf("%s by %s: it does not say %s", w.Name, w.Implementations[i].Name, v.Name)
					}
				}
			}
		}
	}
}
