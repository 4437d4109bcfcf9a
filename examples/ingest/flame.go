package main

import (
	_ "embed"
	"html/template"
	"io"

	"github.com/arena-go/arena"
)

//go:embed flame.html
var flameHTML string

var flamePage = template.Must(template.New("flame").Parse(flameHTML))

// minShare is the smallest share of the total that the page shows, as a divisor. It keeps the page
// of a large tree small.
const minShare = 5000

// A flame is what flame.html shows. Node 0 is the root, and each node comes behind its parent.
type flame struct {
	Title  string   `json:"title"`
	Unit   string   `json:"unit"`
	Names  []string `json:"names"`
	Parent []int32  `json:"parent"` // of each node
	Name   []int32  `json:"name"`   // of each node, its place in Names
	Value  []int64  `json:"value"`  // of each node, with its children
}

// writeFlame writes a page with a flame graph of a column, which needs nothing else.
func (t *tree) writeFlame(a *arena.Arena, w io.Writer, c *column, app string) error {
	totals := t.totals(a, c)
	named := arena.MakeSlice[int32](a, len(t.names), len(t.names)) // the place of a name in Names, 0 if it has none yet
	shown := arena.MakeSlice[int32](a, len(t.nodes), len(t.nodes)) // the place of a node in the page, or -1
	f := flame{
		Title: app + ", " + c.String(), Unit: c.unit,
		Names:  arena.SliceOf(a, "all"),
		Parent: arena.SliceOf[int32](a, -1), Name: arena.SliceOf[int32](a, 0), Value: arena.SliceOf(a, totals[0]),
	}
	t.walk(func(i int32) {
		if i == 0 {
			return
		}
		n := t.nodes[i]
		parent := shown[n.parent]
		if parent < 0 || totals[i] <= 0 || totals[i] < totals[0]/minShare {
			shown[i] = -1
			return
		}
		shown[i] = int32(len(f.Name))
		if named[n.frame] == 0 {
			named[n.frame] = int32(len(f.Names))
			f.Names = arena.Push(a, f.Names, t.names[n.frame])
		}
		f.Parent = arena.Append(a, f.Parent, parent)
		f.Name = arena.Append(a, f.Name, named[n.frame])
		f.Value = arena.Append(a, f.Value, totals[i])
	}, func(int32) {})
	return flamePage.Execute(w, f)
}
