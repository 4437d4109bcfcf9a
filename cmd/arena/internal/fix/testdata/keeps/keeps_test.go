package keeps

import (
	"fmt"
	"testing"

	"example.com/keeps/reg"
)

// A mine embeds a type of the program, which cannot know it.
type mine struct{ *reg.Square }

func (mine) Name([]byte) string { return "mine" }

// TestRun looks at what variables of packages refer to, when the arenas of the results were used many times.
func TestRun(t *testing.T) {
	const runs = 100
	for i := range runs {
		r := Run(fmt.Appendf(nil, "run %d", i), &reg.Square{}, reg.Circle{Square: &reg.Square{}}, mine{&reg.Square{}})
		if want := fmt.Sprint(append([]string{}, fmt.Sprintf("run %d", i), "circle", "mine")); fmt.Sprint(r.Texts[1:]) != want {
			t.Fatal(r.Texts, want)
		}
	}
	names := map[string]int{}
	for _, n := range reg.Std.Nodes() {
		names[n.Name]++
	}
	for _, name := range []string{"receiver", "returned", "alias", "field"} {
		if names[name] != runs {
			t.Errorf("%d times %s", names[name], name)
		}
	}
	for i := range runs {
		name := fmt.Sprintf("run %d", i)
		if names[name] != 2 {
			t.Errorf("%d times %s", names[name], name)
		}
		if counts[name] != 3 || counts[name+"x"] != 1 {
			t.Errorf("%s is no key", name)
		}
	}
	for e := all.Front(); e != nil; e = e.Next() {
		if n := e.Value.(*reg.Node); n.Name != "library" {
			t.Errorf("a node is %s", n.Name)
		}
	}
	if n := sink.(*reg.Node); n.Name != fmt.Sprintf("run %d", runs-1) {
		t.Errorf("the last one is %s", n.Name)
	}
}
