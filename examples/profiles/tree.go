package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math/bits"
	"path"
	"slices"

	"github.com/arena-go/arena"
)

// maxNodes bounds the memory of a tree: a small file can describe many stacks.
const maxNodes = 4 << 20

// A Tree is a call tree: all stacks of many profiles, merged from the root.
// It lives in an arena of its own and keeps nothing of the profiles: names
// are copied. The result depends on the profiles and their order only.
type Tree struct {
	Type    []ValueType
	Default int // the preferred one of Type
	Root    *Node

	// Nodes and Frames are in the order of their creation, so that every node
	// comes after its parent.
	Nodes  []*Node
	Frames []*Frame

	a       *arena.Arena
	limit   int  // of the number of nodes
	full    bool // some nodes were left out
	newNode *arena.Slab[Node]
	nodes   table[*Node]
	frames  table[*Frame]
	seed    maphash.Seed
}

// A Frame is a function of the profiled programs.
type Frame struct {
	Name  string
	Index int // in Tree.Frames
	hash  uint64
}

// A Node is a frame with the frames that called it.
type Node struct {
	Frame  *Frame // the root has none
	Parent *Node
	Child  *Node // the newest
	Next   *Node // the parent's next older child
	hot    *Node // the child that was used last
	Self   []int64
	Total  int64 // Self of the node and all nodes below it, set by Sum
	Index  int   // in Tree.Nodes
	hash   uint64
}

// NewTree returns an empty tree in a for profiles of the same kind as p.
func NewTree(a *arena.Arena, p *Profile) *Tree {
	t := arena.New[Tree](a)
	t.a = a
	t.limit = maxNodes
	t.newNode = arena.SlabOf[Node](a)
	t.seed = maphash.MakeSeed()
	t.Type = arena.MakeSlice[ValueType](a, len(p.SampleType), len(p.SampleType))
	t.Default = len(p.SampleType) - 1
	for i, v := range p.SampleType {
		t.Type[i] = ValueType{arena.String(a, v.Type), arena.String(a, v.Unit)}
		if v.Type == p.DefaultSampleType {
			t.Default = i
		}
	}
	t.Root = t.newNode.New()
	t.Nodes = arena.Push(a, t.Nodes, t.Root)
	return t
}

// Add inserts all stacks of p, whose sample types must equal the sample types of the tree. The
// error says that the tree is too large.
func (t *Tree) Add(p *Profile) error {
	for _, fn := range p.Function {
		fn.frame = t.frame(fn.Name)
	}
	for _, s := range p.Sample {
		n := t.Root
		for _, loc := range slices.Backward(s.Location) {
			if len(loc.Line) == 0 {
				n = t.child(n, t.unnamed(loc))
			}
			for i := len(loc.Line) - 1; i >= 0; i-- {
				if fn := loc.Line[i].Function; fn != nil && fn.Name != "" {
					n = t.child(n, fn.frame)
				} else {
					n = t.child(n, t.unnamed(loc))
				}
			}
		}
		if n.Self == nil {
			n.Self = arena.MakeSlice[int64](t.a, len(t.Type), len(t.Type))
		}
		for i, v := range s.Value {
			n.Self[i] += v
		}
	}
	if t.full {
		return fmt.Errorf("the call tree has more than %d nodes", t.limit)
	}
	return nil
}

// unnamed returns the frame for a location without a function.
func (t *Tree) unnamed(l *Location) *Frame {
	if l.Mapping == nil || l.Mapping.File == "" {
		return t.frame("<unknown>")
	}
	return t.frame("[" + path.Base(l.Mapping.File) + "]")
}

// frame returns the frame with the given name.
func (t *Tree) frame(name string) *Frame {
	hash := maphash.String(t.seed, name)
	for f := range t.frames.find(hash) {
		if f.Name == name {
			return f
		}
	}
	f := arena.New[Frame](t.a)
	*f = Frame{Name: arena.String(t.a, name), Index: len(t.Frames), hash: hash}
	t.Frames = arena.Push(t.a, t.Frames, f)
	t.frames.add(t.a, f)
	return f
}

// child returns the child of n for a frame. Its hash covers the whole path, and is seeded like the
// hash of the names: no input can make it slow.
func (t *Tree) child(n *Node, f *Frame) *Node {
	if c := n.hot; c != nil && c.Frame == f {
		return c
	}
	hash := (bits.RotateLeft64(n.hash, 23) ^ f.hash) * 0x9E3779B97F4A7C15
	for c := range t.nodes.find(hash) {
		if c.Parent == n && c.Frame == f {
			n.hot = c
			return c
		}
	}
	if len(t.Nodes) >= t.limit {
		t.full = true
		return n
	}
	c := t.newNode.New()
	c.Frame, c.Parent, c.Next, c.Index, c.hash = f, n, n.Child, len(t.Nodes), hash
	n.Child, n.hot = c, c
	t.Nodes = arena.Push(t.a, t.Nodes, c)
	t.nodes.add(t.a, c)
	return c
}

// Sum sets the Total of every node for one of the tree's sample types.
func (t *Tree) Sum(index int) {
	for _, n := range t.Nodes {
		n.Total = 0
	}
	for _, n := range slices.Backward(t.Nodes) {
		if n.Self != nil {
			n.Total += n.Self[index]
		}
		if n.Parent != nil {
			n.Parent.Total += n.Total
		}
	}
}

// walk calls enter for every node from the root down, and leave when it is
// done with a node's children. Stacks may be deep, so it does not recurse.
func (t *Tree) walk(enter, leave func(*Node)) {
	n := t.Root
	for {
		enter(n)
		if n.Child != nil {
			n = n.Child
			continue
		}
		for leave(n); n.Next == nil; leave(n) {
			if n = n.Parent; n == nil {
				return
			}
		}
		n = n.Next
	}
}

// Digest identifies the tree: its names, its structure, and its values.
func (t *Tree) Digest() string {
	h := sha256.New()
	var buf []byte
	for _, v := range t.Type {
		buf = fmt.Appendf(buf, "%q %q\n", v.Type, v.Unit)
	}
	for _, n := range t.Nodes {
		if n.Frame != nil {
			buf = binary.AppendUvarint(buf, uint64(n.Parent.Index))
			buf = binary.AppendUvarint(buf, uint64(len(n.Frame.Name)))
			buf = append(buf, n.Frame.Name...)
		}
		buf = binary.AppendUvarint(buf, uint64(len(n.Self)))
		for _, v := range n.Self {
			buf = binary.AppendVarint(buf, v)
		}
		h.Write(buf)
		buf = buf[:0]
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// A table is a hash table with open addressing, in an arena. When it grows, it leaves the smaller
// one behind, which an arena cannot free; that is less memory in total than the table itself.
type table[T interface {
	comparable
	hashed() uint64
}] struct {
	slots []T // a power of two
	n     int
}

func (n *Node) hashed() uint64  { return n.hash }
func (f *Frame) hashed() uint64 { return f.hash }

// find goes through the entries that may have the given hash.
func (t *table[T]) find(hash uint64) func(yield func(T) bool) {
	return func(yield func(T) bool) {
		var none T
		for i := hash; len(t.slots) > 0; i++ {
			e := t.slots[i&uint64(len(t.slots)-1)]
			if e == none || !yield(e) {
				return
			}
		}
	}
}

// add adds an entry that is not in the table yet.
func (t *table[T]) add(a *arena.Arena, e T) {
	if 4*t.n >= 3*len(t.slots) {
		old := t.slots
		t.slots = arena.MakeSlice[T](a, max(64, 2*len(old)), max(64, 2*len(old)))
		var none T
		for _, e := range old {
			if e != none {
				t.put(e)
			}
		}
	}
	t.put(e)
	t.n++
}

func (t *table[T]) put(e T) {
	var none T
	i := e.hashed()
	for t.slots[i&uint64(len(t.slots)-1)] != none {
		i++
	}
	t.slots[i&uint64(len(t.slots)-1)] = e
}
