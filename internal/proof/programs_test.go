package proof

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPrograms builds the programs in the documents, as a module that requires this one, and runs
// their tests. A program is the blocks of Go in a document that begin with the same package clause.
// A second main function begins another one.
func TestPrograms(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds programs: not in short mode")
	}
	dir := t.TempDir()
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	goMod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go .*$`).Find(goMod)
	files := map[string]string{"go.mod": fmt.Sprintf("module documents\n\n%s\n\nrequire %s v0.0.0\n\nreplace %[2]s => %s\n", version, module, here)}
	for n, d := range read(t) {
		programs := 0
		type program struct {
			dir  string
			main bool
		}
		latest := map[string]*program{}
		for i, b := range d.blocks {
			if !b.whole() {
				continue
			}
			clause, _, _ := strings.Cut(b.text, "\n")
			main := strings.Contains(b.text, "\nfunc main() {")
			p := latest[clause]
			if p == nil || p.main && main {
				programs++
				p = &program{dir: fmt.Sprintf("d%d/p%d", n, programs)}
				latest[clause] = p
			}
			p.main = p.main || main
			name := fmt.Sprintf("%s/block%d.go", p.dir, i)
			if strings.Contains(b.text, `"testing"`) {
				name = strings.TrimSuffix(name, ".go") + "_test.go"
			}
			files[name] = fmt.Sprintf("//line %s:%d\n%s", filepath.Join(here, d.name), b.line, b.text)
		}
	}
	if len(files) < 3 {
		t.Errorf("the documents have %d programs only", len(files)-1)
	}
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	goCommand(t, dir, "build", "-o", filepath.Join(dir, "built")+string(filepath.Separator), "./...")
	goCommand(t, dir, "test", "-count=1", "./...") // which vets, too
}

func (b *block) whole() bool {
	return b.language == "go" && strings.HasPrefix(b.text, "package ")
}

// TestFragments checks the Go code in the documents that is not a program: by its types, all
// fragments of one document together. Names that the reader has to imagine may be missing, and so
// may returns; a name of a package, an argument or a field may not be wrong.
func TestFragments(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the go command: not in short mode")
	}
	exports := exportData(t)
	for _, d := range read(t) {
		for _, problem := range d.fragments(t, exports) {
			t.Error(problem)
		}
	}
}

// packages are those that fragments use, without saying so, by name. Fragments that use modules
// with other dependencies are not checked here: to build these takes minutes.
var packages = map[string]string{
	"arena": module, "arenahttp": module + "/arenahttp", "arenahttptest": module + "/arenahttp/arenahttptest", "arenaslog": module + "/arenaslog", "arenastrings": module + "/arenastrings",
	"arenatest": module + "/arenatest", "arenadebug": module + "/arenadebug", "offheap": module + "/offheap",
	"bufio": "bufio", "bytes": "bytes", "context": "context", "errors": "errors", "expvar": "expvar", "fmt": "fmt", "hex": "encoding/hex", "http": "net/http", "httptest": "net/http/httptest", "io": "io",
	"json": "encoding/json", "log": "log", "os": "os", "slices": "slices", "slog": "log/slog", "strconv": "strconv", "strings": "strings", "sync": "sync", "testing": "testing", "time": "time",
}

var otherModules = regexp.MustCompile(`\b(arenaarrow|arenajson|arenapb|arenagrpc|arenaotel|arenaprom)\.`)

// exportData returns where the compiler has put what others need of the packages, by path.
func exportData(t *testing.T) map[string]string {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}"}
	for _, path := range packages {
		args = append(args, path)
	}
	files := map[string]string{}
	for line := range strings.Lines(goCommand(t, root, args...)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		files[path] = file
	}
	return files
}

func lookup(exports map[string]string) importer.Lookup {
	return func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
}

var (
	imagined = regexp.MustCompile(`^undefined: \w+$|declared and not used|imported and not used`)
	unended  = regexp.MustCompile(`missing return|(too many|not enough) return values`)
)

func (d *document) fragments(t *testing.T, exports map[string]string) (problems []string) {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	statements := map[string]bool{} // files whose fragment is statements, and no declarations
	for i, b := range d.blocks {
		if b.language != "go" || b.whole() || otherModules.MatchString(b.text) {
			continue
		}
		name := fmt.Sprintf("fragment%d.go", i)
		text := fmt.Sprintf("package p\n%s\n//line %s:%d\n%s", imports(b.text), d.name, b.line, b.text)
		f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			text = fmt.Sprintf("package p\n%s\nfunc _() {\n//line %s:%d\n%s\n}\n", imports(b.text), d.name, b.line, b.text)
			var other error
			if f, other = parser.ParseFile(fset, name, text, parser.SkipObjectResolution); other != nil {
				problems = append(problems, fmt.Sprintf("neither declarations: %v; nor statements: %v", err, other))
				continue
			}
			statements[fset.PositionFor(f.Pos(), false).Filename] = true
		}
		files = append(files, f)
	}
	config := types.Config{
		Importer: importer.ForCompiler(fset, "gc", lookup(exports)),
		Error: func(err error) {
			e := err.(types.Error)
			if imagined.MatchString(e.Msg) || unended.MatchString(e.Msg) && statements[fset.PositionFor(e.Pos, false).Filename] {
				return
			}
			problems = append(problems, err.Error())
		},
	}
	config.Check("p", fset, files, nil)
	return problems
}

var selector = regexp.MustCompile(`\b([a-z]+)\.[A-Z]`)

// imports returns the imports that a fragment needs.
func imports(text string) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, m := range selector.FindAllStringSubmatch(text, -1) {
		if path := packages[m[1]]; path != "" && !seen[path] {
			seen[path] = true
			fmt.Fprintf(&b, "import %q\n", path)
		}
	}
	return b.String()
}

// goCommand runs the go command, apart from the workspace and the network.
func goCommand(t *testing.T, dir string, args ...string) string {
	t.Helper()
	return outputWith(t, dir, []string{"GOWORK=off", "GOPROXY=off", "GOFLAGS=-mod=mod", "GOEXPERIMENT=", "GOOS=", "GOARCH="}, "go", args...)
}
