package fix

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Files beside those that are rewritten belong to a package, too: its tests, and files for other
// systems or build tags. They are read, and not checked.

type beside struct {
	ignored  map[string]bool // what files for other systems declare: Func, Type.Method, Type
	declared map[string]bool // names of all of these that are declared for the package, methods included
	unkeyed  map[string]bool // types of literals without the names of fields
	mentions map[string]bool // all identifiers in these files
}

// besides reads what is beside a package.
func besides(pkg *packages.Package) *beside {
	b := &beside{ignored: map[string]bool{}, declared: map[string]bool{}, unkeyed: map[string]bool{}, mentions: map[string]bool{}}
	if len(pkg.GoFiles) == 0 {
		return b
	}
	tests, _ := filepath.Glob(filepath.Join(filepath.Dir(pkg.GoFiles[0]), "*_test.go"))
	for _, name := range slices.Concat(pkg.IgnoredFiles, tests) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil || strings.TrimSuffix(syntax.Name.Name, "_test") != pkg.Name || !builds(syntax) {
			continue
		}
		ignored := !strings.HasSuffix(name, "_test.go")
		for _, d := range syntax.Decls {
			b.declares(d, ignored)
		}
		ast.Inspect(syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				b.literal(n)
			case *ast.Ident:
				b.mentions[n.Name] = true
			}
			return true
		})
	}
	return b
}

// builds tells whether some system builds a file with a Go that has package arena. Files for an
// older Go are not built.
func builds(syntax *ast.File) bool {
	for _, group := range syntax.Comments {
		if group.Pos() > syntax.Package {
			break
		}
		for _, c := range group.List {
			if constraint.IsGoBuild(c.Text) {
				x, err := constraint.Parse(c.Text)
				return err != nil || mayBe(x, true)
			}
		}
	}
	return true
}

// oldest is the least version 1.x of Go that package arena needs.
const oldest = 26

// mayBe tells whether a constraint has a value for some system and tags.
func mayBe(x constraint.Expr, value bool) bool {
	switch x := x.(type) {
	case *constraint.TagExpr:
		version, isGo := strings.CutPrefix(x.Tag, "go1.")
		n, err := strconv.Atoi(version)
		return value || !isGo || err != nil || n > oldest
	case *constraint.NotExpr:
		return mayBe(x.X, !value)
	case *constraint.AndExpr:
		if value {
			return mayBe(x.X, true) && mayBe(x.Y, true)
		}
		return mayBe(x.X, false) || mayBe(x.Y, false)
	case *constraint.OrExpr:
		if value {
			return mayBe(x.X, true) || mayBe(x.Y, true)
		}
		return mayBe(x.X, false) && mayBe(x.Y, false)
	}
	return true
}

func (b *beside) declares(d ast.Decl, ignored bool) {
	add := func(of string, id *ast.Ident) {
		b.declared[id.Name] = true
		if ignored {
			b.ignored[of+id.Name] = true
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		add(receiverOf(d), d.Name)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				add("", s.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					add("", id)
				}
			}
		}
	}
}

// receiverOf returns the type of the receiver with a point, or nothing.
func receiverOf(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	return typeName(d.Recv.List[0].Type) + "."
}

// typeName returns the name of the type that an expression is, points at, or has as elements.
func typeName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.StarExpr:
		return typeName(x.X)
	case *ast.ParenExpr:
		return typeName(x.X)
	case *ast.IndexExpr:
		return typeName(x.X)
	case *ast.IndexListExpr:
		return typeName(x.X)
	case *ast.ArrayType:
		return typeName(x.Elt)
	case *ast.MapType:
		return typeName(x.Value)
	}
	return ""
}

// literal notes what a literal has no names of fields for, or its elements.
func (b *beside) literal(lit *ast.CompositeLit) {
	switch lit.Type.(type) {
	case *ast.ArrayType, *ast.MapType:
		for _, e := range lit.Elts {
			if inner := literalOf(valueOf(e)); inner != nil && inner.Type == nil && isUnkeyed(inner) {
				b.unkeyed[typeName(lit.Type)] = true
			}
		}
	default:
		if isUnkeyed(lit) {
			b.unkeyed[typeName(lit.Type)] = true
		}
	}
}

func isUnkeyed(lit *ast.CompositeLit) bool {
	if len(lit.Elts) == 0 {
		return false
	}
	_, ok := lit.Elts[0].(*ast.KeyValueExpr)
	return !ok
}
