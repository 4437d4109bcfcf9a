package arenavet

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/arena-go/arena/cmd/arena/internal/names"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// inArena are functions that make text on the heap, and what makes it in an arena.
var inArena = map[string]string{
	"fmt.Sprintf": "arena.Sprintf", "strings.Join": "arena.Join", "strconv.Itoa": "arenastrings.Itoa", "strconv.FormatInt": "arenastrings.FormatInt",
	"strconv.FormatUint": "arenastrings.FormatUint", "strconv.FormatFloat": "arenastrings.FormatFloat", "strconv.Quote": "arenastrings.Quote",
}

// useless finds text that is made on the heap and then copied into an arena.
func (c *checker) useless() {
	for _, file := range c.files {
		test := strings.HasSuffix(c.position(file.Pos()).Filename, "_test.go")
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				c.uselessCall(call, test)
			}
			return true
		})
	}
}

func (c *checker) uselessCall(call *ast.CallExpr, test bool) {
	fn, _ := typeutil.Callee(c.info, call).(*types.Func)
	if names.Package(fn) != corePath {
		return
	}
	name := names.Local(fn)
	var arg ast.Expr
	switch name {
	case "String", "Bytes":
		if len(call.Args) == 2 {
			arg = call.Args[1]
		}
	case "Builder.WriteString", "Builder.Write":
		if len(call.Args) == 1 {
			arg = call.Args[0]
		}
	}
	if arg == nil {
		return
	}
	report := func(format string, args ...any) *finding {
		d := &finding{code: codeUseless, pos: arg.Pos(), message: fmt.Sprintf(format, args...)}
		c.add(d)
		return d
	}
	replace := func(d *finding, message string, edits ...edit) {
		d.fix = func() []fix { return []fix{{message, edits}} }
	}
	made, ok := ast.Unparen(arg).(*ast.CallExpr)
	if !ok {
		if v := c.info.Types[arg].Value; v != nil && v.Kind() == constant.String && name == "String" && !test {
			d := report("a constant is copied into the arena: use it as it is")
			if types.Identical(c.info.Types[call].Type, types.Typ[types.String]) {
				replace(d, "Use the constant", edit{call.Pos(), call.End(), c.text(arg)})
			}
		}
		return
	}
	if tv := c.info.Types[made.Fun]; tv.IsType() && len(made.Args) == 1 {
		// A conversion between text and bytes.
		from, to := c.info.Types[made.Args[0]].Type, tv.Type
		if c.info.Types[made].Value != nil || !isText(from) || !isText(to) || ssas.IsString(from) == ssas.IsString(to) {
			return
		}
		switch name {
		case "String", "Bytes":
			d := report("%s makes a copy on the heap first: arena.%s takes it as it is", c.text(made.Fun), name)
			replace(d, "Leave out the conversion", edit{made.Pos(), made.End(), c.text(made.Args[0])})
		case "Builder.WriteString":
			d := report("%s makes a copy on the heap first: use Write", c.text(made.Fun))
			if s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
				replace(d, "Use Write", edit{s.Sel.Pos(), s.Sel.End(), "Write"}, edit{made.Pos(), made.End(), c.text(made.Args[0])})
			}
		}
		return
	}
	maker, _ := typeutil.Callee(c.info, made).(*types.Func)
	full := names.Path(maker)
	instead := inArena[full]
	switch {
	case instead != "" && name == "String":
		d := report("%s makes the text on the heap first: use %s", callName(maker), instead)
		if s, ok := unindexed(call.Fun).(*ast.SelectorExpr); ok {
			// A file that does not import arenastrings gets no fix: what uses an unknown name does
			// not compile.
			pkg, function, _ := strings.Cut(instead, ".")
			if pkg == "arena" {
				pkg = c.text(s.X)
			}
			replace(d, "Use "+instead, edit{call.Pos(), call.End(), pkg + "." + function + "(" + c.text(call.Args[0]) + ", " + c.between(made) + ")"})
		}
	case full == "fmt.Sprintf" && name == "Builder.WriteString":
		d := report("fmt.Sprintf makes the text on the heap first: use Printf")
		// Printf returns nothing.
		if s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			replace(d, "Use Printf", edit{s.Sel.Pos(), s.Sel.End(), "Printf"}, edit{made.Pos(), made.End(), c.between(made)})
		}
	}
}

func unindexed(e ast.Expr) ast.Expr {
	switch x := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		return x.X
	default:
		return x
	}
}

func isText(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Slice:
		b, ok := u.Elem().Underlying().(*types.Basic)
		return ok && b.Kind() == types.Byte
	}
	return false
}

// between returns the source between the parentheses of a call.
func (c *checker) between(call *ast.CallExpr) string {
	return c.source(call.Lparen+1, call.Rparen)
}

func (c *checker) text(n ast.Node) string { return c.source(n.Pos(), n.End()) }

// source returns a piece of a source file, or nothing if the file is not there.
func (c *checker) source(from, to token.Pos) string {
	f := c.fset.File(from)
	if f == nil {
		return ""
	}
	text := c.content(f.Name())
	a, b := f.Offset(from), f.Offset(to)
	if b > len(text) || a > b {
		return ""
	}
	return string(text[a:b])
}

func (c *checker) content(name string) []byte {
	if text, ok := c.contents[name]; ok {
		return text
	}
	if c.contents == nil {
		c.contents = map[string][]byte{}
	}
	text, err := c.read(name)
	if err != nil {
		text = nil
	}
	c.contents[name] = text
	return text
}

// freshArenas finds arenas that are made in each turn of a loop, and of which nothing is left at
// the end of it.
func (f *flow) freshArenas() {
	if strings.HasSuffix(f.c.position(f.fn.Pos()).Filename, "_test.go") {
		return
	}
	for _, b := range f.fn.Blocks {
		loop := f.innermost(b)
		if loop == nil {
			continue
		}
		for _, i := range b.Instrs {
			call, ok := i.(*ssa.Call)
			if !ok || f.opOf(call) != opNew && f.opOf(call) != opNewWith {
				continue
			}
			l := f.lives[lifeKey{call, ""}]
			if l == nil || l.kind != lifeMade || f.leavesLoop(l, loop) || f.handsOut(l, loop) {
				continue
			}
			t := tag{life: l, made: call}
			d := f.found(codeUseless, ssas.PosOf(call), false, t, "each turn of the loop makes an arena, which asks the heap for memory: make one in front of the loop, and Reset it in each turn")
			d.related = nil
			if !f.ended(l) {
				f.c.fixFresh(d)
			}
		}
	}
}

// innermost returns the smallest loop that has a block, or nil.
func (f *flow) innermost(b *ssa.BasicBlock) (least map[*ssa.BasicBlock]bool) {
	for _, loop := range f.findLoops() {
		if loop[b] && (least == nil || len(loop) < len(least)) {
			least = loop
		}
	}
	return least
}

// leavesLoop reports whether something of an arena may be there when the turn that has made it is
// over.
func (f *flow) leavesLoop(l *life, loop map[*ssa.BasicBlock]bool) bool {
	for b := range loop {
		if len(b.Succs) == 0 {
			return true
		}
		for _, next := range b.Succs {
			if s := f.in[next]; s != nil && (!loop[next] || next.Dominates(b)) && f.leavesTurn(s, l, loop, next) {
				return true
			}
			if !loop[next] {
				// What a return behind the loop has.
				if _, ok := next.Instrs[len(next.Instrs)-1].(*ssa.Return); ok && f.in[next] != nil {
					for _, r := range next.Instrs[len(next.Instrs)-1].(*ssa.Return).Results {
						if f.in[next].get(r).of(l) {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

// leavesTurn reports whether something of an arena may be there in the state at the first block of
// a loop, or behind it.
func (f *flow) leavesTurn(s *state, l *life, loop map[*ssa.BasicBlock]bool, head *ssa.BasicBlock) bool {
	inside := func(v ssa.Value) bool {
		i, ok := v.(ssa.Instruction)
		return ok && loop[i.Block()]
	}
	if s.lives[l].lent {
		return true
	}
	// What can be reached from values of the next turn, and from what was there before the loop.
	var kept []av
	for v, a := range s.val {
		if phi, ok := v.(*ssa.Phi); !inside(v) || ok && phi.Block() == head {
			kept = append(kept, a)
		}
	}
	for root := range s.mem.roots {
		if !inside(root) || !f.fresh(s, root) {
			kept = append(kept, av{ptr: loc{root, ""}})
		}
	}
	return s.reaches(kept, l)
}

// of reports whether a value, or a part of it, has to do with a life.
func (v av) of(l *life) bool {
	for _, t := range v.tags {
		if t.life == l {
			return true
		}
	}
	for _, x := range v.sub {
		if x.of(l) {
			return true
		}
	}
	return false
}
