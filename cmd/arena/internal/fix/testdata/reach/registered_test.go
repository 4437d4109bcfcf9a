package reach

import "testing"

func TestRegistered(t *testing.T) {
	for range 50 {
		n := Registered("2024 *+one +two")
		if n.Text != "24." || len(n.Kids) != 4 || n.Kids[0].Text != "default" || n.Kids[1].Text != "2024 *+one +two?" || n.Kids[3].Text != "two;" {
			t.Fatalf("%+v", n)
		}
	}
}

func TestTold(t *testing.T) {
	Told("first")
	for range 50 {
		if got := Told("first"); got != "first!" {
			t.Fatal(got)
		}
		Registered("2024 +other")
	}
}

func TestLocked(t *testing.T) {
	for range 50 {
		l := Locked("ab")
		if all := l.All(); len(all) != 2 || l.Load() != 1 || l.n != 1 || all[0].Text != "b!" || all[1].Text != "ab!" {
			t.Fatalf("%+v", all)
		}
	}
}
