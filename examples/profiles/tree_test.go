package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arena-go/arena/internal/testrun"
)

// checkTree checks the invariants of a tree.
func checkTree(t testing.TB, tree *Tree) {
	t.Helper()
	for i, n := range tree.Nodes {
		if n.Index != i || n.Parent != nil && n.Parent.Index >= i || (n.Parent == nil) != (i == 0) {
			t.Fatalf("node %d has index %d and the wrong parent", i, n.Index)
		}
		for c := n.Child; c != nil; c = c.Next {
			if c.Parent != n {
				t.Fatalf("node %d is a child of node %d and has another parent", c.Index, n.Index)
			}
			for d := c.Next; d != nil; d = d.Next {
				if c.Frame == d.Frame {
					t.Fatalf("node %d has two children for %s", n.Index, c.Frame.Name)
				}
			}
		}
	}
	visited := 0
	depth := 0
	tree.walk(func(n *Node) { visited++; depth++ }, func(n *Node) { depth-- })
	if visited != len(tree.Nodes) || depth != 0 {
		t.Fatalf("walk visits %d of %d nodes and ends at depth %d", visited, len(tree.Nodes), depth)
	}
}

// add adds a profile to a tree.
func add(t testing.TB, tree *Tree, p *Profile) {
	t.Helper()
	if err := tree.Add(p); err != nil {
		t.Fatal(err)
	}
}

// stacks returns the values of all stacks of a tree by path.
func stacks(t *Tree) map[string]string {
	m := map[string]string{}
	for _, n := range t.Nodes {
		if n.Self == nil {
			continue
		}
		path := ""
		for p := n; p.Frame != nil; p = p.Parent {
			path = ";" + p.Frame.Name + path
		}
		m[path] = fmt.Sprint(n.Self)
	}
	return m
}

func TestTree(t *testing.T) {
	p, err := Decode(nil, string(small()))
	if err != nil {
		t.Fatal(err)
	}
	tree := NewTree(nil, p)
	add(t, tree, p)
	add(t, tree, p)
	checkTree(t, tree)
	want := map[string]string{
		";main.main;main.work;main.leaf": "[2 20]",
		";main.main":                     "[4 40]",
		";main.main;main.work;main.work": "[6 60]",
		";[libc.so]":                     "[8 80]",
	}
	if got := stacks(tree); !maps.Equal(got, want) {
		t.Errorf("stacks\n%v, want\n%v", got, want)
	}
	rows := tree.Top(1)
	if want := []Row{{"[libc.so]", 80, 80}, {"main.work", 60, 80}, {"main.main", 40, 120}, {"main.leaf", 20, 20}}; !slices.Equal(rows, want) {
		t.Errorf("top %v, want %v", rows, want)
	}
	if tree.Root.Total != 200 {
		t.Errorf("total %d", tree.Root.Total)
	}
}

// TestFullTree does not let a tree grow beyond its limit.
func TestFullTree(t *testing.T) {
	p, err := Decode(nil, string(small()))
	if err != nil {
		t.Fatal(err)
	}
	for limit := 1; limit <= 6; limit++ {
		tree := NewTree(nil, p)
		tree.limit = limit
		err := tree.Add(p)
		if full := limit < 6; (err != nil) != full || len(tree.Nodes) != limit {
			t.Errorf("limit %d: %d nodes, %v", limit, len(tree.Nodes), err)
		}
		checkTree(t, tree)
	}
}

// slowTree merges stacks the obvious way: it is what Tree is compared with.
func slowTree(m map[string][]int64, p *Profile) {
	for _, s := range p.Sample {
		path := ""
		for _, l := range slices.Backward(s.Location) {
			for _, line := range slices.Backward(l.Line) {
				path += ";" + line.Function.Name
			}
		}
		if m[path] == nil {
			m[path] = make([]int64, len(s.Value))
		}
		for i, v := range s.Value {
			m[path][i] += v
		}
	}
}

func TestTreeAgainstMap(t *testing.T) {
	for _, in := range committed(t) {
		p, err := Decode(nil, in.data)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string][]int64{}
		slowTree(want, p)
		tree := NewTree(nil, p)
		add(t, tree, p)
		checkTree(t, tree)
		got := stacks(tree)
		if len(got) != len(want) {
			t.Errorf("%s: %d stacks, want %d", in.name, len(got), len(want))
		}
		for path, v := range want {
			if got[path] != fmt.Sprint(v) {
				t.Fatalf("%s: %s: %s, want %v", in.name, path, got[path], v)
			}
		}
	}
}

// TestWaysAgree merges files in random order, good and damaged ones, on the
// heap and in arenas, which are reset after every file.
func TestWaysAgree(t *testing.T) {
	inputs := committed(t)
	inputs = append(inputs, input{name: "small", data: string(small())}, input{name: "endless", data: string(endless())})
	for _, in := range inputs[:2] {
		inputs = append(inputs, input{name: "cut " + in.name, data: in.data[:len(in.data)/2]})
	}
	seed := testrun.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	heap, inArena := newService(config{}, onHeap), newService(config{}, inArena)
	for range 40 {
		if rng.IntN(10) == 0 {
			heap.newWindow()
			inArena.newWindow()
		}
		in := inputs[rng.IntN(len(inputs))]
		if err, errArena := heap.ingest(in), inArena.ingest(in); fmt.Sprint(err) != fmt.Sprint(errArena) {
			t.Fatalf("%v on the heap, %v in an arena", err, errArena)
		}
		if n := inArena.profile.Stats().InUse; n != 0 {
			t.Fatalf("%d bytes of the profile's arena are in use after %s", n, in.name)
		}
		if heap.digest() != inArena.digest() {
			t.Fatalf("the trees differ after %s", in.name)
		}
	}
	for _, tree := range inArena.trees {
		checkTree(t, tree)
	}
}
