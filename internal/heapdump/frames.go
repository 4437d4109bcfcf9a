package heapdump

import (
	"debug/dwarf"
	"encoding/binary"
	"strings"
)

// A piece is a part of a variable that is in memory.
type piece struct {
	cfa  int64 // the offset of the memory from the end of the frame
	in   int64 // the offset of the part in the variable
	size int64 // -1 for the rest of the variable
}

// variable returns the variable to which an address in a frame belongs: its name, its type, and the
// address that it would have if it were all in memory. Arguments of a function are in the frame of
// its caller: in is the frame of the variable.
func (n *namer) variable(at int, addr uint64) (in int, name string, of dwarf.Offset, start uint64) {
	if n.debug == nil {
		return at, "", 0, 0
	}
	frames := []int{at}
	if callee := at - 1; callee >= 0 && n.g.frameOf[callee] == n.g.frameOf[at] && n.g.frames[callee].depth+1 == n.g.frames[at].depth {
		frames = append(frames, callee)
	}
	for _, i := range frames {
		f := n.g.frames[i]
		fn, ok := n.debug.funcs[f.name]
		if !ok {
			continue
		}
		off := int64(addr - (f.addr + f.size))
		n.debug.variables(fn.off, func(e *dwarf.Entry) {
			if name != "" {
				return
			}
			o, _ := e.Val(dwarf.AttrType).(dwarf.Offset)
			y := n.debug.at(o)
			if y == nil {
				return
			}
			// Registers do not outlive a call: what is in one during the call is in the frame from
			// the call's end on.
			places := append(n.location(fn.unit, e, f.pc-n.slide), n.location(fn.unit, e, f.pc-1-n.slide)...)
			for _, p := range places {
				size := p.size
				if size < 0 {
					size = y.size
				}
				if off >= p.cfa && off < p.cfa+size {
					called, _ := e.Val(dwarf.AttrName).(string)
					name, of, start = strings.TrimPrefix(called, "&"), o, addr-uint64(off-p.cfa)-uint64(p.in)
					return
				}
			}
		})
		if name != "" {
			return i, name, of, start
		}
	}
	return at, "", 0, 0
}

// location returns where a variable is at a program counter.
func (n *namer) location(unit dwarf.Offset, e *dwarf.Entry, pc uint64) []piece {
	switch l := e.Val(dwarf.AttrLocation).(type) {
	case []byte:
		return pieces(l)
	case int64:
		return pieces(n.list(unit, l, pc))
	}
	return nil
}

// list returns the expression of a list of locations for a program counter.
func (n *namer) list(unit dwarf.Offset, at int64, pc uint64) []byte {
	lists, addrs := n.section("loclists"), n.section("addr")
	u := n.debug.entry(unit)
	if u == nil || at < 0 || at >= int64(len(lists)) {
		return nil
	}
	w := n.g.r.word
	base, _ := u.Val(dwarf.AttrLowpc).(uint64)
	addrBase, _ := u.Val(dwarf.AttrAddrBase).(int64)
	b := lists[at:]
	number := func() uint64 {
		v, k := binary.Uvarint(b)
		if k <= 0 {
			b = nil
			return 0
		}
		b = b[k:]
		return v
	}
	fixed := func() uint64 {
		if uint64(len(b)) < w {
			b = nil
			return 0
		}
		v := n.g.r.value(b)
		b = b[w:]
		return v
	}
	indexed := func() uint64 {
		i := uint64(addrBase) + number()*w
		if i+w > uint64(len(addrs)) {
			b = nil
			return 0
		}
		return n.g.r.value(addrs[i:])
	}
	for len(b) > 0 {
		kind := b[0]
		b = b[1:]
		var low, high uint64
		switch kind {
		case 0:
			return nil
		case 1: // base address, by index
			base = indexed()
			continue
		case 2:
			low, high = indexed(), indexed()
		case 3:
			low = indexed()
			high = low + number()
		case 4:
			low, high = base+number(), base+number()
		case 5:
			low, high = 0, ^uint64(0)
		case 6:
			base = fixed()
			continue
		case 7:
			low, high = fixed(), fixed()
		case 8:
			low = fixed()
			high = low + number()
		default:
			return nil
		}
		size := number()
		if size > uint64(len(b)) {
			return nil
		}
		if pc >= low && pc < high {
			return b[:size]
		}
		b = b[size:]
	}
	return nil
}

func (n *namer) section(name string) []byte {
	if b, ok := n.raw[name]; ok {
		return b
	}
	b, _ := n.image.raw(name)
	if n.raw == nil {
		n.raw = map[string][]byte{}
	}
	n.raw[name] = b
	return b
}

// pieces returns the parts of a variable that an expression says are in the frame. Expressions of
// other forms are none.
func pieces(b []byte) (list []piece) {
	const (
		opConsts       = 0x11
		opPlusConst    = 0x23
		opPlus         = 0x22
		opRegister     = 0x50 // and 31 more
		opRegisterX    = 0x90
		opFrame        = 0x91
		opPiece        = 0x93
		opCallFrameCFA = 0x9c
	)
	in, at, known := int64(0), int64(0), false
	number := func() int64 {
		v, k := binary.Uvarint(b)
		if k <= 0 {
			b = nil
			return 0
		}
		b = b[k:]
		return int64(v)
	}
	for len(b) > 0 {
		op := b[0]
		b = b[1:]
		switch {
		case op == opFrame:
			at, b = signed(b)
			known = true
		case op == opCallFrameCFA:
			at, known = 0, true
		case op == opConsts:
			var v int64
			v, b = signed(b)
			at += v
		case op == opPlusConst:
			at += number()
		case op == opPlus:
		case op >= opRegister && op < opRegister+32:
		case op == opRegisterX:
			number()
		case op == opPiece:
			size := number()
			if known {
				list = append(list, piece{at, in, size})
			}
			in, at, known = in+size, 0, false
		default:
			return list
		}
	}
	if known {
		list = append(list, piece{at, in, -1})
	}
	return list
}

// signed reads a signed number of variable length.
func signed(b []byte) (int64, []byte) {
	v := int64(0)
	for i, shift := 0, uint(0); i < len(b) && shift < 64; i, shift = i+1, shift+7 {
		v |= int64(b[i]&0x7f) << shift
		if b[i] < 0x80 {
			if b[i]&0x40 != 0 && shift+7 < 64 {
				v |= -1 << (shift + 7)
			}
			return v, b[i+1:]
		}
	}
	return 0, nil
}
