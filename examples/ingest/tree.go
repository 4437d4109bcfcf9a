package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/arena-go/arena"
)

// What bounds a tree, and with it the time that one profile can take: a small file can describe
// many stacks.
var maxNodes = 4 << 20 // for tests to change

const maxColumns = 32

// A fullError says that there is no room for a profile where it would go.
type fullError struct{ text string }

func (e *fullError) Error() string { return e.text }

// A tree is the stacks of many profiles, merged from the root. It lies in one arena, keeps nothing
// of what was added, and is stale when that is reset. Any number of goroutines may read it while
// nobody adds to it.
//
// Nodes and values are numbers in a few large slices, and children are found by a hash table of
// numbers: there is next to nothing for the collector to walk, on the heap neither.
type tree struct {
	a         *arena.Arena
	columns   []column
	preferred string   // the sample type to show first
	names     []string // of the frames
	frames    *arena.Map[string, int32]
	nodes     []node                    // the root, which has no frame, comes first, and each node behind its parent
	children  *arena.Map[uint64, int32] // by parent and frame
}

// A valueType says what a number counts, such as cpu in nanoseconds.
type valueType struct{ kind, unit string }

func (v valueType) String() string { return v.kind + "/" + v.unit }

// A column has the values of one type.
type column struct {
	valueType
	self []int64 // of each node, without its children; 0 for nodes behind its end
}

// at returns the value of a node.
func (c *column) at(n int32) int64 {
	if int(n) < len(c.self) {
		return c.self[n]
	}
	return 0
}

// A node is a frame with its callers. Nodes refer to each other by their places; 0, the root, means
// none.
type node struct {
	parent, frame int32
	child         int32 // the first one
	next          int32 // the next child of the parent
	hot           int32 // the child that was used last
}

// A size is how much is in a tree.
type size struct{ nodes, names int }

func (t *tree) size() size { return size{len(t.nodes), len(t.names)} }

// newTree returns an empty tree in a, with room for something like the given size: what grows in an
// arena leaves its former memory to the next Reset.
func newTree(a *arena.Arena, like size) *tree {
	like.nodes += like.nodes / 16
	like.names += like.names / 16
	t := arena.New[tree](a)
	*t = tree{
		a:        a,
		names:    arena.MakeSlice[string](a, 0, like.names),
		frames:   arena.NewMap[string, int32](a, like.names),
		nodes:    arena.MakeSlice[node](a, 1, 1+like.nodes),
		children: arena.NewMap[uint64, int32](a, like.nodes),
	}
	return t
}

// add adds all stacks, or none: it returns a *fullError, or panics with a *arena.LimitError, before
// it has changed a value. What it needs meanwhile is in a.
func (t *tree) add(a *arena.Arena, s *stacks) error {
	columns := arena.MakeSlice[int](a, len(s.types), len(s.types))
	for i, v := range s.types {
		c, err := t.column(v)
		if err != nil {
			return err
		}
		columns[i] = c
	}
	frames := t.framesOf(a, s.names)
	leaves := arena.MakeSlice[int32](a, len(s.samples), len(s.samples))
	for i, sample := range s.samples {
		n := int32(0)
		for _, place := range slices.Backward(sample.LocationId) {
			for _, f := range s.at(place) {
				n = t.child(n, frames[f])
			}
		}
		leaves[i] = n
	}
	if err := t.grow(columns); err != nil {
		return err
	}
	for i, sample := range s.samples {
		for j, v := range sample.Value {
			t.columns[columns[j]].self[leaves[i]] += v
		}
	}
	t.prefer(s.preferred)
	return nil
}

// addTree adds what is in from, as add does.
func (t *tree) addTree(a *arena.Arena, from *tree) error {
	columns := arena.MakeSlice[int](a, len(from.columns), len(from.columns))
	for i := range from.columns {
		v := from.columns[i].valueType
		c, err := t.column(v)
		if err != nil {
			return err
		}
		columns[i] = c
	}
	frames := t.framesOf(a, from.names)
	nodes := arena.MakeSlice[int32](a, len(from.nodes), len(from.nodes))
	for i, n := range from.nodes {
		if i > 0 {
			nodes[i] = t.child(nodes[n.parent], frames[n.frame])
		}
	}
	if err := t.grow(columns); err != nil {
		return err
	}
	for i := range from.columns {
		self := t.columns[columns[i]].self
		for n, v := range from.columns[i].self {
			self[nodes[n]] += v
		}
	}
	t.prefer(from.preferred)
	return nil
}

// column returns the place of the column of a type.
func (t *tree) column(v valueType) (int, error) {
	for i := range t.columns {
		if t.columns[i].valueType == v {
			return i, nil
		}
	}
	if len(t.columns) == maxColumns {
		return 0, &fullError{fmt.Sprintf("there are %d sample types already, and %s would be one more", maxColumns, v)}
	}
	own := valueType{arena.String(t.a, v.kind), arena.String(t.a, v.unit)}
	t.columns = arena.Push(t.a, t.columns, column{valueType: own})
	return len(t.columns) - 1, nil
}

// grow gives the columns a value for each node. It is an error if there are too many.
func (t *tree) grow(columns []int) error {
	if len(t.nodes) >= maxNodes {
		return &fullError{fmt.Sprintf("the call tree has %d nodes, and cannot have more", maxNodes)}
	}
	for _, i := range columns {
		c := &t.columns[i]
		if len(t.nodes) > cap(c.self) {
			self := arena.MakeSlice[int64](t.a, len(t.nodes), cap(t.nodes))
			copy(self, c.self)
			c.self = self
		}
		c.self = c.self[:len(t.nodes)]
	}
	return nil
}

// prefer sets the sample type to show first, if there is none yet.
func (t *tree) prefer(kind string) {
	if t.preferred != "" {
		return
	}
	for _, c := range t.columns {
		if c.kind == kind {
			t.preferred = c.kind // its text is in the arena
		}
	}
}

// framesOf returns the numbers of names, in a.
func (t *tree) framesOf(a *arena.Arena, names []string) []int32 {
	frames := arena.MakeSlice[int32](a, len(names), len(names))
	for i, name := range names {
		frames[i] = t.frame(name)
	}
	return frames
}

// frame returns the number of a name.
func (t *tree) frame(name string) int32 {
	if f, ok := t.frames.Get(name); ok {
		return f
	}
	f := int32(len(t.names))
	name = arena.String(t.a, name)
	names := arena.Push(t.a, t.names, name)
	t.frames.Set(name, f)
	t.names = names // now that nothing can panic any more
	return f
}

// child returns the child of a node for a frame. When there are maxNodes it makes no more, and
// returns the node itself.
func (t *tree) child(parent, frame int32) int32 {
	p := &t.nodes[parent]
	if hot := p.hot; hot != 0 && t.nodes[hot].frame == frame {
		return hot
	}
	key := uint64(uint32(parent))<<32 | uint64(uint32(frame))
	if n, ok := t.children.Get(key); ok {
		p.hot = n
		return n
	}
	if len(t.nodes) >= maxNodes {
		return parent
	}
	n := int32(len(t.nodes))
	nodes := arena.Append(t.a, t.nodes, node{parent: parent, frame: frame, next: p.child})
	t.children.Set(key, n)
	t.nodes = nodes
	p = &t.nodes[parent]
	p.child, p.hot = n, n
	return n
}

// sort puts the children of each node in the order of their names, so that what is made of a tree
// does not depend on what came first. What it needs meanwhile is in a.
func (t *tree) sort(a *arena.Arena) {
	byName := arena.MakeSlice[int32](a, len(t.names), len(t.names))
	for i := range byName {
		byName[i] = int32(i)
	}
	slices.SortFunc(byName, func(x, y int32) int { return cmp.Compare(t.names[x], t.names[y]) })
	rank := arena.MakeSlice[int32](a, len(t.names), len(t.names))
	for i, f := range byName {
		rank[f] = int32(i)
	}
	order := arena.MakeSlice[int32](a, len(t.nodes)-1, len(t.nodes)-1)
	for i := range order {
		order[i] = int32(i + 1)
		t.nodes[i].child = 0
	}
	t.nodes[len(t.nodes)-1].child = 0
	slices.SortFunc(order, func(x, y int32) int { return cmp.Compare(rank[t.nodes[y].frame], rank[t.nodes[x].frame]) })
	for _, n := range order {
		parent := &t.nodes[t.nodes[n].parent]
		t.nodes[n].next, parent.child = parent.child, n
	}
}

// walk calls enter for each node from the root down, and leave when it is done with a node's
// children. Stacks may be deep, so it does not recurse.
func (t *tree) walk(enter, leave func(n int32)) {
	n := int32(0)
	for {
		enter(n)
		if child := t.nodes[n].child; child != 0 {
			n = child
			continue
		}
		for leave(n); t.nodes[n].next == 0; leave(n) {
			if n == 0 {
				return
			}
			n = t.nodes[n].parent
		}
		n = t.nodes[n].next
	}
}

// totals returns the value of each node with all below it, in a.
func (t *tree) totals(a *arena.Arena, c *column) []int64 {
	totals := arena.MakeSlice[int64](a, len(t.nodes), len(t.nodes))
	copy(totals, c.self)
	for n := len(t.nodes) - 1; n > 0; n-- {
		totals[t.nodes[n].parent] += totals[n]
	}
	return totals
}

// show returns the column of a sample type, or of the preferred one if kind is empty.
func (t *tree) show(kind string) (*column, error) {
	kind = cmp.Or(kind, t.preferred)
	var types []string
	for i := range t.columns {
		if c := &t.columns[i]; c.kind == kind || c.String() == kind {
			return c, nil
		}
		types = append(types, t.columns[i].String())
	}
	return nil, fmt.Errorf("there is no sample type %q; there are %q", kind, types)
}
