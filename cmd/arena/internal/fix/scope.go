package fix

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/lives"
	"github.com/arena-go/arena/cmd/arena/internal/ssas"
	"github.com/arena-go/arena/cmd/arena/internal/tables"
)

// A Scope is a function that calls a root, and what becomes of what the root makes.
type Scope struct {
	Function string
	Verdict  lives.Verdict
	Why      string // unless it is proved
	At       token.Position
	Loops    int // at the turns of which the arena is reset
	Kept     int // loops all of whose turns have one arena
}

// A scope is a function where an arena begins and ends, for the roots that it calls.
type scope struct {
	f     *function
	calls []*call
	loops []*ast.BlockStmt // bodies where the arena is reset
}

// scopes finds the functions where an arena may begin and end: all that call a root, or those that
// are named. Nothing of what the roots make is left when they return, for certain.
func (p *program) scopes(o Options) (report []Scope, err error) {
	named := map[*function]bool{}
	for _, name := range o.Scopes {
		f, err := p.find(name)
		if err != nil {
			return nil, errors.New(strings.Replace(err.Error(), "-root", "-scope", 1))
		}
		named[f] = true
	}
	if len(named) == 0 && !o.AllScope {
		return nil, nil
	}
	program := p.lives
	if o.Closed {
		program = nil // another one, if a function has to be asked about
	}
	var proved []*scope
	for _, f := range p.order {
		if len(named) > 0 && !named[f] {
			continue
		}
		s := &scope{f: f}
		for _, c := range f.calls {
			if c.to.root && c.to.variant() && !c.later && (c.dispatch == nil || c.dispatch.iface != nil) {
				s.calls = append(s.calls, c)
			}
		}
		if len(s.calls) == 0 {
			if named[f] {
				return nil, fmt.Errorf("arena fix: -scope %s: it calls no root by name or by an interface of the packages", f.name())
			}
			continue
		}
		r := Scope{Function: f.name(), At: p.fset.Position(f.decl.Name.Pos())}
		switch {
		case f.root:
			r.Why = "it is a root itself"
		case f.reached:
			r.Why = "it is called from a root, whose arena it has"
		default:
			if program == nil {
				program = lives.New(p.pkgs, true)
			}
			p.ask(program, s, &r)
		}
		if r.Verdict == lives.Proved || o.unproved {
			proved = append(proved, s)
		} else if named[f] {
			return nil, fmt.Errorf("arena fix: -scope %s: not proved: %s (%s)", f.name(), r.Why, r.At)
		}
		report = append(report, r)
	}
	for _, s := range proved {
		s.f.scope = s
		for _, c := range s.calls {
			c.dropped = false // the proof is of these calls with the arena, whatever happens in the function
		}
	}
	return report, nil
}

// ask asks whether what the roots make that the function calls is left when it returns, and which
// loops may reset the arena.
func (p *program) ask(program *lives.Program, s *scope, r *Scope) {
	q := lives.Question{Func: s.f.obj, Carries: p.carries(), Mine: p.declares}
	moved := map[*types.Func]func(ssa.Instruction) bool{}
	q.Moved = func(at ssa.Instruction) bool {
		obj := declared(at.Parent())
		if moved[obj] == nil {
			moved[obj] = p.funcs[obj].movedIn()
		}
		return moved[obj](at)
	}
	q.Methods = func(recv types.Type, m *types.Func) (all []*types.Func) {
		for _, f := range p.implementations(recv, m) {
			all = append(all, f.obj)
		}
		return all
	}
	var bodies []*ast.BlockStmt
	endless := false
	for _, c := range s.calls {
		if slices.Contains(q.Calls, c.expr.Lparen) {
			continue // of a dispatch
		}
		q.Calls = append(q.Calls, c.expr.Lparen)
		if t, body, forever := loopOf(c); body != nil && !slices.Contains(bodies, body) {
			bodies = append(bodies, body)
			q.Turns = append(q.Turns, t)
			endless = endless || forever
		}
	}
	answer := program.Ask(q)
	r.Verdict, r.Why = answer.Verdict, answer.Why
	if answer.At.IsValid() {
		r.At = answer.At
	}
	if r.Verdict != lives.Proved {
		return
	}
	for i, body := range bodies {
		if answer.Turns[i] {
			s.loops = append(s.loops, body)
		}
	}
	r.Loops, r.Kept = len(s.loops), len(bodies)-len(s.loops)
	if endless && r.Kept > 0 {
		r.Verdict, r.Why = lives.Unknown, "it may be used in the next turn of a loop without an end"
	}
}

// loopOf returns the innermost loop that a call is in, if there is one.
func loopOf(c *call) (t lives.Turn, body *ast.BlockStmt, forever bool) {
	var loop ast.Node
	for _, n := range c.way {
		switch n := n.(type) {
		case *ast.ForStmt:
			loop, body, forever = n, n.Body, n.Cond == nil
		case *ast.RangeStmt:
			loop, body, forever = n, n.Body, false
		}
	}
	if body == nil {
		return t, nil, false
	}
	t = lives.Turn{Call: c.expr.Lparen, Head: lives.Span{From: loop.Pos() - 1, To: body.Lbrace + 1}, Body: lives.Span{From: body.Lbrace, To: body.Rbrace}}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			t.Inner = append(t.Inner, lives.Span{From: n.Body.Lbrace, To: n.Body.Rbrace})
		case *ast.RangeStmt:
			t.Inner = append(t.Inner, lives.Span{From: n.Body.Lbrace, To: n.Body.Rbrace})
		}
		return true
	})
	return t, body, forever
}

// declared returns the function of the sources that a function of the SSA form is, or is in, or
// nil.
func declared(fn *ssa.Function) *types.Func {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return ssas.Declared(fn)
}

// movedIn returns whether an instruction may allocate where a site of the function is that moves.
func (f *function) movedIn() func(ssa.Instruction) bool {
	if f == nil || !f.reached {
		return func(ssa.Instruction) bool { return false }
	}
	type span struct{ from, to token.Pos }
	var spans []span
	variables := map[token.Pos]bool{}
	text := false // a builder's
	for _, s := range f.sites {
		switch {
		case s.why.stays():
		case s.kind == kindVariable && s.v != nil:
			variables[s.v.Pos()] = true
			fallthrough
		default:
			spans = append(spans, span{s.node.Pos(), s.node.End()})
			text = text || s.builder
		}
	}
	return func(at ssa.Instruction) bool {
		if len(spans) == 0 {
			return false
		}
		if c, ok := at.(ssa.CallInstruction); ok && text && c.Common().Signature().Recv() != nil {
			return true
		}
		pos := at.Pos()
		return !pos.IsValid() || variables[pos] || slices.ContainsFunc(spans, func(s span) bool { return s.from <= pos && pos < s.to })
	}
}

// carries returns whether values of a type have a carrier in them.
func (p *program) carries() func(types.Type) bool {
	known := map[types.Type]bool{}
	var has func(t types.Type) bool
	has = func(t types.Type) bool {
		if yes, ok := known[t]; ok {
			return yes
		}
		known[t] = false
		yes := false
		if n, ok := types.Unalias(t).(*types.Named); ok {
			yes = slices.ContainsFunc(p.chosen, func(c *carrier) bool { return c.typ.Obj() == n.Origin().Obj() })
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			for v := range u.Fields() {
				yes = yes || has(v.Type())
			}
		case *types.Array:
			yes = yes || has(u.Elem())
		}
		known[t] = yes
		return yes
	}
	return has
}

// poolName returns the name of the variable that has the arenas of a scope.
func (s *scope) poolName() string {
	f := s.f
	name := f.decl.Name.Name
	if r := f.obj.Signature().Recv(); r != nil {
		name = named(r.Type()).Obj().Name() + upper(name)
	}
	name = strings.ToLower(name[:1]) + name[1:] + "Arenas"
	for f.file.taken(name) {
		name += "_"
	}
	return name
}

// begin writes the body of the former function: it has an arena from a Pool for the second form,
// and puts it back when that has returned. If that panics, the collector has the arena, and what a
// recovered panic has in it stays valid.
func (s *scope) begin(out *strings.Builder, callee string, args []string, hook bool) {
	f := s.f
	pool, ar := s.poolName(), f.param()
	fmt.Fprintf(out, "%s := %s.Get()\n", ar, pool)
	var results []string
	for i := range f.obj.Signature().Results().Len() {
		results = append(results, f.unused(fmt.Sprintf("r%d", i)))
	}
	if len(results) > 0 {
		out.WriteString(strings.Join(results, ", ") + " := ")
	}
	fmt.Fprintf(out, "%s(%s)\n%s.Put(%s)\n", callee, strings.Join(append([]string{ar}, args...), ", "), pool, ar)
	if len(results) > 0 {
		out.WriteString("return " + strings.Join(results, ", ") + "\n")
	}
	arena := f.file.arena()
	what := fmt.Sprintf("%s has the arenas of %s.", pool, f.decl.Name.Name)
	if hook {
		fmt.Fprintf(out, "}\n\n// %s\nvar %s = %sPool()\n\n", what, pool, hookName)
	} else {
		fmt.Fprintf(out, "}\n\n// %s\nvar %s %s.Pool\n\n", what, pool, arena)
	}
	var roots []string
	for _, c := range s.calls {
		if name := c.to.decl.Name.Name; !slices.Contains(roots, name) {
			roots = append(roots, name)
		}
	}
	fmt.Fprintf(out, "// %s is %s with what %s makes in %s. Nothing of that is left when it returns.\n", f.variantName(), f.decl.Name.Name, strings.Join(roots, " or "), ar)
}

// rewriteScope edits the calls of roots, and the loops.
func (p *program) rewriteScope(f *function) {
	for _, body := range f.scope.loops {
		f.file.replace(body.Lbrace+1, body.Lbrace+1, "\n"+f.param()+".Reset() // nothing of the last turn is left\n")
	}
}

// scopeTable writes what becomes of what the roots make, by caller.
func (r *Result) scopeTable(w io.Writer) {
	if len(r.Scopes) == 0 {
		return
	}
	slices.SortStableFunc(r.Scopes, func(a, b Scope) int {
		return cmp.Or(-cmp.Compare(a.Verdict, b.Verdict), strings.Compare(a.Function, b.Function))
	})
	t := tables.New(w, table.Row{"calls a root", "what that makes is", "because", "at"})
	for _, s := range r.Scopes {
		verdict, why, at := "unknown", s.Why, fmt.Sprintf("%s:%d", filepath.Base(s.At.Filename), s.At.Line)
		switch s.Verdict {
		case lives.Returned:
			verdict = "returned"
		case lives.Proved:
			verdict, why, at = "gone when it returns", "an arena of a Pool", ""
			if s.Loops > 0 {
				why += ", reset at each turn of the loop"
			}
			if s.Kept > 0 {
				why += ", one for all turns of a loop"
			}
		}
		t.AppendRow(table.Row{s.Function, verdict, why, at})
	}
	t.Render()
	fmt.Fprintln(w)
}
