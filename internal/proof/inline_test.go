package proof

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// inlined lists calls within package arena that must be inlined, in "caller
// callee" form. Those that others make are in testdata/inline, as comments.
var inlined = []struct{ caller, callee string }{
	// New with an arena is a comparison of types before what New of a Slab does. It is too large to
	// be inlined itself, so one call is what it costs, and not two.
	{"newIn", "nearHome"}, // another type than the last one
	{"newIn", "mem.PointerID"},
	{"newIn", "slotAt[go.shape.int]"},
	{"newIn", "slotAt[go.shape.struct { main.x int; main.y int }]"},
	{"newIn", "slotAt[go.shape.struct { main.name string; main.next *main.person }]"},

	// Text and slices of plain values.
	{"stringIn", "(*Arena).open"},
	{"stringIn", "viewOf[go.shape.[]uint8]"},
	{"(*plain).alloc", "(*plain).aligned"},
	{"makeSlice", "(*Arena).open"},
	{"makeSlice", "(*stores).look"},
	{"growSlice", "(*Arena).open"},
	{"growSlice", "(*stores).look"},
	{"makeSlice", "slotsOf[go.shape.int]"},
	{"makeSliceIn", "(*near).at"},
	{"makeSliceIn", "mem.PointerID"},
	{"makeSliceIn", "cutSlots[go.shape.string]"},
	{"makeSliceIn", "slotsOf[go.shape.int]"},
	{"makeSliceIn", "(*slab).activate"},
	{"(*slab).make", "(*slab).isPlain"},
	{"(*slab).make", "(*slab).activate"},

	// What a search in a Map does with each group.
	{"(*Map).find", "swiss.(*Group[go.shape.string,go.shape.int]).Match"},
	{"(*Map).find", "swiss.(*Group[go.shape.string,go.shape.int]).Slot"},

	// What a Reset and a Rewind do with each slab.
	{"resetSlabs", "zeroBytes"},
	{"resetSlabs", "zeroPairs"},
	{"rewindSlabs", "zeroBytes"},
	{"rewindSlabs", "zeroPairs"},

	// Reset of an empty arena.
	{"(*Arena).Reset", "(*Arena).check"},
}

// calledInRef has those functions of package region that package ref may call, as they do much more
// than a call, or are for programs that look for mistakes.
var calledInRef = map[string]bool{
	"region.Check": true, "region.Checked": true, "region.Fail": true, "region.Find": true, "region.Free": true,
	"region.Limit": true, "region.NewRun": true, "region.NewSlice": true, "region.NewText": true, "region.RunOf": true,
}

// TestInlines checks with the compiler that what is meant to be inlined is.
func TestInlines(t *testing.T) {
	t.Parallel()
	report := compile(t)
	for _, want := range inlined {
		report.expect(t, want.caller, want.callee)
	}

	// Package ref calls functions of another package, whose bodies it has to export: ref/inline.go.
	for _, callee := range callsOf(t) {
		can := strings.HasPrefix(report.verdicts[callee], "the compiler can inline") && !calledInRef[callee]
		if can && strconv.IntSize == 64 && !report.inlinesInRef(callee) { // numbers of 64 bits are too much for 32
			t.Errorf("the call of %s is not inlined where a program uses package ref; see ref/inline.go", callee)
		}
	}

	programs := []string{"internal/proof/testdata/inline/main.go"}
	if methods := "internal/proof/testdata/inline/methods.go"; !isNewer(t, filepath.Join(root, methods)) {
		programs = append(programs, methods)
	}
	for _, program := range programs {
		report.expectIn(t, program)
	}
}

// callsOf returns the functions of package region that package ref calls.
func callsOf(t *testing.T) []string {
	files, err := filepath.Glob(filepath.Join(root, "ref", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	called := map[string]bool{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`\bregion\.\w+\b`).FindAll(source, -1) {
			called[string(name)] = true
		}
	}
	return slices.Sorted(maps.Keys(called))
}

// inlinesInRef tells whether a call of callee in package ref was inlined, other than in inline.go.
func (r *compileReport) inlinesInRef(callee string) bool {
	for call := range r.calls {
		if strings.HasPrefix(call[0], "ref/") && !strings.HasPrefix(call[0], "ref/inline.go:") && call[1] == callee {
			return true
		}
	}
	return false
}

// expectIn checks the lines of a program that say what is inlined there.
func (r *compileReport) expectIn(t *testing.T, program string) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(root, program))
	if err != nil {
		t.Fatal(err)
	}
	wants := 0
	for i, line := range strings.Split(string(source), "\n") {
		if _, callee, ok := strings.Cut(line, "// inlines "); ok {
			wants++
			if strconv.IntSize == 32 && strings.HasPrefix(callee, "ref.Of[") {
				continue // numbers of 64 bits are too much there
			}
			r.expect(t, fmt.Sprintf("%s:%d", program, i+1), callee)
		}
	}
	if wants == 0 {
		t.Errorf("%s has no comment that says what is to be inlined", program)
	}
}

// A compileReport is what the compiler said about inlining.
type compileReport struct {
	calls    map[[2]string]bool // {caller, callee} that were inlined
	verdicts map[string]string  // what was said about each function
}

// expect checks that callee is inlined into caller: a function of package arena, or
// file:line.
func (r *compileReport) expect(t *testing.T, caller, callee string) {
	t.Helper()
	if r.calls[[2]string{caller, callee}] {
		return
	}
	verdict, ok := r.verdicts[callee]
	if !ok {
		verdict = "the compiler does not name this function: has it gone, or another name?"
	}
	t.Errorf("%s: the call of %s is no longer inlined\n\t%s", caller, callee, verdict)
}

var (
	diagnostic = regexp.MustCompile(`^(.+\.go):(\d+):\d+: (.*)$`)
	canInline  = regexp.MustCompile(`^can inline (.+?) with cost (\d+) as: `)
	cannot     = regexp.MustCompile(`^cannot inline (.+?): (.*)$`)
	inlining   = regexp.MustCompile(`^inlining call to (.+)$`)
)

// compile builds the program in testdata/inline and returns what the compiler
// says about it and about package arena.
func compile(t *testing.T) *compileReport {
	cmd := exec.Command("go", "build", "-o", os.DevNull,
		"-gcflags=github.com/arena-go/arena/...=-m=2", "./internal/proof/testdata/inline")
	cmd.Dir = root
	// As the user's own build would be, whatever this test runs under.
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=", "GOEXPERIMENT=", "GODEBUG=", "GOGC=100")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}

	report := &compileReport{map[[2]string]bool{}, map[string]string{}}
	callers := functions(t)
	// Names are the same in both packages without the package's own.
	name := func(s string) string { return strings.ReplaceAll(s, "arena.", "") }
	// Where a function of another package is declared, its name lacks the package.
	declared := func(file, s string) string {
		if dir := filepath.Base(filepath.Dir(file)); dir != "." {
			s = dir + "." + s
		}
		return name(s)
	}
	for line := range strings.Lines(string(out)) {
		d := diagnostic.FindStringSubmatch(strings.TrimSpace(line))
		if d == nil {
			continue
		}
		if m := inlining.FindStringSubmatch(d[3]); m != nil {
			at := filepath.ToSlash(filepath.Clean(d[1])) + ":" + d[2]
			if caller := callers[at]; caller != "" {
				at = caller
			}
			report.calls[[2]string{at, name(m[1])}] = true
		} else if m := canInline.FindStringSubmatch(d[3]); m != nil {
			report.verdicts[declared(d[1], m[1])] = "the compiler can inline it, at a cost of " + m[2] + ", but did not here; is it still called?"
		} else if m := cannot.FindStringSubmatch(d[3]); m != nil {
			report.verdicts[declared(d[1], m[1])] = "the compiler cannot inline it: " + m[2]
		}
	}
	if len(report.verdicts) == 0 {
		t.Fatalf("%v says nothing about inlining:\n%s", cmd, out)
	}
	return report
}

// functions returns the function that each line of package arena's files belongs
// to. The compiler names files as seen from root.
func functions(t *testing.T) map[string]string {
	names, err := filepath.Glob(filepath.Join(root, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]string{}
	fset := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || isNewer(t, name) {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			for line := fset.Position(fn.Pos()).Line; line <= fset.Position(fn.End()).Line; line++ {
				lines[filepath.Base(name)+":"+strconv.Itoa(line)] = functionName(fn)
			}
		}
	}
	return lines
}

// functionName returns the name of fn as in the compiler's messages, but without
// type parameters: F, T.F or (*T).F.
func functionName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	typ, format := fn.Recv.List[0].Type, "%s.%s"
	if star, ok := typ.(*ast.StarExpr); ok {
		typ, format = star.X, "(*%s).%s"
	}
	switch x := typ.(type) {
	case *ast.IndexExpr:
		typ = x.X
	case *ast.IndexListExpr:
		typ = x.X
	}
	return fmt.Sprintf(format, typ.(*ast.Ident).Name, fn.Name.Name)
}
