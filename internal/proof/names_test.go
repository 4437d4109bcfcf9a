package proof

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNames checks that what the documents call arena.X exists, for each package of the repository,
// and so does X.Y where X is a type of one.
func TestNames(t *testing.T) {
	known := names(t)
	for _, d := range read(t) {
		for _, problem := range d.names(known) {
			t.Error(problem)
		}
	}
}

// names returns the names of all packages that others may import, of what they export, and of the
// members of their types.
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
		members := map[string][]string{} // by type; members of an embedded type begin with a dot
		for _, source := range sources {
			if isNewer(t, source) {
				continue
			}
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

// declared returns what is declared at the top of a file, constants apart, and adds to the members
// of types.
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

// fields returns the fields of a struct, or the methods of an interface. What is embedded begins
// with a dot.
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
	gone := false // within a section on names that are no more
	for i, line := range d.lines {
		if strings.HasPrefix(line, "#") {
			gone = line == "### Renamed" || line == "### Removed"
		}
		if gone {
			continue
		}
		for _, m := range qualified.FindAllStringSubmatch(line, -1) {
			if known[m[1]] && !known[m[0]] {
				problems = append(problems, fmt.Sprintf("%s:%d: there is no %s", d.name, i+1, m[0]))
			}
		}
	}
	return problems
}

// TestStartHere checks that the package comment leads to every function, type and variable of the
// package. Methods are found by their type.
func TestStartHere(t *testing.T) {
	sources, err := filepath.Glob(filepath.Join(root, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var comment string
	var names []string
	types := map[string][]string{}
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") || isNewer(t, source) {
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
