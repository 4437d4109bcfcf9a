package main

import (
	"bytes"
	_ "embed"
	"html/template"
	"os"

	"github.com/arena-go/arena/examples/internal/measure"
)

//go:embed flame.html
var flameHTML string

var flamePage = template.Must(template.New("flame").Parse(flameHTML))

// minShare is the smallest share of the total that the page knows, as a
// divisor. It keeps the page of a large profile small.
const minShare = 20000

// rowsInPage is how many functions the page lists.
const rowsInPage = 50

// A page is what flame.html shows.
type page struct {
	Graphs []graph
	Tables []topTable
}

// A graph is a flame graph. Node 0 is the root, and every node comes after its
// parent.
type graph struct {
	Title  string   `json:"title"` // the sample type
	Unit   string   `json:"unit"`
	Names  []string `json:"names"`
	Parent []int    `json:"parent"` // of each node, -1 for the root
	Name   []int    `json:"name"`   // of each node, an index of Names
	Value  []int64  `json:"value"`  // of each node
}

// A topTable lists the functions with the largest values.
type topTable struct {
	Title, Total string
	Rows         []topRow
}

type topRow struct {
	Flat, FlatShare, Cum, CumShare, Name string
}

// writeFlame writes a page with a flame graph and a table for every view.
func writeFlame(file string, views []view) error {
	var p page
	for _, v := range views {
		p.Tables = append(p.Tables, newTopTable(v))
		p.Graphs = append(p.Graphs, newGraph(v))
	}
	var html bytes.Buffer
	if err := flamePage.Execute(&html, p); err != nil {
		return err
	}
	return os.WriteFile(file, html.Bytes(), 0o666)
}

func newTopTable(v view) topTable {
	rows := v.Top(v.index)
	unit, total := v.unit(), v.Root.Total
	t := topTable{Title: v.Type[v.index].String(), Total: measure.Value(total, unit)}
	for _, r := range rows[:min(rowsInPage, len(rows))] {
		t.Rows = append(t.Rows, topRow{measure.Value(r.Flat, unit), percent(r.Flat, total), measure.Value(r.Cum, unit), percent(r.Cum, total), r.Name})
	}
	return t
}

func newGraph(v view) graph {
	v.Sum(v.index)
	g := graph{Title: v.Type[v.index].String(), Unit: v.unit(), Names: []string{"all"}}
	shown := make([]int, len(v.Nodes))  // the place of a node in the graph, or -1
	named := make([]int, len(v.Frames)) // the place of a name in Names, or 0
	for i, n := range v.Nodes {
		parent, name := -1, 0
		if n.Frame != nil {
			parent = shown[n.Parent.Index]
			if shown[i] = -1; parent < 0 || n.Total < v.Root.Total/minShare || n.Total <= 0 {
				continue
			}
			if named[n.Frame.Index] == 0 {
				named[n.Frame.Index] = len(g.Names)
				g.Names = append(g.Names, n.Frame.Name)
			}
			name = named[n.Frame.Index]
		}
		shown[i] = len(g.Value)
		g.Parent = append(g.Parent, parent)
		g.Name = append(g.Name, name)
		g.Value = append(g.Value, n.Total)
	}
	return g
}
