package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// divert has the tests below a directory, and the package prototest that they share, use members of
// one package instead of another's.
func divert(dir, from, to string, members []string) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") && filepath.Base(filepath.Dir(name)) != "prototest" {
			return err
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if src, err = divertFile(src, from, to, members); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return os.WriteFile(name, src, 0o666)
	})
}

// divertFile returns the source of a file with the uses diverted.
func divertFile(src []byte, from, to string, members []string) ([]byte, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var name string // of the package from in this file
	for _, spec := range file.Imports {
		if path, _ := strconv.Unquote(spec.Path.Value); path == from {
			name = from[strings.LastIndex(from, "/")+1:]
			if spec.Name != nil {
				name = spec.Name.Name
			}
		}
	}
	hook := to[strings.LastIndex(to, "/")+1:]
	var uses []int // where the name is
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && slices.Contains(members, sel.Sel.Name) {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == name {
				uses = append(uses, set.Position(x.Pos()).Offset)
			}
		}
		return true
	})
	if len(uses) == 0 {
		return src, nil
	}
	slices.Sort(uses)
	for _, at := range slices.Backward(uses) {
		src = slices.Replace(src, at, at+len(name), []byte(hook)...)
	}
	src = slices.Insert(src, set.Position(file.Name.End()).Offset, []byte("\n\nimport "+hook+" "+strconv.Quote(to))...)
	return append(src, "\nvar _ "+name+".MarshalOptions\n"...), nil // the import is still used
}
