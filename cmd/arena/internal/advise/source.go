package advise

import (
	"context"
	"fmt"
	"go/token"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/arena-go/arena/cmd/arena/internal/fix"
)

// Advise says what an arena would save in the program that has left in. If in.Sources names its
// packages, arena fix is tried on them: what it does not move stays, and sites have what the
// compiler says. Where the sources do not tell, the advice says so.
func Advise(ctx context.Context, log io.Writer, in Input) (*Advice, error) {
	a, err := Analyze(in)
	if err != nil || len(in.Sources) == 0 || len(a.Scopes) == 0 {
		return a, err
	}
	in.ByHand, in.Stays = a.ByHand, true
	callers := a.callers()
	if a, err = in.withFix(log); err != nil {
		return nil, err
	}
	choice := []*Advice{a}
	better := func() error { // puts a try in front if clearly more moves
		other, err := in.withFix(log)
		if err == nil && other.Unknown == "" && other.OfAll > choice[0].OfAll+worthMoving {
			choice = append([]*Advice{other}, choice...)
		}
		return err
	}
	if callers != nil {
		in.Outer = callers
		if err := better(); err != nil {
			return nil, err
		}
		in.Outer = choice[0].in.Outer
	}
	if choice[0].generated > worthMoving {
		in.Generated = true
		if err := better(); err != nil {
			return nil, err
		}
	}
	for _, a = range choice { // an arena further in may be measured where one further out is used too long
		a.judge()
		if err := a.tries(ctx, log); err != nil {
			return nil, err
		}
		if a.Untried == "" {
			break
		}
	}
	if a.Unknown != "" || a.Verdict == No {
		a.Fix = ""
	}
	if err := a.Escapes(ctx, in.Sources); err != nil {
		fmt.Fprintln(log, err)
	}
	return a, nil
}

// withFix says what an arena would save if the program's own code moves as far as arena fix moves
// it, with the scopes as roots.
func (in Input) withFix(log io.Writer) (*Advice, error) {
	a, err := Analyze(in)
	if err != nil || len(a.Scopes) == 0 {
		return a, err
	}
	for roots, tries := a.roots(0), 0; tries < maxTries; tries++ {
		if len(roots) == 0 {
			a.Unknown = "no scope is a function that can be a root of arena fix"
			break
		}
		fmt.Fprintln(log, "arena advise: arena fix is tried with", strings.Join(roots, ", "))
		r, err := fix.Run(fix.Options{Patterns: in.Sources, Known: true, Roots: roots, Generated: in.Generated})
		if err != nil {
			a.Unknown = err.Error()
			break
		}
		in.Sites, in.Ways = append([]fix.Site{}, r.Sites...), r.Ways // not nil, which would be that fix was not asked
		if a, err = Analyze(in); err != nil {
			return nil, err
		}
		a.tried(r)
		next := a.roots(worthNaming)
		if len(next) == 0 || r.Large || !slices.ContainsFunc(roots, func(name string) bool { return !slices.Contains(next, name) }) {
			break
		}
		roots = next
	}
	return a, nil
}

// maxTries is how often arena fix is tried: with all scopes first, and then with those that save
// something with what it moves.
const maxTries = 3

// worthMoving is the part of all bytes that has to move in addition for an arena to come in further
// out, where it also holds for longer.
const worthMoving = 0.05

// callers returns the outermost functions of the ways to the scopes that can be roots of arena fix,
// where these are not the scopes themselves: what makes an object, and then calls the method that
// is the scope. They are of benchmarks only, because a server's may be loops that never end.
func (a *Advice) callers() (names []string) {
	if len(a.in.Units) == 0 {
		return nil
	}
	for _, s := range a.Scopes {
		for i, f := range s.path[:len(s.path)-1] {
			if a.isForeign(f) || f.pkg == "main" || f.again || !exported(f.fn) || mayLoop(s.path[:i+1]) {
				continue
			}
			if name := f.asRoot(); name != "" {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
				break
			}
		}
	}
	return names
}

// tried notes what arena fix moves, and by which command, or where the way ends.
func (a *Advice) tried(r *fix.Result) {
	a.generated = a.allocatedIn(r.Generated)
	if r.Nothing() {
		most := int64(-1)
		for _, e := range r.Ends {
			if bytes := a.through(filepath.Base(e.File), int64(e.Line)); bytes > most {
				most, a.End = bytes, e.String()
			}
		}
		return
	}
	a.Moves, a.OfAll = a.moved(r)
	a.Roots = r.Asked
	a.Fix = fmt.Sprintf("arena fix -root %s %s", strings.Join(r.Asked, " -root "), strings.Join(a.in.Sources, " "))
	if a.in.Generated {
		a.Fix = strings.Replace(a.Fix, "fix ", "fix -generated ", 1)
	}
}

// allocatedIn returns the part of all bytes that is allocated in files, or in those that line
// directives name there.
func (a *Advice) allocatedIn(files []string) float64 {
	bytes := int64(0)
	for _, x := range a.allocs {
		if f, i := a.caller(x.stack); i >= 0 && len(files) > 0 && !a.isForeign(f) {
			name := path.Base(filepath.ToSlash(f.file))
			if path.Ext(name) != ".go" || slices.ContainsFunc(files, func(file string) bool { return filepath.Base(file) == name }) {
				bytes += x.bytes
			}
		}
	}
	return float64(bytes) / float64(max(a.bytes, 1))
}

// through returns the bytes that are allocated below the calls on a line.
func (a *Advice) through(file string, line int64) (bytes int64) {
	for _, x := range a.allocs {
		if slices.ContainsFunc(x.stack, func(f frame) bool { return f.line == line && path.Base(filepath.ToSlash(f.file)) == file }) {
			bytes += x.bytes
		}
	}
	return bytes
}

// roots returns the functions of the scopes that can be roots of arena fix, as it names them, of
// those that save least or more.
func (a *Advice) roots(least float64) (names []string) {
	for _, s := range a.Scopes {
		if s.Reset.High < least {
			continue
		}
		if name := s.path[len(s.path)-1].asRoot(); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

var literal = regexp.MustCompile(`^(func|gowrap|deferwrap)?[0-9]+$`)

// asRoot returns the name of a function as arena fix has it, example.com/path.Type.Method, or "" if
// it can be no root: if it is a literal, one of a test, or main.
func (f frame) asRoot() string {
	parts := f.object()
	if f.inTest() || f.fn == "main.main" || len(parts) > 2 || slices.ContainsFunc(parts, noName) {
		return ""
	}
	return f.pkg + "." + strings.Join(parts, ".")
}

// object returns the parts of the name of a function without its package: Type and Method, for
// instance, and what the compiler calls literals.
func (f frame) object() []string {
	return strings.Split(pointers.Replace(strings.TrimPrefix(f.fn, f.pkg+".")), ".")
}

// pointers takes the signs of a pointer out of the name of a method.
var pointers = strings.NewReplacer("(*", "", ")", "")

// noName tells whether a part of a name is none that a function in the sources has.
func noName(part string) bool { return !token.IsIdentifier(part) || literal.MatchString(part) }

// declared returns the name of the function as arena fix writes it. For a literal it is the name of
// the enclosing function.
func (f frame) declared() string {
	parts := frame{fn: strings.TrimSuffix(f.fn, "-fm"), pkg: f.pkg}.object() // the wrapper of a method value counts as the method
	if i := slices.IndexFunc(parts, noName); i >= 0 {
		parts = parts[:i]
	}
	return f.pkg + "." + strings.Join(parts, ".")
}

// Checkout returns the pattern of the packages in the current directory and below, and the path of
// their module, if the profiles of in have functions of it.
func (in Input) checkout(ctx context.Context) (patterns []string, module string) {
	out, err := output(exec.CommandContext(ctx, "go", "list", "-f", "{{with .Module}}{{if .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", "./..."))
	if err != nil {
		return nil, ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	module, dir, ok := strings.Cut(line, "\t")
	if !ok {
		return nil, ""
	}
	v := view{mine: []string{module}}
	for _, s := range in.Allocs.Sample {
		for _, f := range stackOf(s) {
			if v.isMine(f.pkg) || f.pkg == "main" && strings.HasPrefix(f.file, filepath.ToSlash(dir)+"/") {
				return []string{"./..."}, module
			}
		}
	}
	return nil, ""
}
