package advise

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/arena-go/arena/cmd/arena/internal/fix"
)

const arenaPath = "github.com/arena-go/arena"

// fixes is what arena fix says, by line, and of calls.
type fixes struct {
	lines map[fix.Line]verdict
	ways  fix.Ways
}

// A verdict is what arena fix says of a line.
type verdict struct {
	asked        bool
	moves, stays bool   // there may be both on a line; neither is a line that fix does not reach
	perhaps      bool   // some of what moves may stay
	why          string // something stays
}

func newFixes(sites []fix.Site, ways fix.Ways) *fixes {
	if sites == nil {
		return nil
	}
	f := &fixes{map[fix.Line]verdict{}, ways}
	for _, begins := range []bool{true, false} {
		before := maps.Clone(f.lines) // what begins on a line decides it, rather than what goes on there
		for _, s := range sites {
			for i, line := range s.Lines {
				if begins != (i == 0) {
					continue
				}
				for _, at := range names(s, line) {
					if _, ok := before[at]; ok {
						continue
					}
					v := f.lines[at]
					v.moves = v.moves || s.Why == ""
					v.stays = v.stays || s.Why != ""
					v.perhaps = v.perhaps || s.Perhaps
					v.why = cmp.Or(s.Why, v.why)
					f.lines[at] = v
				}
			}
		}
	}
	return f
}

// names returns what a profile may call a line of a site: package main has another name in its
// tests.
func names(s fix.Site, line fix.Line) []fix.Line {
	if s.Main && line.Package == s.Package {
		return []fix.Line{line, {Package: "main", File: line.File, Line: line.Line}}
	}
	return []fix.Line{line}
}

// of returns what fix says of the line of a call.
func (f *fixes) of(at frame) verdict {
	if f == nil || at.pkg == arenaPath || strings.HasPrefix(at.pkg, arenaPath+"/") { // which code asks that has arenas already
		return verdict{}
	}
	v := f.lines[fix.LineOf(at.pkg, at.file, int(at.line))]
	v.asked = true
	if !v.moves && !v.stays {
		v.why = "not reached from the root, or made by a library"
	}
	return v
}

// A chance says whether the innermost function of a stack gets an arena from the outermost one.
type chance int

const (
	certain chance = iota
	perhaps
	none
)

// moved returns the part of the bytes that the roots of r allocate that lies in an arena, however
// long it lives, and the part of all bytes that this is at most.
func (a *Advice) moved(r *fix.Result) (ofRoots Range, ofAll float64) {
	roots := slices.Clone(r.Asked)
	for _, s := range r.Sites {
		for i, name := range roots {
			if rest, ok := strings.CutPrefix(name, s.Package+"."); ok && s.Main {
				roots[i] = "main." + rest
			}
		}
	}
	var all, low, high int64
	for _, x := range a.allocs {
		if !slices.ContainsFunc(x.stack, func(f frame) bool { return slices.Contains(roots, f.declared()) }) {
			continue
		}
		all += x.bytes
		v := a.sites[x.site].fixed
		if x.mover != own && x.mover != helper || !v.moves || x.gets == none {
			continue
		}
		high += x.bytes
		if !v.stays && !v.perhaps && x.gets == certain {
			low += x.bytes
		}
	}
	whole := float64(max(all, 1))
	return Range{float64(low) / whole, float64(high) / whole}, float64(high) / float64(max(a.bytes, 1))
}

// gets follows a stack, the outermost call first. What has lost the arena has it again in a
// function that has it in a struct, perhaps.
func (a *Advice) gets(m mover, st stack) (g chance) {
	if a.fixes == nil || m == adapter {
		return certain
	}
	from := ""
	for _, f := range slices.Backward(st) {
		to := f.declared()
		switch always, bare := a.fixes.ways.Bare[fix.Way{From: from, To: to}]; {
		case bare && always:
			g = none
		case bare && g == certain:
			g = perhaps
		}
		if g == none && a.fixes.ways.Carried[to] {
			g = perhaps
		}
		from = to
	}
	return g
}
