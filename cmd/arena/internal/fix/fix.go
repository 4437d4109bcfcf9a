// Package fix rewrites a program so that what it allocates lies in an arena.
//
// A function that is called from a root finds the arena in a carrier, a struct argument with a
// field for it. Or it gets a second form with the arena as its first parameter. The original
// function stays, and calls the second form without an arena, which is the heap. So APIs and tests
// stay unchanged, and no rewriting changes what a program does that makes no arena. With
// Options.Twice all original functions that allocate stay, and call each other.
package fix

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Options say what to rewrite.
type Options struct {
	Dir       string   // of the module; empty is the current directory
	Patterns  []string // packages to rewrite; none is ./...
	Roots     []string // functions where an arena comes in: example.com/path.Func, example.com/path.Type.Method
	Known     bool     // roots that are not in the packages, or call recover, are left out, unless that leaves none
	Carriers  []string // structs that get it as a field, beside those that are found
	NoFind    bool     // no others
	Scopes    []string // functions that call roots, and get an arena from a Pool for these
	AllScope  bool     // all of these for which it is proved that nothing of the arena is left when they return
	Closed    bool     // no other package calls or implements anything of the packages
	Profile   string   // a profile of allocations: only sites move that it names; empty moves all
	Percent   float64  // of the profile's bytes that a site has to allocate
	Lines     bool     // the new sources tell the compiler the lines of the old ones: see lines.go
	Generated bool     // files change, too, that say that a program has made them
	Twice     bool     // functions that allocate stay unchanged, next to their second form: see twice.go
	Ask       bool     // look for flags with which more moves, and for where ways end
	Hook      bool     // the former functions of roots take an arena that the environment asks for, for tests: see hook.go

	unproved bool           // for a test: functions get an arena of which it is not proved, too
	ending   map[place]bool // function literals that nobody can call when the roots have returned, see findEnding; nil if that is not known
}

func (o Options) patterns() []string {
	if len(o.Patterns) == 0 {
		return []string{"./..."}
	}
	return o.Patterns
}

// A Result is what was rewritten, and what was not.
type Result struct {
	Files     map[string][]byte // the new sources, by the name of the file
	Old       map[string][]byte // and the old ones
	Roots     []string          // the functions with an arena
	Asked     []string          // and those that they are the second forms of
	Carriers  []string
	Sites     []Site
	Ways      Ways
	Generated []string // the files that stay unchanged, because they say that a program has made them
	Out       []string // packages that were left out, because they do not compile
	Packages  []string // the others
	Scopes    []Scope  // what becomes of what the roots make, by caller
	Large     bool     // the program is so large that Run did not try all that may move more
	Ends      []End    // where the ways from the roots end, if nothing moves or this was asked for
	Share     float64  // of the bytes in the profile that the roots allocate, with what they call

	elsewhere map[string]float64 // of these, what is allocated on lines without sites, by package
	unreached map[string]float64 // and in functions without an arena, by function
	former    map[string]float64 // and below calls of former functions, by line
	generated float64            // of these, what Generated allocates
}

// A Site is an expression that allocates, in a function that is called from a root.
type Site struct {
	File     string
	Line     int
	Package  string
	Main     bool   // the package is a program
	Lines    []Line // those that may allocate for it: its first one, the others, and those where a map or a builder of text grows
	Function string
	Kind     string
	Why      string  // it stays on the heap; empty if it moves
	At       string  // the file and the line where that arises, if it is elsewhere: see line
	Perhaps  bool    // it moves where its carrier has an arena: some may have none
	Fails    bool    // it is made for an error or a panic, so once at most
	Bytes    float64 // its share of the bytes that the roots allocate in the profile, or of all if they are not in it
}

// Run rewrites packages. It writes nothing.
//
// Whoever has a struct with the arena may call its methods later. That may leave on the heap what
// would move without such structs, so Run tries it without them, too.
func Run(o Options) (*Result, error) {
	if len(o.Roots) == 0 {
		return nil, fmt.Errorf("arena fix: no root: name the function whose allocations are to move, by -root example.com/path.Func; arena advise finds it")
	}
	if o.Dir == "" {
		o.Dir = "."
	}
	l, err := read(o.Dir, o.patterns())
	if err != nil {
		return nil, err
	}
	r, enough, err := run(o, l)
	if err != nil || enough < 0 || o.NoFind || len(o.Carriers) > 0 || r.part() > enough || r.Large {
		return r, err
	}
	o.NoFind = true
	if other, _, err := run(o, l); err == nil && other.clearly(r) {
		return other, nil
	}
	return r, nil
}

// run is Run with what the options say. It tells which part is enough not to try it without structs
// that get the arena.
func run(o Options, l *loaded) (result *Result, enough float64, err error) {
	p, err := load(o.Dir, o.patterns(), o.Generated, l)
	if err != nil {
		return nil, 0, err
	}
	roots := 0
	for i, name := range o.Roots {
		f, err := p.find(name)
		if err == nil && f.recovers() {
			err = fmt.Errorf("arena fix: -root %s: it calls recover, which has no effect in a second form of a deferred function; name a function that it calls", name)
		}
		if err != nil && o.Known && (roots > 0 || i+1 < len(o.Roots)) {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		f.root = true
		roots++
	}
	if o.Lines {
		for _, f := range p.files {
			f.markLines()
		}
	}
	p.profiled, p.assumed = o.Profile != "", o.ending
	p.takes()
	p.findPools()
	p.finds = !o.NoFind || len(o.Carriers) > 0
	p.findStructs()
	p.findLater()
	p.addKept()
	p.findOlder()
	p.findGroups()
	for _, f := range p.order {
		p.walk(f)
	}
	p.findLive(o.Carriers)
	enough = p.enough()
	p.findReused()
	if o.Twice, err = p.keepWhole(o.Twice); err != nil {
		return nil, 0, err
	}
	if o.Profile != "" {
		if err := p.keepCold(o.Profile, o.Percent); err != nil {
			return nil, 0, err
		}
	}
	p.keepStacked()
	if err := p.findLeft(); err != nil {
		return nil, 0, err
	}
	if o.ending == nil && !l.large() {
		if ending := p.findEnding(); len(ending) > 0 {
			o.ending = ending
			return run(o, l)
		}
	}
	if o.Profile == "" {
		p.keepSeldom()
	}
	p.reach(true)
	p.findSteps()
	p.reach(true)
	if err := p.carriers(o.Carriers, !o.NoFind, len(o.Scopes) == 0 && !o.AllScope); err != nil {
		return nil, 0, err
	}
	p.keepFormer(o.Twice)
	for more := true; more; more = p.checkPools() {
		p.reach(false)
		if err := p.findLeft(); err != nil {
			return nil, 0, err
		}
	}
	p.reach(false)
	ending, before := p.findEnding(), len(o.ending)
	if maps.DeleteFunc(o.ending, func(at place, _ bool) bool { return !ending[at] }); len(o.ending) < before {
		return run(o, l)
	}
	p.findEntered()
	p.hook = o.Hook
	r := &Result{unreached: map[string]float64{}, Files: map[string][]byte{}, Old: map[string][]byte{}, Generated: p.fixed, Out: p.out, Packages: paths(p.pkgs)}
	if r.Scopes, err = p.scopes(o); err != nil {
		return nil, 0, err
	}
	p.keepHidden()
	p.shareBuilders()
	p.rewrite()
	if o.Hook {
		p.hooks(r.Files)
	}
	for _, f := range p.files {
		if !f.changed() {
			continue
		}
		if r.Files[f.name], err = f.result(); err != nil {
			return nil, 0, err
		}
		r.Old[f.name] = f.src
	}
	if p.tally != nil {
		r.former = p.tally.divide()
	}
	found := map[string]bool{}
	for _, f := range p.order {
		if f.carrier != nil && f.reached {
			found[f.carrier.describe()] = true
		}
		if f.root {
			name := f.name()
			r.Asked = append(r.Asked, name)
			switch {
			case f.variant():
				r.Roots = append(r.Roots, strings.TrimSuffix(name, f.decl.Name.Name)+f.variantName())
			case f.carrier != nil:
				r.Roots = append(r.Roots, name)
			}
		}
		if !f.reached {
			for _, s := range f.sites {
				r.unreached[f.name()] += s.bytes
			}
			continue
		}
		for _, s := range f.sites {
			at := p.fset.Position(s.node.Pos())
			from := ""
			if s.why.stays() && s.why.crosses() && s.at.IsValid() {
				from = p.line(s.at)
			}
			r.Sites = append(r.Sites, Site{at.Filename, at.Line, f.pkg.PkgPath, f.pkg.Name == "main", p.lines(f, s), f.name(), s.kind, s.why.String() + s.about, from, f.carrier != nil && f.carrier.bare, !s.why.crosses(), s.bytes})
		}
	}
	r.Carriers = slices.Sorted(maps.Keys(found))
	r.Ways, r.Share, r.elsewhere, r.generated = p.ways(), p.share, p.elsewhere, p.generated
	if r.Large = l.large(); r.Nothing() || o.Ask {
		r.Ends = p.ends()
	}
	return r, enough, nil
}

// largeSteps is how many instructions may be looked at to follow the program before Run tries
// nothing else.
const largeSteps = 12_000_000

// large tells whether it takes long to follow the program.
func (l *loaded) large() bool { return l.lives != nil && l.lives.Steps() > largeSteps }

// clearly tells whether clearly more moves than in another result.
func (r *Result) clearly(other *Result) bool {
	if r.Share > 0 {
		return r.part() > other.part()+0.05
	}
	moved := func(r *Result) (n int) {
		for _, s := range r.Sites {
			if s.Why == "" && s.Kind != kindCarrier {
				n++
			}
		}
		return n
	}
	return 4*moved(r) > 5*moved(other)
}

// enough returns which part of the bytes has to move so that nothing else is tried: less where a
// root is a method or a constructor of what may get the arena, and any where nothing gets it.
func (p *program) enough() float64 {
	switch {
	case !p.hasCandidates():
		return -1
	case len(p.constructed()) > 0 || slices.ContainsFunc(p.order, func(f *function) bool { return f.root && p.enters(f) != nil }):
		return 0.5
	}
	return 0.9
}

// line returns the name of a file, as it is from the directory of the program, and the line. Of a
// file elsewhere it has the last directory.
func (p *program) line(pos token.Pos) string {
	at := p.fset.Position(pos)
	name := filepath.Join(filepath.Base(filepath.Dir(at.Filename)), filepath.Base(at.Filename))
	if dir, err := filepath.Abs(p.dir); err == nil {
		if inside, err := filepath.Rel(dir, at.Filename); err == nil && filepath.IsLocal(inside) {
			name = inside
		}
	}
	return fmt.Sprintf("%s:%d", filepath.ToSlash(name), at.Line)
}

// part returns which part of the bytes moves that the roots allocate in the profile, or, without
// one, which part of the sites.
func (r *Result) part() float64 {
	bytes, moved, all := 0.0, 0.0, 0.0
	for _, s := range r.Sites {
		if s.Why == "" && s.Kind != kindCarrier {
			bytes += s.Bytes
		}
		if !s.Fails {
			if all++; s.Why == "" && s.Kind != kindCarrier {
				moved++
			}
		}
	}
	switch {
	case r.Share > 0:
		return min(bytes, 1)
	case all == 0:
		return 0
	}
	return moved / all
}

// recovers tells whether the function calls recover. That has an effect only in the function that
// was deferred itself, so a former function that calls its second form would not recover.
func (f *function) recovers() (found bool) {
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			b, ok := f.pkg.TypesInfo.Uses[id].(*types.Builtin)
			found = found || ok && b.Name() == "recover"
		}
		_, inside := n.(*ast.FuncLit)
		return !inside
	})
	return found
}
