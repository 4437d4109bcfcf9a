package heapdump

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sort"
	"strings"
)

// none is no node.
const none = math.MaxUint32

// rootBit marks an origin that is a root rather than a node.
const rootBit = 1 << 31

// An object is one of the heap.
type object struct {
	addr  uint64
	at    int64  // where its contents are in the dump
	words uint32 // its size in words
	edges uint32 // where its edges begin, plus 1; 0 if it has none
}

// The kinds of roots, in the order in which the search takes them.
const (
	rootGlobal = iota
	rootFrame
	rootContext
	rootDeferred
	rootPanic
	rootOther
	rootQueued    // the object whose finalizer is to run
	rootFinalizer // the function of a finalizer
	rootFinalized // what an object with a finalizer points to
	rootMaybe     // a word of a frame that may be dead
)

// A root is a word that the collector begins with.
type root struct {
	kind  int
	in    int    // index of the segment, frame, goroutine or finalizer
	off   uint64 // where the word is in the segment or frame
	value uint64
	to    uint32
}

// A graph is the heap of a dump: which object points to which, and the roots.
// Nodes are the objects in the order of their addresses, then the targets.
type graph struct {
	r       *reader
	shift   uint     // a word has 1<<shift bytes
	pages   []uint32 // the first object at or after each page, if there are not too many
	lowest  uint64
	objects []object
	edges   []uint32 // lists of nodes, each with none at its end

	targets []Object        // sorted by Addr
	ends    []uint64        // the greatest end of the targets up to each
	order   []int           // the places of targets in what the caller asked for
	holds   map[uint32]bool // objects with targets in them

	roots      []root
	segments   []region
	goroutines []goroutine
	frames     []frame
	frameOf    []int // the goroutine of each frame
	finalizers []finalizer
	others     []string
	itabs      map[uint64]uint64
	typeNames  map[uint64]string
}

const pageShift = 13

// asker is the function whose goroutine and callees keep nothing.
const asker = "github.com/arena-go/arena/internal/heapdump.Find"

// newGraph reads a dump twice: for the objects, and for the pointers.
// There are about as many objects as the hint says.
func newGraph(r *reader, targets []Object, hint uint64) (*graph, error) {
	hint = min(hint, uint64(r.size)/8)
	g := &graph{r: r, objects: make([]object, 0, hint), itabs: map[uint64]uint64{}, typeNames: map[uint64]string{}, holds: map[uint32]bool{}}
	if err := g.readObjects(targets); err != nil {
		return nil, err
	}
	g.aim(targets)
	if err := g.readEdges(); err != nil {
		return nil, err
	}
	return g, nil
}

func (g *graph) readObjects(targets []Object) error {
	r := g.r
	sorted := true
	last := uint64(0)
	err := r.walk(visitor{
		object: func(o region) {
			if o.size == 0 || o.size%r.word != 0 || o.addr%r.word != 0 || o.size/r.word >= math.MaxUint32 {
				r.malformed("an object of impossible size or address")
				return
			}
			if uint64(len(g.objects)+len(targets)) >= rootBit-1 {
				r.fail(errors.New("heapdump: the heap has more objects than can be counted"))
				return
			}
			sorted = sorted && o.addr >= last
			last = o.addr
			g.objects = append(g.objects, object{addr: o.addr, at: o.at, words: uint32(o.size / r.word)})
			r.noPointers()
		},
		named: func(typ uint64, name string) {
			if !strings.HasSuffix(name, ".") { // of types without a name, the dump has the package only
				g.typeNames[typ] = name
			}
		},
		itab: func(tab, typ uint64) { g.itabs[tab] = typ },
	})
	if err != nil {
		return err
	}
	g.shift = 3
	if r.word == 4 {
		g.shift = 2
	}
	if !sorted {
		slices.SortFunc(g.objects, func(a, b object) int { return cmp.Compare(a.addr, b.addr) })
	}
	for i := 1; i < len(g.objects); i++ {
		if before := g.objects[i-1]; before.addr+uint64(before.words)<<g.shift > g.objects[i].addr {
			r.malformed("two objects at one address")
			return r.err
		}
	}
	g.index()
	return nil
}

// index makes the table of pages.
func (g *graph) index() {
	if len(g.objects) == 0 {
		return
	}
	g.lowest = g.objects[0].addr >> pageShift
	n := g.objects[len(g.objects)-1].addr>>pageShift - g.lowest + 2
	if n > uint64(len(g.objects))*8+1024 {
		return
	}
	g.pages = make([]uint32, n)
	next := uint64(0)
	for i := range g.objects {
		for p := g.objects[i].addr>>pageShift - g.lowest; next <= p; next++ {
			g.pages[next] = uint32(i)
		}
	}
	for ; next < n; next++ {
		g.pages[next] = uint32(len(g.objects))
	}
}

// find returns the object that contains an address.
func (g *graph) find(addr uint64) uint32 {
	low, high := 0, len(g.objects)
	if high == 0 || addr < g.objects[0].addr {
		return none
	}
	if g.pages != nil {
		if p := addr>>pageShift - g.lowest; p < uint64(len(g.pages)-1) {
			low, high = int(g.pages[p]), int(g.pages[p+1])
		} else {
			low = int(g.pages[len(g.pages)-1])
		}
	}
	for low < high { // the first object after addr
		if m := int(uint(low+high) >> 1); g.objects[m].addr > addr {
			high = m
		} else {
			low = m + 1
		}
	}
	if low == 0 {
		return none
	}
	if o := &g.objects[low-1]; addr-o.addr < uint64(o.words)<<g.shift {
		return uint32(low - 1)
	}
	return none
}

// aim sorts the targets and marks the objects that they are in.
func (g *graph) aim(targets []Object) {
	g.order = make([]int, len(targets))
	for i := range g.order {
		g.order[i] = i
	}
	slices.SortStableFunc(g.order, func(a, b int) int { return cmp.Compare(targets[a].Addr, targets[b].Addr) })
	for _, i := range g.order {
		t := targets[i]
		t.Size = max(t.Size, 1)
		g.targets = append(g.targets, t)
		end := uint64(t.Addr) + uint64(t.Size)
		greatest := end
		if n := len(g.ends); n > 0 {
			greatest = max(greatest, g.ends[n-1])
		}
		g.ends = append(g.ends, greatest)
		for a := uint64(t.Addr); a < end; {
			n := g.find(a)
			if n == none {
				next, _ := slices.BinarySearchFunc(g.objects, a, func(o object, a uint64) int { return cmp.Compare(o.addr, a) })
				if next == len(g.objects) {
					break
				}
				n = uint32(next)
				if g.objects[n].addr >= end {
					break
				}
			}
			g.holds[n] = true
			a = g.end(n)
		}
	}
}

func (g *graph) end(n uint32) uint64 {
	return g.objects[n].addr + uint64(g.objects[n].words)<<g.shift
}

// hits yields the targets that an address points into.
func (g *graph) hits(addr uint64, yield func(node uint32)) {
	i := sort.Search(len(g.targets), func(i int) bool { return uint64(g.targets[i].Addr) > addr })
	for i--; i >= 0 && g.ends[i] > addr; i-- {
		if t := &g.targets[i]; addr-uint64(t.Addr) < uint64(t.Size) {
			yield(uint32(len(g.objects) + i))
		}
	}
}

// aimed reports whether an address in an object, or in none, may point into a target.
func (g *graph) aimed(to uint32, addr uint64) bool {
	if len(g.targets) == 0 || addr < uint64(g.targets[0].Addr) || addr >= g.ends[len(g.ends)-1] {
		return false
	}
	return to == none || g.holds[to]
}

func (g *graph) readEdges() error {
	r := g.r
	edges := 0
	edge := func(_, value uint64) {
		to := g.find(value)
		if to != none {
			g.edges = append(g.edges, to)
		}
		if g.aimed(to, value) {
			g.hits(value, func(t uint32) { g.edges = append(g.edges, t) })
		}
		if uint64(len(g.edges)) >= none-1 {
			r.fail(errors.New("heapdump: the heap has more pointers than can be counted"))
		}
	}
	asking := false // whether frames belong to the goroutine that asks
	below := false  // and to functions that Find calls
	seen := map[uint64]bool{}
	err := r.walk(visitor{
		object: func(o region) {
			edges = len(g.edges)
			r.pointers(o, edge)
			if n := len(g.edges); n > edges {
				g.edges = append(g.edges, none)
				g.objects[g.find(o.addr)].edges = uint32(edges) + 1
			}
		},
		segment: func(s region) {
			g.segments = append(g.segments, s)
			r.pointers(s, func(off, value uint64) { g.root(rootGlobal, len(g.segments)-1, off, value) })
		},
		goroutine: func(o goroutine) {
			g.goroutines = append(g.goroutines, o)
			asking = o.waiting == "dumping heap"
			below = asking
			if !asking {
				g.ofGoroutine(rootContext, o.context)
			}
		},
		frame: func(f frame) {
			if below {
				below = f.name != asker
				r.noPointers()
				return
			}
			if len(g.goroutines) == 0 {
				r.malformed("a frame without a goroutine")
				return
			}
			g.frames = append(g.frames, f)
			g.frameOf = append(g.frameOf, len(g.goroutines)-1)
			clear(seen)
			r.pointers(f.region, func(off, value uint64) {
				seen[off] = true
				g.root(rootFrame, len(g.frames)-1, off, value)
			})
			if !asking {
				g.maybe(f, seen)
			}
		},
		finalizer: func(queued bool, f finalizer) {
			g.finalizers = append(g.finalizers, f)
			n := len(g.finalizers) - 1
			if queued {
				g.root(rootQueued, n, 0, f.object)
			} else {
				g.root(rootFinalized, n, 0, f.object)
			}
			g.root(rootFinalizer, n, 0, f.function)
		},
		deferred:  func(function uint64) { g.ofGoroutine(rootDeferred, function) },
		panicking: func(data uint64) { g.ofGoroutine(rootPanic, data) },
		other: func(name string, to uint64) {
			g.others = append(g.others, name)
			g.root(rootOther, len(g.others)-1, 0, to)
		},
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(g.roots, func(a, b root) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(g.rank(a), g.rank(b)), cmp.Compare(g.depth(a), g.depth(b)), cmp.Compare(a.off, b.off))
	})
	return nil
}

// rank and depth order the roots of a kind: globals by their addresses, frames by goroutine and
// depth.
func (g *graph) rank(r root) uint64 {
	switch r.kind {
	case rootGlobal:
		return g.segments[r.in].addr
	case rootFrame, rootMaybe:
		if strings.HasPrefix(g.frames[r.in].name, "runtime.") {
			return g.goroutines[g.frameOf[r.in]].id | 1<<63 // the program's own functions say more
		}
		return g.goroutines[g.frameOf[r.in]].id
	case rootContext, rootDeferred, rootPanic:
		return g.goroutines[r.in].id
	}
	return uint64(r.in)
}

func (g *graph) depth(r root) uint64 {
	if r.kind == rootFrame || r.kind == rootMaybe {
		return g.frames[r.in].depth
	}
	return 0
}

// maybe adds the words of a frame that point into targets but are no pointers that are known to be
// live. Variables whose address is taken are among them.
func (g *graph) maybe(f frame, live map[uint64]bool) {
	r := g.r
	if len(g.targets) == 0 || f.size > longestContent {
		return
	}
	content := make([]byte, f.size)
	if err := r.copy(content, f.at); err != nil {
		r.fail(err)
		return
	}
	for off := uint64(0); off+r.word <= f.size; off += r.word {
		if live[off] {
			continue
		}
		g.root(rootMaybe, len(g.frames)-1, off, r.value(content[off:]))
	}
}

func (g *graph) ofGoroutine(kind int, value uint64) {
	if len(g.goroutines) == 0 {
		g.r.malformed("a record of no goroutine")
		return
	}
	g.root(kind, len(g.goroutines)-1, 0, value)
}

func (g *graph) root(kind, in int, off, value uint64) {
	if to := g.find(value); to != none || g.aimed(to, value) {
		g.roots = append(g.roots, root{kind, in, off, value, to})
	}
}

// slots yields the addresses of the words in an object or segment that are pointers, with their
// values.
func (g *graph) slots(o region, yield func(slot, value uint64) bool) error {
	r := g.r.same(1 << 12)
	r.seek(o.at + int64(o.size))
	going := true
	r.pointers(o, func(off, value uint64) { going = going && yield(o.addr+off, value) })
	return r.err
}

// region is what the dump has of an object.
func (g *graph) region(n uint32) region {
	o := g.objects[n]
	return region{addr: o.addr, size: uint64(o.words) << g.shift, at: o.at}
}

// slot returns the first word of an object that points into a node.
func (g *graph) slot(o region, to uint32) (slot uint64) {
	first, end := uint64(0), uint64(0)
	if i := int(to) - len(g.objects); i >= 0 {
		first, end = uint64(g.targets[i].Addr), uint64(g.targets[i].Addr)+uint64(g.targets[i].Size)
	} else {
		first, end = g.objects[to].addr, g.end(to)
	}
	_ = g.slots(o, func(at, value uint64) bool { // a word that cannot be read has no name
		if value >= first && value < end {
			slot = at
			return false
		}
		return true
	})
	return slot
}
