// Predicted compares what arena advise predicts for programs with what an arena saves them.
//
//	go run ./cmd/arena/internal/predicted [-count n] [-benchtime d] [-twice] [-build dir] [name ...]
//	go run ./cmd/arena/internal/predicted -module path@version -bench pattern [-pkg ./pkg] [-file bench_test.go]
//
// The second form is of another module: arena advise finds the roots itself, and the command that
// it prints is what is measured.
//
// Each program has a benchmark, whose profiles arena advise reads. Parsers of others are fetched,
// and rewritten by arena fix without a change by hand, and so are the small programs in testdata.
// The examples of this repository are written for both, with and without arenas. What is measured
// is the CPU time of a process with the collector, before and with arenas that are reset, by turns.
//
// With -build nothing is measured: the sources and test binaries of both sides stay in the
// directory, for a look at them, and for counting their instructions.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/arena-go/arena/cmd/arena/internal/advise"
	"github.com/arena-go/arena/cmd/arena/internal/fix"
	"github.com/arena-go/arena/cmd/arena/internal/modules"
)

// A program has one benchmark that counts.
type program struct {
	name   string // of one of modules.Parsers, perhaps: then the module and what is for arena fix come from there
	module string // as path@version; empty for a module in testdata, an example, or std
	std    string // directories of the standard library's go that are a module of their own, between spaces
	file   string // the benchmark in testdata/bench, and where in the module it belongs
	bench  string
	pkg    string // with the benchmark

	roots, packages []string // for arena fix
	carriers        []string

	// Of examples, where there is nothing to rewrite: the two forms of the benchmark.
	heap, arena string
}

var programs = []program{
	{name: "gqlparser", bench: "^BenchmarkParseSchema$", pkg: "./parser"},
	{name: "goja", file: "parser/arena_test.go", bench: own, pkg: "./parser"},
	{name: "expr", file: "parser/arena_test.go", bench: own, pkg: "./parser"},
	{name: "goldmark", file: "arena_test.go", bench: own, pkg: "."},
	{name: "html", bench: "^BenchmarkParser$", pkg: "./html"},
	{name: "hcl", file: "hclsyntax/arena_test.go", bench: own, pkg: "./hclsyntax"},
	{name: "yaml", file: "arena_test.go", bench: own, pkg: "."},
	// Held out: what arena advise counts with was not made with these.
	{name: "blackfriday", module: "github.com/russross/blackfriday/v2@v2.1.0", file: "arena_test.go", bench: own, pkg: ".",
		roots: []string{"blackfriday/v2.Markdown.Parse"}, carriers: []string{"blackfriday/v2.Markdown"}, packages: []string{"."}},
	{name: "graphql", file: "language/parser/arena_test.go", bench: own, pkg: "./language/parser"},
	{name: "js", file: "js/arena_test.go", bench: own, pkg: "./js"},
	{name: "sh", module: "mvdan.cc/sh/v3@v3.14.1", file: "syntax/arena_test.go", bench: own, pkg: "./syntax",
		roots: []string{"syntax.Parser.Parse"}, packages: []string{"./syntax"}},
	{name: "toml", file: "arena_test.go", bench: own, pkg: "."},
	// Held out since the collector's part comes from a run without a profile.
	{name: "otto", module: "github.com/robertkrimen/otto@v0.5.1", file: "parser/arena_test.go", bench: own, pkg: "./parser",
		roots: []string{"otto/parser.ParseFile"}, packages: []string{"./parser", "./ast", "./file"}},
	{name: "gomarkdown", module: "github.com/gomarkdown/markdown@v0.0.0-20261107153045-a51d70be185e", file: "parser/arena_test.go", bench: own, pkg: "./parser",
		roots: []string{"markdown/parser.Parser.Parse"}, packages: []string{"./parser", "./ast"}},
	{name: "etree", module: "github.com/beevik/etree@v1.8.1", file: "arena_test.go", bench: own, pkg: ".",
		roots: []string{"etree.Document.ReadFromString"}, packages: []string{"."}},
	{name: "emicklei", module: "github.com/emicklei/proto@v1.14.3", file: "arena_test.go", bench: own, pkg: ".",
		roots: []string{"proto.Parser.Parse"}, packages: []string{"."}},
	{name: "starlark", module: "go.starlark.net@v0.0.0-20260908191801-89a6a09411d5", file: "syntax/arena_test.go", bench: own, pkg: "./syntax",
		roots: []string{"go.starlark.net/syntax.Parse"}, packages: []string{"./syntax"}},
	{name: "jsonnet", module: "github.com/google/go-jsonnet@v0.22.0", file: "internal/program/arena_test.go", bench: own, pkg: "./internal/program",
		roots: []string{"internal/program.SnippetToAST"}, packages: []string{"./internal/program", "./internal/parser", "./ast"}},
	// Of the parsers that arena fix began with.
	{name: "esbuild", module: "github.com/evanw/esbuild@v0.28.2", file: "internal/js_parser/arena_test.go", bench: own, pkg: "./internal/js_parser",
		roots: []string{"internal/js_parser.Parse"}, packages: []string{"./internal/js_parser", "./internal/js_lexer", "./internal/js_ast", "./internal/ast", "./internal/logger"}},
	{name: "goparser", std: "parser ast token scanner internal/scannerhooks", file: "parser/arena_test.go", bench: own, pkg: "./parser",
		roots: []string{"parser.ParseFile"}, packages: []string{"./..."}},

	{name: "profiles", bench: "^BenchmarkIngest$", pkg: "./examples/profiles", heap: "way=heap", arena: "way=arena"},
	{name: "requests", bench: "^BenchmarkQuote$", pkg: "./examples/requests", heap: "way=heap", arena: "way=arena"},
	{name: "service", bench: "^BenchmarkOrder$", pkg: "./examples/service", heap: "way=nil_arena", arena: "way=arena"},
	{name: "ingest", bench: "^BenchmarkIngest$", pkg: "./examples/ingest", heap: "way=heap", arena: "way=arena"},
	{name: "hash", bench: "^BenchmarkChain$", pkg: "./hash", roots: []string{"hash.Chain"}, packages: []string{"./hash"}},
	{name: "keep", bench: "^BenchmarkAdd$", pkg: "./keep", roots: []string{"keep.Add"}, packages: []string{"./keep"}},
	{name: "words", bench: "^BenchmarkTop$", pkg: "./words", roots: []string{"words.Top"}, packages: []string{"./words"}},
}

// own is the benchmark that the files in testdata/bench have.
const own = "^BenchmarkArena$"

type options struct {
	count     int
	benchtime string
	build     string
	twice     bool
	record    string
	root      string // of the repository
}

func main() {
	var o options
	flag.IntVar(&o.count, "count", 15, "measure in so many turns; 0 only predicts")
	flag.StringVar(&o.benchtime, "benchtime", "10s", "take profiles for so long")
	flag.BoolVar(&o.twice, "twice", false, "keep the former functions, as arena fix does without -once")
	flag.StringVar(&o.build, "build", "", "only rewrite and build, in this directory")
	var other program
	flag.StringVar(&other.module, "module", "", "a module of others, as path@version")
	flag.StringVar(&other.bench, "bench", ".", "its benchmark")
	flag.StringVar(&other.pkg, "pkg", ".", "the package that has it")
	flag.StringVar(&other.file, "file", "", "a file with the benchmark, which is added to the package")
	flag.StringVar(&o.record, "record", "", "write what arena advise reads of that module to this file, for its tests")
	flag.Parse()
	for i := range programs {
		for _, m := range modules.Parsers {
			if p := &programs[i]; p.name == m.Name {
				p.module, p.roots, p.packages = m.Module, m.Roots, m.Packages
			}
		}
	}
	if other.name = other.module; other.name != "" {
		programs = []program{other}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "predicted:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, names []string) (err error) {
	if o.root, err = os.Getwd(); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(o.root, testdata)); err != nil {
		return fmt.Errorf("run it at the root of the repository: %w", err)
	}
	for _, name := range names {
		if !slices.ContainsFunc(programs, func(p program) bool { return p.name == name }) {
			return fmt.Errorf("there is no program %s", name)
		}
	}
	var all []error
	t := table.NewWriter()
	t.AppendHeader(table.Row{"program", "malloc and the collector take", "pays", "an arena would save, with Reset", "it saves", "half of the turns", "the former program against itself", "GOGC=400 would save", "with a nil arena it takes"})
	for _, p := range programs {
		if len(names) > 0 && !slices.Contains(names, p.name) {
			continue
		}
		if o.build != "" {
			if err := p.keep(ctx, o); err != nil {
				all = append(all, fmt.Errorf("%s: %w", p.name, err))
			}
			continue
		}
		row, err := p.row(ctx, o)
		if err != nil {
			all = append(all, fmt.Errorf("%s: %w", p.name, err))
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		fmt.Fprintln(os.Stderr, row...)
		t.AppendRow(row)
	}
	if o.build == "" {
		fmt.Println(t.RenderMarkdown())
	}
	return errors.Join(all...)
}

const testdata = "cmd/arena/internal/predicted/testdata"

// row advises on a program, measures it, and returns its line of the table.
func (p program) row(ctx context.Context, o options) (table.Row, error) {
	temp, err := os.MkdirTemp("", "arena-predicted-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	dir, err := p.sources(ctx, o, temp)
	if err != nil {
		return nil, err
	}
	if err := os.Chdir(dir); err != nil {
		return nil, err
	}
	defer os.Chdir(o.root)
	var a *advise.Advice
	if p.isOther() {
		in, err := advise.FromBenchmark(ctx, os.Stderr, p.bench, o.benchtime, p.pkg)
		if err != nil {
			return nil, err
		}
		in.Benchmark = nil // it is measured below
		if a, err = advise.Advise(ctx, os.Stderr, in); err != nil {
			return nil, err
		}
		if err := a.WriteText(os.Stderr); err != nil {
			return nil, err
		}
		if o.record != "" {
			if err := record(o.record, a); err != nil {
				return nil, err
			}
		}
		if p.roots, p.packages = a.Roots, in.Sources; len(p.roots) == 0 || o.count == 0 {
			return p.predicts(a), nil
		}
	}
	prepare := p.rewritten
	if p.heap != "" {
		prepare = p.ways
	}
	where, sides, result, err := prepare(ctx, o, temp, dir)
	if err != nil {
		return nil, err
	}
	found, err := fix.Calibrate(ctx, where, sides[0].Binary, p.bench)
	if err != nil {
		return nil, err
	}
	for i := range sides {
		for name := range found {
			if strings.Contains(name+"-", "/"+sides[i].Name+"-") || sides[i].Name == "" {
				sides[i].Name = name
				break
			}
		}
	}
	loops := found[sides[0].Name]
	if loops == 0 || found[sides[1].Name] == 0 {
		return nil, fmt.Errorf("%s is %v", p.bench, found)
	}
	if a == nil {
		bench := p.bench
		if p.heap != "" {
			bench += "/^" + p.heap + "$"
		}
		in, err := advise.FromBenchmark(ctx, io.Discard, bench, o.benchtime, p.pkg)
		if err != nil {
			return nil, err
		}
		if p.heap != "" { // the packages that allocate are of this repository
			in.Mine = []string{"github.com/arena-go/arena"}
		}
		in.Sites, in.Ways = result.Sites, result.Ways
		if a, err = advise.Analyze(in); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %.2v, %.1f MB for a cycle\n", p.name, a.Shares, a.PerCycle/1e6)
	row := p.predicts(a)
	if o.count == 0 {
		return row, nil
	}
	sides = append(sides, sides[0]) // what it saves against itself is noise
	times, err := fix.Turns(ctx, where, sides, loops, o.count)
	if err != nil {
		return nil, err
	}
	without := ""
	if len(sides) > 3 {
		without = fmt.Sprintf("%.2f", 1/fix.Median(fix.Ratios(times, 2)))
	}
	again := fix.Median(fix.Ratios(times, len(sides)-1))
	ratios := fix.Ratios(times, 1)
	ratio := fix.Median(ratios) // which sorts them
	saves := advise.Range{Low: 1 - 1/ratios[len(ratios)/4], High: 1 - 1/ratios[len(ratios)*3/4]}
	row[4], row[5], row[6], row[8] = fmt.Sprintf("%.0f %%", 100*(1-1/ratio)), saves.String(), fmt.Sprintf("%.0f %%", 100*(1-1/again)), without
	return row, nil
}

// record writes what the advice follows from.
func record(name string, a *advise.Advice) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(a.Record(f), f.Close())
}

// isOther tells whether a program is one of the command line, whose roots arena advise finds.
func (p program) isOther() bool { return p.heap == "" && p.roots == nil }

// predicts returns the line of the table without what is measured.
func (p program) predicts(a *advise.Advice) table.Row {
	predicts := a.Total().String()
	if with, names := a.Adapted(); names != "" {
		predicts = fmt.Sprintf("%s; with %s %s", a.AsIs(), names, with)
	}
	return table.Row{p.name, fmt.Sprintf("%.0f %%", 100*a.Memory()), strings.ToLower(a.Verdict.String()), predicts, "", "", "", a.GOGC.String(), ""}
}

// keep rewrites and builds a program in the directory of -build, and says what to run.
func (p program) keep(ctx context.Context, o options) error {
	if p.heap != "" {
		return nil // the examples are there
	}
	temp, err := filepath.Abs(filepath.Join(o.build, p.name))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(temp, 0o777); err != nil {
		return err
	}
	dir, err := p.sources(ctx, o, temp)
	if err != nil {
		return err
	}
	where, sides, _, err := p.rewritten(ctx, o, temp, dir)
	if err != nil {
		return err
	}
	for _, s := range sides {
		fmt.Printf("cd %s; ARENA_FIX=%s %s -test.run='^$' -test.bench='%s'\n", where, s.Env, s.Binary, p.bench)
	}
	return nil
}

// sources returns the directory of the module, with the benchmark in it.
func (p program) sources(ctx context.Context, o options, temp string) (string, error) {
	if p.heap != "" {
		os.Unsetenv("GOWORK")
		os.Unsetenv("GOFLAGS")
		return o.root, nil
	}
	os.Setenv("GOWORK", "off")
	os.Setenv("GOFLAGS", "-mod=mod")
	if p.module == "" && p.std == "" {
		dir := filepath.Join(temp, "src")
		return dir, os.CopyFS(dir, os.DirFS(filepath.Join(o.root, testdata, "programs")))
	}
	fetch, what := modules.Fetch, p.module
	if p.std != "" {
		fetch, what = frontend, p.std
	}
	dir, err := fetch(ctx, what, temp)
	if err != nil || p.file == "" {
		return dir, err
	}
	from, to := filepath.Join(o.root, testdata, "bench", p.name+"_test.go.txt"), p.file
	if p.isOther() {
		from, to = p.file, filepath.Join(p.pkg, filepath.Base(p.file))
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, to), text, 0o666)
}

// frontend makes a module of these directories of the standard library's go, as far as this version
// of Go has them, without their tests.
func frontend(ctx context.Context, dirs, temp string) (string, error) {
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	const module = "example.com/frontend"
	dir := filepath.Join(temp, "src")
	var names []string // of packages, before and after
	for from := range strings.FieldsSeq(dirs) {
		names = append(names, `"go/`+from+`"`, `"`+module+"/"+filepath.Base(from)+`"`)
	}
	renamed := strings.NewReplacer(names...)
	for from := range strings.FieldsSeq(dirs) {
		to := filepath.Join(dir, filepath.Base(from))
		if err := os.MkdirAll(to, 0o777); err != nil {
			return "", err
		}
		sources, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(goroot)), "src", "go", from, "*.go"))
		if err != nil {
			return "", err
		}
		for _, name := range slices.DeleteFunc(sources, func(name string) bool { return strings.HasSuffix(name, "_test.go") }) {
			text, err := os.ReadFile(name)
			if err != nil {
				return "", err
			}
			if err := os.WriteFile(filepath.Join(to, filepath.Base(name)), []byte(renamed.Replace(string(text))), 0o666); err != nil {
				return "", err
			}
		}
	}
	return dir, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+module+"\n\ngo 1.26\n"), 0o666)
}

// rewritten returns where a program runs that arena fix has rewritten, both sides, and what was
// rewritten.
func (p program) rewritten(ctx context.Context, o options, temp, dir string) (string, []fix.Side, *fix.Result, error) {
	r, where, binaries, err := fix.Build(ctx, fix.TestOptions{
		Options: fix.Options{Dir: dir, Roots: p.roots, Carriers: p.carriers, Patterns: p.packages, Twice: o.twice}, Arena: o.root,
	}, temp, p.pkg)
	if err != nil {
		return "", nil, nil, err
	}
	return where, []fix.Side{{Binary: binaries[0]}, {Binary: binaries[1], Env: "pool"}, {Binary: binaries[1], Env: "nil"}}, r, nil
}

// ways is the same of an example that has both forms, which differ by the benchmark's name.
func (p program) ways(ctx context.Context, _ options, temp, dir string) (string, []fix.Side, *fix.Result, error) {
	binary := filepath.Join(temp, "bench.test")
	if out, err := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, p.pkg).CombinedOutput(); err != nil {
		return "", nil, nil, fmt.Errorf("%w\n%s", err, out)
	}
	return filepath.Join(dir, p.pkg), []fix.Side{{Binary: binary, Name: p.heap}, {Binary: binary, Name: p.arena}}, &fix.Result{}, nil
}
