package reach

import (
	"context"
	"testing"
	"testing/fstest"
)

func TestSpoken(t *testing.T) {
	for range 50 {
		n := Spoken("bbacd")
		if n.Text != "cd." || len(n.Kids) != 1 || n.Kids[0].Text != "d." || n.Kids[0].Kids[0].Text != "." {
			t.Fatalf("%+v", n)
		}
	}
}

func TestWalked(t *testing.T) {
	files := fstest.MapFS{"a": {}, "b": {}}
	for range 50 {
		n, err := Walked(context.Background(), files, 2)
		if err != nil || len(n.Kids) != 3 || n.Kids[0].Text != "./" || n.Kids[2].Text != "b/" {
			t.Fatalf("%+v, %v", n, err)
		}
	}
}

func TestEnded(t *testing.T) {
	for range 50 {
		n := Ended("ab", func(n *Node) { n.Text = "c" })
		if n.Text != "ab!" || len(n.Kids) != 2 || n.Kids[0] != n || n.Kids[1].Text != "c" {
			t.Fatalf("%+v", n)
		}
	}
}
