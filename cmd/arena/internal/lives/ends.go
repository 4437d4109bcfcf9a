package lives

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/rta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"

	"github.com/arena-go/arena/cmd/arena/internal/names"
)

// A Prover proves for places where arenas end that nothing of them is left.
type Prover struct {
	prog    *ssa.Program
	pkgs    []*packages.Package
	asked   []*ssa.Package
	closed  *Program                // what main functions reach, if there are any
	open    *Program                // the rest, of which others may call everything
	ends    map[*ssa.Function][]End // by the function that they are in
	answers map[asked]*analysis
}

// asked is a function that an analysis begins with, for ends in another one. It is nil for arenas
// of contexts.
type asked struct {
	p   *Program
	top *ssa.Function
	end *ssa.Function
}

// A Kind is a kind of ends.
type Kind int

// Kinds.
const (
	Reset Kind = iota
	Rewind
	Free
	Put
	Do
	GroupReset
	GroupFree
	Request   // the function that has the arena of a context returns to the adapter
	Elsewhere // through a function value or an interface
	Adapter   // of messages
)

func (k Kind) String() string {
	return [...]string{"Reset", "Rewind", "Free", "Put", "Do", "Group.Reset", "Group.Free", "the request", "an indirect end", "messages"}[k]
}

// goesOn tells whether the arena can be used behind an end.
func (k Kind) goesOn() bool { return k == Reset || k == Rewind || k == GroupReset }

// An End is a place where an arena ends.
type End struct {
	Kind Kind
	At   token.Position

	fn *ssa.Function
	at ssa.CallInstruction
}

// A Step is a place on the way of a value.
type Step struct {
	At   token.Position
	Text string
}

// A Proof is what is known of an end. Why is empty if it is proved.
type Proof struct {
	Proved bool
	Why    Why
	Path   []Step
}

// NewProver returns a prover for packages that were loaded with the syntax of all that they import.
func NewProver(pkgs []*packages.Package) *Prover {
	prog, all := ssautil.AllPackages(pkgs, ssa.InstantiateGenerics)
	prog.Build()
	v := &Prover{prog: prog, pkgs: pkgs, ends: map[*ssa.Function][]End{}, answers: map[asked]*analysis{}}
	v.asked = slices.DeleteFunc(all, func(pkg *ssa.Package) bool { return pkg == nil })
	leafs := newLeafs()
	if roots := mains(v.asked); len(roots) > 0 {
		v.closed = newProgram(prog, pkgs, true, leafs)
		v.closed.follow(roots)
	}
	v.open = newProgram(prog, pkgs, false, leafs)
	return v
}

// follow finds out which functions call which, from roots on.
func (p *Program) follow(roots []*ssa.Function) {
	p.graph = rta.Analyze(roots, true).CallGraph
	p.calls = map[*ssa.Function]map[ssa.CallInstruction][]*ssa.Function{}
	if p.closed {
		p.calls = callsOf(p.graph)
	}
	var from []*ssa.Function
	for fn := range p.graph.Nodes {
		if takesContext(fn) {
			from = append(from, fn)
		}
	}
	p.contexts = p.callersOf(from...)
}

// callersOf returns all functions from which others may be called.
func (p *Program) callersOf(fns ...*ssa.Function) map[*ssa.Function]bool {
	all := map[*ssa.Function]bool{}
	for len(fns) > 0 {
		fn := fns[len(fns)-1]
		fns = fns[:len(fns)-1]
		if all[fn] || fn == nil {
			continue
		}
		all[fn] = true
		if node := p.graph.Nodes[fn]; node != nil {
			for _, e := range node.In {
				if !byReflection(e) {
					fns = append(fns, e.Caller.Func)
				}
			}
		}
		if fn.Parent() != nil {
			fns = append(fns, fn.Parent())
		}
	}
	return all
}

// isGeneric reports whether a function has type parameters, or another function's type parameters
// as arguments, or is in such a function.
func isGeneric(fn *ssa.Function) bool {
	for fn != nil && fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn != nil && (fn.TypeParams().Len() > len(fn.TypeArgs()) || slices.ContainsFunc(fn.TypeArgs(), hasParam))
}

// hasParam tells whether there is a type parameter in a type.
func hasParam(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if hasParam(arg) {
				return true
			}
		}
	case *types.Map:
		return hasParam(t.Key()) || hasParam(t.Elem())
	case *types.Pointer, *types.Slice, *types.Array, *types.Chan:
		return hasParam(elem(t))
	case *types.Struct:
		for f := range t.Fields() {
			if hasParam(f.Type()) {
				return true
			}
		}
	case *types.Signature:
		return hasParam(t.Params()) || hasParam(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			if hasParam(v.Type()) {
				return true
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if hasParam(m.Type()) {
				return true
			}
		}
	}
	return false
}

// functions returns the functions of the packages that were asked for, and the functions inside
// them, in the order of the sources.
func (v *Prover) functions() (all []*ssa.Function) {
	seen := map[*ssa.Function]bool{}
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		if fn != nil && !seen[fn] && len(fn.Blocks) > 0 {
			seen[fn] = true
			all = append(all, fn)
			for _, in := range fn.AnonFuncs {
				add(in)
			}
		}
	}
	generic := map[*ssa.Function]bool{} // whether there are instances
	for _, p := range v.pkgs {
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok {
					obj, ok := p.TypesInfo.Defs[d.Name].(*types.Func)
					if !ok {
						continue
					}
					if fn := v.prog.FuncValue(obj); isGeneric(fn) {
						generic[fn] = false
					} else {
						add(fn)
					}
				}
			}
		}
	}
	for _, pkg := range v.asked {
		add(pkg.Func("init"))
	}
	for fn := range ssautil.AllFunctions(v.prog) {
		if _, ok := generic[fn.Origin()]; ok && !isGeneric(fn) && fn.Parent() == nil {
			generic[fn.Origin()] = true
			add(fn)
		}
	}
	for fn, instances := range generic {
		if !instances {
			add(fn)
		}
	}
	slices.SortFunc(all, func(a, b *ssa.Function) int {
		return cmp.Or(cmp.Compare(a.Pos(), b.Pos()), cmp.Compare(a.String(), b.String()))
	})
	return all
}

var endKinds = map[op]Kind{opReset: Reset, opRewind: Rewind, opFree: Free, opPut: Put, opDo: Do, opGroupReset: GroupReset, opGroupFree: GroupFree}

// Ends returns the places in the packages where arenas end, in the order of the sources.
func (v *Prover) Ends() (all []End) {
	fns := v.functions()
	rest := slices.DeleteFunc(slices.Clone(fns), func(fn *ssa.Function) bool { return isGeneric(fn) || v.program(fn) == v.closed })
	if v.closed == nil || slices.ContainsFunc(rest, hasEnd) {
		v.open.follow(rest)
	} else {
		v.open.graph = &callgraph.Graph{} // what nobody calls has no ends
	}
	for _, fn := range fns {
		asks := false
		indirect := map[ssa.CallInstruction]bool{}
		if p := v.program(fn); p.graph.Nodes[fn] != nil {
			for _, e := range p.graph.Nodes[fn].Out {
				if e.Site != nil && e.Site.Common().StaticCallee() == nil && endsArena(e.Callee.Func) {
					indirect[e.Site] = true
				}
			}
		}
		for i := range ssas.Instrs(fn) {
			c, ok := i.(ssa.CallInstruction)
			if !ok {
				v.bound(fn, i, &all)
				continue
			}
			at := v.prog.Fset.Position(ssas.PosOf(c))
			callee := c.Common().StaticCallee()
			if callee == nil {
				if indirect[c] {
					all = append(all, End{Kind: Elsewhere, At: at, fn: fn, at: c})
				}
				continue
			}
			if endsArena(callee) && callee.Synthetic != "" {
				all = append(all, End{Kind: Elsewhere, At: at, fn: fn, at: c})
				continue
			}
			does, ok := opOf(callee)
			if kind, is := endKinds[does]; ok && is {
				all = append(all, End{Kind: kind, At: at, fn: fn, at: c})
			}
			if !asks && takesContext(callee) {
				asks = true
				all = append(all, End{Kind: Request, At: at, fn: fn, at: c})
			}
			if obj := objectOf(callee); messages(obj) {
				all = append(all, End{Kind: Adapter, At: at, fn: fn, at: c})
			}
		}
	}
	for _, e := range all {
		if e.Kind < Request {
			v.ends[e.fn] = append(v.ends[e.fn], e)
		}
	}
	slices.SortStableFunc(all, func(a, b End) int {
		return cmp.Or(strings.Compare(a.At.Filename, b.At.Filename), cmp.Compare(a.At.Offset, b.At.Offset))
	})
	return all
}

// takesContext tells whether a function takes the arena of a context.
func takesContext(fn *ssa.Function) bool {
	does, ok := opOf(fn)
	return ok && (does == opFromContext || does == opFillCtx)
}

// hasEnd tells whether a function names one that ends an arena, or takes one from a context.
func hasEnd(fn *ssa.Function) bool {
	for i := range ssas.Instrs(fn) {
		for f := range ssas.Operands[*ssa.Function](i) {
			if takesContext(f) || endsArena(f) {
				return true
			}
		}
	}
	return false
}

// bound finds a method value that ends an arena.
func (v *Prover) bound(fn *ssa.Function, i ssa.Instruction, all *[]End) {
	for f := range ssas.Operands[*ssa.Function](i) {
		does, known := opOf(f)
		if _, is := endKinds[does]; known && is || f.Synthetic != "" && endsArena(f) {
			*all = append(*all, End{Kind: Elsewhere, At: v.prog.Fset.Position(ssas.PosOf(i)), fn: fn})
		}
	}
}

// messages tells whether a function has an adapter own the arenas of messages.
func messages(f *types.Func) bool {
	switch names.Package(f) {
	case corePath + "/arenagrpc":
		return f.Name() == "ServerOptions"
	case corePath + "/arenaconnect":
		return f.Name() == "HandlerOptions" || f.Name() == "NewInterceptor" || f.Name() == "New" || f.Name() == "Options"
	}
	return false
}

// endsArena tells whether a function ends an arena, or is a wrapper of a method that does.
func endsArena(fn *ssa.Function) bool {
	if does, ok := opOf(fn); ok {
		_, is := endKinds[does]
		return is
	}
	if fn.Synthetic == "" || strings.HasPrefix(fn.Synthetic, "package init") || fn.Origin() != nil || len(fn.Blocks) == 0 {
		return false
	}
	for i := range ssas.Instrs(fn) {
		if c, ok := i.(ssa.CallInstruction); ok {
			if callee := c.Common().StaticCallee(); callee != nil && callee != fn && endsArena(callee) {
				return true
			}
		}
	}
	return false
}

// program returns the view of the program in which a function is called.
func (v *Prover) program(fn *ssa.Function) *Program {
	if v.closed != nil && v.closed.graph.Nodes[fn] != nil {
		return v.closed
	}
	return v.open
}

// Prove proves that nothing of the arenas is left that end somewhere, or says what may be.
func (v *Prover) Prove(e End) Proof {
	p := v.program(e.fn)
	if isGeneric(e.fn) {
		return Proof{Why: Why{Reason: Generic}}
	}
	switch e.Kind {
	case Elsewhere:
		return Proof{Why: Why{Reason: Indirect}}
	case Adapter:
		return Proof{Why: Why{Reason: Messages}}
	case Request:
		return v.request(p, e)
	}
	return v.within(p, e, e.fn, map[*ssa.Function]bool{}, 0)
}

// deepest bounds the callers of callers that are looked at.
const deepest = 12

// within proves an end for calls of top.
func (v *Prover) within(p *Program, e End, top *ssa.Function, seen map[*ssa.Function]bool, depth int) Proof {
	if seen[top] {
		return Proof{Proved: true} // it is looked at
	}
	seen[top] = true
	a := v.analysis(p, top, e.fn)
	if a == nil {
		return Proof{Why: Why{Reason: Large}}
	}
	proof, wider := a.end(e)
	if !wider {
		return proof
	}
	callers, why := p.wider(top)
	if why != 0 || depth == deepest {
		if why == 0 {
			why = Caller
		}
		handles := &set{}
		for id, o := range a.objects {
			if o.handle {
				handles.Insert(id)
			}
		}
		if proof, ok := a.leftFirst(handles); ok {
			return proof
		}
		return Proof{Why: Why{Reason: why}, Path: []Step{{p.prog.Fset.Position(top.Pos()), "is called from elsewhere: " + top.Name()}}}
	}
	for _, f := range callers {
		if proof := v.within(p, e, f, seen, depth+1); !proof.Proved {
			return proof
		}
	}
	return Proof{Proved: true}
}

// wider returns the callers of fn, or the function that contains fn; or why these are not known.
func (p *Program) wider(fn *ssa.Function) (all []*ssa.Function, why Reason) {
	if parent := fn.Parent(); parent != nil {
		return []*ssa.Function{parent}, 0
	}
	node := p.graph.Nodes[fn]
	if node == nil {
		return nil, Caller
	}
	if !p.closed && (p.taken(fn) || fn.Object() == nil || fn.Object().Exported()) {
		return nil, Caller
	}
	for _, edge := range node.In {
		if byReflection(edge) {
			continue
		}
		if _, ok := edge.Site.(*ssa.Go); ok {
			return nil, InGoroutine
		}
		if edge.Site == nil || !p.closed && edge.Site.Common().StaticCallee() == nil {
			return nil, Caller // a root, or one of calls that are not all known
		}
		if !slices.Contains(all, edge.Caller.Func) {
			all = append(all, edge.Caller.Func)
		}
	}
	if len(all) == 0 || len(all) > mostCallers {
		return nil, Caller
	}
	slices.SortFunc(all, func(a, b *ssa.Function) int { return cmp.Compare(a.String(), b.String()) })
	return all, 0
}

// byReflection tells whether a call is one of those that package reflect might make, of any
// function.
func byReflection(e *callgraph.Edge) bool {
	pkg := packageOf(e.Caller.Func)
	return pkg != nil && pkg.Path() == "reflect"
}

// mostCallers bounds the callers of one function that are looked at.
const mostCallers = 40

// taken tells whether a function is a value somewhere.
func (p *Program) taken(fn *ssa.Function) bool {
	if p.values == nil {
		p.values = map[*ssa.Function]bool{}
		for f := range p.graph.Nodes {
			if f == nil {
				continue
			}
			for i := range ssas.Instrs(f) {
				var ops []*ssa.Value
				for n, op := range i.Operands(ops) {
					if used, ok := (*op).(*ssa.Function); ok {
						if c, call := i.(ssa.CallInstruction); call && n == 0 && !c.Common().IsInvoke() {
							continue
						}
						p.values[used] = true
					}
				}
			}
		}
	}
	return p.values[fn]
}

// request proves that nothing is left of the arena of a context when the function that has it
// returns, or those that call it.
func (v *Prover) request(p *Program, e End) Proof {
	if why, path := p.ordered(e.fn); why != 0 {
		return Proof{Why: Why{Reason: why}, Path: path}
	}
	return v.returns(p, e.fn, nil, map[*ssa.Function]bool{}, 0)
}

// returns is request for top, which calls from, or has that literal in it. From is nil at first.
func (v *Prover) returns(p *Program, top, from *ssa.Function, seen map[*ssa.Function]bool, depth int) Proof {
	if seen[top] {
		return Proof{Proved: true}
	}
	seen[top] = true
	a := v.analysis(p, top, nil)
	if a == nil {
		return Proof{Why: Why{Reason: Large}}
	}
	if from != nil && !a.hasCalls(from) {
		return Proof{Why: Why{Reason: Caller}}
	}
	proof := a.request()
	if proof.Proved || depth == deepest {
		return proof
	}
	callers, why := p.wider(top)
	if why != 0 || slices.ContainsFunc(callers, isAdapter) {
		return proof
	}
	for _, f := range callers {
		if wider := v.returns(p, f, top, seen, depth+1); !wider.Proved {
			return proof
		}
	}
	return Proof{Proved: true}
}

// isAdapter tells whether a function is of a package that calls handlers.
func isAdapter(fn *ssa.Function) bool {
	pkg := packageOf(fn)
	if pkg == nil {
		return false
	}
	return slices.Contains([]string{
		"net/http", "golang.org/x/net/http2", corePath + "/arenahttp", corePath + "/arenagrpc", corePath + "/arenaconnect", corePath + "/arenascope",
		"google.golang.org/grpc", "connectrpc.com/connect",
	}, pkg.Path())
}

// ordered tells why a function that takes the arena of a context may run when the adapter that owns
// the arena has gone on, and how that comes.
func (p *Program) ordered(fn *ssa.Function) (Reason, []Step) {
	type call struct {
		fn   *ssa.Function
		by   *callgraph.Edge
		from *call
	}
	path := func(c *call, last *callgraph.Edge) (steps []Step) {
		for c := (&call{by: last, from: c}); c != nil && c.by != nil; c = c.from {
			steps = append(steps, Step{p.position(c.by.Site), c.by.Caller.Func.String() + " calls " + c.by.Callee.Func.String()})
		}
		slices.Reverse(steps)
		return steps
	}
	seen := map[*ssa.Function]bool{}
	todo := []*call{{fn: fn}}
	for len(todo) > 0 {
		c := todo[0]
		todo = todo[1:]
		if seen[c.fn] {
			continue
		}
		seen[c.fn] = true
		node := p.graph.Nodes[c.fn]
		if c.fn.Parent() != nil && (node == nil || len(node.In) == 0) {
			todo = append(todo, &call{c.fn.Parent(), nil, c})
		}
		if node == nil {
			continue
		}
		for _, edge := range node.In {
			caller := edge.Caller.Func
			if byReflection(edge) {
				continue
			}
			if strings.HasPrefix(caller.String(), "(*net/http.timeoutHandler)") {
				return TimeoutHandler, path(c, edge)
			}
			if _, ok := edge.Site.(*ssa.Go); ok {
				return InGoroutine, path(c, edge)
			}
			if !isAdapter(caller) {
				todo = append(todo, &call{caller, edge, c})
			}
		}
	}
	return 0, nil
}

// analysis returns the analysis that begins with a function, or nil if that is too much.
func (v *Prover) analysis(p *Program, top, end *ssa.Function) *analysis {
	key := asked{p, top, end}
	if a, ok := v.answers[key]; ok {
		return a
	}
	v.answers[key] = nil
	if len(top.Blocks) == 0 {
		return nil
	}
	needed := p.contexts
	if end != nil {
		needed = p.callersOf(end)
		for fn := range p.contexts {
			needed[fn] = true
		}
	}
	a := newAnalysis(p, Question{Mine: func(*types.Package) bool { return false }})
	a.ends = &ends{callers: map[*instance]map[site]bool{}, kept: map[[2]int]ssa.Instruction{}, started: map[site]bool{}, needed: needed, all: v.ends[end]}
	a.begin(top)
	if !a.solve() {
		return nil
	}
	if len(v.answers) > 2 { // they are large
		clear(v.answers)
	}
	v.answers[key] = a
	return a
}

// ends is what an analysis knows for a proof of ends.
type ends struct {
	contexts set // arenas that contexts carry
	callers  map[*instance]map[site]bool
	kept     map[[2]int]ssa.Instruction // where an object came to be in another one
	started  map[site]bool              // calls of Group.Go
	all      []End                      // those in question; none for contexts
	needed   map[*ssa.Function]bool     // functions that may call the one with the end, or take the arena of a context
}

// A site is a call in an instance.
type site struct {
	in *instance
	at ssa.CallInstruction
}

func (e *ends) needs(fn *ssa.Function) bool { return e != nil && e.needed[fn] }

func (e *ends) stored(in int, what *set, at ssa.Instruction) {
	if e == nil {
		return
	}
	each(what, func(id int) {
		if _, ok := e.kept[[2]int{in, id}]; !ok && at != nil {
			e.kept[[2]int{in, id}] = at
		}
	})
}

func (e *ends) called(callee *instance, u use) {
	if e == nil {
		return
	}
	if e.callers[callee] == nil {
		e.callers[callee] = map[site]bool{}
	}
	e.callers[callee][site{u.in, u.at}] = true
}

// onlyOlder tells whether a call has nothing of an arena, and returns nothing but text and errors.
func (a *analysis) onlyOlder(u use, fn *ssa.Function, args []operand, binds []map[leaf]*set) bool {
	if a.ends.needs(fn) || !a.onlyOld(args, binds) {
		return false
	}
	for r := range fn.Signature.Results().Variables() {
		for _, l := range a.types.of(r.Type()) {
			if l = a.types.plain(l); l != leafText && l != a.types.one(errorType) {
				return false
			}
		}
	}
	a.olds(u)
	return true
}
