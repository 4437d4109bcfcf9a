package heapdump

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// root says what a root is, and returns the place that it points to. The steps are several if the
// linker made the memory of a global from several pieces.
func (n *namer) root(r root) ([]step, place) {
	next := place{start: r.value}
	switch r.kind {
	case rootGlobal:
		s := n.g.segments[r.in]
		return n.global(s.addr+r.off, 0)
	case rootFrame, rootMaybe:
		return n.stack(r)
	case rootContext:
		next.closure = true
		return []step{{text: n.goroutine(r.in) + ", its function"}}, next
	case rootDeferred:
		next.closure = true
		return []step{{text: n.goroutine(r.in) + ", a deferred call"}}, next
	case rootPanic:
		return []step{{text: n.goroutine(r.in) + ", the value of a panic"}}, next
	case rootOther:
		return []step{{text: "other root: " + n.g.others[r.in], names: []string{n.g.others[r.in]}}}, next
	}
	f := n.g.finalizers[r.in]
	o, name := n.typeAt(f.typ)
	s := step{text: "finalizer"}
	if name != "" {
		s = step{"finalizer of " + name, []string{name}}
	}
	switch r.kind {
	case rootFinalizer:
		next.closure = true
	case rootQueued:
		s.text += " that is to run"
	}
	if r.kind != rootFinalizer && n.debug != nil {
		if y := n.debug.at(o); y != nil {
			next.typ = y.elem
		}
	}
	return []step{s}, next
}

func (n *namer) goroutine(i int) string {
	g := n.g.goroutines[i]
	state := map[uint64]string{1: "runnable", 2: "running", 3: "syscall", 4: g.waiting, 8: "copystack", 9: "preempted"}[g.status&0xff]
	return fmt.Sprintf("goroutine %d [%s]", g.id, state)
}

// global names the word of a global at an address.
func (n *namer) global(addr uint64, depth int) ([]step, place) {
	next := place{start: n.word(addr)}
	if n.image == nil {
		for _, s := range n.g.segments {
			if addr-s.addr < s.size {
				name := map[uint64]string{tagData: "data", tagBSS: "bss"}[s.tag]
				return []step{{text: fmt.Sprintf("global at %#x (segment %s, offset %#x)", addr, name, addr-s.addr)}}, next
			}
		}
	}
	sym, ok := n.image.symbol(addr - n.slide)
	start := sym.addr + n.slide
	if !ok || strings.Contains(sym.name, "..stmp_") {
		if holder := n.holder(addr); holder != 0 && depth < 4 {
			steps, p := n.global(holder, depth+1)
			s, next := n.step(p, addr)
			return append(steps, s), next
		}
	}
	if !ok {
		return []step{{text: fmt.Sprintf("global at %#x", addr)}}, next
	}
	s := step{text: "global " + sym.name, names: []string{sym.name}}
	if n.debug == nil {
		if addr > start {
			s.text += fmt.Sprintf(", offset %d", addr-start)
		}
		return []step{s}, next
	}
	t := trail{}
	if o := n.debug.globals[sym.name]; o != 0 && n.within(&t, o, start, addr-start, 0) {
		s.text += t.tail() + t.kind()
		s.names = append(s.names, t.names...)
		return []step{s}, t.next
	}
	if addr > start {
		s.text += fmt.Sprintf(", offset %d", addr-start)
	}
	return []step{s}, next
}

// holder returns a word of the segments that points to nameless memory of the linker: the word that
// points to the nearest address up to addr.
func (n *namer) holder(addr uint64) (holder uint64) {
	const far = 1 << 16
	nearest := uint64(far)
	for _, s := range n.g.segments {
		_ = n.g.slots(s, func(slot, value uint64) bool { // what cannot be read has no name
			if value <= addr && addr-value < nearest && (slot < value || slot > addr) {
				holder, nearest = slot, addr-value
			}
			return true
		})
	}
	return holder
}

// stack names the word of a frame.
func (n *namer) stack(r root) ([]step, place) {
	addr := n.g.frames[r.in].addr + r.off
	in, name, of, start := n.variable(r.in, addr)
	f := n.g.frames[in]
	s := step{text: n.goroutine(n.g.frameOf[in]) + ", " + f.name, names: []string{f.name}}
	next := place{start: r.value}
	frames := runtime.CallersFrames([]uintptr{uintptr(f.pc)})
	for {
		at, more := frames.Next()
		if at.Function != "" && at.Function != f.name {
			s.names = append(s.names, at.Function) // inlined into it
		}
		if !more {
			if at.File != "" {
				s.text += fmt.Sprintf(" at %s:%d", filepath.Base(at.File), at.Line)
			}
			break
		}
	}
	switch {
	case name != "":
		s.text += ", variable " + name
		t := trail{}
		if n.within(&t, of, start, addr-start, 0) {
			s.text += t.tail() + t.kind()
			s.names = append(s.names, t.names...)
			next = t.next
		}
	case r.kind == rootMaybe:
		s.text += ", a word of the stack that may be out of use"
	}
	return []step{s}, next
}
