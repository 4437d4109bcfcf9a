package fix

import "strings"

// Ways says on which ways from a root the arena is lost. Functions are named as path.Func and
// path.Type.Method; functions of a program also as main.Func, as in its profiles.
type Ways struct {
	Bare    map[Way]bool    // calls without an arena; true if no call between these functions has one
	Carried map[string]bool // functions that have the arena in a struct, whoever calls them
}

// A Way is a call of one function by another, perhaps in a function literal of it.
type Way struct{ From, To string }

// ways finds the calls without an arena: calls in a function literal that is kept, for instance,
// and calls of function values. Functions that have it in a struct do not need one.
func (p *program) ways() Ways {
	all := Ways{map[Way]bool{}, map[string]bool{}}
	with := map[Way]bool{}
	add := func(to map[Way]bool, f, g *function) {
		to[Way{f.name(), g.name()}] = true
		to[Way{f.inMain(), g.inMain()}] = true
	}
	for _, f := range p.order {
		if !f.reached {
			continue
		}
		if f.carrier != nil {
			all.Carried[f.name()], all.Carried[f.inMain()] = true, true
		}
		for _, c := range f.calls {
			_, why := f.where(c.way)
			switch {
			case c.to.carrier != nil:
			case c.dropped || why.stays() && c.to.variant():
				add(all.Bare, f, c.to)
			default:
				add(with, f, c.to)
			}
		}
		for _, c := range f.other {
			if c.to.carrier == nil {
				add(all.Bare, f, c.to)
			}
		}
	}
	for way := range all.Bare {
		all.Bare[way] = !with[way]
	}
	return all
}

// inMain returns the name that a profile of a program has for the function.
func (f *function) inMain() string {
	if f.pkg.Name == "main" {
		return "main" + strings.TrimPrefix(f.name(), f.pkg.PkgPath)
	}
	return f.name()
}
