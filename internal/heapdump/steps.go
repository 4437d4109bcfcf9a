package heapdump

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
)

// A namer says in words what a path goes through.
type namer struct {
	g       *graph
	image   *image // with symbols; nil if there are none
	running *image // what runs, with its types
	slide   uint64
	debug   *debugInfo        // nil if there are no types
	raw     map[string][]byte // sections of the debug information
	base    uint64            // where the program's types begin
}

// A place is what is known of the memory that a pointer points to.
type place struct {
	start   uint64       // the address that the pointer has
	typ     dwarf.Offset // what is there, 0 if that is not known
	array   bool         // there are more of them after it
	closure bool
	buffer  dwarf.Offset // what the buffer of a channel has
}

// A step is one pointer on a path, in words, with the names that Allowed is asked about.
type step struct {
	text  string
	names []string
}

// newNamer returns a namer that knows what the program's files say, and an error for the names that
// it does not have.
func newNamer(g *graph, c Config) (*namer, error) {
	n := &namer{g: g}
	var err error
	if n.image, n.running, n.slide, err = program(g, c); err != nil {
		return n, fmt.Errorf(noNames, err)
	}
	n.base, _ = n.image.addrOf("runtime.types")
	for addr, name := range g.typeNames { // the dump has some types with their names
		if read := n.typeName(addr-n.slide, 0); short(read) != short(name) {
			n.base = 0
			break
		}
	}
	d, err := n.image.dwarf()
	if err == nil {
		if n.debug, err = newDebugInfo(d, int64(g.r.word)); err == nil && len(n.debug.types) == 0 {
			n.debug, err = nil, errors.New("the program has no debug information")
		}
	}
	if err != nil {
		return n, fmt.Errorf(noNames, err)
	}
	return n, nil
}

func (n *namer) close() {
	n.image.close()
	if n.running != n.image {
		n.running.close()
	}
}

// trail collects the words for the way to a pointer within a value.
type trail struct {
	text  strings.Builder
	names []string
	next  place
	shown string // the type of the pointer, if it says more than the way
}

// kind is the type of the pointer in parentheses.
func (t *trail) kind() string {
	if t.shown == "" || internal(t.shown) {
		return ""
	}
	return " (" + t.shown + ")"
}

// tail is the way after the name of a variable.
func (t *trail) tail() string { return strings.ReplaceAll(t.text.String(), "\x00", ", ") }

// within follows a value of a type at an address to the pointer at an offset in it. It reports
// whether it found one.
func (n *namer) within(t *trail, o dwarf.Offset, addr, off uint64, depth int) bool {
	y := n.debug.at(o)
	if y == nil || depth > 32 || y.size >= 0 && off >= uint64(y.size) {
		return false
	}
	if y.name != "" && !internal(y.name) {
		t.names = append(t.names, y.name)
	}
	value := n.word(addr + off)
	switch y.kind {
	case kindStruct:
		return n.field(t, y, addr, off, depth)
	case kindArray:
		e := n.debug.at(y.elem)
		if e == nil || e.size <= 0 {
			return false
		}
		i := off / uint64(e.size)
		fmt.Fprintf(&t.text, "[%d]", i)
		return n.within(t, y.elem, addr+i*uint64(e.size), off%uint64(e.size), depth+1)
	case kindSlice:
		t.next = place{start: value, typ: y.elem, array: true}
		t.shown = y.name
		return off == 0
	case kindString:
		t.next = place{start: value}
		return off == 0
	case kindPointer:
		t.next = place{start: value, typ: y.elem}
		t.shown = y.name
		n.node(t, y.elem, value)
		return off == 0
	case kindMap, kindChan:
		if p := n.debug.at(y.to); p != nil {
			t.next = place{start: value, typ: p.elem}
			if y.kind == kindChan {
				t.next.buffer = y.elem
			}
		}
		t.shown = y.name
		return off == 0
	case kindFunc:
		t.next = place{start: value, closure: true}
		t.shown = y.name
		return off == 0
	case kindInterface:
		return n.dynamic(t, y, addr, off, value)
	case kindUnsafePointer:
		t.next = place{start: value}
		return off == 0
	}
	return false
}

// internal reports whether a type is one of a map or channel that programs do not see.
func internal(name string) bool {
	name = strings.TrimLeft(name, "*")
	for _, p := range []string{"map<", "table<", "groupReference<", "hchan<", "noalg.", "map.group[", "internal/sync.", "sync/atomic.", "sync.pool"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// field follows a struct.
func (n *namer) field(t *trail, y *typ, addr, off uint64, depth int) bool {
	for _, f := range y.fields {
		ft := n.debug.at(f.typ)
		if ft == nil || off < uint64(f.off) || off-uint64(f.off) >= uint64(max(ft.size, 0)) {
			continue
		}
		rest := off - uint64(f.off)
		at := addr + uint64(f.off)
		value := n.word(addr + off)
		switch {
		case strings.HasPrefix(y.name, "map<") && f.name == "dirPtr":
			table := n.elem(n.elem(f.typ))
			t.next = place{start: value, typ: n.elem(f.typ), array: true}
			if dirLen, ok := n.number(y, "dirLen", addr); ok && dirLen == 0 {
				if groups := n.debug.at(n.member(table, "groups")); groups != nil {
					for _, d := range groups.fields {
						if d.name == "data" {
							t.next = place{start: value, typ: n.elem(d.typ), array: true}
						}
					}
				}
			}
			return true
		case strings.Contains(y.name, "map.group[") && f.name == "slots":
			slots := n.debug.at(f.typ)
			if slots == nil {
				return false
			}
			slot := n.debug.at(slots.elem)
			if slot == nil || slot.size <= 0 {
				return false
			}
			i := rest / uint64(slot.size)
			rest %= uint64(slot.size)
			for k := len(slot.fields) - 1; k >= 0; k-- {
				if s := slot.fields[k]; rest >= uint64(s.off) {
					t.text.WriteString(map[bool]string{true: "\x00key", false: "\x00value"}[s.name == "key"])
					return n.within(t, s.typ, at+i*uint64(slot.size)+uint64(s.off), rest-uint64(s.off), depth+1)
				}
			}
			return false
		case y.name == "sync.Pool" && (f.name == "local" || f.name == "victim"):
			t.next = place{start: value, typ: n.debug.types["sync.poolLocal"], array: true}
			t.text.WriteString("\x00sync.Pool")
			return true
		case strings.HasPrefix(y.name, "sync/atomic.Pointer[") && f.name == "v":
			of := strings.TrimSuffix(strings.TrimPrefix(y.name, "sync/atomic.Pointer["), "]")
			t.next = place{start: value, typ: n.debug.types[of]}
			if !internal(of) {
				t.shown = "*" + of
			}
			n.node(t, t.next.typ, value)
			return rest == 0
		case strings.HasPrefix(y.name, "hchan<") && f.name == "buf":
			t.next = place{start: value}
			t.text.WriteString("\x00buffer")
			return true
		}
		switch {
		case strings.HasPrefix(y.name, "internal/sync.entry["):
			t.text.WriteString("\x00" + f.name)
		case y.name == "sync.Map":
			if n.within(t, f.typ, at, rest, depth+1) {
				t.text.WriteString("\x00sync.Map")
				return true
			}
		case internal(y.name):
			inner := trail{}
			if !n.within(&inner, f.typ, at, rest, depth+1) {
				return false
			}
			t.next, t.shown, t.names = inner.next, inner.shown, append(t.names, inner.names...)
			if text := inner.text.String(); ft.kind != kindArray {
				t.text.WriteString(text)
			}
			return true
		default:
			t.text.WriteString("." + f.name)
		}
		return n.within(t, f.typ, at, rest, depth+1)
	}
	return false
}

// node replaces the type of a node of sync.Map with its actual type.
func (n *namer) node(t *trail, o dwarf.Offset, value uint64) {
	y := n.debug.at(o)
	if y == nil {
		return
	}
	of, ok := strings.CutPrefix(y.name, "internal/sync.node[")
	if !ok {
		return
	}
	name := "internal/sync.indirect["
	if b, ok := n.bytes(value, 1); ok && b[0] != 0 {
		name = "internal/sync.entry["
	}
	t.next.typ = n.debug.types[name+of]
	if t.next.typ == 0 && strings.Contains(name, "entry") && of == "interface {},interface {}]" {
		t.next.typ = n.debug.mapEntry()
	}
}

func (n *namer) elem(o dwarf.Offset) dwarf.Offset {
	if y := n.debug.at(o); y != nil {
		return y.elem
	}
	return 0
}

func (n *namer) member(o dwarf.Offset, name string) dwarf.Offset {
	if y := n.debug.at(o); y != nil {
		for _, f := range y.fields {
			if f.name == name {
				return f.typ
			}
		}
	}
	return 0
}

// number reads a field that is a number of a word.
func (n *namer) number(y *typ, name string, addr uint64) (uint64, bool) {
	for _, f := range y.fields {
		if f.name == name {
			if b, ok := n.bytes(addr+uint64(f.off), int(n.g.r.word)); ok {
				return n.g.r.value(b), true
			}
		}
	}
	return 0, false
}

// dynamic follows what an interface holds.
func (n *namer) dynamic(t *trail, y *typ, addr, off, value uint64) bool {
	if off != n.g.r.word {
		return false
	}
	typ := n.word(addr)
	if !y.empty {
		typ = n.g.itabs[typ]
	}
	o, name := n.typeAt(typ)
	t.shown = name
	t.next = place{start: value}
	if name != "" {
		t.names = append(t.names, name)
	}
	if o == 0 {
		return true
	}
	if n.debug.direct(n.debug.at(o)) {
		inner := trail{}
		if n.within(&inner, o, addr+off, 0, 1) {
			t.next = inner.next
			t.names = append(t.names, inner.names...)
		}
		return true
	}
	t.next.typ = o
	return true
}

// bytes reads memory of the heap, a frame or a segment.
func (n *namer) bytes(addr uint64, size int) ([]byte, bool) {
	b := make([]byte, size)
	if i := n.g.find(addr); i != none {
		if o := n.g.objects[i]; addr+uint64(size) <= n.g.end(i) {
			return b, n.g.r.copy(b, o.at+int64(addr-o.addr)) == nil
		}
		return nil, false
	}
	for _, s := range n.g.segments {
		if addr >= s.addr && addr-s.addr+uint64(size) <= s.size {
			return b, n.g.r.copy(b, s.at+int64(addr-s.addr)) == nil
		}
	}
	for _, f := range n.g.frames {
		if addr >= f.addr && addr-f.addr+uint64(size) <= f.size {
			return b, n.g.r.copy(b, f.at+int64(addr-f.addr)) == nil
		}
	}
	return nil, false
}

func (n *namer) word(addr uint64) uint64 {
	if b, ok := n.bytes(addr, int(n.g.r.word)); ok {
		return n.g.r.value(b)
	}
	return 0
}

// functionAt is the function whose code begins at an address of the running program.
func functionAt(addr uint64) string {
	if f := runtime.FuncForPC(uintptr(addr)); f != nil && uint64(f.Entry()) == addr {
		return f.Name()
	}
	return ""
}

// step says where in the memory of a place the pointer at an address is, and returns the place that
// it points to.
func (n *namer) step(p place, slot uint64) (step, place) {
	var s step
	value := n.word(slot)
	object := n.g.find(slot)
	if p.closure || p.typ == 0 {
		start := p.start
		if !p.closure && object != none {
			start = n.g.objects[object].addr
		}
		if function := functionAt(n.word(start)); function != "" && slot > start {
			return n.closure(function, start, slot)
		}
	}
	if p.typ != 0 && n.debug != nil && slot >= p.start {
		y := n.debug.at(p.typ)
		off := slot - p.start
		if y != nil && y.size > 0 {
			i := off / uint64(y.size)
			t := trail{}
			if n.within(&t, p.typ, p.start+i*uint64(y.size), off%uint64(y.size), 0) {
				text := words(t.text.String())
				if (p.array || i > 0) && !internal(y.name) {
					whole := "element"
					if object != none && n.first(p.start, object) {
						whole = fmt.Sprint("element ", i)
					}
					if text != "" {
						text = whole + ", " + text
					} else {
						text = whole
					}
				}
				if text != "" {
					text += t.kind()
				}
				if text == "buffer" {
					t.next = place{start: value, typ: p.buffer, array: true}
				}
				return step{text, t.names}, t.next
			}
		}
	}
	if object != none {
		o := n.g.objects[object]
		s.text = fmt.Sprintf("object of %d bytes, offset %d", uint64(o.words)<<n.g.shift, slot-o.addr)
	} else {
		s.text = "memory that is no object"
	}
	return s, place{start: value}
}

// short leaves out the directories of packages' paths.
func short(text string) string {
	return packagePath.ReplaceAllString(text, "")
}

var packagePath = regexp.MustCompile(`[\w.~%@-]+(?:/[\w.~%@-]+)*/`)

// first reports whether an address is the first of an object: large ones begin with a header of 8
// bytes.
func (n *namer) first(addr uint64, object uint32) bool {
	o := n.g.objects[object]
	return addr == o.addr || addr == o.addr+8 && uint64(o.words)<<n.g.shift > 128
}

// words turns a way of fields into words: "field a.b[2]", "key, field c".
func words(way string) string {
	var parts []string
	for i, w := range strings.Split(way, "\x00") {
		if i > 0 {
			name, rest := w, ""
			if j := strings.IndexAny(w, ".["); j >= 0 && !strings.HasPrefix(w, "sync.") {
				name, rest = w[:j], w[j:]
			}
			parts = append(parts, name)
			w = rest
		}
		if w != "" {
			if rest, ok := strings.CutPrefix(w, "."); ok {
				parts = append(parts, "field "+rest)
			} else {
				parts = append(parts, "element "+w)
			}
		}
	}
	return strings.Join(parts, ", ")
}

func (n *namer) closure(function string, start, slot uint64) (step, place) {
	next := place{start: n.word(slot)}
	if n.debug != nil {
		name, of, rest := n.debug.captured(function, int64(slot-start))
		if name != "" {
			t := trail{}
			if n.within(&t, of, slot-uint64(rest), uint64(rest), 0) {
				text := "captured " + name + t.tail() + " of func " + function
				return step{text, append(t.names, function)}, t.next
			}
			return step{"captured " + name + " of func " + function, []string{function}}, next
		}
	}
	return step{fmt.Sprintf("captured variable at offset %d of func %s", slot-start, function), []string{function}}, next
}
