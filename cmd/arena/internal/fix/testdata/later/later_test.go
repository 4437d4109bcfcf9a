package later

import "testing"

// count returns the number of nodes with these texts.
func count(t *testing.T, n *Node, texts ...string) int {
	sum := 1
	for _, text := range texts {
		if n.Text == text {
			texts = nil
		}
	}
	if texts != nil {
		t.Fatalf("%q", n.Text)
	}
	for _, k := range n.Kids {
		sum += count(t, k, "text", "text!", "", "t", "te")
	}
	return sum
}

func TestRun(t *testing.T) {
	const want = 2195
	for range 20 {
		sum := 0
		for _, n := range Run("text") {
			sum += count(t, n, "text", "text!", "")
		}
		if sum != want {
			t.Fatalf("%d nodes", sum)
		}
	}
	for _, f := range handlers {
		count(t, f(), "text", "text!")
	}
}
