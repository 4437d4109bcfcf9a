// Package heapdump finds the references that keep memory of the heap. It dumps the heap with
// [runtime/debug.WriteHeapDump], reads the dump, and searches the shortest path from a root to each
// requested object.
//
//	global shop.cache (map[string]*shop.price)
//	value (*shop.price)
//	field name
//
// # Roots
//
// Roots are globals, variables on stacks, functions of goroutines that have not run, deferred
// calls, values of panics, functions of finalizers, what objects with finalizers point to, and
// other roots that a dump names. The frames of Find and of what it calls are none. Frames of its
// callers are: a variable that is used after the call keeps its value.
//
// Stacks have the variables that the compiler's maps say are in use. Variables whose address is
// taken are in no map. A word of a frame that no map has is a root of last resort, of goroutines
// other than the caller's: it may be out of use.
//
// A dump has no record of cleanups. What no root leads to is followed back to where it begins, and
// said to be kept by a cleanup, perhaps. Weak pointers keep nothing and are no roots.
//
// # Names
//
// Names of functions, and lines, come from the process. Globals and types have their names from the
// symbol table and the debug information of the program's file. go test and go run leave both out.
// With Config.Go the go command builds the program again. The linker places functions and variables
// alike with and without a symbol table, and orders types in another way. So code and data of both
// files are compared: they may differ in references to memory that is not written to, such as
// types, and in nothing else. The name of a type is read from the file that runs, not from where
// the other file has it.
//
// # What the caller takes care of
//
// The runtime writes memory of the heap with plain system calls and reads it with plain loads.
// Pages of the heap that are not accessible end the process or make the dump malformed. A caller
// with such pages has Config.Readable make all of them accessible.
//
// A goroutine that leaves a system call at the moment in which the runtime reads its state ends the
// process too, with "dumpgs in STW - bad status": its state is wrong for about a microsecond, if
// the call ends after the world has stopped. Find waits up to 20 milliseconds for a moment without
// goroutines in system calls. It dumps the heap up to four times if the stack of such a goroutine
// makes a dump malformed. Programs that do nothing but system calls should not call it.
package heapdump

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// An Object is memory whose holder is asked for. Each pointer to one of its bytes keeps it. It need
// not be in the heap.
type Object struct{ Addr, Size uintptr }

// A Config says what Find leaves out, and how it finds names.
type Config struct {
	// Ignore has addresses in objects of the heap that keep nothing: the search does not go through
	// them.
	Ignore []uintptr

	// Allowed reports whether a function, a global or a type may keep memory: the search does not
	// go through them. Names have the full paths of their packages, and types are written as in Go:
	// "*example.com/a/b.T".
	Allowed func(name string) bool

	// Bytes is the largest heap that is dumped, and the largest dump that is read. 0 is no bound.
	Bytes int64

	// Go has the go command build the program again if it has no symbol table, once in a process.
	// What it builds is used only if each function and global is where it is in the program that
	// runs.
	Go bool

	// Readable calls dump while all memory of the heap can be read, or reports false and does not.
	// If it is nil, all memory can always be read.
	Readable func(dump func()) bool

	// Flags are flags of that build which a program does not record, such as -covermode=set.
	Flags []string
}

// A Result says by what an object is kept.
type Result struct {
	// Path has the steps of a shortest path, in words: a root, and where in each object the next
	// pointer is. It is nil if only what is ignored or allowed reaches the object.
	Path []string

	// Allowed is the first name on the shortest path that is allowed, if Path is nil.
	// It is "" if the object is kept only by what is ignored.
	Allowed string
}

// longestPath is how many steps of a path are shown.
const longestPath = 12

// rounds bounds how often the search is repeated because what it found is allowed.
const rounds = 1000

// dumps bounds how often a heap is dumped because a dump is malformed: the stack of a goroutine
// that leaves a system call may change while the runtime writes it.
const dumps = 4

// one is held by the call of Find that works: one dump at a time is enough.
var one sync.Mutex

// Find dumps the heap and returns for each object, in their order, by what it is kept. The caller
// knows that the objects are in use: an object with no path and nothing that is ignored or allowed
// is said to be kept by what a dump does not record.
//
// The note is "" or says why globals and types have no names, and what to add to the command. Paths
// then have addresses and offsets instead.
//
// An error says that the heap or the dump is too large, that it could not be written or read, or
// that a dump would end the process. Find stops the world while it writes. The package's comment
// says what the caller takes care of before.
func Find(objects []Object, c Config) (found []Result, note string, err error) {
	one.Lock()
	defer one.Unlock()
	for range dumps {
		if found, note, err = findOnce(objects, c); !errors.Is(err, errMalformed) {
			break
		}
	}
	return found, note, err
}

func findOnce(objects []Object, c Config) (found []Result, note string, err error) {
	f, size, count, remove, err := write(c.Bytes, c.Readable)
	if err != nil {
		return nil, "", err
	}
	defer remove()
	return find(f, size, count, objects, c, true)
}

// find reads a dump of about as many objects as count says.
func find(from io.ReaderAt, size int64, count uint64, objects []Object, c Config, names bool) ([]Result, string, error) {
	g, err := newGraph(newReader(from, size), objects, count)
	if err != nil {
		return nil, "", err
	}
	n, note := &namer{g: g}, ""
	if names {
		var missing error
		if n, missing = newNamer(g, c); missing != nil {
			note = missing.Error()
		}
		defer n.close()
	}
	f := &finder{search: g.search(), namer: n, allowed: c.Allowed, results: make([]Result, len(objects))}
	for _, a := range c.Ignore {
		if i := g.find(uint64(a)); i != none {
			f.blocked[i] = true
		}
	}
	f.find()
	if g.r.err != nil {
		return nil, "", g.r.err
	}
	return f.results, note, nil
}

// A finder repeats a search until no path has what is allowed.
type finder struct {
	*search
	namer   *namer
	allowed func(string) bool
	results []Result
}

// A hop is a step with what it goes through, which is not gone through again if it is allowed.
type hop struct {
	step
	node uint32 // none for the root
	more int    // steps after this one that have no names
}

func (f *finder) find() {
	if len(f.targets) == 0 {
		return
	}
	f.bar()
	for range rounds {
		f.run()
		again := false
		for i := range f.targets {
			hops, root := f.hops(i)
			if hops == nil {
				f.results[f.order[i]].Path = nil
				continue
			}
			if name, at := f.permitted(hops); name != "" {
				f.results[f.order[i]] = Result{Allowed: name}
				if at == none {
					f.barred[root] = true
				} else {
					f.blocked[at] = true
				}
				again = true
				continue
			}
			f.results[f.order[i]] = Result{Path: shown(hops)}
		}
		if !again {
			break
		}
	}
	f.rest()
}

// bar leaves out the roots whose names are allowed.
func (f *finder) bar() {
	if f.allowed == nil {
		return
	}
	asked := map[string]bool{}
	for i, r := range f.roots {
		var name string
		switch r.kind {
		case rootGlobal:
			if f.namer.image != nil {
				s, _ := f.namer.image.symbol(f.segments[r.in].addr + r.off - f.namer.slide)
				name = s.name
			}
		case rootFrame, rootMaybe:
			name = f.frames[r.in].name
		case rootOther:
			name = f.others[r.in]
		}
		if name == "" {
			continue
		}
		ok, known := asked[name]
		if !known {
			ok = f.allowed(name)
			asked[name] = ok
		}
		if ok {
			f.barred[i] = true
		}
	}
}

// permitted returns the first name on a path that is allowed, and the node that has it.
func (f *finder) permitted(hops []hop) (string, uint32) {
	if f.allowed != nil {
		for _, h := range hops {
			for _, name := range h.names {
				if f.allowed(name) {
					return name, h.node
				}
			}
		}
	}
	return "", none
}

// rest looks for what keeps the objects that no path was found to.
func (f *finder) rest() {
	var missing []int
	for i := range f.targets {
		if f.results[f.order[i]].Path == nil {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return
	}
	clear(f.barred)
	clear(f.blocked)
	f.run()
	for _, i := range missing {
		result := &f.results[f.order[i]]
		hops, _ := f.hops(i)
		switch {
		case hops == nil:
			result.Path = f.orphan(i)
		case result.Allowed == "":
			result.Allowed, _ = f.permitted(hops)
		}
	}
}

// hops names the path to a target, and returns the place of its root in roots.
func (f *finder) hops(target int) ([]hop, int) {
	node := uint32(len(f.objects) + target)
	if f.from[node] == none {
		return nil, 0
	}
	r, root, nodes := f.path(node)
	steps, at := f.namer.root(r)
	var hops []hop
	for _, s := range steps {
		hops = append(hops, hop{s, none, 0})
	}
	return f.along(hops, at, append(nodes, node)), root
}

// along names the steps between nodes, from a place in the first on.
func (f *finder) along(hops []hop, at place, nodes []uint32) []hop {
	// The middle of a long path is not shown, and has no types that it could be allowed by.
	const most = 256
	for i := 0; i+1 < len(nodes); i++ {
		if i == most && len(nodes)-i > most {
			hops[len(hops)-1].more = len(nodes) - i - most
			i = len(nodes) - most
			at = place{start: f.objects[nodes[i]].addr}
		}
		slot := f.slot(f.region(nodes[i]), nodes[i+1])
		var s step
		s, at = f.namer.step(at, slot)
		hops = append(hops, hop{s, nodes[i], 0})
	}
	return hops
}

// shown returns the texts of a path, without its middle if it is long.
func shown(hops []hop) []string {
	var texts []string
	more := 0
	for _, h := range hops {
		if h.text != "" {
			texts = append(texts, short(h.text))
		}
		more += h.more
	}
	if len(texts) <= longestPath {
		return texts
	}
	const head, tail = longestPath / 2, longestPath - longestPath/2 - 1
	more += len(texts) - head - tail
	return slices.Concat(texts[:head], []string{fmt.Sprintf("… %d more steps …", more)}, texts[len(texts)-tail:])
}

// orphan follows pointers back from a target that no root leads to, and says what is at the
// beginning: memory that the runtime keeps and that the dump has no record of.
func (f *finder) orphan(target int) []string {
	const most = 64
	nodes := []uint32{uint32(len(f.objects) + target)}
	seen := map[uint32]bool{}
	for len(nodes) < most {
		before := f.before(nodes[len(nodes)-1], seen)
		if before == none {
			break
		}
		seen[before] = true
		nodes = append(nodes, before)
	}
	slices.Reverse(nodes)
	if len(nodes) == 1 {
		return []string{"memory that has no record in the dump: the argument of a cleanup, perhaps, or a pointer in a register"}
	}
	text := "cleanup, perhaps: no root in the dump leads to what follows"
	at := place{start: f.objects[nodes[0]].addr}
	return shown(f.along([]hop{{step{text: text}, none, 0}}, at, nodes))
}

// before returns an object that points to a node and that no root leads to.
func (f *finder) before(node uint32, seen map[uint32]bool) uint32 {
	for i := range f.objects {
		if f.from[i] != none || seen[uint32(i)] || f.objects[i].edges == 0 {
			continue
		}
		for e := f.objects[i].edges - 1; f.edges[e] != none; e++ {
			if f.edges[e] == node && uint32(i) != node {
				return uint32(i)
			}
		}
	}
	return none
}
