package keeps

import (
	"fmt"
	"strings"
	"testing"

	"example.com/keeps/reg"
)

// A mine embeds a type of the program, which cannot know it.
type mine struct{ *reg.Square }

func (mine) Name([]byte) string { return "mine" }

// texts are those that Run returns, by the length of what it is given.
var texts = map[int]string{
	5: "TEXT,expression,TEXT,pointer,TEXT,r,TEXT6,874 true 7,r0u1n2, é,TEXT,again,1005TEXT{TEXT <nil>} 1006,TEXT,circle,mine",
	6: "TEXT,expression,TEXT,pointer,TEXT,r,TEXT6,880 true 7,r0u1n2, é,TEXT,again,1006TEXT{TEXT <nil>} 1007,TEXT,circle,mine",
}

// TestRun looks at what variables of packages refer to, when the arenas of the results were used many times.
func TestRun(t *testing.T) {
	const runs = 100
	for i := range runs {
		r := Run(fmt.Appendf(nil, "run %d", i), &reg.Square{}, reg.Circle{Square: &reg.Square{}}, mine{&reg.Square{}})
		if want := fmt.Sprint(append([]string{}, fmt.Sprintf("run %d", i), "circle", "mine")); fmt.Sprint(r.Texts[len(r.Texts)-3:]) != want {
			t.Fatal(r.Texts, want)
		}
		b := fmt.Sprintf("run %d", i)
		n := len(b) + 1000
		if want := fmt.Sprintln(n, b, reg.Node{Name: b}, n+1, n, make([]int, n%5+1)); fmt.Sprintln(r.Anys...) != want {
			t.Fatal(r.Anys, want)
		}
		if got := strings.ReplaceAll(strings.Join(r.Texts, ","), b, "TEXT"); texts[len(b)] != got {
			t.Fatalf("texts are %s, want %s", got, texts[len(b)])
		}
		for _, n := range r.Nodes[len(r.Nodes)-3:] {
			if n.Name != b {
				t.Fatal(n.Name, b)
			}
		}
	}
	for i, n := range nodes {
		if want := fmt.Sprintf("run %d", runs-1); n.Name != want {
			t.Errorf("node %d is %s, want %s", i, n.Name, want)
		}
	}
	for i, n := range bothKept {
		if want := fmt.Sprintf("run %d%c", i/3, "124"[i%3]); n.Text != want {
			t.Errorf("%s went into an error, too, want %s", n.Text, want)
		}
	}
	for i := range runs {
		for _, end := range []string{"i", "j"} {
			text := fmt.Sprintf("run %d%s", i, end)
			if _, ok := textsSet[text]; !ok && !marks[text] {
				t.Errorf("the sets do not have %s", text)
			}
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
		if names[name] != 3 {
			t.Errorf("%d times %s", names[name], name)
		}
		if counts[name] != 3 || counts[name+"x"] != 1 {
			t.Errorf("%s is no key", name)
		}
	}
	for e := all.Front(); e != nil; e = e.Next() {
		if n, ok := e.Value.(*reg.Node); ok && n.Name != "library" {
			t.Errorf("a node is %s", n.Name)
		}
		if s, ok := e.Value.(string); ok {
			names[s]++
		}
	}
	for i := range runs {
		if name := fmt.Sprintf("run %d", i); names[name] != 4 {
			t.Errorf("%d times %s in a list", names[name], name)
		}
	}
	if want := fmt.Sprintf("run %dkept", runs-1); reg.Any != want {
		t.Errorf("%v is kept, want %s", reg.Any, want)
	}
	if n := sink.(*reg.Node); n.Name != fmt.Sprintf("run %d", runs-1) {
		t.Errorf("the last one is %s", n.Name)
	}
	if want := len(fmt.Sprintf("run %d", runs-1)) + 1000; count != want {
		t.Errorf("%v is kept, want %d", count, want)
	}
}
