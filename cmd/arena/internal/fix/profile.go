package fix

import (
	"fmt"
	"go/ast"
	"go/types"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/arena-go/arena/cmd/arena/internal/profiles"
	"github.com/google/pprof/profile"
)

// A Line is one of the program, by the path of the package and the base name of the file: profiles
// are often of sources elsewhere.
type Line struct {
	Package, File string
	Line          int
}

// LineOf returns a line of a file. Line directives may name several files in one function, such
// as a grammar and a skeleton, and a profile has one of these for all lines of the function: so a
// file that is no Go has no name here.
func LineOf(pkg, file string, line int) Line {
	file = filepath.Base(file)
	if filepath.Ext(file) != ".go" {
		file = ""
	}
	return Line{pkg, file, line}
}

// A tally is what a profile of allocations says of the program.
type tally struct {
	p     *program
	lines map[Line][]allocation // by the innermost line in the packages
	sites map[Line][]*site      // that begin or grow on a line
	in    map[*site]*function   // where these are
	known map[Line]bool         // lines of sites

	all, found, rooted int64 // bytes: of the profile, on lines of the packages, below the roots
}

// An allocation is a sample of a profile.
type allocation struct {
	bytes, size int64     // together, and each of them; the size is 0 if the profile does not have it
	in          string    // the function on the line
	calls       []calling // of the packages, from the innermost one outwards
	of          string    // the package that allocates it
	direct      bool      // that is the package of the line
	by          string    // the function of a library that is called on the line
	rooted      bool      // it is below a root
}

// A calling is a call on a stack: of a function, on a line of another one.
type calling struct {
	caller string
	at     Line
	callee string
}

// keepCold leaves on the heap the sites that allocate less than percent of the bytes in a profile
// of allocations.
func (p *program) keepCold(name string, percent float64) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("arena fix: -profile: %w", err)
	}
	defer f.Close()
	prof, err := profile.Parse(f)
	if err != nil {
		return fmt.Errorf("arena fix: -profile %s: %w; it has to be one of allocations, such as go test -memprofile writes", name, err)
	}
	value := profiles.Index(prof, "alloc_space")
	if value < 0 {
		return fmt.Errorf("arena fix: -profile %s: has no alloc_space; it has to be one of allocations, such as go test -memprofile writes", name)
	}
	t := &tally{p: p, lines: map[Line][]allocation{}, sites: map[Line][]*site{}, in: map[*site]*function{}, known: map[Line]bool{}}
	t.findSites()
	t.count(prof.Sample, value)
	if t.found == 0 {
		return fmt.Errorf("arena fix: -profile %s: nothing in it is allocated by these packages", name)
	}
	p.tally = t
	for _, f := range p.order {
		for _, s := range f.sites {
			if n := t.on(p.lines(f, s), s.small); !s.why.stays() && s.kind != kindCarrier && (s.group == nil || s.builder) && (n == 0 || float64(n) < percent/100*float64(t.all)) {
				s.why = whyProfile
			}
		}
		f.sites = slices.DeleteFunc(f.sites, func(s *site) bool { return s.small && s.why == whyProfile })
	}
	return nil
}

// findSites notes which sites are on which lines. Those that are small go where others are.
func (t *tally) findSites() {
	sure := map[Line]bool{} // lines of sites that are not small
	for _, f := range t.p.order {
		for _, s := range f.sites {
			if !s.small {
				for _, at := range t.p.growing(f, s) {
					sure[at] = true
				}
			}
		}
		f.sites = slices.DeleteFunc(f.sites, func(s *site) bool { return s.small && sure[t.p.growing(f, s)[0]] })
		for _, s := range f.sites {
			for _, at := range t.p.lines(f, s) {
				t.known[at] = true
			}
			s.size, t.in[s] = f.sizeOf(s), f
			for _, at := range t.p.growing(f, s) {
				t.sites[at] = append(t.sites[at], s)
			}
		}
	}
}

// count counts the samples of a profile.
func (t *tally) count(samples []*profile.Sample, value int) {
	p, mine, fixed, roots := t.p, map[string]bool{}, map[string]bool{"": true}, map[string]bool{} // line directives of fixed files name others
	for _, pkg := range p.pkgs {
		mine[pkg.PkgPath] = true
	}
	for _, name := range p.fixed {
		fixed[filepath.Base(name)] = true
	}
	for _, f := range p.order {
		if f.root {
			roots[f.name()], roots[f.inMain()] = true, true
		}
	}
	var made []string // methods of what roots construct
	for obj := range p.constructed() {
		made = append(made, obj.Pkg().Path()+"."+obj.Name()+".")
	}
	below, elsewhere, generated := map[Line]int64{}, map[string]int64{}, int64(0)
	for _, s := range samples {
		a := allocation{bytes: s.Value[value], rooted: isRooted(s, roots, made)}
		if size := s.NumLabel["bytes"]; len(size) > 0 {
			a.size = size[0]
		}
		t.all += a.bytes
		at, in, by, ok := innermost(s, mine)
		if a.of = allocator(s); ok {
			a.in, a.by, a.calls = plainName(in), plainName(by), callingsOf(s, mine)
			a.direct = a.of == at.Package
			t.lines[at] = append(t.lines[at], a)
			t.found += a.bytes
		}
		if !a.rooted {
			continue
		}
		t.rooted += a.bytes
		for _, at := range stackOf(s, mine) {
			below[at] += a.bytes
		}
		switch {
		case t.known[at]:
		case ok && len(p.fixed) > 0 && fixed[at.File]:
			generated += a.bytes
		default:
			elsewhere[a.of] += a.bytes
		}
	}
	part := func(n int64) float64 { return float64(n) / float64(max(t.rooted, 1)) }
	p.below = map[Line]float64{}
	for pkg, n := range elsewhere {
		p.elsewhere[pkg] = part(n)
	}
	for at, n := range below {
		p.below[at] = part(n)
	}
	p.generated, p.share = part(generated), float64(t.rooted)/float64(max(t.all, 1))
}

// divide gives the bytes of the profile to the sites. What is below a call of a former function, or
// below one that no way reaches, has no arena: divide returns the parts of the bytes below such
// calls, by line.
func (t *tally) divide() map[string]float64 {
	former, below := map[calling]bool{}, map[string]float64{}
	reached, roots, carried, literals := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[Line]bool{}
	left := map[*site]bool{}
	for _, f := range t.p.order {
		for _, s := range f.sites {
			left[s] = true
		}
		reached[f.name()] = reached[f.name()] || f.reached
		roots[f.name()] = roots[f.name()] || f.root
		carried[f.name()] = f.carrier != nil
		if f.literal != nil && f.reached { // by its own name in no profile
			for _, at := range t.p.span(f, f.literal) {
				literals[at] = true
			}
		}
	}
	bare := func(w calling) bool {
		name, _, _ := strings.Cut(w.caller, ".func") // another literal runs in the function around it
		is, known := reached[name]
		return former[w] || known && !is && !literals[w.at] && !carried[w.callee]
	}
	note := func(f *function, c *call, bare bool) {
		at := t.p.fset.Position(c.expr.Lparen)
		w := calling{f.name(), LineOf(f.pkg.PkgPath, at.Filename, at.Line), c.to.name()}
		is, known := former[w]
		former[w] = bare && (is || !known)
	}
	for _, f := range t.p.order {
		for _, c := range f.calls {
			note(f, c, c.dropped && !c.stacked)
		}
		for _, c := range f.other {
			note(f, c, c.to.carrier == nil)
		}
	}
	for at, list := range t.lines {
		sites := slices.DeleteFunc(slices.Clone(t.sites[at]), func(s *site) bool { return !left[s] })
		for _, a := range list {
			i := slices.IndexFunc(a.calls, func(w calling) bool { return roots[w.callee] || bare(w) })
			if i >= 0 && a.rooted && bare(a.calls[i]) {
				w := a.calls[i]
				below[fmt.Sprintf("%s:%d", w.at.File, w.at.Line)] += float64(a.bytes) / float64(max(t.rooted, 1))
				continue
			}
			if len(sites) > 0 || t.known[at] && a.rooted {
				t.share(a, sites)
			}
		}
	}
	for _, f := range t.p.order {
		for _, s := range f.sites {
			if s.was != nil {
				s.bytes = s.was.bytes
			}
		}
	}
	return below
}

// share divides an allocation among the sites on its line. Those that make values of one size get
// no others, and calls of a library what that allocates. If something is allocated below the roots,
// nothing else counts.
func (t *tally) share(a allocation, sites []*site) {
	all := t.all
	if t.rooted > 0 {
		all = t.rooted
		if !a.rooted {
			return
		}
	}
	some := func(keep func(s *site) bool) {
		if list := slices.DeleteFunc(slices.Clone(sites), func(s *site) bool { return !keep(s) }); len(list) > 0 {
			sites = list
		}
	}
	some(func(s *site) bool { return strings.HasPrefix(a.in+".", t.in[s].name()+".") }) // line directives give functions the same lines
	some(func(s *site) bool { return t.in[s].reached })                                 // what grows here may be made in any of several functions
	if a.direct {
		some(func(s *site) bool { return !t.in[s].asksLibrary(s) })
	} else {
		sites = slices.DeleteFunc(slices.Clone(sites), func(s *site) bool { return !t.in[s].asksLibrary(s) })
		some(func(s *site) bool { return t.in[s].asked(s) == a.by })
	}
	if len(sites) == 0 {
		t.p.elsewhere[a.of] += float64(a.bytes) / float64(max(all, 1))
		return
	}
	if a.size > 0 {
		some(func(s *site) bool { return s.size == 0 || s.fits(a.size) })
		some(func(s *site) bool { return s.fits(a.size) })
	}
	for _, s := range sites {
		s.bytes += float64(a.bytes) / float64(len(sites)) / float64(max(all, 1))
	}
}

// asked returns the function of a library that a site calls, as a profile names it, or "".
func (f *function) asked(s *site) string {
	c, ok := s.node.(*ast.CallExpr)
	if !ok {
		return ""
	}
	to, _ := callee(f.pkg.TypesInfo, c)
	if to == nil || to.Pkg() == nil {
		return ""
	}
	return unstarred.Replace(to.FullName())
}

// asksLibrary tells whether a library may allocate for a site.
func (f *function) asksLibrary(s *site) bool {
	return s.builder || s.group != nil || s.kind == kindLibrary || s.kind == kindOther || f.asked(s) != ""
}

// fits tells whether the values that a site makes may be allocated with a size. The class of a size
// is at most a quarter larger, or 16 bytes.
func (s *site) fits(allocated int64) bool {
	return s.size > 0 && s.size <= allocated && allocated <= s.size+max(s.size/4, 16)
}

// on returns how many bytes are allocated on lines. Libraries do not count if only direct
// allocations do.
func (t *tally) on(lines []Line, direct bool) (n int64) {
	for _, at := range lines {
		for _, a := range t.lines[at] {
			if a.direct || !direct {
				n += a.bytes
			}
		}
	}
	return n
}

var sizes = types.SizesFor("gc", runtime.GOARCH)

// sizeOf returns the size of the values that a site makes, or 0 if it is not always the same.
func (f *function) sizeOf(s *site) int64 {
	var t types.Type
	switch x, ok := s.node.(ast.Expr); {
	case s.kind == kindVariable && s.v != nil:
		t = s.v.Type()
	case ok && s.kind == kindBox:
		t = f.pkg.TypesInfo.TypeOf(x)
	case ok && s.kind == kindValue:
		t = pointee(f.pkg.TypesInfo.TypeOf(x))
	}
	if sig := f.obj.Signature(); t == nil || sig.TypeParams() != nil || sig.RecvTypeParams() != nil {
		return 0
	}
	return sizes.Sizeof(t)
}

// lines returns the lines that a site is on and the lines of its uses.
func (p *program) lines(f *function, s *site) (all []Line) {
	return append(p.growing(f, s), p.span(f, s.node)[1:]...)
}

// span returns the lines of a node of a function.
func (p *program) span(f *function, n ast.Node) (all []Line) {
	from, to := p.fset.Position(n.Pos()), p.fset.Position(n.End())
	all = []Line{LineOf(f.pkg.PkgPath, from.Filename, from.Line)}
	for line := from.Line + 1; from.Filename == to.Filename && line <= to.Line; line++ {
		all = append(all, LineOf(f.pkg.PkgPath, from.Filename, line))
	}
	return all
}

// growing returns the first line of a site, and then the lines of its uses, where it grows.
func (p *program) growing(f *function, s *site) (all []Line) {
	from := p.fset.Position(s.node.Pos())
	all = []Line{LineOf(f.pkg.PkgPath, from.Filename, from.Line)}
	for _, u := range s.uses {
		use := p.fset.Position(u.id.Pos())
		at := LineOf(f.pkg.PkgPath, use.Filename, use.Line)
		if !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	if s.group != nil && s.builder {
		all = append(all, s.group.uses...)
	}
	if x, ok := s.node.(ast.Expr); ok && s.kind == kindMap {
		more, _ := p.growths().maps.At(f.pkg.TypesInfo.TypeOf(x).Underlying()).([]Line)
		all = append(all, more...)
	}
	if f.asked(s) == "bufio.NewScanner" {
		all = append(all, p.growths().scans...)
	}
	return all
}

// framesOf yields the functions on the stack of a sample, with their packages, the innermost one
// first.
func framesOf(s *profile.Sample) iter.Seq2[profile.Line, string] {
	return func(yield func(profile.Line, string) bool) {
		for _, l := range s.Location {
			for _, line := range l.Line {
				if line.Function != nil && !yield(line, profiles.PackageOf(line.Function.Name)) {
					return
				}
			}
		}
	}
}

// allocator returns the package that allocates in a sample. The runtime does so for others.
func allocator(s *profile.Sample) (path string) {
	for _, path = range framesOf(s) {
		if path != "runtime" && !strings.HasPrefix(path, "internal/") {
			return path
		}
	}
	return path
}

// isRooted tells whether one of the roots is on the stack of a sample, or a function whose name
// begins as one of made.
func isRooted(s *profile.Sample, roots map[string]bool, made []string) bool {
	for line := range framesOf(s) {
		name := plainName(line.Function.Name)
		if roots[name] || slices.ContainsFunc(made, func(m string) bool { return strings.HasPrefix(name, m) }) {
			return true
		}
	}
	return false
}

// plainName returns the name of a function in a profile as the report writes it.
func plainName(name string) string { return unstarred.Replace(profiles.NameOf(name)) }

// lineOf returns the line of a frame.
func lineOf(line profile.Line, pkg string) Line {
	return LineOf(pkg, line.Function.Filename, int(line.Line))
}

// stackOf returns the lines of the packages on the stack of a sample, each once.
func stackOf(s *profile.Sample, mine map[string]bool) (all []Line) {
	for line, pkg := range framesOf(s) {
		if at := lineOf(line, pkg); mine[pkg] && !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	return all
}

// callingsOf returns the calls on the stack of a sample whose caller and function are in the
// packages.
func callingsOf(s *profile.Sample, mine map[string]bool) (all []calling) {
	callee := ""
	for line, pkg := range framesOf(s) {
		name := plainName(line.Function.Name)
		if callee != "" && mine[pkg] {
			all = append(all, calling{name, lineOf(line, pkg), callee})
		}
		callee = ""
		if mine[pkg] {
			callee = name
		}
	}
	return all
}

// innermost returns the innermost line of a sample that is in one of the packages: what these call
// allocates for them. It also returns the function there, and what that calls.
func innermost(s *profile.Sample, mine map[string]bool) (at Line, in, by string, ok bool) {
	for line, pkg := range framesOf(s) {
		if mine[pkg] {
			return lineOf(line, pkg), line.Function.Name, by, true
		}
		by = line.Function.Name
	}
	return at, "", "", false
}
