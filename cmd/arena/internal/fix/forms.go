package fix

import (
	"go/ast"
	"go/types"
	"slices"
)

// textFunctions are functions of the standard library that return new text, and ours which have the
// arena as first argument.
var textFunctions = map[string]string{
	"fmt.Sprintf": "Sprintf", "strings.Join": "Join", "strings.Clone": "String", "bytes.Clone": "Bytes",
}

// stringsFunctions are those for which package arenastrings has one of the same name, by their
// package.
var stringsFunctions = map[string][]string{
	"strings": {"Fields", "FieldsFunc", "Split", "SplitN", "SplitAfter", "ToLower", "ToUpper", "Map", "Repeat", "ReplaceAll", "Replace"},
	"strconv": {"Itoa", "FormatInt", "FormatUint", "FormatFloat", "Quote"},
}

// seldom are those that mostly return what they are given.
var seldom = []string{"ToLower", "ToUpper", "ReplaceAll", "Replace", "Map"}

// writtenFunctions are those for which a function of bodies is written. The arena is its first
// argument.
var writtenFunctions = map[string]string{
	"io.ReadAll": "arenaReadAll", "io/ioutil.ReadAll": "arenaReadAll",
	"slices.Clone": "arenaClone", "slices.Concat": "arenaConcat", "slices.Grow": "arenaGrow", "slices.Insert": "arenaInsert",
	"maps.Clone": "arenaCloneMap",
}

// constructors return a pointer to a struct that may be copied. The compiler inlines them, so the
// struct itself is on the stack if it is copied into the arena.
var constructors = []string{"strings.NewReader", "bytes.NewReader", "bytes.NewBuffer", "bytes.NewBufferString"}

// bufioFunctions are functions and methods of package bufio for which package arenabufio has one,
// and what they make. A receiver becomes the argument behind the arena.
var bufioFunctions = map[string]struct{ name, kind string }{
	"bufio.NewReader":            {"NewReader", kindValue},
	"bufio.NewReaderSize":        {"NewReaderSize", kindValue},
	"bufio.NewScanner":           {"NewScanner", kindSlice},
	"(*bufio.Scanner).Text":      {"Text", kindText},
	"(*bufio.Reader).ReadString": {"ReadString", kindText},
	"(*bufio.Reader).ReadBytes":  {"ReadBytes", kindSlice},
}

// bufioCall is a call of one of these. It tells whether that is a site.
func (w *walker) bufioCall(n *ast.CallExpr, sel *ast.SelectorExpr, obj *types.Func) bool {
	form, ok := bufioFunctions[obj.FullName()]
	s := w.info.Selections[sel]
	if !ok || s != nil && (s.Kind() != types.MethodVal || len(s.Index()) > 1) {
		return false
	}
	w.p.allocates(placesOf(n)...) // what is inlined here
	f := w.f.file
	w.add(form.kind, n, moves, func(ar string) {
		to := f.use(arenaPath+"/arenabufio", "arenabufio")
		if s == nil {
			f.replace(sel.Pos(), sel.X.End(), to)
			w.first(n, ar)
			return
		}
		address, end := "", ""
		if _, pointer := s.Recv().Underlying().(*types.Pointer); !pointer {
			address = "&"
		}
		if len(n.Args) > 0 {
			end = ", "
		}
		f.before(n.Pos(), to+"."+form.name+"("+ar+", "+address)
		f.replace(sel.X.End(), n.Lparen+1, end)
	})
	return true
}

// libraryCall is a call of a function of another package.
func (w *walker) libraryCall(n *ast.CallExpr, sel *ast.SelectorExpr, obj *types.Func) {
	name := obj.FullName()
	f := w.f.file
	switch {
	case textFunctions[name] != "":
		w.add(kindText, n, moves, func(ar string) {
			f.replace(sel.Pos(), sel.End(), f.arena()+"."+textFunctions[name])
			w.first(n, ar)
		})
	case slices.Contains(stringsFunctions[obj.Pkg().Path()], obj.Name()):
		w.add(kindText, n, moves, func(ar string) {
			f.replace(sel.Pos(), sel.X.End(), f.use(arenaPath+"/arenastrings", "arenastrings"))
			w.first(n, ar)
		}).seldom = slices.Contains(seldom, obj.Name())
	case writtenFunctions[name] != "":
		w.p.allocates(placesOf(n)...) // what is inlined here
		kind, why := kindSlice, w.unsuitedElements(n)
		if isMap(w.info.TypeOf(n)) {
			kind, why = kindMap, w.unsuitedMap(w.info.TypeOf(n))
		}
		w.add(kind, n, why, func(ar string) {
			f.replace(sel.Pos(), sel.End(), w.p.written(f, writtenFunctions[name]))
			w.first(n, ar)
		})
	case slices.Contains(constructors, name) && w.p.allocates(n.Lparen, n.Pos(), sel.Sel.Pos()):
		w.add(kindValue, n, moves, func(ar string) {
			f.before(n.Pos(), f.arena()+".Ptr("+ar+", *")
			f.after(n.End(), ")")
		})
	}
}

// unsuitedElements returns why the elements of the slice that a call returns stay on the heap.
func (w *walker) unsuitedElements(n *ast.CallExpr) reason {
	if s, ok := w.info.TypeOf(n).Underlying().(*types.Slice); ok {
		return unsuited(s.Elem())
	}
	return moves
}

// varies tells whether make is of a map, or has a length or a capacity that is no constant. On the
// stack the compiler has memory for some entries or bytes only, whether the value escapes or not.
func (w *walker) varies(n *ast.CallExpr) bool {
	_, slice := w.info.TypeOf(n.Args[0]).Underlying().(*types.Slice)
	return isMap(w.info.TypeOf(n.Args[0])) || slice && slices.ContainsFunc(n.Args[1:], func(x ast.Expr) bool { return w.info.Types[x].Value == nil })
}
