package objects

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/bench/internal/suite"
	"github.com/arena-go/arena/ref"
)

// A SoundTest is something that programs do, by mistake or rightly, and an origin that it is done
// to.
type SoundTest struct {
	Origin, Test string
	Program      suite.Program // Which one has it.
}

// soundTests are the tests, and the origins that they apply to. Those that use memory again have no
// after-reset if they are made anew for each round; the heap, and what is made of it, has no
// after-free.
var soundTests = []struct {
	name    string
	origins []string
	// try does it, and returns what came of it.
	try func(open func() *space) findings
}{
	// Values refer to strings that lie on the heap, to which nothing else refers.
	{"heap-strings", []string{"heap", "sync.Pool", "node-slice", "arena-reset", "arena-free", "slab-reset", "ref", "std", "nuke", "wundergraph", "ristretto", "modernc"}, heapStrings},
	// Some values are kept, and nothing else of the space in which they and what they refer to were
	// made.
	{"arena-dropped", []string{"heap", "sync.Pool", "node-slice", "arena-reset", "arena-free", "slab-reset", "std", "nuke", "wundergraph", "ristretto", "modernc"},
		func(open func() *space) findings { return kept(open, false) }},
	// The same, and the space was freed, which is a mistake.
	{"after-free", []string{"arena-reset", "arena-free", "slab-reset", "ref", "std", "nuke", "wundergraph", "ristretto", "modernc"},
		func(open func() *space) findings { return kept(open, true) }},
	// Values are used after the end of their round, which is a mistake, when others of other types
	// have been made.
	{"after-reset", []string{"sync.Pool", "node-slice", "arena-reset", "slab-reset", "ref", "nuke", "wundergraph", "ristretto", "modernc"}, afterReset},
}

// SoundTests returns all tests of all origins.
func SoundTests() (all []SoundTest) {
	for _, t := range soundTests {
		for _, name := range t.origins {
			all = append(all, SoundTest{name, t.name, originOf(name).Program})
		}
	}
	return all
}

// Sound does a test, in a process of its own: some of them crash.
func Sound(origin, test string) suite.Verdict {
	for _, t := range soundTests {
		if t.name != test || !slices.Contains(t.origins, origin) {
			continue
		}
		open := originOf(origin).open
		if open == nil {
			panic("objects: " + origin + " is not in this program")
		}
		v := suite.Verdict{Implementation: origin, Test: test}
		if origin == "ref" {
			v.Outcome, v.Sound = soundRefs(test)
			return v
		}
		f := t.try(open)
		v.Outcome, v.Sound = f.String(), f.lost == 0
		return v
	}
	panic(fmt.Sprintf("objects: there is no test %q for %q", test, origin))
}

// Crashed returns what came of a test whose process has ended with an error.
func (t SoundTest) Crashed(err error) suite.Verdict {
	why, _, _ := strings.Cut(err.Error(), "\n")
	for line := range strings.Lines(err.Error()) {
		_, fatal, found := strings.Cut(line, "fatal error: ")
		if !found {
			_, fatal, found = strings.Cut(line, "panic: ")
		}
		if found {
			why = strings.TrimSpace(fatal)
			break
		}
	}
	return suite.Verdict{Implementation: t.Origin, Test: t.Test, Outcome: "crashed: " + why}
}

func originOf(name string) *origin {
	return &origins[slices.IndexFunc(origins, func(o origin) bool { return o.Name == name })]
}

// findings are how many values were as they should be, how many were not, and how many could not be
// looked at.
type findings struct {
	kept, lost, faults int
	leaked             bool // Memory that nothing refers to any more.
}

func (f findings) String() string {
	all := suite.Thousands(f.kept + f.lost + f.faults)
	switch {
	case f.lost > 0:
		return fmt.Sprintf("lost %s of %s", suite.Thousands(f.lost), all)
	case f.faults > 0:
		return fmt.Sprintf("%s of %s fault", suite.Thousands(f.faults), all)
	case f.leaked:
		return fmt.Sprintf("kept %s of %s, never freed", all, all)
	}
	return fmt.Sprintf("kept %s of %s", all, all)
}

// look looks at a value, and counts how it was. It may be where nothing is any more.
func (f *findings) look(right func() bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch why := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			f.faults++
		default:
			panic(why)
		}
	}()
	if right() {
		f.kept++
	} else {
		f.lost++
	}
}

func heapStrings(open func() *space) (f findings) {
	const n = 50_000
	s := open()
	name := func(i int) string { return fmt.Sprintf("person %07d on the heap", i) }
	all := s.people(n)
	func() { // Leaves none of the strings on the stack.
		for i, p := range all {
			p.Name = name(i)
		}
	}()
	overwrite(len(name(0)), 50_000)
	for i, p := range all {
		f.look(func() bool { return p.Name == name(i) })
	}
	runtime.KeepAlive(s)
	return f
}

// overwrite collects, and has what was collected overwritten by n blocks of a size, five times.
func overwrite(size, n int) {
	var all [][]byte
	for range 5 {
		runtime.GC()
		for range n {
			all = append(all, bytes.Repeat([]byte{'#'}, size))
		}
	}
	runtime.KeepAlive(all)
}

// kept keeps pointers to persons, and nothing else of a space, which is much larger than the
// buffers of most peers.
func kept(open func() *space, free bool) (f findings) {
	const n = 1000
	before := suite.Resident()
	var persons []*person
	var headers [][2]uintptr
	func() {
		s := open()
		if persons, headers = named(s, n, "a person"); free {
			s.free()
		}
	}()
	if free {
		// Others use what was freed, if they can.
		for range 3 {
			s := open()
			defer runtime.KeepAlive(s)
			named(s, n, "another one")
		}
	}
	overwrite(1<<20, 16)
	for i, p := range persons {
		f.look(func() bool { return header(&p.Name) == headers[i] && p.Name == longName("a person", i) })
	}
	persons = nil
	f.leaked = !free && suite.Resident() > before+spaceSize/2
	return f
}

// named makes n persons in a space of spaceSize, most of which are their names, one after the
// other. It also returns the headers of these.
func named(s *space, n int, name string) (persons []*person, headers [][2]uintptr) {
	var texts []string
	each := spaceSize / nameSize / n
	for i := range n {
		texts = append(texts, slices.Repeat([]string{longName(name, i)}, each)...)
	}
	if s.texts != nil {
		texts = s.texts(texts)
	}
	s.small(n) // They fill what is left where the texts are.
	persons = slices.Clone(s.people(n))
	for i, p := range persons {
		p.Name = texts[i*each]
		headers = append(headers, header(&p.Name))
	}
	return persons, headers
}

const (
	spaceSize = 40 << 20
	nameSize  = 256
)

func longName(name string, i int) string { return fmt.Sprintf("%-*d", nameSize-len(name), i) + name }

// number is written where pointers are expected then. It is not an address.
const number = 0x5a5a_a5a5

func afterReset(open func() *space) (f findings) {
	const n = 1000
	s := open()
	former, newer := "a former name", "a newer one"
	persons := slices.Clone(s.people(n))
	for _, p := range persons {
		p.Name = former
	}
	s.end()
	for _, v := range s.small(n) {
		v.a, v.b = number, number
	}
	for i, h := range s.holders(n) {
		h.id = i
	}
	for _, p := range s.people(n / 2) {
		p.Name = newer
	}
	own := [][2]uintptr{{}, header(&former), header(&newer)}
	for _, p := range persons {
		f.look(func() bool { return slices.Contains(own, header(&p.Name)) })
	}
	runtime.KeepAlive(s)
	return f
}

// soundRefs does a test with references, which are numbers, and never refer to pointers.
func soundRefs(test string) (outcome string, sound bool) {
	defer func() {
		if why := fmt.Sprint(recover()); strings.HasPrefix(why, "ref: ") {
			outcome, sound = "refused", true
		}
	}()
	a := arena.NewArena()
	s := ref.In(a)
	switch test {
	case "heap-strings":
		ref.New[person](s)
	case "after-free":
		r, _ := ref.New[small](s)
		a.Free()
		r.Get(s) //arena:keep it shows what becomes of the mistake
	case "after-reset":
		r, former := ref.New[small](s)
		former.a = number
		a.Reset()
		_, others := ref.NewSlice[int](s, 1000)
		for i := range others {
			others[i] = number + 1
		}
		if v := r.Get(s).a; v == 0 || v == number || v == number+1 { //arena:keep the same
			return "numbers, its own or others", true
		}
	}
	return "not refused", false
}
