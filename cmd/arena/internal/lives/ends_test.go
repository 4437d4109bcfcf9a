package lives

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/arena-go/arena/cmd/arena/internal/load"
)

// loaded returns the packages of a directory, with the syntax of all that they import.
func loaded(t *testing.T, dir string, env ...string) []*packages.Package {
	t.Helper()
	pkgs, broken, err := load.Sources(packages.Config{
		Dir: dir, Env: append(append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "CGO_ENABLED=0"), env...),
	}, true, "./...")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range broken {
		t.Fatal(p.Errors)
	}
	return pkgs
}

// text describes a proof that was not found.
func text(p Proof) string {
	all := p.Why.String()
	for _, s := range p.Path {
		all += fmt.Sprintf("\n\t%s:%d: %s", filepath.Base(s.At.Filename), s.At.Line, s.Text)
	}
	return all
}

// TestEnds: no end after which something is left is proved, and the reason is the one in the
// comment. Those after which nothing is left are proved.
func TestEnds(t *testing.T) { testEnds(t, "testdata/ends") }

// testEnds checks the ends in the packages of dir.
func testEnds(t *testing.T, dir string) {
	pkgs := loaded(t, dir, "GOWORK=off")
	wants := map[string]string{}
	for _, p := range pkgs {
		for _, f := range p.Syntax {
			for _, group := range f.Comments {
				for _, c := range group.List {
					if m := regexp.MustCompile(`// want "(.*)"`).FindStringSubmatch(c.Text); m != nil {
						at := p.Fset.Position(c.Pos())
						wants[fmt.Sprintf("%s:%d", at.Filename, at.Line)] = m[1]
					}
				}
			}
		}
	}
	leaks, innocent := 0, 0
	v := NewProver(pkgs)
	for _, e := range v.Ends() {
		proof := v.Prove(e)
		at := fmt.Sprintf("%s:%d", e.At.Filename, e.At.Line)
		want, leak := wants[at]
		delete(wants, at)
		switch {
		case leak && proof.Proved:
			t.Errorf("%s: %s: is proved, and something is left", at, e.Kind)
		case leak:
			leaks++
			if !strings.Contains(text(proof), want) {
				t.Errorf("%s: %s: want %q, got %s", at, e.Kind, want, text(proof))
			}
		case filepath.Base(filepath.Dir(e.At.Filename)) == "innocent":
			innocent++
			if !proof.Proved {
				t.Errorf("%s: %s: is not proved: %s", at, e.Kind, text(proof))
			}
		}
	}
	for at := range wants {
		t.Errorf("%s: no end is found", at)
	}
	t.Logf("%d ends with leaks, none proved; %d innocent ones", leaks, innocent)
	if leaks < 50 || innocent < 30 {
		t.Errorf("%d leaks, %d innocent ends: want 50 and 30", leaks, innocent)
	}
}

// TestEndsOfCorpus: in a function of the corpus of arenavet with a value that is stale or outlives
// its arena, not all ends are proved.
func TestEndsOfCorpus(t *testing.T) {
	pkgs := loaded(t, "../../arenavet/testdata/corpus", "GOWORK=")
	want := regexp.MustCompile("// want .*`(stale|outlives|container|shared):")
	v := NewProver(pkgs)
	type result struct {
		ends, proved int
		mistake      string
	}
	var all []*result
	byDecl := map[string]*result{} // by lines
	for _, p := range pkgs {
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				d, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				r := &result{}
				all = append(all, r)
				from, to := p.Fset.Position(d.Pos()), p.Fset.Position(d.End())
				for line := from.Line; line <= to.Line; line++ {
					byDecl[fmt.Sprintf("%s:%d", from.Filename, line)] = r
				}
				for _, group := range f.Comments {
					for _, c := range group.List {
						if at := p.Fset.Position(c.Pos()); at.Line >= from.Line && at.Line <= to.Line && want.MatchString(c.Text) {
							r.mistake = fmt.Sprintf("%s:%d: %s", at.Filename, at.Line, c.Text)
						}
					}
				}
			}
		}
	}
	for _, e := range v.Ends() {
		r := byDecl[fmt.Sprintf("%s:%d", e.At.Filename, e.At.Line)]
		if r == nil {
			continue
		}
		r.ends++
		if v.Prove(e).Proved {
			r.proved++
		}
	}
	mistakes, innocent, proved := 0, 0, 0
	for _, r := range all {
		switch {
		case r.ends == 0:
		case r.mistake != "":
			mistakes++
			if r.proved == r.ends {
				t.Errorf("all ends of a function are proved, and it has a mistake: %s", r.mistake)
			}
		default:
			innocent++
			if r.proved == r.ends {
				proved++
			}
		}
	}
	t.Logf("%d functions with mistakes, none proved; %d of %d others proved", mistakes, proved, innocent)
	if mistakes < 150 || proved < 80 {
		t.Errorf("%d functions with mistakes, %d others proved: want 150 and 80", mistakes, proved)
	}
}
