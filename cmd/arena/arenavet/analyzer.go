package arenavet

import (
	"bytes"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/arena-go/arena/cmd/arena/internal/comments"
)

// URL is where the codes are explained.
const url = "https://github.com/arena-go/arena/blob/main/cmd/arena/arenavet/codes.md"

// Analyzer follows values of arenas and of sync.Pool through functions and packages, for Analyzers.
// It reports nothing itself. Its flags are theirs.
var Analyzer = &analysis.Analyzer{
	Name:       "arena",
	Doc:        "follow values of arenas\n\nIt follows values of github.com/arena-go/arena, and of sync.Pool, through functions and packages.",
	URL:        url,
	Run:        run,
	FactTypes:  []analysis.Fact{new(summary), new(touches), new(reused)},
	ResultType: reflect.TypeFor[[]analysis.Diagnostic](),
}

// Analyzers find mistakes in the use of arenas and of sync.Pool: one for each code, which is its
// name. Explain explains a code.
var Analyzers = []*analysis.Analyzer{
	of(codeStale, "a value is used after the end of its arena"),
	of(codeOutlives, "a value goes where it outlives its arena"),
	of(codeShared, "two goroutines use one arena"),
	of(codeLost, "an arena from a Pool is not returned on some path"),
	of(codeClosed, "an arena is put or freed twice, or used afterwards"),
	of(codeContainer, "a Map, a Builder or a reference is used wrongly"),
	of(codeUseless, "an arena saves nothing"),
	of(codeSyncPool, "a value of a sync.Pool is used after Put"),
	of(codeKeep, "a comment silences nothing"),
}

var (
	flagMaybe, flagFixes bool
	flagOnly             map[string]bool // by path, or nil for all
	flagKeepers          map[string]bool // by path
)

func init() {
	list := func(name, usage string, all *map[string]bool) {
		Analyzer.Flags.Func(name, usage+": paths with commas between them", func(paths string) error {
			*all = map[string]bool{}
			for path := range strings.SplitSeq(paths, ",") {
				(*all)[path] = true
			}
			return nil
		})
	}
	list("only", "report findings in these packages only", &flagOnly)
	list("keepers", "look at all functions of these packages of other modules, which may keep what they are given", &flagKeepers)
	Analyzer.Flags.BoolVar(&flagMaybe, "maybe", false, "report also what depends on a path, or on a function that is not known")
	Analyzer.Flags.BoolVar(&flagFixes, "fixes", true, "suggest fixes, each of which is tried before")
}

// of returns the analyzer of a code.
func of(code, doc string) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: code, Doc: doc, URL: url + "#" + code, Requires: []*analysis.Analyzer{Analyzer},
		Run: func(pass *analysis.Pass) (any, error) {
			for _, d := range pass.ResultOf[Analyzer].([]analysis.Diagnostic) {
				if d.Category == code {
					pass.Report(d)
				}
			}
			return nil, nil
		},
	}
}

// touches is the fact of a package that uses arenas or a sync.Pool, or imports one that does.
type touches struct{ Arena bool }

func (*touches) AFact() {}

func (t *touches) String() string { return "touches" }

// reused is the fact of a field with a slice or a map that stays with its struct, which the package
// puts into a sync.Pool.
type reused struct{}

func (*reused) AFact() {}

func (*reused) String() string { return "reused" }

func run(pass *analysis.Pass) (any, error) { return find(pass), nil }

// find returns what is reported of a package.
func find(pass *analysis.Pass) []analysis.Diagnostic {
	if len(pass.Files) == 0 || pass.Pkg.Path() == "unsafe" {
		return nil
	}
	path := pass.Pkg.Path()
	if path == corePath || path == "sync" {
		pass.ExportPackageFact(&touches{Arena: path == corePath})
		return nil // its functions are known by their names
	}
	std := isStandard(pass)
	arenas, ok := relevant(pass, std)
	if !ok {
		return nil
	}
	c := &checker{
		fset: pass.Fset, pkg: pass.Pkg, files: pass.Files, info: pass.TypesInfo, read: pass.ReadFile, sizes: pass.TypesSizes, pools: !arenas, options: options{flagMaybe}, quiet: std || flagOnly != nil && !flagOnly[path],
		facts:  func(fn *types.Func, s *summary) bool { return pass.ImportObjectFact(fn, s) },
		reused: func(field *types.Var) bool { return pass.ImportObjectFact(field, new(reused)) },
	}
	c.analyze()
	for field, is := range c.fields {
		if is && field != nil && field.Exported() && field.Pkg() == pass.Pkg {
			pass.ExportObjectFact(field, new(reused))
		}
	}
	for fn, sum := range c.summaries {
		if obj, ok := fn.Object().(*types.Func); ok && obj.Pkg() == pass.Pkg && sum != nil && sum.interesting() && !strings.HasPrefix(obj.Name(), "init") {
			pass.ExportObjectFact(obj, sum)
		}
	}
	if !c.pools {
		c.exportMethods(func(m *types.Func, sum *summary) { pass.ExportObjectFact(m, sum) })
	}
	if c.quiet {
		return nil
	}
	c.useless()
	return c.published(pass)
}

// relevant reports whether a package has to be looked at, and whether all of it: it imports arenas,
// also by others, or may keep what others give it. Of one with a sync.Pool, some functions are
// enough.
func relevant(pass *analysis.Pass, std bool) (arenas, ok bool) {
	fact := touches{}
	for _, p := range pass.Pkg.Imports() {
		var t touches
		if pass.ImportPackageFact(p, &t) && t.Arena {
			fact.Arena = true
		}
		if p.Path() == corePath {
			fact.Arena = true // also if the driver has not analyzed it
		}
	}
	if fact.Arena {
		pass.ExportPackageFact(&fact)
		return true, true
	}
	if std {
		return false, false
	}
	if flagKeepers[pass.Pkg.Path()] {
		return true, true
	}
	if len(pass.Files) > 0 && inModule(filepath.Dir(pass.Fset.Position(pass.Files[0].Package).Filename)) {
		return true, true // others may give it values of arenas
	}
	for _, o := range pass.TypesInfo.Uses {
		if t, ok := o.(*types.TypeName); ok && t.Pkg() != nil && t.Pkg().Path() == "sync" && t.Name() == "Pool" {
			return false, true
		}
		if f, ok := o.(*types.Func); ok && f.Pkg() != nil && f.Pkg() != pass.Pkg {
			var sum summary
			if pass.ImportObjectFact(f, &sum) && sum.handsOver() {
				return false, true
			}
		}
	}
	for _, o := range pass.TypesInfo.Defs {
		if f, ok := o.(*types.Func); ok && contains(f.Signature()) {
			return true, true // others may give it values of a sync.Pool
		}
	}
	return false, false
}

// contains reports whether a method is one of a container, which is given values of any type.
func contains(method *types.Signature) bool {
	for v := range method.Params().Variables() {
		if _, ok := v.Type().(*types.TypeParam); ok && method.RecvTypeParams().Len() > 0 {
			return true
		}
	}
	return false
}

var modules sync.Map // whether the module around a directory requires arenas

// inModule reports whether a directory is in a module that requires arenas.
func inModule(dir string) bool {
	if known, ok := modules.Load(dir); ok {
		return known.(bool)
	}
	found := false
	if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
		found = bytes.Contains(text, []byte(corePath+" "))
	} else if parent := filepath.Dir(dir); parent != dir {
		found = inModule(parent)
	}
	modules.Store(dir, found)
	return found
}

// isStandard reports whether a package is one of the standard library. Where no module is known,
// that is so if package unsafe lies beside it.
func isStandard(pass *analysis.Pass) bool {
	path := pass.Pkg.Path()
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
		return false
	}
	if m := pass.Module; m != nil && m.Path != "" {
		return m.Path == "std" || m.Path == "cmd"
	}
	for _, f := range pass.Files {
		dir := filepath.Dir(pass.Fset.Position(f.Package).Filename)
		if root, ok := strings.CutSuffix(dir, string(filepath.Separator)+filepath.FromSlash(path)); ok {
			_, err := os.Stat(filepath.Join(root, "unsafe", "unsafe.go"))
			return err == nil
		}
	}
	return false
}

// published returns the findings that no comment silences, and comments that silence nothing.
func (c *checker) published(pass *analysis.Pass) (all []analysis.Diagnostic) {
	keeps := comments.Find(pass.Fset, pass.Files, "keep")
	var printed []*finding
	for _, d := range c.sorted() {
		if kept := keeps.For(pass.Fset.Position(d.pos)); kept != nil {
			kept.Used = true
			continue
		}
		if d.maybe && !c.options.maybe {
			continue
		}
		printed = append(printed, d)
	}
	var fixes map[*finding]fix
	if flagFixes {
		fixes = c.suggested(printed)
	}
	for _, d := range printed {
		message := d.code + ": " + d.message
		if d.maybe {
			message = d.code + " (maybe): " + d.message
		}
		diagnostic := analysis.Diagnostic{Pos: d.pos, Category: d.code, Message: message, URL: url + "#" + d.code}
		for _, r := range d.related {
			if r.pos.IsValid() {
				diagnostic.Related = append(diagnostic.Related, analysis.RelatedInformation{Pos: r.pos, Message: r.message})
			}
		}
		if f, ok := fixes[d]; ok {
			var edits []analysis.TextEdit
			for _, e := range f.edits {
				edits = append(edits, analysis.TextEdit{Pos: e.pos, End: e.end, NewText: []byte(e.text)})
			}
			diagnostic.SuggestedFixes = []analysis.SuggestedFix{{Message: f.message, TextEdits: edits}}
		}
		all = append(all, diagnostic)
	}
	for _, kept := range keeps {
		var message string
		switch {
		case !kept.Used:
			message = "this comment silences nothing: remove it"
		case kept.Reason == "":
			message = "this comment gives no reason: write //arena:keep and why it is right"
		default:
			continue
		}
		all = append(all, analysis.Diagnostic{Pos: kept.Pos(), End: kept.End(), Category: codeKeep, Message: codeKeep + ": " + message})
	}
	return all
}
