// Package lives proves that nothing which a call makes in an arena is left when the function around
// it returns. It also proves that nothing is left behind a place where an arena ends.
//
// arena vet follows what is certain, so that each of its findings is a mistake. A proof has to
// follow what is possible, and what it does not know counts against it. So this is another
// analysis: a whole program in SSA form, packages of others included, from the function in question
// on. It computes which objects each value, and each place in an object, may refer to. An object is
// an expression that allocates, once for calls that have the arena and once for others. All that
// was there before the function was called, variables of packages included, is one object, old:
// what is stored there, or given to a goroutine or to a function of which nothing is known, becomes
// part of it. If no object of the arena becomes part of it, or of a result, the arena may end when
// the function returns.
//
// Statements have no order, and conditions are not looked at. Places in an object are distinguished
// by their types only. An object that becomes part of the old one may have anything in it from
// there on.
package lives

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/rta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// A Program is the packages that are loaded, with all that they import.
type Program struct {
	prog   *ssa.Program
	closed bool
	calls  map[*ssa.Function]map[ssa.CallInstruction][]*ssa.Function // what an old value may be in a call, in a closed program
	types  *leafs
	blocks map[*ssa.Function][]*ssa.BasicBlock

	standard map[*types.Package]bool // the packages of the standard library
	files    map[*types.Package][]*ast.File
	once     map[*ssa.Package]map[*ssa.Global]*ssa.Function

	// For a Prover.
	graph    *callgraph.Graph
	contexts map[*ssa.Function]bool // functions that may take the arena of a context
	values   map[*ssa.Function]bool // functions that are values somewhere

	followed int         // instructions, to follow rewritings: see Steps
	answers  []*answered // rewritings that were followed
}

// New returns the program of packages that were loaded with the syntax of all that they import. If
// it is closed, no other package calls or implements anything of it: it begins in main functions,
// or where there is none, in whatever the packages export.
func New(pkgs []*packages.Package, closed bool) *Program {
	prog, all := ssautil.AllPackages(pkgs, ssa.InstantiateGenerics)
	for _, pkg := range pkgs {
		prog.Package(pkg.Types).SetDebugMode(true) // which expression a value is of
	}
	p := newProgram(prog, pkgs, closed, newLeafs())
	if !closed {
		for _, pkg := range prog.AllPackages() {
			if !p.isStandard(pkg.Pkg) {
				pkg.Build()
			}
		}
		return p
	}
	prog.Build()
	all = slices.DeleteFunc(all, func(pkg *ssa.Package) bool { return pkg == nil })
	roots := mains(all)
	if len(roots) == 0 {
		for _, pkg := range all {
			roots = append(roots, exported(prog, pkg)...)
		}
	}
	p.calls = callsOf(rta.Analyze(roots, true).CallGraph)
	return p
}

func newProgram(prog *ssa.Program, pkgs []*packages.Package, closed bool, types *leafs) *Program {
	return &Program{prog: prog, closed: closed, types: types, blocks: map[*ssa.Function][]*ssa.BasicBlock{}, standard: standard(pkgs), files: sources(pkgs), once: map[*ssa.Package]map[*ssa.Global]*ssa.Function{}}
}

// mains returns the functions that programs begin with.
func mains(pkgs []*ssa.Package) (roots []*ssa.Function) {
	for _, pkg := range ssautil.MainPackages(pkgs) {
		roots = append(roots, pkg.Func("init"), pkg.Func("main"))
	}
	return roots
}

// callsOf returns what each call of a graph may call.
func callsOf(g *callgraph.Graph) map[*ssa.Function]map[ssa.CallInstruction][]*ssa.Function {
	calls := map[*ssa.Function]map[ssa.CallInstruction][]*ssa.Function{}
	for fn, node := range g.Nodes {
		calls[fn] = targets(node)
	}
	return calls
}

// standard returns the packages of the standard library: their sources are where the sources of
// package runtime are. Their paths do not tell them from packages of a module called app.
func standard(pkgs []*packages.Package) map[*types.Package]bool {
	root := ""
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		if p.PkgPath == "runtime" && len(p.GoFiles) > 0 {
			root = filepath.Dir(filepath.Dir(p.GoFiles[0])) + string(filepath.Separator)
		}
	})
	all := map[*types.Package]bool{}
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		if root != "" && len(p.GoFiles) > 0 && strings.HasPrefix(p.GoFiles[0], root) {
			all[p.Types] = true
		}
	})
	return all
}

// build builds the package of a function, if that has not been done: New leaves out the standard
// library, most of which is never followed.
func build(fn *ssa.Function) {
	if fn.Pkg != nil {
		fn.Pkg.Build()
	}
}

func (p *Program) isStandard(pkg *types.Package) bool { return p.standard[pkg] }

func targets(node *callgraph.Node) map[ssa.CallInstruction][]*ssa.Function {
	all := map[ssa.CallInstruction][]*ssa.Function{}
	type edge struct {
		site ssa.CallInstruction
		to   *ssa.Function
	}
	seen := map[edge]bool{}
	for _, e := range node.Out {
		if key := (edge{e.Site, e.Callee.Func}); e.Site != nil && !seen[key] {
			seen[key] = true
			all[e.Site] = append(all[e.Site], e.Callee.Func)
		}
	}
	for _, list := range all {
		if len(list) > 1 {
			slices.SortFunc(list, func(a, b *ssa.Function) int {
				if c := cmp.Compare(a.Pos(), b.Pos()); c != 0 {
					return c
				}
				return cmp.Compare(a.String(), b.String())
			})
		}
	}
	return all
}

// exported returns the functions and methods that other packages can call.
func exported(prog *ssa.Program, pkg *ssa.Package) (all []*ssa.Function) {
	all = append(all, pkg.Func("init"))
	scope := pkg.Pkg.Scope()
	for _, name := range scope.Names() {
		switch obj := scope.Lookup(name).(type) {
		case *types.Func:
			if fn := prog.FuncValue(obj); fn != nil && obj.Exported() && fn.TypeParams().Len() == 0 {
				all = append(all, fn)
			}
		case *types.TypeName:
			if n, ok := obj.Type().(*types.Named); !ok || n.TypeParams().Len() > 0 || types.IsInterface(n) {
				continue
			}
			set := prog.MethodSets.MethodSet(types.NewPointer(obj.Type()))
			for sel := range set.Methods() {
				if fn := prog.MethodValue(sel); fn != nil && token.IsExported(sel.Obj().Name()) {
					all = append(all, fn)
				}
			}
		}
	}
	return all
}

// A Question is whether what some calls in a function make is left when it returns.
type Question struct {
	Func  *types.Func
	Calls []token.Pos // the left parentheses of the calls that have the arena
	Turns []Turn      // is anything left when they begin?

	// Moved tells whether an instruction of such a call may allocate in the arena.
	Moved func(ssa.Instruction) bool
	// Carries tells whether a value of a type may have the arena in it.
	Carries func(types.Type) bool
	// Methods returns the methods that a call by an interface may call with the arena.
	Methods func(recv types.Type, m *types.Func) []*types.Func
	// Mine tells whether functions of a package may have the arena.
	Mine func(*types.Package) bool
}

// An Answer says what is left.
type Answer struct {
	Verdict Verdict
	Why     string
	At      token.Position // where that happens
	Turns   []bool         // nothing is left when a turn of that loop begins
}

// A Verdict is what becomes of what was made in the arena.
type Verdict int

// Verdicts.
const (
	Unknown  Verdict = iota // it may be kept
	Returned                // it is a part of a result
	Proved                  // nothing of it is left
)

func (v Verdict) String() string { return [...]string{"unknown", "returned", "proved"}[v] }

// most bounds the instances of functions, and their instructions that are looked at, in one
// question.
const most, mostSteps = 30_000, 60_000_000

// mostProof bounds the instructions that are looked at in one analysis of a Prover, which has many
// questions.
const mostProof = 600_000

// mostBySite is how many instances of functions are distinguished by their calls, in a proof of
// ends and in a rewriting. With mostOfMine instances, rewritten functions get no more of them, and
// with mostOfBack, functions that the library calls.
const mostBySite, mostOfMine, mostOfBack = 3000, 1000, 200

// Ask answers a question.
func (p *Program) Ask(q Question) Answer {
	fn := p.prog.FuncValue(q.Func)
	switch {
	case fn == nil || len(fn.Blocks) == 0:
		return Answer{Why: "it has no body"}
	case fn.TypeParams().Len() > 0 || fn.Signature.Recv() != nil && fn.Signature.RecvTypeParams().Len() > 0:
		return Answer{Why: "it has type parameters"}
	case p.closed && p.calls[fn] == nil:
		return Answer{Why: "nothing in the program calls it"}
	}
	a := newAnalysis(p, q)
	a.begin(fn)
	found := 0
	for i := range ssas.Instrs(fn) {
		if c, ok := i.(ssa.CallInstruction); ok && slices.Contains(q.Calls, c.Pos()) {
			found++
		}
	}
	if found < len(q.Calls) {
		return Answer{Why: "a call is in a function literal, or in the body of a sequence"}
	}
	if !a.solve() {
		return Answer{Why: "the program is too large to follow what it does"}
	}
	if o := a.arenaIn(&a.outside); o != old {
		n := a.notes[a.origin(o)]
		return Answer{Why: n.why.String(), At: p.position(n.at)}
	}
	for i := range ssas.Instrs(fn) {
		ret, ok := i.(*ssa.Return)
		if !ok {
			continue
		}
		for n, r := range ret.Results {
			for _, l := range p.types.of(r.Type()) {
				if o := a.arenaIn(a.reach(a.value(a.top, r, 0, l))); o != old {
					return Answer{Verdict: Returned, Why: fmt.Sprintf("it is returned, in result %d", n+1), At: p.position(ret)}
				}
			}
		}
	}
	answer := Answer{Verdict: Proved}
	for _, t := range q.Turns {
		answer.Turns = append(answer.Turns, a.turn(fn, t))
	}
	return answer
}

func (p *Program) position(at ssa.Instruction) token.Position {
	if at == nil {
		return token.Position{}
	}
	return p.prog.Fset.Position(ssas.PosOf(at))
}
