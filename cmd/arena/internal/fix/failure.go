package fix

import (
	"go/ast"
	"go/types"
)

// What goes into an error stays on the heap: an error may outlive the arena, as a log does. What
// becomes an error is followed in one function only. A result of type error is made of nothing of
// an arena, as far as the function shows that returns it.

// isError tells whether values of type t are errors.
func isError(t types.Type) bool { return t != nil && unsuited(t).stays() }

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
