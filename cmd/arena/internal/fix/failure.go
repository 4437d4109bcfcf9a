package fix

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"
)

// What goes into an error stays on the heap: an error may outlive the arena, as a log does. What
// becomes an error is followed in one function only. A result of type error is made of nothing of
// an arena, as far as the function shows that returns it.

// isError tells whether values of type t are errors.
func isError(t types.Type) bool { return t != nil && unsuited(t).stays() }

// wraps tells whether the error that a call of fmt.Errorf returns may have an argument in it: an
// error or an interface, for the verb %w. All else is text that it makes.
func (w *walker) wraps(c *ast.CallExpr, arg ast.Node) bool {
	x, ok := arg.(ast.Expr)
	if !ok || len(c.Args) == 0 {
		return false
	}
	if t := w.info.TypeOf(x); t == nil || !isError(t) && !types.IsInterface(t) {
		_, tuple := t.(*types.Tuple)
		return tuple || c.Ellipsis.IsValid()
	}
	format := w.info.Types[c.Args[0]].Value
	return format == nil || format.Kind() != constant.String || hasVerb(constant.StringVal(format), 'w')
}

// hasVerb tells whether a format of package fmt has a verb.
func hasVerb(format string, verb byte) bool {
	for {
		_, behind, ok := strings.Cut(format, "%")
		if !ok {
			return false
		}
		behind = strings.TrimLeft(behind, "+-# 0123456789.*[]")
		if behind == "" {
			return false
		}
		if behind[0] == verb {
			return true
		}
		format = behind[1:]
	}
}

// inFailure tells whether way leads into a call that makes an error or panics: what is allocated
// there is allocated at most once, when all ends.
func (w *walker) inFailure(way []ast.Node) bool {
	for i, n := range way[:len(way)-1] {
		c, ok := n.(*ast.CallExpr)
		if !ok || way[i+1] == c.Fun {
			continue
		}
		if w.failure(c) {
			return true
		}
	}
	return false
}

// failure tells whether a call makes an error or panics.
func (w *walker) failure(c *ast.CallExpr) bool {
	f, _ := callee(w.info, c)
	return w.isBuiltin(c, "panic") || f != nil && (f.FullName() == "fmt.Errorf" || f.FullName() == "errors.New")
}

// becomesError tells whether a call has no other results than errors that could refer to memory, or
// this result is one.
func (w *walker) becomesError(c *ast.CallExpr, result int) bool {
	t := w.info.TypeOf(c)
	list, ok := t.(*types.Tuple)
	if !ok {
		return isError(t)
	}
	if result != every {
		return isError(list.At(result).Type())
	}
	for v := range list.Variables() {
		if refers(v.Type()) && !isError(v.Type()) {
			return false
		}
	}
	return true
}

// keepFailures keeps on the heap what is made for a text that stays there, as the values that it
// formats: it is part of an error.
func (p *program) keepFailures() {
	for _, f := range p.order {
		for _, s := range f.sites {
			if !s.why.stays() || s.why.crosses() {
				continue
			}
			for _, inner := range f.sites {
				if !inner.why.stays() && inner != s && slices.Contains(inner.way, s.node) {
					inner.why = s.why
				}
			}
		}
	}
}
