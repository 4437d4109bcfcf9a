package fix

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/packages"
)

// A file is a source that is edited. Edits are of text, so that everything they do not touch stays
// unchanged, comments and lines included.
type file struct {
	fset    *token.FileSet
	name    string
	src     []byte
	syntax  *ast.File
	pkg     *packages.Package
	imports map[string]string // the names of imported packages, by path
	added   map[string]string // the same of what the edits need
	edits   []edit
	tail    []string // what comes at the end
	forms   []string // statements that fill tables of second forms when the program begins
	starts  []start  // the lines that are marked: see lines.go
	fixed   bool     // it stays unchanged: a program has made it

	at     token.Pos // where names have to mean what they name, if it is valid
	hidden bool      // one has not
}

// An edit replaces the bytes from from up to to.
type edit struct {
	from, to int
	text     string
	order    int // of edits at one place
}

func newFile(fset *token.FileSet, name string, src []byte, syntax *ast.File, pkg *packages.Package) *file {
	f := &file{fset: fset, name: name, src: src, syntax: syntax, pkg: pkg, imports: map[string]string{}, added: map[string]string{}}
	for _, s := range syntax.Imports {
		path, _ := strconv.Unquote(s.Path.Value)
		switch {
		case s.Name != nil:
			f.imports[path] = s.Name.Name
		case pkg.Imports[path] != nil:
			f.imports[path] = pkg.Imports[path].Name
		}
	}
	return f
}

func (f *file) offset(p token.Pos) int { return f.fset.Position(p).Offset }

// text returns the source from from up to to, without edits.
func (f *file) text(from, to token.Pos) string { return f.marked(f.offset(from), f.offset(to)) }

// replace replaces what is from from up to to.
func (f *file) replace(from, to token.Pos, text string) {
	f.edits = append(f.edits, edit{f.offset(from), f.offset(to), text, len(f.edits)})
}

// before inserts text in front of what begins at p. Of several texts, the first one inserted is the
// outermost.
func (f *file) before(p token.Pos, text string) { f.replace(p, p, text) }

// after inserts text behind what ends at p. Of several texts, the first one inserted is the
// outermost, and so the last.
func (f *file) after(p token.Pos, text string) {
	at := f.offset(p)
	f.edits = append(f.edits, edit{at, at, text, -len(f.edits) - 1})
}

// use returns the name by which the file has a package, which it imports if it has to.
func (f *file) use(path, name string) string {
	if n := cmp.Or(f.imports[path], f.added[path]); n != "" && n != "_" && n != "." {
		if f.at.IsValid() && f.imports[path] == n {
			f.hidden = f.hidden || !f.means(n, func(found types.Object) bool {
				pkg, ok := found.(*types.PkgName)
				return ok && pkg.Imported().Path() == path
			})
		}
		return n
	}
	free := name
	for i := 2; f.taken(free); i++ {
		free = name + strconv.Itoa(i)
	}
	f.added[path] = free
	return free
}

// taken tells whether a name means something in the file, or in its package.
func (f *file) taken(name string) bool {
	return f.pkg.Types.Scope().Lookup(name) != nil || mentions(f.syntax, name) || slices.Contains(slices.Collect(maps.Values(f.imports)), name)
}

// typ returns the type t as the file writes it.
func (f *file) typ(t types.Type) string {
	f.hidden = f.hidden || f.at.IsValid() && !f.sees(t)
	return types.TypeString(t, func(p *types.Package) string {
		if p == f.pkg.Types {
			return ""
		}
		return f.use(p.Path(), p.Name())
	})
}

// changed tells whether there are edits.
func (f *file) changed() bool { return len(f.edits)+len(f.tail)+len(f.forms) > 0 }

// result returns the source with the edits, formatted.
func (f *file) result() ([]byte, error) {
	edits := slices.Clone(f.edits)
	slices.SortStableFunc(edits, func(a, b edit) int {
		if c := cmp.Compare(a.from, b.from); c != 0 {
			return c
		}
		// What ends here comes before what begins here; insertions come before replacements.
		if (a.order < 0) != (b.order < 0) {
			return cmp.Compare(a.order, b.order)
		}
		if (a.from == a.to) != (b.from == b.to) {
			if a.from == a.to {
				return -1
			}
			return +1
		}
		return cmp.Compare(a.order, b.order)
	})
	var out bytes.Buffer
	at, resumed := 0, ""
	for _, e := range edits {
		if e.from < at {
			return nil, fmt.Errorf("arena fix: %s: two changes overlap at byte %d; please report it, with the source", f.name, e.from)
		}
		if at < e.from || at == 0 {
			out.WriteString(resumed)
			out.WriteString(f.marked(at, e.from))
			if _, ok := f.begins(e.from); ok {
				out.WriteString(f.mark(e.from))
			}
		}
		out.WriteString(e.text)
		at, resumed = e.to, f.resumed(e.to, e.text)
	}
	out.WriteString(resumed)
	out.WriteString(f.marked(at, len(f.src)))
	for _, text := range f.tail {
		out.WriteString(text)
	}
	if len(f.forms) > 0 {
		fmt.Fprintf(&out, "\nfunc init() {\n%s}\n", strings.Join(f.forms, ""))
	}
	src, err := f.tidy(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("arena fix: %s: the result is no Go; please report it, with the source: %w", f.name, err)
	}
	if len(f.starts) > 0 {
		src = directLines(src)
	}
	return src, nil
}

// tidy formats a source, with the imports that it needs, and without those that the edits have left
// without a use.
func (f *file) tidy(src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, f.name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for path, name := range f.imports {
		if name == "_" || name == "." || path == "C" || uses(syntax, name) {
			continue
		}
		if !astutil.DeleteImport(fset, syntax, path) {
			astutil.DeleteNamedImport(fset, syntax, name, path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(f.added)) {
		name := f.added[path]
		if !uses(syntax, name) {
			continue // an edit was for a trial
		}
		if path[strings.LastIndexByte(path, '/')+1:] == name {
			name = ""
		}
		astutil.AddNamedImport(fset, syntax, name, path)
	}
	var out bytes.Buffer
	if err := format.Node(&out, fset, syntax); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// uses tells whether a source has something of the package with that name.
func uses(syntax *ast.File, name string) bool {
	return some(syntax, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		id, ok := sel.X.(*ast.Ident)
		return ok && id.Name == name
	})
}
