package proof

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

const (
	root   = "../.."
	module = "github.com/arena-go/arena"
)

// A document is a Markdown file of the repository.
type document struct {
	name   string // its path below root, with slashes
	prose  string // the text without code, so that links can be looked for
	lines  []string
	blocks []block
	spans  []span // code within a line
}

// A block is code between fences, or indented.
type block struct {
	language string // behind the fence
	text     string
	line     int // of the first line of text
}

// A span is code between backquotes.
type span struct {
	text string
	line int
}

var (
	fence  = regexp.MustCompile("^( *)```([a-z]*)$")
	quoted = regexp.MustCompile("`[^`]+`")
)

func parse(name, text string) *document {
	d := &document{name: name, lines: strings.Split(text, "\n")}
	var prose strings.Builder
	var open *block
	indent := ""
	for i, line := range d.lines {
		m := fence.FindStringSubmatch(line)
		switch {
		case open != nil && m != nil:
			d.blocks = append(d.blocks, *open)
			open = nil
		case open != nil:
			open.text += strings.TrimPrefix(line, indent) + "\n"
		case m != nil:
			open, indent = &block{language: m[2], line: i + 2}, m[1]
		case strings.HasPrefix(line, "    ") && (i == 0 || d.lines[i-1] == "" || strings.HasPrefix(d.lines[i-1], "    ")):
			d.blocks = append(d.blocks, block{text: strings.TrimSpace(line) + "\n", line: i + 1})
		default:
			for _, q := range quoted.FindAllString(line, -1) {
				d.spans = append(d.spans, span{strings.Trim(q, "`"), i + 1})
			}
			prose.WriteString(quoted.ReplaceAllString(line, "code"))
		}
		prose.WriteByte('\n')
	}
	d.prose = prose.String()
	return d
}

// read returns all documents.
func read(t *testing.T) (all []*document) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == ".git" || e.Name() == "testdata"):
			return filepath.SkipDir
		case e.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		all = append(all, parse(filepath.ToSlash(name), string(text)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestLinks checks that the links to files and headings of the repository lead somewhere.
func TestLinks(t *testing.T) {
	for _, d := range read(t) {
		for _, problem := range d.links() {
			t.Error(problem)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"`)

func (d *document) links() (problems []string) {
	for i, line := range strings.Split(d.prose, "\n") {
		for _, m := range link.FindAllStringSubmatch(line, -1) {
			target := m[1] + m[2]
			if strings.Contains(target, ":") {
				continue // elsewhere
			}
			name, anchor, _ := strings.Cut(target, "#")
			file := d.name
			to := d
			if name != "" {
				file = filepath.ToSlash(filepath.Join(filepath.Dir(d.name), name))
				to = nil
			}
			if to == nil && !exists(file) {
				problems = append(problems, fmt.Sprintf("%s:%d: there is no %s", d.name, i+1, file))
				continue
			}
			if anchor == "" {
				continue
			}
			if to == nil {
				text, err := os.ReadFile(filepath.Join(root, file))
				if err != nil {
					problems = append(problems, fmt.Sprintf("%s:%d: %v", d.name, i+1, err))
					continue
				}
				to = parse(file, string(text))
			}
			if !slices.Contains(to.anchors(), anchor) {
				problems = append(problems, fmt.Sprintf("%s:%d: %s has no heading #%s", d.name, i+1, file, anchor))
			}
		}
	}
	return problems
}

// exists reports whether there is a file or directory of exactly this name, on systems too where other names lead to it.
func exists(file string) bool {
	at := root
	for part := range strings.SplitSeq(file, "/") {
		if part == ".." {
			return false // out of the repository
		}
		entries, err := os.ReadDir(at)
		if err != nil || part != "." && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == part }) {
			return false
		}
		at = filepath.Join(at, part)
		if s, err := os.Stat(at); err == nil && !s.IsDir() {
			return strings.HasSuffix(file, part)
		}
	}
	return true
}

// anchors returns the names that GitHub gives to the headings.
func (d *document) anchors() (names []string) {
	inBlock := map[int]bool{}
	for _, b := range d.blocks {
		for i := range strings.Count(b.text, "\n") {
			inBlock[b.line+i] = true
		}
	}
	for i, line := range d.lines {
		hashes, title, ok := strings.Cut(line, " ")
		if !ok || inBlock[i+1] || strings.Trim(hashes, "#") != "" || hashes == "" {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, title)
		for first, n := name, 1; slices.Contains(names, name); n++ {
			name = first + "-" + strconv.Itoa(n)
		}
		names = append(names, name)
	}
	return names
}

// TestCommands checks that the commands in the documents name packages, flags, tests and targets that there are.
func TestCommands(t *testing.T) {
	for _, d := range read(t) {
		for _, problem := range d.commands() {
			t.Error(problem)
		}
	}
}

func (d *document) commands() (problems []string) {
	check := func(line int, text string) {
		text, _, _ = strings.Cut(text, " #")
		for part := range strings.SplitSeq(text, "&&") {
			for _, what := range command(words(part)) {
				problems = append(problems, fmt.Sprintf("%s:%d: %s: %s", d.name, line, strings.TrimSpace(part), what))
			}
		}
	}
	for _, s := range d.spans {
		check(s.line, s.text)
	}
	for _, b := range d.blocks {
		if b.language != "go" {
			for i, line := range strings.Split(b.text, "\n") {
				check(b.line+i, line)
			}
		}
	}
	return problems
}

// words splits a line as a shell does, more or less, and leaves out what is set in front of the command and what follows a redirection.
func words(line string) (all []string) {
	for _, m := range regexp.MustCompile(`'([^']*)'|([^\s']+)`).FindAllStringSubmatch(line, -1) {
		w := m[1] + m[2]
		if w == ">" || w == "|" {
			break
		}
		if len(all) > 0 || !strings.Contains(w, "=") {
			all = append(all, w)
		}
	}
	return all
}

var plainName = regexp.MustCompile(`^\^?[A-Za-z0-9_]+\$?$`)

// command returns what is wrong with a command: nothing if it is of another program.
func command(w []string) (problems []string) {
	if len(w) > 0 && strings.HasPrefix(w[0], ".ci/") && !exists(w[0]) {
		return []string{"there is no such file"}
	}
	if len(w) < 2 {
		return nil
	}
	if w[0] == "make" {
		return targets(w[1:])
	}
	if w[0] != "go" || !slices.Contains([]string{"run", "test", "vet", "build", "install", "get"}, w[1]) {
		return nil
	}
	var paths, patterns []string
	ran := false // the command of go run is named, so that flags are its own
	for i := 2; i < len(w); i++ {
		switch name := strings.TrimLeft(w[i], "-"); {
		case ran && name != w[i]:
			name, _, _ = strings.Cut(name, "=")
			if !inFiles(paths[0], ".go", `"`+name+`"`) {
				problems = append(problems, paths[0]+" has no flag -"+name)
			}
		case ran: // an argument
		case name == "run" || name == "bench" || name == "fuzz":
			if i++; i < len(w) && plainName.MatchString(w[i]) {
				patterns = append(patterns, strings.Trim(w[i], "^$"))
			}
		case slices.Contains([]string{"count", "tags", "benchtime", "timeout", "o"}, name) && name != w[i]:
			i++
		case name != w[i]:
		case strings.HasPrefix(w[i], module), strings.HasPrefix(w[i], "."):
			path, _, _ := strings.Cut(strings.TrimPrefix(w[i], module), "@")
			path = strings.Trim(strings.TrimSuffix(path, "..."), "./")
			if path == "" {
				path = "."
			}
			paths, ran = append(paths, path), w[1] == "run"
			if !hasGo(path, w[1] == "run" && w[i] != ".", strings.HasSuffix(w[i], "...")) {
				problems = append(problems, "there is no such package")
			}
		}
	}
	for _, p := range patterns {
		found := len(paths) == 0 && inFiles(".", "_test.go", "func Test"+p)
		for _, path := range paths {
			for _, kind := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
				found = found || matches(path, `func `+kind+`\w*`+strings.TrimPrefix(p, kind))
			}
		}
		if !found {
			problems = append(problems, "there is no test or benchmark "+p)
		}
	}
	return problems
}

// targets returns those that the Makefile has not.
func targets(names []string) (problems []string) {
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		return []string{err.Error()}
	}
	for _, name := range names {
		if regexp.MustCompile(`^[a-z0-9-]+$`).MatchString(name) && !bytes.Contains(text, []byte("\n"+name+":")) {
			problems = append(problems, "the Makefile has no target "+name)
		}
	}
	return problems
}

// hasGo reports whether a directory has Go files, or those of a command, itself or somewhere below.
func hasGo(dir string, main, below bool) bool {
	if !exists(dir) {
		return false
	}
	found := false
	filepath.WalkDir(filepath.Join(root, dir), func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && !below && path != filepath.Join(root, dir):
			return filepath.SkipDir
		case !e.IsDir() && filepath.Ext(path) == ".go":
			text, _ := os.ReadFile(path)
			found = found || !main || bytes.Contains(text, []byte("package main\n"))
		}
		return nil
	})
	return found
}

// inFiles reports whether a text is in a file below a directory whose name ends in a certain way.
func inFiles(dir, end, text string) bool {
	return matchesFiles(dir, end, regexp.MustCompile(regexp.QuoteMeta(text)))
}

// matches reports whether a regular expression matches in a test file of a directory.
func matches(dir, pattern string) bool {
	return matchesFiles(dir, "_test.go", regexp.MustCompile(pattern))
}

func matchesFiles(dir, end string, pattern *regexp.Regexp) (found bool) {
	filepath.WalkDir(filepath.Join(root, dir), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !found && !e.IsDir() && strings.HasSuffix(path, end) {
			text, _ := os.ReadFile(path)
			found = pattern.Match(text)
		}
		return nil
	})
	return found
}

// goCommand runs the go command, apart from the workspace and the network.
func goCommand(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=-mod=mod", "GOEXPERIMENT=", "GOOS=", "GOARCH=")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("go %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), stderr.String())
	}
	return out.String()
}

// TestPrograms builds the programs in the documents, as a module that requires this one, and runs their tests.
// A program is the blocks of Go in a document that begin with the same package clause. A second main function begins another one.
func TestPrograms(t *testing.T) {
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

// TestFragments checks the Go code in the documents that is not a program: by its types, those of one document together. Names that
// the reader has to imagine may be missing, and so may returns; a name of a package, an argument or a field may not be wrong.
func TestFragments(t *testing.T) {
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

// TestNames checks that what the documents call arena.X exists, for each package of the repository, and so does X.Y where X is a type of one.
func TestNames(t *testing.T) {
	known := names(t)
	for _, d := range read(t) {
		for _, problem := range d.names(known) {
			t.Error(problem)
		}
	}
}

// names returns the names of all packages that others may import, of what they export, and of the members of their types.
func names(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !e.IsDir():
			return nil
		case slices.Contains([]string{".git", "testdata", "internal", "bench", "examples"}, e.Name()):
			return filepath.SkipDir
		}
		sources, err := filepath.Glob(filepath.Join(path, "*.go"))
		if err != nil {
			return err
		}
		members := map[string][]string{} // by type; those of an embedded type begin with a dot
		for _, source := range sources {
			f, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			if strings.HasSuffix(source, "_test.go") {
				continue
			}
			known[f.Name.Name] = true
			for _, name := range slices.Concat(declared(f, members)) {
				known[f.Name.Name+"."+name] = true
			}
		}
		for name := range members {
			known[name] = token.IsExported(name)
			for _, m := range members[name] {
				known[name+"."+m] = true
				for _, promoted := range members[strings.TrimPrefix(m, ".")] {
					known[name+"."+promoted] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return known
}

// declared returns what is declared at the top of a file, constants apart, and adds to the members of types.
func declared(f *ast.File, members map[string][]string) (all, constants []string) {
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok {
			if d.Recv == nil {
				all = append(all, d.Name.Name)
			} else {
				of := base(d.Recv.List[0].Type)
				members[of] = append(members[of], d.Name.Name)
			}
			continue
		}
		d := d.(*ast.GenDecl)
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if d.Tok == token.CONST {
						constants = append(constants, name.Name)
					} else {
						all = append(all, name.Name)
					}
				}
			case *ast.TypeSpec:
				all = append(all, s.Name.Name)
				members[s.Name.Name] = append(members[s.Name.Name], fields(s.Type)...)
			}
		}
	}
	return all, constants
}

// fields returns the fields of a struct, or the methods of an interface. What is embedded begins with a dot.
func fields(t ast.Expr) (names []string) {
	var list *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return nil
	}
	for _, field := range list.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
		if field.Names == nil {
			names = append(names, "."+base(field.Type))
		}
	}
	return names
}

// base returns the name of a type without its package, its parameters, and its star.
func base(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return base(t.X)
	case *ast.IndexExpr:
		return base(t.X)
	case *ast.IndexListExpr:
		return base(t.X)
	case *ast.SelectorExpr:
		return t.Sel.Name
	case *ast.Ident:
		return t.Name
	}
	return ""
}

var qualified = regexp.MustCompile(`\b([A-Za-z]+)\.([A-Z]\w*)`)

func (d *document) names(known map[string]bool) (problems []string) {
	for i, line := range d.lines {
		for _, m := range qualified.FindAllStringSubmatch(line, -1) {
			if known[m[1]] && !known[m[0]] {
				problems = append(problems, fmt.Sprintf("%s:%d: there is no %s", d.name, i+1, m[0]))
			}
		}
	}
	return problems
}

// packages are those that fragments use, without saying so, by name. Fragments that use modules with other dependencies are not checked here: to
// build these takes minutes.
var packages = map[string]string{
	"arena": module, "arenahttp": module + "/arenahttp", "arenahttptest": module + "/arenahttp/arenahttptest", "arenaslog": module + "/arenaslog",
	"arenatest": module + "/arenatest", "arenadebug": module + "/arenadebug", "offheap": module + "/offheap",
	"bufio": "bufio", "bytes": "bytes", "context": "context", "errors": "errors", "expvar": "expvar", "fmt": "fmt", "hex": "encoding/hex", "http": "net/http", "httptest": "net/http/httptest", "io": "io",
	"json": "encoding/json", "log": "log", "os": "os", "slices": "slices", "slog": "log/slog", "strconv": "strconv", "strings": "strings", "sync": "sync", "testing": "testing", "time": "time",
}

var otherModules = regexp.MustCompile(`\b(arenaarrow|arenapb|arenagrpc|arenaprom)\.`)

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

// TestStartHere checks that the package comment leads to every function, type and variable of the package. Methods are found by their type.
func TestStartHere(t *testing.T) {
	sources, err := filepath.Glob(filepath.Join(root, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var comment string
	var names []string
	types := map[string][]string{}
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(source) == "doc.go" {
			comment = f.Doc.Text()
		}
		all, _ := declared(f, types)
		names = append(names, all...)
	}
	first, _, _ := strings.Cut(comment, "# When to use it")
	for _, name := range names {
		if token.IsExported(name) && !strings.Contains(first, "["+name+"]") && !strings.Contains(first, "["+name+".") {
			t.Errorf("doc.go does not have [%s] where it says where to start", name)
		}
	}
}

// TestChecks proves that what is wrong with a document is found.
func TestChecks(t *testing.T) {
	bad := parse("docs/bad.md", strings.ReplaceAll(`# One heading

[good](../README.md) [good](#one-heading) [gone](gone.md) [gone](../README.md#gone) [gone](#gone) [gone](../../gone.md) [case](../readme.md)
'[code](gone.md)' <img src="gone.svg">

    go run ./gone
    go run ./examples/profiles -gone
    go test -run TestGone ./internal/proof && go vet ./internal/proof
    make gone help
    make help    # gone

Also 'go test ./gone/...' and 'go run ./internal/proof'; 'arena.Gone', 'arena.Pool.Put', 'Pool.Gone' and other.Gone.

'''go
a := arena.NewArena()
a.Gone(imagined)
return a
'''

'''go
func f(a *arena.Arena) *node { return arena.New(a) }
'''
`, "'", "`"))
	is := func(what string, got []string, want ...string) {
		t.Helper()
		if len(got) != len(want) {
			t.Errorf("%s: %q", what, got)
			return
		}
		for i := range want {
			if !strings.Contains(got[i], want[i]) {
				t.Errorf("%s: %q, want %q", what, got[i], want[i])
			}
		}
	}
	is("links", bad.links(), "no docs/gone.md", "README.md has no heading #gone", "bad.md has no heading #gone", "no ../gone.md", "no readme.md", "no docs/gone.svg")
	is("commands", bad.commands(), "go test ./gone/...: there is no such", "go run ./internal/proof: there is no such",
		"go run ./gone: there is no such", "no flag -gone", "no test or benchmark TestGone", "no target gone")
	is("names", bad.names(map[string]bool{"arena": true, "arena.Pool": true, "arena.NewArena": true, "arena.Arena": true, "arena.New": true, "Pool": true, "Pool.Put": true}),
		"no arena.Gone", "no Pool.Gone")
	if !testing.Short() {
		is("fragments", bad.fragments(t, exportData(t)), "a.Gone undefined", "cannot infer T")
	}
	if got := parse("", "## What `New[T]` does, and *why* not?\n\n## Twice\n## Twice\n").anchors(); !slices.Equal(got, []string{"what-newt-does-and-why-not", "twice", "twice-1"}) {
		t.Errorf("the anchors are %q", got)
	}
}
