package heapdump

import (
	"debug/dwarf"
	"encoding/binary"
	"strings"
)

// typeAt returns the type of a descriptor, and its name.
func (n *namer) typeAt(addr uint64) (dwarf.Offset, string) {
	if n.image == nil || addr == 0 {
		return 0, n.g.typeNames[addr]
	}
	name := n.typeName(addr-n.slide, 0)
	if name == "" {
		return 0, n.g.typeNames[addr]
	}
	if n.debug == nil {
		return 0, name
	}
	if o, ok := n.debug.types[name]; ok {
		return o, name
	}
	return n.debug.short[name], name
}

// typeName reads the name of the type whose descriptor is at an address of the file, with the paths
// of packages.
func (n *namer) typeName(addr uint64, depth int) string {
	w := n.g.r.word
	size := 4*w + 16
	head := make([]byte, size)
	if n.base == 0 || !n.running.read(addr, head) || depth > 8 {
		return ""
	}
	order := n.g.r.order
	flags, kind := head[2*w+4], head[2*w+7]&31
	const uncommon, extraStar, named = 1, 2, 4
	text := n.nameAt(uint64(order.Uint32(head[4*w+8:])))
	if flags&extraStar != 0 {
		text = strings.TrimPrefix(text, "*")
	}
	if flags&named == 0 {
		if made := n.composite(kind, addr+size, depth); made != "" {
			return made
		}
	}
	if flags&uncommon == 0 || flags&named == 0 {
		return text
	}
	after := map[byte]uint64{kindStruct: 4 * w, kindPointer: w, kindFunc: 8, kindSlice: w, kindArray: 3 * w, kindChan: 2 * w, kindInterface: 4 * w}
	if kind == kindFunc && w == 4 {
		after[kind] = 4
	}
	if kind == kindMap {
		return text
	}
	var path [4]byte
	if !n.running.read(addr+size+after[kind], path[:]) {
		return text
	}
	pkg := n.nameAt(uint64(order.Uint32(path[:])))
	if i := nameStart(text); pkg != "" && i > 0 {
		return escaped(pkg) + text[i-1:]
	}
	return text
}

// composite is the name of a type that is made of others and has no name of its own. After its
// descriptor's common part is what it is made of.
func (n *namer) composite(kind byte, after uint64, depth int) string {
	w := n.g.r.word
	part := func(i uint64) string {
		b := make([]byte, w)
		if !n.running.read(after+i*w, b) {
			return ""
		}
		return n.typeName(n.g.r.value(b), depth+1)
	}
	elem := part(0)
	if elem == "" {
		return ""
	}
	switch kind {
	case kindPointer:
		return "*" + elem
	case kindSlice:
		return "[]" + elem
	case kindMap:
		if value := part(1); value != "" {
			return "map[" + elem + "]" + value
		}
	}
	return ""
}

// nameStart is where the name begins after the package's, in front of any arguments of types.
func nameStart(text string) int {
	head, _, _ := strings.Cut(text, "[")
	return strings.LastIndexByte(head, '.') + 1
}

// escaped is a package's path as the linker writes it: dots in its last element are escaped.
func escaped(path string) string {
	i := strings.LastIndexByte(path, '/') + 1
	return path[:i] + strings.ReplaceAll(path[i:], ".", "%2e")
}

func (n *namer) nameAt(off uint64) string {
	if off == 0 {
		return ""
	}
	var head [11]byte
	if !n.running.read(n.base+off, head[:]) {
		return ""
	}
	size, k := binary.Uvarint(head[1:])
	if k <= 0 || size > longestText {
		return ""
	}
	text := make([]byte, size)
	if !n.running.read(n.base+off+1+uint64(k), text) {
		return ""
	}
	return string(text)
}
