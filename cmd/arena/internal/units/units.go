// Package units analyzes packages one at a time.
//
// Of what a package imports, it reads the declarations that the go command has compiled. Of a
// package that was analyzed nothing remains but its facts. So memory does not grow with the number
// of packages.
package units

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/objectpath"

	"github.com/arena-go/arena/cmd/arena/internal/load"
)

// Analyze runs analyzers on the units, which are sorted, and gives what they report of packages
// that somebody asked for to report, one package at a time. At most GOMAXPROCS packages are in
// memory at once. An error says that a package cannot be analyzed.
func Analyze(units []*load.Unit, analyzers []*analysis.Analyzer, report func(*load.Unit, *token.FileSet, []analysis.Diagnostic)) error {
	if err := analysis.Validate(analyzers); err != nil {
		return err
	}
	register(analyzers)
	r := &run{analyzers: analyzers, report: report}
	jobs := map[*load.Unit]*job{}
	all := make([]*job, len(units))
	for n, u := range units {
		all[n] = &job{unit: u, done: make(chan struct{})}
		jobs[u] = all[n]
		for _, dep := range u.Deps {
			all[n].deps = append(all[n].deps, jobs[dep])
		}
	}
	// A worker takes the jobs in order, so those that it waits for are done or under way.
	next := make(chan *job)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for j := range next {
				for _, dep := range j.deps {
					<-dep.done
				}
				if !r.failed.Load() {
					j.err = r.do(j)
				}
				if j.err != nil {
					r.failed.Store(true)
				}
				close(j.done)
			}
		})
	}
	for _, j := range all {
		next <- j
	}
	close(next)
	workers.Wait()
	for _, j := range all {
		if j.err != nil {
			return j.err
		}
	}
	return nil
}

// register makes the facts of analyzers known to gob.
func register(analyzers []*analysis.Analyzer) {
	for _, a := range analyzers {
		for _, f := range a.FactTypes {
			gob.Register(f)
		}
		register(a.Requires)
	}
}

// A run is one call of Analyze.
type run struct {
	analyzers []*analysis.Analyzer
	failed    atomic.Bool // so the others need not be analyzed
	mu        sync.Mutex  // for report
	report    func(*load.Unit, *token.FileSet, []analysis.Diagnostic)
}

// A job is the analysis of a unit.
type job struct {
	unit *load.Unit
	deps []*job
	done chan struct{} // closed when it is done

	facts []fact
	below map[string]*job // by package path, what the package imports, by others too
	err   error
}

// A fact is one of a package, or of an object in it.
type fact struct {
	Object objectpath.Path // "" is the package
	Fact   analysis.Fact
}

// do analyzes a package whose dependencies are done.
func (r *run) do(j *job) error {
	j.below = map[string]*job{}
	for _, dep := range j.deps {
		maps.Copy(j.below, dep.below)
		j.below[dep.unit.PkgPath] = dep
	}
	l, err := read(j.unit.Package)
	if err != nil {
		return err
	}
	p := &pass{job: j, source: l, known: map[key]analysis.Fact{}, decoded: map[*types.Package]bool{}, results: map[*analysis.Analyzer]any{}}
	for _, a := range r.analyzers {
		if err := p.run(a); err != nil {
			return fmt.Errorf("%s: %w", j.unit.PkgPath, err)
		}
	}
	if j.facts, err = p.exported(); err != nil {
		return fmt.Errorf("%s: %w", j.unit.PkgPath, err)
	}
	if j.unit.Wanted && len(p.diagnostics) > 0 {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.report(j.unit, l.fset, p.diagnostics)
	}
	return nil
}

// A source is a package with its syntax and its types.
type source struct {
	fset  *token.FileSet
	files []*ast.File
	pkg   *types.Package
	info  *types.Info
}

// read parses and checks a package.
func read(p *packages.Package) (*source, error) {
	l := &source{fset: token.NewFileSet(), info: &types.Info{
		Types:        map[ast.Expr]types.TypeAndValue{},
		Defs:         map[*ast.Ident]types.Object{},
		Uses:         map[*ast.Ident]types.Object{},
		Implicits:    map[ast.Node]types.Object{},
		Instances:    map[*ast.Ident]types.Instance{},
		Scopes:       map[ast.Node]*types.Scope{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		FileVersions: map[*ast.File]string{},
	}}
	for _, name := range p.CompiledGoFiles {
		f, err := parser.ParseFile(l.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		l.files = append(l.files, f)
	}
	config := &types.Config{Importer: newImporting(l.fset, p), Sizes: p.TypesSizes}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	var err error
	l.pkg, err = config.Check(p.PkgPath, l.fset, l.files, l.info)
	return l, err
}

// An importing reads the declarations of what a package imports.
type importing struct {
	of       *packages.Package
	compiler types.Importer
}

func newImporting(fset *token.FileSet, of *packages.Package) *importing {
	files := map[string]string{}
	for _, dep := range of.Imports {
		files[dep.PkgPath] = dep.ExportFile
	}
	return &importing{of, importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, fmt.Errorf("%s imports %s, which the go command has not compiled", of.PkgPath, path)
		}
		return os.Open(files[path])
	})}
}

func (i *importing) Import(path string) (*types.Package, error) {
	if dep := i.of.Imports[path]; dep != nil { // which may be vendored
		path = dep.PkgPath
	}
	return i.compiler.Import(path)
}

// A pass is what the analyzers of one package have in common.
type pass struct {
	*job
	*source
	known       map[key]analysis.Fact
	decoded     map[*types.Package]bool // those whose facts are known
	results     map[*analysis.Analyzer]any
	diagnostics []analysis.Diagnostic
}

// A key is what a fact is about, and the type of the fact. The object of a fact about a package is
// nil.
type key struct {
	pkg *types.Package
	obj types.Object
	typ reflect.Type
}

// run runs an analyzer, behind those that it requires.
func (p *pass) run(a *analysis.Analyzer) error {
	if _, ok := p.results[a]; ok {
		return nil
	}
	results := map[*analysis.Analyzer]any{}
	for _, required := range a.Requires {
		if err := p.run(required); err != nil {
			return err
		}
		results[required] = p.results[required]
	}
	module := &analysis.Module{}
	if m := p.unit.Module; m != nil {
		module = &analysis.Module{Path: m.Path, Version: m.Version, GoVersion: m.GoVersion}
	}
	result, err := a.Run(&analysis.Pass{
		Analyzer: a, Fset: p.fset, Files: p.files, OtherFiles: p.unit.OtherFiles, IgnoredFiles: p.unit.IgnoredFiles,
		Pkg: p.pkg, TypesInfo: p.info, TypesSizes: p.unit.TypesSizes, Module: module,
		ResultOf: results, ReadFile: os.ReadFile,
		Report:            func(d analysis.Diagnostic) { p.diagnostics = append(p.diagnostics, completed(a, d)) },
		ImportObjectFact:  func(obj types.Object, f analysis.Fact) bool { return p.fact(obj.Pkg(), obj, f) },
		ImportPackageFact: func(pkg *types.Package, f analysis.Fact) bool { return p.fact(pkg, nil, f) },
		ExportObjectFact:  func(obj types.Object, f analysis.Fact) { p.known[key{p.pkg, obj, reflect.TypeOf(f)}] = f },
		ExportPackageFact: func(f analysis.Fact) { p.known[key{p.pkg, nil, reflect.TypeOf(f)}] = f },
		AllObjectFacts:    func() []analysis.ObjectFact { return nil },
		AllPackageFacts:   func() []analysis.PackageFact { return nil },
	})
	p.results[a] = result
	return err
}

// completed returns a diagnostic as other drivers show it: with an address, and with edits in the
// order of the source.
func completed(a *analysis.Analyzer, d analysis.Diagnostic) analysis.Diagnostic {
	d.URL = cmp.Or(d.URL, a.URL)
	for _, fix := range d.SuggestedFixes {
		slices.SortStableFunc(fix.TextEdits, func(x, y analysis.TextEdit) int {
			return cmp.Or(cmp.Compare(x.Pos, y.Pos), cmp.Compare(x.End, y.End))
		})
	}
	return d
}

// fact sets f to a fact about a package, or an object in it, and reports whether there is one.
func (p *pass) fact(pkg *types.Package, obj types.Object, f analysis.Fact) bool {
	if pkg == nil {
		return false
	}
	if dep := p.below[pkg.Path()]; dep != nil && pkg != p.pkg && !p.decoded[pkg] {
		p.decoded[pkg] = true
		for _, f := range dep.facts {
			k := key{pkg, nil, reflect.TypeOf(f.Fact)}
			if f.Object != "" {
				var err error
				if k.obj, err = objectpath.Object(pkg, f.Object); err != nil {
					continue // the declarations that were read lack it, so nothing refers to it
				}
			}
			p.known[k] = f.Fact
		}
	}
	found, ok := p.known[key{pkg, obj, reflect.TypeOf(f)}]
	if ok {
		reflect.ValueOf(f).Elem().Set(reflect.ValueOf(found).Elem())
	}
	return ok
}

// exported returns the facts of the package. They are copies, because a fact may refer to the
// functions of its package.
func (p *pass) exported() ([]fact, error) {
	var facts []fact
	var paths objectpath.Encoder
	for k, f := range p.known {
		if k.pkg != p.pkg {
			continue
		}
		exported := fact{Fact: f}
		if k.obj != nil {
			path, err := paths.For(k.obj)
			if err != nil {
				continue // no other package can refer to it
			}
			exported.Object = path
		}
		facts = append(facts, exported)
	}
	if facts == nil {
		return nil, nil
	}
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(facts); err != nil {
		return nil, err
	}
	var copies []fact
	err := gob.NewDecoder(&text).Decode(&copies)
	return copies, err
}
