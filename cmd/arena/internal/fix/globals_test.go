package fix

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/arena-go/arena/cmd/arena/internal/testrun"
)

// fromCallers are the ways in which callers give what is stored in, and may give an arena's.
var fromCallers = []string{"given", "called", "valued"}

// stores are statements that store in what x leads to what they make. A comment names each.
const stores = `
x.next = &node{} // next
x.list = append(x.list, &node{}) // list
x.list[0] = &node{} // element
x.m[s] = &node{} // value
*x = node{next: &node{}} // whole
put(x, &node{}) // function
x.set(&node{}) // method
copy(x.list, []*node{&node{}}) // copied
{ y := &node{}; x.next, y = y, x.next; _ = y } // swapped
x.v = node{} // interface
x.name = s + "x" // text
x.next.next.next = &node{} // deep
{ y := &x.next; *y = &node{} } // address
{ z := x; z.next = &node{} } // alias
{ h := hold{x}; h.n.next = &node{} } // held
(&hold{x}).add() // add
{ l := []*node{x}; l[0].next = &node{} } // listed
func() { x.next = &node{} }() // literal
{ set := x.set; set(&node{}) } // method value
x.kids = append(x.kids, node{next: &node{}}) // kids
var st setter = x; st.set(&node{}) // dispatch
genericPut(x, &node{}) // generic
for i := range x.list { x.list[i] = &node{} } // ranged
x.m[s+"y"] = nil // key
same(x).next = &node{} // result
`

const nodes = `
type node struct {
	next *node
	list []*node
	m    map[string]*node
	name string
	v    any
	kids []node
}

type hold struct{ n *node }

func (h *hold) add() { h.n.next = &node{} } // add

type setter interface{ set(*node) }

func (n *node) set(o *node) { n.next = o }

func put(n, o *node) { n.next = o }

func genericPut[T any](n *node, o T) { n.v = o }

func same(n *node) *node { return n }

func use(x any) { used = x }

var used any

var G = &node{m: map[string]*node{}}
`

// declaration finds the names that a way declares.
var declaration = regexp.MustCompile(`(?m)^(?:func|type|var) (\w+)`)

// TestGlobals: nothing that is stored in what belongs to a variable of a package moves, whatever
// leads there. In full, each way is a program of its own, because functions that are values count
// for all calls, and has each store. In short, it has some of them.
func TestGlobals(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/globals/ways.txt")
	if err != nil {
		t.Fatal(err)
	}
	ways := txtar.Parse(text).Files
	if !testrun.Long() {
		checkWays(t, ways)
		return
	}
	for _, way := range ways {
		t.Run(way.Name, func(t *testing.T) {
			t.Parallel()
			checkWays(t, []txtar.File{way})
		})
	}
}

// checkWays checks which sites move in a program with a function for each way and each store.
func checkWays(t *testing.T, ways []txtar.File) {
	var code strings.Builder
	var roots []string
	every := 1 // of the stores
	if !testrun.Long() {
		every = 4
	}
	for n, way := range ways {
		decls, statements := partsOf(way)
		fmt.Fprintln(&code, decls)
		for i, line := range strings.Split(strings.TrimSpace(stores), "\n") {
			if (n+i)%every != 0 {
				continue
			}
			root := fmt.Sprintf("%s_%d", strings.ToUpper(way.Name), i)
			roots = append(roots, "m."+root)
			fmt.Fprintf(&code, "func %s(s string, k bool, cb func() *node, p *node, cx context.Context) {\n%s\n%s of %s\n}\n", root, statements, line, way.Name)
		}
	}
	moves, stays := verdicts(t, code.String(), roots)
	for _, way := range ways {
		some := false
		for line := range strings.SplitSeq(strings.TrimSpace(stores), "\n") {
			_, store, _ := strings.Cut(line, "// ")
			name := store + " of " + way.Name
			some = some || moves[name] || stays[name]
			switch {
			case !moves[name] && !stays[name]: // it is not there, or in another function
			case !testrun.Long() && !moves[name]: // another root may give what it has to a variable
			case moves[name] != slices.Contains(fromCallers, way.Name):
				t.Errorf("%s moves: %v", name, moves[name])
			}
		}
		if !some {
			t.Errorf("%s has no site", way.Name)
		}
	}
}

// partsOf returns the declarations of a way, under names of their own, and the statements.
func partsOf(way txtar.File) (decls, statements string) {
	statements = strings.TrimSpace(string(way.Data))
	if i := strings.LastIndexByte(statements, '\n'); i >= 0 {
		decls, statements = statements[:i], statements[i+1:]
	}
	for _, m := range declaration.FindAllStringSubmatch(decls, -1) {
		name := regexp.MustCompile(`\b` + m[1] + `\b`)
		decls, statements = name.ReplaceAllString(decls, m[1]+way.Name), name.ReplaceAllString(statements, m[1]+way.Name)
	}
	return decls, statements
}

// verdicts returns which sites move, and which stay, by the comments in their lines.
func verdicts(t *testing.T, code string, roots []string) (moves, stays map[string]bool) {
	t.Helper()
	source := "package m\n\nimport (\n"
	for _, pkg := range []string{"cmp", "container/list", "context", "errors", "iter", "maps", "reflect", "slices", "sync", "sync/atomic", "unsafe"} {
		if strings.Contains(code, filepath.Base(pkg)+".") {
			source += fmt.Sprintf("\t%q\n", pkg)
		}
	}
	source += ")\n" + nodes + code
	r, err := Run(Options{Dir: written(t, "\n-- a.go --\n"+source), Roots: roots})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(source, "\n")
	moves, stays = map[string]bool{}, map[string]bool{}
	for _, s := range r.Sites {
		if _, name, ok := strings.Cut(lines[s.Line-1], "// "); ok && s.Why == "" {
			moves[name] = true
		} else if ok {
			stays[name] = true
		}
	}
	return moves, stays
}

// unseen are the ways that fix does not follow: by reflection, into what an expression makes.
var unseen = []string{"reflectset", "reflectfield"}

// TestWaysOut: what is made stays if one of the ways leads from there to a variable of a package.
func TestWaysOut(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/globals/ways.txt")
	if err != nil {
		t.Fatal(err)
	}
	global, kept := regexp.MustCompile(`\bG\b`), regexp.MustCompile(`use\(\w\)(; )?`)
	for _, end := range []string{"used = x", "G.next = x", "go use(x)"} {
		var code strings.Builder
		var roots, names []string
		for _, way := range txtar.Parse(text).Files {
			decls, statements := partsOf(way)
			if !global.MatchString(statements) || strings.Contains(statements, "&G") || slices.Contains(unseen, way.Name) {
				continue
			}
			fmt.Fprintln(&code, decls)
			root := strings.ToUpper(way.Name) + "_"
			roots, names = append(roots, "m."+root), append(names, way.Name)
			statements = global.ReplaceAllString(kept.ReplaceAllString(statements, ""), "made")
			fmt.Fprintf(&code, "func %s(s string, k bool, p *node) {\nmade := &node{} // %s\n%s\n%s\n}\n", root, way.Name, statements, end)
		}
		moves, stays := verdicts(t, code.String(), roots)
		for _, name := range names {
			if moves[name] || !stays[name] {
				t.Errorf("%s by %s moves: %v", end, name, moves[name])
			}
		}
	}
}
