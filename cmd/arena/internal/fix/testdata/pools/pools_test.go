package pools

import "testing"

func TestParse(t *testing.T) {
	const text = "a b c"
	for range 60 {
		for _, f := range []func(string) *Node{Parse, Last, Parse} {
			if n := f(text); n == nil || n.Size != 3 {
				t.Fatalf("%s is %v", text, n)
			}
			if n := f("a_b_c a_b_c a_b_c a_b_c"); n == nil || n.Size != 4 || n.Kids[3].Name != text {
				t.Fatalf("four words are %v", n)
			}
			if n := Words(text); n != 3 {
				t.Fatalf("%d words", n)
			}
		}
	}
}

func TestZeroed(t *testing.T) {
	for range 60 {
		if n := Zeroed("a bc d"); n.Name != "bc.a.a bc d!" || len(n.Kids) != 3 || n.Kids[1].Name != "bc." {
			t.Fatalf("%+v", n)
		}
	}
}

func TestCleared(t *testing.T) {
	for range 60 {
		for _, text := range []string{"a", "bcd"} {
			if n := Cleared(text); n.Name != text || n.Kids[0].Kids[0].Name != text+"2" {
				t.Fatalf("%+v", n)
			}
		}
	}
}

func TestKept(t *testing.T) {
	for range 60 {
		for _, text := range []string{"a", "bcd"} {
			if !Kept(text) {
				t.Fatalf("what was kept of %s has changed", text)
			}
			if n := Memo(text); n.Kids[0].Kids[0].Name != "c" {
				t.Fatalf("%+v", n)
			}
		}
	}
}

func TestHeld(t *testing.T) {
	if n := Held("ab"); n != 5 {
		t.Error(n)
	}
}
