// Package comments finds the comments by which programs accept what is found in them, as
// //arena:keep and a reason.
package comments

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// A Comment accepts what is found in its line and in the next one.
type Comment struct {
	*ast.Comment
	At     token.Position
	Reason string
	Used   bool // it has accepted something
}

// A List has the comments of one kind, in the order of the sources.
type List []*Comment

// Find returns the comments in files that begin with //arena: and the kind.
func Find(fset *token.FileSet, files []*ast.File, kind string) (all List) {
	for _, f := range files {
		for _, group := range f.Comments {
			for _, c := range group.List {
				if text, ok := strings.CutPrefix(c.Text, "//arena:"+kind); ok && (text == "" || strings.ContainsAny(text[:1], " \t")) {
					all = append(all, &Comment{Comment: c, At: fset.Position(c.Pos()), Reason: strings.TrimSpace(text)})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b *Comment) int {
		return cmp.Or(strings.Compare(a.At.Filename, b.At.Filename), a.At.Line-b.At.Line)
	})
	return slices.CompactFunc(all, func(a, b *Comment) bool { return a.At == b.At }) // of a file in two packages
}

// For returns the comment in the line of a place, or in the one above, or nil.
func (l List) For(at token.Position) *Comment {
	for _, line := range []int{at.Line, at.Line - 1} {
		for _, c := range l {
			if c.At.Filename == at.Filename && c.At.Line == line {
				return c
			}
		}
	}
	return nil
}
