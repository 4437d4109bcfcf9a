// Package grammar has a parser with line directives, as programs make it of a grammar. It says that it is made, too.
package grammar

import "strings"

// A Node is an operator with what it is for, or a name.
type Node struct {
	Op          byte
	Name        string
	Left, Right *Node
}

// String returns the expression in front notation.
func (n *Node) String() string {
	if n == nil {
		return ""
	}
	return n.Name + strings.Trim(string(n.Op), "\x00") + n.Left.String() + n.Right.String()
}

// Parse returns the tree of an expression in back notation.
func Parse(text string) *Node {
	l := &words{all: strings.Fields(text)}
	defer l.recover()
	yyParse(l)
	return l.result
}

type words struct {
	all    []string
	result *Node
}

// recover makes a node of a panic.
func (w *words) recover() {
	if e := recover(); e != nil {
		w.result = &Node{Name: "panic"}
	}
}

func (w *words) next() string {
	if len(w.all) == 0 {
		return ""
	}
	s := w.all[0]
	w.all = w.all[1:]
	return s
}
