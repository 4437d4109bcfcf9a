package advise

import (
	"context"
	"fmt"
	"go/token"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/arena-go/arena/cmd/arena/internal/fix"
)

// withSources returns what follows from in and from the sources of the packages that patterns name: what arena fix does not move stays, and sites
// have what the compiler says. a is what follows from in alone. Where the sources do not tell, the result says so.
func withSources(ctx context.Context, log io.Writer, a *Advice, in Input, patterns []string) (*Advice, error) {
	if len(a.Scopes) == 0 {
		return a, nil
	}
	if roots := a.roots(0); len(roots) == 0 {
		a.Unknown = "no scope is a function that can be a root of arena fix"
	} else if r, err := fix.Run(fix.Options{Patterns: patterns, Known: true, Roots: roots}); err != nil {
		a.Unknown = err.Error()
	} else {
		in.Sites, in.Ways = append([]fix.Site{}, r.Sites...), r.Ways // not nil, which would be that fix was not asked
		if a, err = Analyze(in); err != nil {
			return nil, err
		}
	}
	if err := a.Escapes(ctx, patterns); err != nil {
		fmt.Fprintln(log, err)
	}
	if a.Fix = ""; a.Unknown == "" {
		a.Fix = a.command(patterns)
	}
	return a, nil
}

// roots returns the functions of the scopes that can be roots of arena fix, as it names them, of those that save least or more.
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

// asRoot returns the name of a function as arena fix has it, example.com/path.Type.Method, or "" if it can be no root: if it is a literal, one of a
// test, or main.
func (f frame) asRoot() string {
	parts := f.object()
	if f.inTest() || f.fn == "main.main" || len(parts) > 2 || slices.ContainsFunc(parts, noName) {
		return ""
	}
	return f.pkg + "." + strings.Join(parts, ".")
}

// object returns the parts of the name of a function without its package: Type and Method, for instance, and what the compiler calls literals.
func (f frame) object() []string {
	return strings.Split(pointers.Replace(strings.TrimPrefix(f.fn, f.pkg+".")), ".")
}

// pointers takes the signs of a pointer out of the name of a method.
var pointers = strings.NewReplacer("(*", "", ")", "")

// noName tells whether a part of a name is none that a function in the sources has.
func noName(part string) bool { return !token.IsIdentifier(part) || literal.MatchString(part) }

// declared returns the name of the function as arena fix has it, or of the one that a literal is in.
func (f frame) declared() string {
	parts := frame{fn: strings.TrimSuffix(f.fn, "-fm"), pkg: f.pkg}.object() // the wrapper of a method value counts as the method
	if i := slices.IndexFunc(parts, noName); i >= 0 {
		parts = parts[:i]
	}
	return f.pkg + "." + strings.Join(parts, ".")
}

// command returns the command that does what the advice says, or "" if there is none. Without patterns it names the packages that allocate.
func (a *Advice) command(patterns []string) string {
	roots := a.roots(worthNaming)
	if !a.Pays || len(roots) == 0 {
		return ""
	}
	if len(patterns) == 0 {
		for _, s := range a.Scopes {
			if s.Reset.High < worthNaming {
				continue
			}
			patterns = append(patterns, s.path[len(s.path)-1].pkg)
			for _, x := range s.samples {
				if f, at := a.caller(x.stack); at >= 0 && x.mover != adapter {
					patterns = append(patterns, f.pkg)
				}
			}
		}
		slices.Sort(patterns)
		if patterns = slices.Compact(patterns); slices.Contains(patterns, "main") || len(patterns) > 8 {
			patterns = []string{"./..."}
		}
	}
	return fmt.Sprintf("arena fix -root %s %s", strings.Join(roots, " -root "), strings.Join(patterns, " "))
}
