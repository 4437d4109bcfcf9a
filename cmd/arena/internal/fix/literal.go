package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// build makes what is from from to the end of a literal a text, and what sets the new value, which
// a name points at, to the literal. A struct gets its fields one by one: the compiler makes a
// literal that is assigned on the stack, and copies it.
func (w *walker) build(lit *ast.CompositeLit, from token.Pos, name, text string) {
	f := w.f.file
	fields := w.fieldsOf(lit)
	if fields == nil {
		f.replace(from, lit.Pos(), text+"*"+name+" = ")
		return
	}
	for i, e := range lit.Elts {
		value := valueOf(e)
		if strings.HasSuffix(text, "\n") {
			text += f.mark(f.offset(value.Pos()))
		}
		f.replace(from, value.Pos(), text+name+"."+fields[i]+" = ")
		from, text = value.End(), "\n"
	}
	f.replace(from, lit.End(), "")
}

// inOrder tells whether the values of a literal can be computed one after the other: nothing that
// one calls changes those in front of it.
func (w *walker) inOrder(lit *ast.CompositeLit) bool {
	last := len(lit.Elts) - 1
	for last >= 0 && !w.acts(lit.Elts[last], lit.Elts[last].Pos()) {
		last--
	}
	for _, e := range lit.Elts[:max(last, 0)] {
		if !w.settled(valueOf(e)) {
			return false
		}
	}
	return true
}

// valueOf returns the value of an element of a literal.
func valueOf(e ast.Expr) ast.Expr {
	if kv, ok := e.(*ast.KeyValueExpr); ok {
		return kv.Value
	}
	return e
}

// fieldsOf returns the names of the fields that a literal sets. It returns nil if the literal is
// not of a struct, has comments that would be lost, or would be computed in another order.
func (w *walker) fieldsOf(lit *ast.CompositeLit) (names []string) {
	t, ok := w.info.TypeOf(lit).Underlying().(*types.Struct)
	if !ok || ssas.IsTypeParam(w.info.TypeOf(lit)) || !w.inOrder(lit) {
		return nil
	}
	for _, c := range w.f.file.syntax.Comments {
		inside := func(x ast.Expr) bool { return x.Pos() <= c.Pos() && c.End() <= x.End() }
		if inside(lit) && !slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool { return inside(valueOf(e)) }) {
			return nil
		}
	}
	for i, e := range lit.Elts {
		name := t.Field(i).Name()
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			name = kv.Key.(*ast.Ident).Name
		}
		if name == "_" {
			return nil
		}
		names = append(names, name)
	}
	return names
}
