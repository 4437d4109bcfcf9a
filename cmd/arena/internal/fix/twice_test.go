package fix

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestTwice: what a nil arena would make slower stays as it is without one, and values are built in
// place.
func TestTwice(t *testing.T) {
	t.Parallel()
	o := Options{Dir: original(t, "twice"), Roots: []string{"twice.Build"}}
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	src := string(r.Files[filepath.Join(o.Dir, "twice.go")])
	for _, want := range []string{
		"if ar == nil {\n\t\tx.Places[string(word)] = append(x.Places[string(word)], place)\n\t} else {\n\t\tx.Places[arena.String(ar, word)] = arenaPush(ar, x.Places[",
		"if ar == nil {\n\t\t\tx.Places[string(word[:1])] = append(",
		"\n\tx.marked[arena.String(ar, word)] = arenaPush(ar, x.marked[string(word)], at)",
		"\n\t\tif ar == nil {\n\t\t\tlist[\"many\"] = append(list[\"many\"], place)\n",
		"{\n\tif ar == nil {\n\t\treturn join(by, words...)\n\t}\n",
		"{\n\tif ar == nil {\n\t\treturn t.quoted()\n\t}\n",
		"{\n\tif ar == nil {\n\t\treturn join2(s)\n\t}\n",
		"{\n\tif ar == nil {\n\t\tcollect(to, s)\n\t\treturn\n\t}\n",
		"func join(by string, words ...string) string {\n\tvar b strings.Builder\n",
		"func unnamed(s string, p1 int) string {\n\treturn unnamedIn(nil, s, p1)\n}",
		"func shadow(shadow string) string {\n\treturn shadowIn(nil, shadow)\n}",
		"x := arena.New[Index](ar)\n\tx.Places = arena.MakeMap[map[string][]int](ar, 0)\n\tx.marked = arena.MakeMap[map[string][]*int](ar, 0) // field by field\n",
		"made.right = arena.Box(ar, func() string { /* a comment in a value */ return \"r\" }())\n\t\tmade.left = arena.Box(ar, n)\n\t\tmade.next = first\n\t\treturn made\n",
		"*made = counted{before: c.n, first",
		"made.before = 7\n\tmade.first = c.more()\n\tmade.second = c.more()\n\tmade.after = c.n\n",
		"*last = pair{\n\t\tleft: arena.Box(ar, n), // a comment beside a value\n",
		"made1 := arena.New[pair](ar)\n\tmade1.left = arena.Box(ar, c.more())\n\tmade1.next = last\n\tlast = made1 // with",
		"made2.left = arena.Box(ar, c.more())\n\tlast.next.next = made2\n",
		"list[c.more()-4] = arena.Ptr(ar, pair{",
		"made.first = c.more()\n\treturn made, nil // field",
		"return arena.Ptr(ar, counted{before: 7, first: 4}), c.more()",
		"made1.right = arena.Box(ar, c.n)\n\tp = made1\n",
		"made := arena.New[both](ar)\n\tmade.a = a + 1\n\tmade.b = b\n\treturn made",
	} {
		if !strings.Contains(src, want) {
			t.Errorf("no\n%s", want)
		}
	}
	if t.Failed() {
		t.Log(src)
	}
}

// TestTwiceMoves: with -twice the same moves as without, for roots that are methods of carriers,
// too. The original of such a root looks for an arena, and its second form sets one.
func TestTwiceMoves(t *testing.T) {
	t.Parallel()
	o := reachOptions()
	once, err := reach()
	if err != nil {
		t.Fatal(err)
	}
	o.Twice = true
	twice, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	if once.Moved() != twice.Moved() {
		t.Errorf("%d sites move with -twice, and %d without", twice.Moved(), once.Moved())
	}
	src := string(twice.Files[filepath.Join(o.Dir, "reach.go")])
	for _, want := range []string{
		"{\n\tif ar := r.arenaOrHeap(); ar != nil {\n\t\treturn r.NextIn(ar)\n\t}\n",
		"{\n\tif ar == nil && r.arenaOrHeap() == nil {\n\t\treturn r.Next()\n\t}\n\n\tdefer r.swapArena(r.swapArena(ar))\n",
	} {
		if !strings.Contains(src, want) {
			t.Errorf("no\n%s\nin\n%s", want, src)
		}
	}
}
