package fix

import "go/ast"

// visit calls f for each node, with what it is in, the node included. It leaves out what is in
// nodes for which f returns false.
func visit(in ast.Node, f func(n ast.Node, way []ast.Node) bool) {
	var way []ast.Node
	ast.Inspect(in, func(n ast.Node) bool {
		if n == nil {
			way = way[:len(way)-1]
			return true
		}
		way = append(way, n)
		if f(n, way) {
			return true
		}
		way = way[:len(way)-1] // without a call for its end
		return false
	})
}

// some tells whether is is true for a node of a part of the source.
func some(in ast.Node, is func(ast.Node) bool) (found bool) {
	ast.Inspect(in, func(n ast.Node) bool {
		found = found || n != nil && is(n)
		return !found
	})
	return found
}

// contains tells whether there is a node of type N in x.
func contains[N ast.Node](x ast.Node) bool {
	return some(x, is[N])
}

// mentions tells whether there is an identifier with a name in x.
func mentions(x ast.Node, name string) bool {
	return some(x, func(n ast.Node) bool { id, ok := n.(*ast.Ident); return ok && id.Name == name })
}

// is tells whether a node is of type N.
func is[N ast.Node](n ast.Node) bool { _, ok := n.(N); return ok }
