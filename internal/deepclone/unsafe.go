package deepclone

import (
	"cmp"
	"reflect"
	"slices"
	"unsafe"
)

// How DeepClone works. Memory is a set of objects: runs of values of one type at one address, each
// found through a pointer or a slice.
//
//  1. scan: from the root, find all objects, boxes (what an interface points to) and maps. A work
//     list takes the place of recursion along references.
//  2. merge: objects that lie in one another, or overlap, belong to one root object. Without unsafe
//     tricks two objects overlap only if one lies inside one value of the other or both are ranges
//     of one array (arrays of arrays count as one array). So a root is an object that is in no
//     other, or the union of ranges of one array.
//  3. copy every root into new memory of its type.
//  4. fix: in the copies, replace each reference by the place in the copy of its root.
//  5. finish what Rules.Finish is for, and fill the new maps. That is last because the hash of a
//     key depends on what it refers to.
//
// Boxes and the bytes of strings are immutable and not merged with other objects: no pointer into
// them can be had, and the runtime lets boxes of different types share one address (the address of
// its zero value). Strings that overlap are merged with each other, unless most are short: many
// parts of one text take about as much memory as that text.

// A cloning is the state of one Of.
//
// SAFETY: addresses of maps are keys only; the maps are alive as part of the original.
type cloning struct {
	*Cloner
	objects []object
	table   []int // finds objects: open addressing, at most half full, holds index+1
	maps    []mapCopy
	mapAt   map[unsafe.Pointer]int // index in maps
	work    []task
	finish  []reflect.Value   // what Rules.Finish gets
	scanned map[place]uintptr // start of a scanned block of elements -> its end, or the end of a later block
}

// An object is n values found in the original.
//
// SAFETY: src and dst point into memory that holds n values of the type of plan, and
// keep it alive.
type object struct {
	src  unsafe.Pointer
	dst  unsafe.Pointer // its place in the copy; nil for an empty slice on its own
	plan *plan
	n    int
	root int  // index of the object it is part of
	box  bool // immutable: found through an interface or a string
}

func (o *object) end() uintptr { return uintptr(o.src) + uintptr(o.n)*o.plan.size }

// A mapCopy is a new map, with its future contents.
type mapCopy struct {
	dst        reflect.Value
	keys, vals reflect.Value // slices
}

// A place is memory seen as a type.
type place struct {
	addr uintptr
	plan *plan
}

// A task is n values still to scan.
//
// SAFETY: at points to n values of the type of plan.
type task struct {
	at   unsafe.Pointer
	plan *plan
	n    int
}

// sliceWords is the layout of every slice.
//
// SAFETY: as documented by reflect.SliceHeader, but with a pointer that the collector sees.
type sliceWords struct {
	data     unsafe.Pointer
	len, cap int
}

const (
	wordSize  = unsafe.Sizeof(uintptr(0))
	blockSize = 32 // elements
	shortText = 32 // bytes
	modified  = "arena: DeepClone: the value was modified while it was cloned"
)

// zeroBase is where the runtime puts values of size zero.
var zeroBase = reflect.New(reflect.TypeFor[struct{}]()).UnsafePointer()

// clone replaces all references in the value that to points to, of type p, by references to copies.
//
// SAFETY: the value is not on the stack, since reflect has a pointer to it: its address stays. The
// caller keeps what it referred to alive, and the cloning holds every address that it returns to
// later as a pointer.
func (by *Cloner) clone(to reflect.Value, p *plan) {
	v := to.UnsafePointer()
	c := &cloning{Cloner: by, table: make([]int, 16), mapAt: map[unsafe.Pointer]int{}, scanned: map[place]uintptr{}}
	c.work = append(c.work, task{v, p.flat.plan, p.flat.n})
	for len(c.work) > 0 {
		t := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		c.scanRun(t.at, t.plan, t.n)
	}
	c.merge()
	c.mergeText()
	c.copy()
	c.fixRun(v, p.flat.plan, p.flat.n)
	for i := range c.objects {
		if o := &c.objects[i]; o.root == i {
			c.fixRun(o.dst, o.plan, o.n)
		}
	}
	for _, m := range c.maps {
		n := m.keys.Len()
		k, e := c.planOf(m.keys.Type().Elem()).flat, c.planOf(m.vals.Type().Elem()).flat
		c.fixRun(m.keys.UnsafePointer(), k.plan, n*k.n)
		c.fixRun(m.vals.UnsafePointer(), e.plan, n*e.n)
	}
	for _, v := range c.finish { // some are among the elements of maps, which are copied into these
		c.Finish(v)
	}
	for _, m := range c.maps {
		for i := range m.keys.Len() {
			m.dst.SetMapIndex(m.keys.Index(i), m.vals.Index(i))
		}
	}
}

// scanRun scans n values of type p. It skips those that were scanned as part of a slice
// that overlaps, so that many slices of one array do not take quadratic time: blocks of
// elements are chained to the next one not yet scanned (union-find).
//
// SAFETY: the n values are one variable or one slice of the original, so at+i*p.size
// stays inside the object that at points into.
func (c *cloning) scanRun(at unsafe.Pointer, p *plan, n int) {
	if !p.follow {
		return
	}
	for i := 0; i < n; i++ {
		if n-i >= blockSize && (uintptr(at)/p.size+uintptr(i))%blockSize == 0 {
			b := place{uintptr(at) + uintptr(i)*p.size, p}
			if next := c.unscanned(b); next != b.addr {
				i += int((next-b.addr)/p.size) - 1
				continue
			}
			c.scanned[b] = b.addr + blockSize*p.size
		}
		c.scan(unsafe.Add(at, uintptr(i)*p.size), p)
	}
}

// unscanned returns the first address not scanned in the chain of blocks that starts at b.
func (c *cloning) unscanned(b place) uintptr {
	for {
		next, ok := c.scanned[b]
		if !ok {
			return b.addr
		}
		if far, ok := c.scanned[place{next, b.plan}]; ok {
			c.scanned[b] = far
			next = far
		}
		b.addr = next
	}
}

// scan notes what the value at, of type p, refers to.
//
// SAFETY: at points to a value of type p. So each case reads the words that a value of its kind
// consists of, and the fields of a struct are inside it.
func (c *cloning) scan(at unsafe.Pointer, p *plan) {
	switch p.kind {
	case reflect.Struct:
		for _, f := range p.refs {
			c.scanRun(unsafe.Add(at, f.off), f.plan, f.n)
			if p.count != nil && f.plan.kind == reflect.Interface {
				c.addCounted(unsafe.Add(at, f.off), f.plan, int(*(*uint64)(unsafe.Add(at, p.count.off))))
			}
		}
	case reflect.String:
		if s := *(*string)(at); s != "" {
			c.add(true, unsafe.Pointer(unsafe.StringData(s)), c.bytes, len(s))
		}
	case reflect.Pointer:
		if q := *(*unsafe.Pointer)(at); q != nil && q != zeroBase {
			c.add(false, q, p.elem.flat.plan, p.elem.flat.n)
		}
	case reflect.Slice:
		if s := (*sliceWords)(at); s.cap > 0 && p.elem.size > 0 {
			c.add(false, s.data, p.elem.flat.plan, s.len*p.elem.flat.n)
		}
	case reflect.Map:
		c.addMap(at, p)
	case reflect.Interface:
		if q, word := c.dynamic(at, p); q == nil || !q.direct && q.size == 0 {
			return
		} else if q.direct {
			c.scanRun(word, q.flat.plan, q.flat.n)
		} else {
			c.add(true, *(*unsafe.Pointer)(word), q.flat.plan, q.flat.n)
		}
	}
}

// addCounted notes all of what a slog.Value leads to: at has a pointer to n values.
//
// SAFETY: at points to an interface, of type p. A pointer of the types that isCounted knows leads
// to as many values as the Value says, as those who have made it, slog.StringValue and
// slog.GroupValue, have taken both from a string or a slice.
func (c *cloning) addCounted(at unsafe.Pointer, p *plan, n int) {
	if q, word := c.dynamic(at, p); q != nil && n > 0 && isCounted(q.typ) {
		c.add(false, *(*unsafe.Pointer)(word), q.elem.flat.plan, n*q.elem.flat.n)
	}
}

// add notes n values of type p at src, to be scanned if they are new.
//
// SAFETY: src is kept as a pointer and so keeps its object alive.
func (c *cloning) add(box bool, src unsafe.Pointer, p *plan, n int) {
	slot := c.slot(box, src, p)
	if *slot == 0 {
		if len(c.objects) == cap(c.objects) {
			c.objects = slices.Grow(c.objects, len(c.objects)+8)
		}
		c.objects = append(c.objects, object{src: src, plan: p, root: len(c.objects), box: box, n: -1})
		*slot = len(c.objects)
	}
	if o := &c.objects[*slot-1]; n > o.n {
		o.n = n
		if p.follow {
			c.work = append(c.work, task{src, p, n})
		}
	}
	if 2*len(c.objects) > len(c.table) {
		c.table = make([]int, 4*len(c.table))
		for i, o := range c.objects {
			*c.slot(o.box, o.src, o.plan) = i + 1
		}
	}
}

// slot returns where the index of an object is or would be in the table.
//
// SAFETY: addresses are hashed and compared only. They do not change: what is referred to
// is on the heap or static, and all of it is kept alive by the value that is being cloned.
func (c *cloning) slot(box bool, src unsafe.Pointer, p *plan) *int {
	mask := len(c.table) - 1
	h := uint64(uintptr(src)) * 0x9e3779b97f4a7c15 // Fibonacci hashing: the high bits are mixed best
	for i := int(h >> 33); ; i++ {
		slot := &c.table[i&mask]
		if *slot == 0 {
			return slot
		}
		if o := &c.objects[*slot-1]; o.src == src && o.plan == p && o.box == box {
			return slot
		}
	}
}

// addMap notes the map at, of type p, and takes its contents.
//
// SAFETY: at points to a map of type p, which is one pointer; NewAt gives it that type.
// The slices of keys and elements are kept by c, for as long as their addresses are used.
func (c *cloning) addMap(at unsafe.Pointer, p *plan) {
	addr := *(*unsafe.Pointer)(at)
	if _, ok := c.mapAt[addr]; ok || addr == nil {
		return
	}
	src := reflect.NewAt(p.typ, at).Elem()
	n := src.Len()
	m := mapCopy{
		dst:  reflect.MakeMapWithSize(p.typ, n),
		keys: reflect.MakeSlice(reflect.SliceOf(p.key.typ), n, n),
		vals: reflect.MakeSlice(reflect.SliceOf(p.elem.typ), n, n),
	}
	c.mapAt[addr] = len(c.maps)
	c.maps = append(c.maps, m)
	it := src.MapRange()
	for i := 0; it.Next(); i++ {
		m.keys.Index(i).SetIterKey(it)
		m.vals.Index(i).SetIterValue(it)
	}
	c.work = append(c.work,
		task{m.keys.UnsafePointer(), p.key.flat.plan, n * p.key.flat.n},
		task{m.vals.UnsafePointer(), p.elem.flat.plan, n * p.elem.flat.n})
}

// merge finds the root of each object and extends roots to the union of what overlaps.
func (c *cloning) merge() {
	type span struct {
		addr, end uintptr
		depth, i  int
	}
	spans := make([]span, 0, len(c.objects))
	for i, o := range c.objects {
		if !o.box {
			spans = append(spans, span{uintptr(o.src), o.end(), o.plan.depth, i})
		}
	}
	// What contains comes before what is contained.
	slices.SortFunc(spans, func(a, b span) int {
		if a.addr != b.addr {
			return cmp.Compare(a.addr, b.addr)
		}
		return cmp.Or(cmp.Compare(b.end, a.end), cmp.Compare(b.depth, a.depth))
	})
	var open []int // roots that may reach beyond the current address; more than one only with unsafe tricks
	for _, s := range spans {
		for len(open) > 0 && c.objects[open[len(open)-1]].end() <= s.addr {
			open = open[:len(open)-1]
		}
		in := len(open) - 1
		for in >= 0 && !c.join(open[in], s.i) {
			in--
		}
		if in < 0 {
			open = append(open, s.i)
		}
	}
}

// mergeText makes strings that overlap parts of one root, which has the bytes of all of them. It
// does not look for these where strings are short: copied one by one they take about as much memory
// as what has them.
func (c *cloning) mergeText() {
	n, bytes := 0, 0
	for i := range c.objects {
		if o := &c.objects[i]; o.box && o.plan == c.bytes {
			n++
			bytes += o.n
		}
	}
	if bytes <= shortText*n {
		return
	}
	type span struct {
		addr uintptr
		i    int
	}
	text := make([]span, 0, n)
	for i := range c.objects {
		if o := &c.objects[i]; o.box && o.plan == c.bytes {
			text = append(text, span{uintptr(o.src), i})
		}
	}
	slices.SortFunc(text, func(a, b span) int { return cmp.Compare(a.addr, b.addr) })
	var root *object
	r := 0
	for _, s := range text {
		o := &c.objects[s.i]
		if root == nil || root.end() <= s.addr {
			root, r = o, s.i
			continue
		}
		root.n = max(root.n, int(o.end()-uintptr(root.src)))
		o.root = r
	}
}

// join makes object i part of root r if it begins in it and the types agree.
func (c *cloning) join(r, i int) bool {
	root, o := &c.objects[r], &c.objects[i]
	if root.end() <= uintptr(o.src) {
		return false
	}
	k := root.plan.at(root.n, uintptr(o.src)-uintptr(root.src), o.plan)
	if k > 0 && k < o.n && root.plan.same(o.plan) {
		root.n += o.n - k
		k = o.n
	}
	if k == 0 || k < o.n {
		return false
	}
	o.root = r
	return true
}

// copy gives each root new memory with a copy of its values, and each object its place there.
//
// SAFETY: a root is n values of the type of its plan in one object of the original (a union
// of ranges of one array is a range of it). The new memory has n values of that type, made
// by reflect and so known to the collector, and the copy runs with write barriers.
// The same goes for strings that overlap, which are parts of one object.
// An object was found to be inside its root, so dst+offset is inside the new memory.
func (c *cloning) copy() {
	for i := range c.objects {
		o := &c.objects[i]
		switch {
		case o.root != i:
		case o.plan.size == 0:
			o.dst = unsafe.Pointer(new(byte)) // a place of its own, to be different from others
		case o.plan == c.bytes && o.n > 0:
			b := make([]byte, o.n)
			copy(b, unsafe.Slice((*byte)(o.src), o.n))
			o.dst = unsafe.Pointer(unsafe.SliceData(b))
		case o.n == 1:
			dst := reflect.New(o.plan.typ)
			dst.Elem().Set(reflect.NewAt(o.plan.typ, o.src).Elem())
			o.dst = dst.UnsafePointer()
		case o.n > 1:
			dst := reflect.MakeSlice(reflect.SliceOf(o.plan.typ), o.n, o.n)
			reflect.Copy(dst, reflect.SliceAt(o.plan.typ, o.src, o.n))
			o.dst = dst.UnsafePointer()
		}
	}
	for i := range c.objects {
		if o := &c.objects[i]; o.root != i {
			root := &c.objects[o.root]
			o.dst = unsafe.Add(root.dst, uintptr(o.src)-uintptr(root.src))
		}
	}
}

// fixRun fixes n values of type p.
//
// SAFETY: as in scanRun, in the copy.
func (c *cloning) fixRun(at unsafe.Pointer, p *plan, n int) {
	if !p.follow {
		return
	}
	for i := range n {
		c.fix(unsafe.Add(at, uintptr(i)*p.size), p)
	}
}

// fix replaces what the value at, of type p, refers to by its copy.
//
// SAFETY: at points to a value of type p in new memory, a bitwise copy of one
// that scan has seen; the words are read as in scan. All stores of pointers are typed, so they
// have write barriers, and store the address of a copy made for the type that p refers to.
func (c *cloning) fix(at unsafe.Pointer, p *plan) {
	switch p.kind {
	case reflect.Struct:
		for _, f := range p.refs {
			c.fixRun(unsafe.Add(at, f.off), f.plan, f.n)
		}
		if p.finish {
			c.finish = append(c.finish, reflect.NewAt(p.typ, at))
		}
	case zeroed:
		reflect.NewAt(p.typ, at).Elem().SetZero()
	case reflect.String:
		s := (*string)(at)
		if *s == "" {
			*s = "" // forget the address
		} else {
			o := c.find(true, unsafe.Pointer(unsafe.StringData(*s)), c.bytes, len(*s))
			*s = unsafe.String((*byte)(o.dst), len(*s))
		}
	case reflect.Pointer:
		if q := (*unsafe.Pointer)(at); *q != nil && *q != zeroBase {
			*q = c.find(false, *q, p.elem.flat.plan, p.elem.flat.n).dst
		}
	case reflect.Slice:
		if s := (*sliceWords)(at); s.data != nil {
			*s = c.slice(*s, p.elem)
		}
	case reflect.Map:
		if q := (*unsafe.Pointer)(at); *q != nil {
			i, ok := c.mapAt[*q]
			if !ok {
				panic(modified)
			}
			*q = c.maps[i].dst.UnsafePointer()
		}
	case reflect.Interface:
		if q, word := c.dynamic(at, p); q == nil || !q.direct && q.size == 0 {
			return
		} else if q.direct {
			c.fixRun(word, q.flat.plan, q.flat.n)
		} else {
			box := (*unsafe.Pointer)(word)
			*box = c.find(true, *box, q.flat.plan, q.flat.n).dst
		}
	}
}

// find returns the object that add has noted.
//
// SAFETY: src is compared only; with n checked, all that is asked for has been copied.
func (c *cloning) find(box bool, src unsafe.Pointer, p *plan, n int) *object {
	i := *c.slot(box, src, p) - 1
	if i < 0 || n > c.objects[i].n {
		panic(modified)
	}
	return &c.objects[i]
}

// slice returns the copy of s, a slice of elem that is not nil.
func (c *cloning) slice(s sliceWords, elem *plan) sliceWords {
	if s.cap == 0 || elem.size == 0 {
		return sliceWords{zeroBase, s.len, s.len}
	}
	e := elem.flat
	o := c.find(false, s.data, e.plan, s.len*e.n)
	if o.dst == nil {
		return sliceWords{zeroBase, 0, 0}
	}
	d := sliceWords{o.dst, s.len, s.len}
	if s.cap > s.len {
		root := &c.objects[o.root]
		d.cap = min(s.cap, root.plan.at(root.n, uintptr(o.src)-uintptr(root.src), e.plan)/e.n)
	}
	return d
}

// dynamic returns the plan of the value in the interface at, of type p, nil if there is
// none, and where its data word is.
//
// SAFETY: an interface is two words, a type or table and the data; all interface types
// with methods share one layout, so that any of them can be read as one of them (package
// reflect does the same).
func (c *Cloner) dynamic(at unsafe.Pointer, p *plan) (*plan, unsafe.Pointer) {
	var v any
	if p.typ.NumMethod() == 0 {
		v = *(*any)(at)
	} else {
		v = any(*(*interface{ M() })(at))
	}
	if v == nil {
		return nil, nil
	}
	return c.planOf(reflect.TypeOf(v)), unsafe.Add(at, wordSize)
}

// isDirect reports whether an interface holds a value of type t itself in its data word:
// then the word is nil for the zero value. If not, the word points to a box.
//
// SAFETY: an interface is two words, as in dynamic; the second is only compared.
func isDirect(t reflect.Type) bool {
	if t.Size() != wordSize || t.Kind() == reflect.Interface {
		return false
	}
	v := reflect.Zero(t).Interface()
	return *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(&v), wordSize)) == nil
}
