package fix

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-go/arena/cmd/arena/internal/profiles"
	"github.com/google/pprof/profile"
)

// A source is a line of the program, by the path of the package and the name of the file: profiles
// are often of sources elsewhere.
type source struct {
	pkg, file string
	line      int
}

// sourceOf returns a line of a file. Line directives may name several files in one function, such
// as a grammar and a skeleton, and a profile has one of these for all lines of the function: so a
// file that is no Go has no name here.
func sourceOf(pkg, file string, line int) source {
	file = filepath.Base(file)
	if filepath.Ext(file) != ".go" {
		file = ""
	}
	return source{pkg, file, line}
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
	mine := map[string]bool{}
	for _, pkg := range p.pkgs {
		mine[pkg.PkgPath] = true
	}
	bytes, roots := map[source]int64{}, map[string]bool{}
	direct := map[source]int64{} // what the packages themselves allocate there, and no library
	for _, f := range p.order {
		if f.root {
			roots[f.name()], roots[f.inMain()] = true, true
		}
	}
	var made []string // methods of what roots construct
	for obj := range p.constructed() {
		made = append(made, obj.Pkg().Path()+"."+obj.Name()+".")
	}
	known := map[source]bool{}      // lines of sites
	sharing := map[source]float64{} // how many sites begin or grow on a line
	sure := map[source]bool{}       // lines of sites that are not small
	for _, f := range p.order {
		for _, s := range f.sites {
			if !s.small {
				for _, at := range p.growing(f, s) {
					sure[at] = true
				}
			}
		}
		f.sites = slices.DeleteFunc(f.sites, func(s *site) bool { return s.small && sure[p.growing(f, s)[0]] })
		for _, s := range f.sites {
			for _, at := range p.lines(f, s) {
				known[at] = true
			}
			for _, at := range p.growing(f, s) {
				sharing[at]++
			}
		}
	}
	elsewhere := map[string]int64{}
	fixed := map[string]bool{"": true} // files, of which line directives name others
	for _, name := range p.fixed {
		fixed[filepath.Base(name)] = true
	}
	below := map[source]int64{}
	var all, found, rooted, generated int64
	for _, s := range prof.Sample {
		all += s.Value[value]
		at, ok := innermost(s, mine)
		if ok {
			bytes[at] += s.Value[value]
			found += s.Value[value]
			if allocator(s) == at.pkg {
				direct[at] += s.Value[value]
			}
		}
		if isRooted(s, roots, made) {
			rooted += s.Value[value]
			for _, at := range stackOf(s, mine) {
				below[at] += s.Value[value]
			}
			switch {
			case known[at]:
			case ok && len(p.fixed) > 0 && fixed[at.file]:
				generated += s.Value[value]
			default:
				elsewhere[allocator(s)] += s.Value[value]
			}
		}
	}
	for pkg, n := range elsewhere {
		p.elsewhere[pkg] = float64(n) / float64(max(rooted, 1))
	}
	p.below = map[source]float64{}
	for at, n := range below {
		p.below[at] = float64(n) / float64(max(rooted, 1))
	}
	p.generated = float64(generated) / float64(max(rooted, 1))
	p.share = float64(rooted) / float64(max(all, 1))
	if found == 0 {
		return fmt.Errorf("arena fix: -profile %s: nothing in it is allocated by these packages", name)
	}
	for _, f := range p.order {
		for _, s := range f.sites {
			var n int64
			bytes := bytes
			if s.small {
				bytes = direct
			}
			for _, at := range p.lines(f, s) {
				n += bytes[at]
			}
			for _, at := range p.growing(f, s) {
				s.bytes += float64(bytes[at]) / sharing[at] / float64(max(all, 1))
			}
			if !s.why.stays() && s.kind != kindCarrier && (s.group == nil || s.builder) && (n == 0 || float64(n) < percent/100*float64(all)) {
				s.why = whyProfile
			}
		}
		f.sites = slices.DeleteFunc(f.sites, func(s *site) bool { return s.small && s.why == whyProfile })
	}
	return nil
}

// lines returns the lines that a site is on and the lines of its uses.
func (p *program) lines(f *function, s *site) (all []source) {
	from, to := p.fset.Position(s.node.Pos()), p.fset.Position(s.node.End())
	for line := from.Line + 1; from.Filename == to.Filename && line <= to.Line; line++ {
		all = append(all, sourceOf(f.pkg.PkgPath, from.Filename, line))
	}
	return append(p.growing(f, s), all...)
}

// growing returns the first line of a site, and then the lines of its uses, where it grows.
func (p *program) growing(f *function, s *site) (all []source) {
	from := p.fset.Position(s.node.Pos())
	all = []source{sourceOf(f.pkg.PkgPath, from.Filename, from.Line)}
	for _, u := range s.uses {
		use := p.fset.Position(u.id.Pos())
		at := sourceOf(f.pkg.PkgPath, use.Filename, use.Line)
		if !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	if s.group != nil && s.builder {
		all = append(all, s.group.uses...)
	}
	return all
}

// allocator returns the package that allocates in a sample. The runtime does so for others.
func allocator(s *profile.Sample) (path string) {
	for _, l := range s.Location {
		for _, line := range l.Line {
			if line.Function == nil {
				continue
			}
			if path = profiles.PackageOf(line.Function.Name); path != "runtime" && !strings.HasPrefix(path, "internal/") {
				return path
			}
		}
	}
	return path
}

// isRooted tells whether one of the roots is on the stack of a sample, or a function whose name
// begins as one of made.
func isRooted(s *profile.Sample, roots map[string]bool, made []string) bool {
	for _, l := range s.Location {
		for _, line := range l.Line {
			if line.Function == nil {
				continue
			}
			name := strings.NewReplacer("(*", "", ")", "").Replace(profiles.NameOf(line.Function.Name))
			if roots[name] || slices.ContainsFunc(made, func(m string) bool { return strings.HasPrefix(name, m) }) {
				return true
			}
		}
	}
	return false
}

// stackOf returns the lines of the packages on the stack of a sample, each once.
func stackOf(s *profile.Sample, mine map[string]bool) (all []source) {
	for _, l := range s.Location {
		for _, line := range l.Line {
			if line.Function == nil {
				continue
			}
			pkg := profiles.PackageOf(line.Function.Name)
			if at := sourceOf(pkg, line.Function.Filename, int(line.Line)); mine[pkg] && !slices.Contains(all, at) {
				all = append(all, at)
			}
		}
	}
	return all
}

// innermost returns the innermost line of a sample that is in one of the packages: what these call
// allocates for them.
func innermost(s *profile.Sample, mine map[string]bool) (at source, ok bool) {
	for _, l := range s.Location {
		for _, line := range l.Line {
			if line.Function == nil {
				continue
			}
			if pkg := profiles.PackageOf(line.Function.Name); mine[pkg] {
				return sourceOf(pkg, line.Function.Filename, int(line.Line)), true
			}
		}
	}
	return at, false
}
