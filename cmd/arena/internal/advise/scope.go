package advise

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// A node is a call in the tree of calls. The tree holds calls of functions outside the standard
// library, from the outermost inwards.
type node struct {
	frame    frame
	children map[string]*node
	bytes    int64         // that would move, allocated below
	work     int64         // nanoseconds of the program's own work below
	again    bool          // the function calls itself, perhaps through others
	deep     map[int]int64 // the bytes, by how many calls are left out before it
	taken    bool
}

// pathOf returns the calls of a stack that can be scopes, the outermost first. A function that
// calls itself is there once, and repeated: so an arena cannot end with each of its calls.
func (v view) pathOf(st stack) stack {
	var path stack
	deep, root := 0, true
	for i := len(st) - 1; i >= 0; i-- {
		f := st[i]
		if isRuntime(f) || v.isStd(f) {
			root = root && starts(f)
			continue
		}
		if j := slices.IndexFunc(path, func(g frame) bool { return g.fn == f.fn }); j >= 0 {
			path[j].again = true
			deep++
			continue
		}
		f.deep, f.root = deep, root
		root = root && starts(f)
		path = append(path, f)
	}
	return path
}

// How much of the remaining bytes a scope has to cover.
const coverage = 0.93

// How many scopes there are at most, and how many functions are looked at for them. Where a unit of
// work is short, one with many bytes may save nothing.
const mostScopes, mostTried = 8, 24

// scopes finds where arenas would be reset, the best first, and what each saves.
func (a *Advice) scopes(sites map[siteKey]*siteInfo) {
	root := &node{}
	for _, s := range a.allocs {
		if !s.lost {
			root.add(a.pathOf(s.stack), s.moving())
		}
	}
	for _, c := range a.cpu {
		if c.class == user && !c.lost {
			root.works(a.pathOf(c.stack), c.ns)
		}
	}
	for range mostTried {
		path, in := root.deepest(a.in.Outer)
		if path == nil || len(a.Scopes) == mostScopes {
			return
		}
		s := a.scope(path, sites)
		if in >= 0 {
			s.In = path[in].fn
		}
		if s.Reset.High >= 0.01 {
			a.Scopes = append(a.Scopes, s)
		}
	}
}

// add counts bytes that were allocated below the calls of path.
func (n *node) add(path stack, bytes int64) {
	n.bytes += bytes
	for _, f := range path {
		child := n.children[f.fn]
		if child == nil {
			if n.children == nil {
				n.children = map[string]*node{}
			}
			child = &node{frame: f, deep: map[int]int64{}}
			n.children[f.fn] = child
		}
		child.bytes += bytes
		child.deep[f.deep] += bytes
		child.again = child.again || f.again
		n = child
	}
}

// works counts the program's own work below the calls of path, as far as they allocate.
func (n *node) works(path stack, ns int64) {
	for _, f := range path {
		if n = n.children[f.fn]; n == nil {
			return
		}
		n.work += ns
	}
}

// sorted returns the calls of n, those with the most bytes first.
func (n *node) sorted() []*node {
	return slices.SortedFunc(maps.Values(n.children), func(x, y *node) int {
		return cmp.Or(cmp.Compare(y.bytes, x.bytes), strings.Compare(x.frame.fn, y.frame.fn))
	})
}

// deepest takes the best scope that is left out of the tree, and returns its path from the root,
// and which call of it is the scope's exported caller, or -1. A call of one of outer ends it.
func (n *node) deepest(outer []string) (path stack, in int) {
	var way []*node
	want := int64(0)
	for at := n; ; {
		var best *node
		for _, c := range at.sorted() {
			if !c.taken {
				best = c
				break
			}
		}
		if best == nil || best.bytes == 0 {
			break
		}
		// A test is no scope, but one of the functions that it calls.
		if at == n || at.frame.inTest() && 8*best.bytes >= at.bytes {
			want = best.bytes
		}
		if float64(best.bytes) < coverage*float64(want) {
			break
		}
		way = append(way, best)
		at = best
	}
	if len(way) == 0 {
		return nil, -1
	}
	way, from := ends(way)
	for _, w := range way {
		f := w.frame
		f.again = w.again
		path = append(path, f)
	}
	end, in := outward(path, from)
	if i := slices.IndexFunc(path[:end], func(f frame) bool { return slices.Contains(outer, f.asRoot()) }); i >= 0 {
		end, in = i+1, -1
	}
	way, path = way[:end], path[:end]
	last := way[len(way)-1]
	last.taken = true
	for _, w := range way {
		w.bytes -= last.bytes
	}
	return path, in
}

// ends returns how much of a way is left when it ends where an arena can, and from which of its
// calls on others may be ends, too.
//
// An arena cannot end with each call of a function that calls itself, but with what has called it
// first. If that is a test, or nothing, the function may be a router, and one of those that it
// calls is the unit of work; or it walks a tree. A unit of work comes after the same number of
// calls each time, and does most of the work. Otherwise the outermost call ends it.
func ends(way []*node) (left []*node, from int) {
	again := slices.IndexFunc(way, func(n *node) bool { return n.again })
	if again < 0 {
		return way, 0
	}
	before := 0
	for before < again && (way[before].frame.inTest() || way[before].frame.root) {
		before++
	}
	if before < again {
		return way[:again], 0
	}
	for i := len(way) - 1; i > again; i-- {
		if n := way[i]; !n.again && n.atOneDepth() && 2*n.work >= way[again].work && n.work > 0 {
			return way[:i+1], again + 1
		}
	}
	if again > 0 && !way[again-1].frame.inTest() {
		return way[:again], 0
	}
	return way[:again+1], again
}

// atOneDepth tells whether a function is called after the same number of calls of functions that
// call themselves.
func (n *node) atOneDepth() bool {
	var most, all int64
	for _, bytes := range n.deep {
		most = max(most, bytes)
		all += bytes
	}
	return float64(most) >= coverage*float64(all)
}

// outward returns how much of a path is left when it ends at a function that others can call: what
// the inner functions of a package make, they usually return. Package main has no such functions,
// and no test is one. Where that function may be a loop that never ends, the path ends at what it
// calls, and in is its index; otherwise in is -1.
func outward(path stack, from int) (end, in int) {
	last := path[len(path)-1]
	if last.pkg == "main" || last.again {
		return len(path), -1
	}
	for i := len(path) - 1; i >= from && path[i].pkg == last.pkg; i-- {
		switch {
		case path[i].inTest() && i+1 < len(path):
			return i + 2, -1
		case !exported(path[i].fn):
		case i+1 < len(path) && mayLoop(path[:i+1]):
			return i + 2, i
		default:
			return i + 1, -1
		}
	}
	return len(path), -1
}

// mayLoop tells whether the last call of a path may be a loop that never ends: what a goroutine
// calls first, and what package main calls first, if its name says so. Package main calls parsers,
// too.
func mayLoop(path stack) bool {
	if !path[0].root {
		return false
	}
	i := slices.IndexFunc(path, func(f frame) bool { return !starts(f) })
	if i < 0 || i == len(path)-1 {
		return true
	}
	for path[i].pkg == "main" {
		i++
	}
	name := path[i].fn[strings.LastIndexByte(path[i].fn, '.')+1:]
	return i == len(path)-1 && hasAny(name, []string{"Run", "Serve", "Listen", "Loop", "Start", "Work", "Main", "Execute"})
}

// exported tells whether a function, and its receiver, is exported: net/http.(*ServeMux).ServeHTTP,
// but no func1 in it.
func exported(fn string) bool {
	name := short(fn)
	_, name, _ = strings.Cut(name, ".")
	if v, rest, ok := strings.Cut(name, "."); ok && len(v) > 1 && v[0] == 'v' && v[1] >= '0' && v[1] <= '9' {
		name = rest // gopkg.in/yaml.v3.Unmarshal
	}
	for part := range strings.SplitSeq(name, ".") {
		if part = strings.TrimLeft(part, "(*"); part == "" || part[0] < 'A' || part[0] > 'Z' {
			return false
		}
	}
	return true
}

// moving returns the bytes that would move, at the upper end.
func (x *allocSample) moving() int64 { return int64(math.Round(float64(x.bytes) * x.high)) }

// parts returns which parts of the bytes of a site would move, at the lower and at the upper end of
// a range. A line may ask for several kinds, as m[k] = &T{} does. A profile of memory does not tell
// them apart, so its bytes are shared out by the time of malloc.
func parts(m mover, info *siteInfo) (low, high float64) {
	asked := info.asked
	if info.kind() == unknown {
		asked[unknown] = 1
	}
	var all, lows, highs int64
	for k, ns := range asked {
		l, h := moves(m, info, kind(k))
		all += ns
		if l {
			lows += ns
		}
		if h {
			highs += ns
		}
	}
	return float64(lows) / float64(all), float64(highs) / float64(all)
}

// moves tells whether memory of a kind that a site asks for would move to an arena, at the lower
// and at the upper end of a range.
func moves(m mover, info *siteInfo, k kind) (low, high bool) {
	if !m.moves() || info == nil || k == concurrency {
		return false, false
	}
	byFix := info.fixed.asked && m != adapter
	switch {
	case byFix && !info.fixed.moves:
		return false, false
	case math.IsNaN(info.age):
		return false, true
	case info.age > longLife:
		return false, false
	case info.age >= shortLife || m == adapter || m == port:
		return false, true
	case byFix:
		return !info.fixed.stays && !info.fixed.perhaps, true
	}
	return k != mapping, true
}

// inside tells whether a stack goes through the calls of path.
func (v view) inside(st, path stack) bool {
	p := v.pathOf(st)
	if len(p) < len(path) {
		return false
	}
	for i, f := range path {
		if p[i].fn != f.fn {
			return false
		}
	}
	return true
}

// free tells whether a stack is inside of path, and not of a better scope.
func (a *Advice) free(st, path stack) bool {
	return a.inside(st, path) && !slices.ContainsFunc(a.Scopes, func(s *Scope) bool { return a.inside(st, s.path) })
}

// A cost is time of malloc, zeroing and copying that would go to an arena, as a part of all CPU
// time, and what that saves.
type cost struct {
	part  float64
	saves Range
}

// add counts a part of the time, and what of it is saved. If it is not certain that it moves, it
// may also save nothing.
func (c *cost) add(part float64, r Range, certain bool) {
	if !certain {
		r = Range{min(r.Low, 0), max(r.High, 0)}
	}
	c.part += part
	c.saves.Low += part * r.Low
	c.saves.High += part * r.High
}

// scope returns what an arena saves that is reset when the last call of path ends.
func (a *Advice) scope(path stack, sites map[siteKey]*siteInfo) *Scope {
	f := path[len(path)-1]
	s := &Scope{Function: f.fn, Outermost: f.again, path: path}
	for _, f := range path {
		s.Calls = append(s.Calls, f.fn)
	}
	var reset, asIs, adapted cost
	counted, work := 0, 0.0 // samples of malloc, and the program's own work
	for _, c := range a.cpu {
		if c.lost || !a.free(c.stack, path) {
			continue
		}
		part := float64(c.ns) / float64(a.total)
		s.CPU += part
		if c.class == user {
			work += part
		}
		key, _, _ := a.keyOf(c.stack)
		kind := kindOf(c.stack)
		saves := saveMalloc[kind]
		m, _ := a.moverOf(c.stack)
		switch info := sites[key]; {
		case c.class == user && kind == slice && c.stack.copies() && m != adapter && info != nil && info.large > 0:
			part *= float64(info.large) / float64(info.alloc)
			saves = saveCopies
		case c.class != malloc && c.class != zeroing:
			continue
		}
		low, high := moves(m, sites[key], kind)
		if sites[key] == nil { // too rare for the other profile
			high = m.moves()
		}
		if !high {
			continue
		}
		gets := a.gets(m, c.stack)
		if gets == none {
			continue
		}
		low = low && gets == certain
		counted += max(1, int(float64(c.ns)/float64(a.total)*float64(a.Samples)))
		if m == adapter { // how the library asks for memory does not say how the adapter would
			info := sites[key]
			reset.add(part, saveMalloc[unknown], low)
			adapted.add(part, saveMalloc[unknown], info != nil && info.age < shortLife)
			continue
		}
		for _, sum := range []*cost{&reset, &asIs, &adapted} {
			sum.add(part, saves, low)
		}
	}
	var bytes, adaptedBytes Range
	known := 0.0
	by := map[siteKey]*Site{}
	for _, x := range a.allocs {
		info := sites[x.site]
		if x.lost || x.moving() == 0 || !a.free(x.stack, path) {
			continue
		}
		part := float64(x.bytes) / float64(a.bytes) * x.high
		objects := float64(x.objects) / float64(a.objects) * x.high
		bytes.High += part
		bytes.Low += float64(x.bytes) / float64(a.bytes) * x.low
		known += float64(x.bytes) * x.low
		s.Objects += objects
		if x.mover == adapter {
			adaptedBytes.High += part
			if info.age < shortLife {
				adaptedBytes.Low += part
			}
		}
		s.samples = append(s.samples, x)
		site := by[x.site]
		if site == nil {
			site = &Site{Function: info.frame.fn, File: info.frame.file, Line: info.frame.line, Kind: info.kind().String(), Hint: x.hint}
			if !math.IsNaN(info.life) {
				site.Cycles = &info.life
			}
			if info.kind() == mapping {
				site.Hint = "arena.MakeMap"
			}
			by[x.site] = site
			s.Sites = append(s.Sites, site)
		}
		site.Bytes += part
		site.Objects += objects
	}
	s.Bytes = bytes.High
	slices.SortFunc(s.Sites, func(x, y *Site) int {
		return cmp.Or(cmp.Compare(y.Bytes, x.Bytes), strings.Compare(x.Function, y.Function), cmp.Compare(x.Line, y.Line))
	})
	collector := a.share[gc] + a.share[barrier]
	misses := func(bytes, each float64) float64 { return min(bytes*a.perNano*each, maxMiss*work) }
	saves := func(cost cost, bytes Range, sure float64) (r Range) {
		r.Low = cost.saves.Low + bytes.Low*sure*collector*saveCollector.Low + misses(bytes.Low, saveMiss.Low)
		r.High = cost.saves.High + bytes.High*(collector*saveCollector.High+min(a.wakes, saveWakes*a.share[gc])) + misses(bytes.High, saveMiss.High)
		r.High = min(r.High, max(s.CPU, cost.part+bytes.High*collector))
		r.Low = min(r.Low, r.High)
		return r
	}
	s.Reset = saves(reset, bytes, a.sure)
	turns := a.turns(path)
	s.Reset.Low -= turns * (perReset.Low + perStore*float64(len(s.Sites)))
	s.Reset.High -= turns * perReset.High
	s.AsIs = saves(asIs, Range{bytes.Low, bytes.High - adaptedBytes.High}, a.sure)
	s.Adapted = saves(adapted, Range{bytes.Low + adaptedBytes.Low, bytes.High}, a.sure+adaptedBytes.Low)
	all := reset.part + bytes.High*collector
	s.Fresh = Range{all * keepFresh.Low, all * keepFresh.High}
	s.Confidence = confidence(counted, a.Cycles, known/math.Max(bytes.High*float64(a.bytes), 1))
	return s
}

// turns returns how many units of work there are in a nanosecond of CPU time, if it is known: one
// in each loop of the benchmark that path begins with.
func (a *Advice) turns(path stack) float64 {
	var inside, nanos float64
	for _, f := range path {
		for _, u := range a.in.Units {
			if f.inTest() && f.object()[0] == u.Benchmark && (nanos == 0 || u.Nanos < nanos) {
				nanos = u.Nanos
			}
		}
		if nanos > 0 {
			for _, c := range a.cpu {
				if c.stack.has(f.fn) {
					inside += float64(c.ns) / float64(a.total)
				}
			}
			return inside / nanos
		}
	}
	return 0
}

// confidence says in a word how far the figures of a scope can be trusted: by the samples of malloc
// in it, by the cycles of the collector in the run, and by the part of the bytes whose life is
// known to be short.
func confidence(samples int, cycles, known float64) string {
	switch {
	case samples < 50 || cycles < 5 || known < 0.3:
		return "low"
	case samples < 200 || cycles < 20 || known < 0.7:
		return "fair"
	}
	return "high"
}
