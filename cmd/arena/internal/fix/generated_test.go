package fix

import (
	"context"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/arena-go/arena/cmd/arena/internal/escape"
)

// TestGenerated: a file that a program has made changes with Generated only, and its places are
// found in spite of its line directives.
func TestGenerated(t *testing.T) {
	t.Parallel()
	o := Options{Dir: original(t, "grammar"), Roots: []string{"grammar.Parse"}}
	rules := filepath.Join(o.Dir, "rules.go")
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Files[rules] != nil || len(r.Sites) != 3 || !slices.Equal(r.Generated, []string{rules}) {
		t.Errorf("without Generated %d sites, and these files stay: %q", len(r.Sites), r.Generated)
	}
	o.Generated = true
	if r, err = Run(o); err != nil {
		t.Fatal(err)
	}
	if len(r.Sites) != 9 || len(r.Generated) != 0 { // the parser is on the stack
		t.Errorf("%d sites, and these files stay: %q", len(r.Sites), r.Generated)
	}
	for _, s := range r.Sites {
		if s.Why != "" && s.Why != "in a function that recovers" {
			t.Errorf("%s:%d stays: %s", s.File, s.Line, s.Why)
		}
	}
	was, is := strings.Split(string(r.Old[rules]), "\n"), strings.Split(string(r.Files[rules]), "\n")
	if got, want := directives(is), directives(was); !slices.Equal(got, want) {
		t.Errorf("the line directives are %q, and were %q", got, want)
	}
}

func directives(lines []string) []string {
	return slices.DeleteFunc(lines, func(s string) bool { return !strings.HasPrefix(s, "//line ") })
}

// TestGeneratedFiles: the lines of an overlay are the lines of the files that the directives of the
// sources name.
func TestGeneratedFiles(t *testing.T) {
	t.Parallel()
	r, err := Run(Options{Dir: original(t, "grammar"), Roots: []string{"grammar.Parse"}, Generated: true, Lines: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range r.Files {
		was, is := filesOf(t, r.Old[name], name), filesOf(t, src, name)
		for f, files := range was {
			if second := is[f+"In"]; second != nil && !slices.Equal(second, files) {
				t.Errorf("%sIn is of the files %q, and %s of %q", f, second, f, files)
			}
		}
	}
}

// filesOf returns by function of a file the files that its statements are of, in their order.
func filesOf(t *testing.T, src []byte, file string) map[string][]string {
	all := map[string][]string{}
	eachFunction(t, src, func(fset *token.FileSet, name string, f *ast.FuncDecl) {
		var files []string
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if n, ok := n.(ast.Stmt); ok {
				at := fset.Position(n.Pos()).Filename
				if at == fset.File(n.Pos()).Name() { // no directive names it
					at = file
				}
				files = append(files, filepath.Base(at))
			}
			return true
		})
		all[name] = slices.Compact(files)
	})
	return all
}

// TestGeneratedEscapes: what the compiler says has the place in the file, and what the directives
// call it.
func TestGeneratedEscapes(t *testing.T) {
	t.Parallel()
	dir := original(t, "grammar")
	src, err := os.ReadFile(filepath.Join(dir, "rules.go"))
	if err != nil {
		t.Fatal(err)
	}
	lines, _, err := escape.Lines(context.Background(), dir, false, []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, l := range lines {
		if filepath.Base(l.File) != "rules.go" {
			if l.Named != (escape.Named{File: l.File, Line: l.Line}) {
				t.Errorf("%s:%d is called %v", l.File, l.Line, l.Named)
			}
			continue
		}
		text := strings.Split(string(src), "\n")[l.Line-1]
		if what, ok := strings.CutSuffix(l.Text, " escapes to heap"); ok && strings.HasPrefix(what, "new(") {
			found++
			if text[:l.Column-1] != "\t\t\t\tn := new" || filepath.Base(l.Named.File) != "rules.y" || l.Named.Line != 110 {
				t.Errorf("%+v, and the line is %s", l, text)
			}
		}
	}
	if found != 1 {
		t.Errorf("%d of 1 found", found)
	}
}

// TestGeneratedProfile: a profile names one file for all lines of a function, and its sites are
// found all the same.
func TestGeneratedProfile(t *testing.T) {
	t.Parallel()
	dir := original(t, "grammar")
	name := allocated(t, "example.com/grammar.(*yyParserImpl).Parse", filepath.Join(dir, "skeleton"), 121, 131)
	r, err := Run(Options{Dir: dir, Roots: []string{"grammar.Parse"}, Generated: true, Profile: name, Percent: 1})
	if err != nil {
		t.Fatal(err)
	}
	var moved []string
	for _, s := range r.Sites {
		if s.Why == "" {
			moved = append(moved, filepath.Base(s.File)+":"+strconv.Itoa(s.Line))
		}
	}
	if want := []string{"rules.y:121", "rules.y:131", "rules.y:131"}; !slices.Equal(moved, want) {
		t.Errorf("%q move, not %q", moved, want)
	}
}

// allocated writes a profile of allocations in lines of a function, and returns its name.
func allocated(t *testing.T, function, file string, lines ...int64) string {
	t.Helper()
	return allocatedBy(t, "", function, file, lines...)
}

// allocatedBy is allocated, where a function that is called on these lines allocates, if it has a
// name.
func allocatedBy(t *testing.T, leaf, function, file string, lines ...int64) string {
	t.Helper()
	fn := &profile.Function{ID: 1, Name: function, Filename: file}
	called := &profile.Function{ID: 2, Name: leaf, Filename: "leaf.go"}
	prof := &profile.Profile{SampleType: []*profile.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"}}, Function: []*profile.Function{fn, called}}
	for i, line := range lines {
		l := &profile.Location{ID: uint64(i + 1), Line: []profile.Line{{Function: fn, Line: line}}}
		if leaf != "" {
			l.Line = append([]profile.Line{{Function: called, Line: 1}}, l.Line...)
		}
		prof.Location = append(prof.Location, l)
		prof.Sample = append(prof.Sample, &profile.Sample{Location: []*profile.Location{l}, Value: []int64{10, 1000}})
	}
	return writeProfile(t, prof)
}

// writtenProfile writes a profile of allocations, and returns its name.
func writtenProfile(t *testing.T, samples []*profile.Sample) string {
	t.Helper()
	prof := &profile.Profile{SampleType: []*profile.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"}}, Sample: samples}
	for _, s := range samples {
		for _, l := range s.Location {
			l.ID = uint64(len(prof.Location) + 1)
			prof.Location = append(prof.Location, l)
			for _, line := range l.Line {
				line.Function.ID = uint64(len(prof.Function) + 1)
				prof.Function = append(prof.Function, line.Function)
			}
		}
	}
	return writeProfile(t, prof)
}

func writeProfile(t *testing.T, prof *profile.Profile) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "allocs.pprof")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := prof.Write(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}
