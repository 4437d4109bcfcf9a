package arenavet

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/names"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// A checker analyzes one package.
type checker struct {
	fset     *token.FileSet
	pkg      *types.Package
	files    []*ast.File
	info     *types.Info
	ssa      *ssa.Package
	facts    func(*types.Func, *summary) bool // of other packages
	reused   func(*types.Var) bool            // the same
	read     func(name string) ([]byte, error)
	sizes    types.Sizes
	options  options
	pools    bool // there are no arenas, so that only what has to do with a sync.Pool is followed
	findings []*finding
	contents map[string][]byte
	checks   int // how often the package was analyzed again, for its fixes

	summaries   map[*ssa.Function]*summary
	working     []*ssa.Function // each of which is called by the one before
	recursive   map[*ssa.Function]bool
	globals     map[string]*ssa.Global
	imported    map[*types.Func]*summary
	fields      map[*types.Var]bool           // those that recycled knows
	pooledTypes map[*types.Named]bool         // that are put into a sync.Pool
	accesses    map[loc][]access              // see accessesOf
	funcs       []*ssa.Function               // see functions
	implement   map[*types.Named][]types.Type // see implementing
	owners      owners
	elsewhere   map[ownedPlace]bool            // what may have something else
	awaited     map[*types.Var]bool            // see isAwaited
	handlers    map[ssa.Value]types.Type       // of loggers, by address
	refilled    map[*types.Var]bool            // see isRefilled
	registered  map[*types.Named]bool          // see servers
	emptied     map[*types.Var]bool            // see isEmptied
	left        map[*types.Var]ssa.Instruction // see leavesElements
	mayCalls    map[*ssa.Function]map[*ssa.Function]bool
	called      map[ssa.CallInstruction]string          // see calledName
	quiet       bool                                    // nobody wants findings: only what the functions do is of interest
	owning      bool                                    // that is found out
	given       map[*ssa.Parameter]bool                 // see followAs
	dynamic     map[ssa.CallInstruction][]*ssa.Function // by the types that flow there
}

type options struct {
	maybe bool
}

// analyze builds the functions of the package and follows each of them.
func (c *checker) analyze() {
	c.summaries, c.recursive = map[*ssa.Function]*summary{}, map[*ssa.Function]bool{}
	c.mayCalls = map[*ssa.Function]map[*ssa.Function]bool{}
	c.globals, c.imported = map[string]*ssa.Global{}, map[*types.Func]*summary{}
	prog := ssa.NewProgram(c.fset, ssa.BuilderMode(0))
	prog.SetNoReturn(noReturn)
	for _, dep := range c.pkg.Imports() {
		prog.CreatePackage(dep, nil, nil, true)
	}
	c.ssa = prog.CreatePackage(c.pkg, c.files, c.info, false)
	c.ssa.Build()
	c.given = map[*ssa.Parameter]bool{}
	c.emptied = map[*types.Var]bool{}
	c.implement = map[*types.Named][]types.Type{}
	if c.pools {
		c.followPools()
		c.followAs()
		return
	}
	c.findOwners()
	for _, fn := range c.functions() {
		c.summaryOf(fn)
	}
	c.followAs()
	// What a function does that calls itself is known only when it was followed once.
	again := 0
	for _, fn := range slices.Backward(c.functions()) { // literals before the functions around them
		if c.recursive[fn] && again < 200 {
			again++
			c.findings = slices.DeleteFunc(c.findings, func(d *finding) bool { return c.within(d.pos, fn) })
			c.summaries[fn] = c.flow(fn).sum
		}
	}
}

// followPools follows the functions that call a sync.Pool, and the methods of what it has. Then it
// follows those that call what gives a value of one or takes it back, and the methods of structs in
// which it is given. It also follows what all of these call.
func (c *checker) followPools() {
	followed := map[*ssa.Function]bool{}
	var work []*ssa.Function
	want := func(fn *ssa.Function) {
		for fn.Parent() != nil {
			fn = fn.Parent()
		}
		if !followed[fn] {
			followed[fn] = true
			work = append(work, fn)
		}
	}
	callers := map[any][]*ssa.Function{} // by the function, the name of a method, or the arity of a function value
	methods := map[*types.Named][]*ssa.Function{}
	for _, fn := range c.functions() {
		if recv := fn.Signature.Recv(); recv != nil && names.Type(recv.Type()) != nil {
			t := names.Type(recv.Type()).Origin()
			methods[t] = append(methods[t], fn)
			if c.poolsType(t) {
				want(fn)
			}
		}
		for i := range ssas.Instrs(fn) {
			call, ok := i.(ssa.CallInstruction)
			if !ok {
				continue
			}
			callee := call.Common().StaticCallee()
			switch {
			case callee != nil:
				if o := opOf(ssas.Declared(callee)); o == opSyncGet || o == opSyncPut || c.factOf(callee).handsOver() {
					want(fn)
				}
				if callee.Origin() != nil {
					callee = callee.Origin()
				}
				callers[callee] = append(callers[callee], fn)
			case call.Common().IsInvoke():
				name := call.Common().Method.Name()
				callers[name] = append(callers[name], fn)
			default:
				n := arity(call.Common().Signature())
				callers[n] = append(callers[n], fn)
			}
		}
	}
	// What a literal does with values of a pool matters to callers of the function around it.
	var visit func(fn *ssa.Function) (hands, calls bool)
	visit = func(fn *ssa.Function) (hands, calls bool) {
		sum := c.summaryOf(fn)
		hands, calls = sum.handsOver(), sum != nil && len(sum.Calls) > 0
		for _, anon := range fn.AnonFuncs {
			h, c := visit(anon)
			hands, calls = hands || h, calls || c
		}
		var by []any
		if hands || calls {
			by = append(by, fn)
		}
		if hands {
			by = append(by, arity(fn.Signature))
			for r := range fn.Signature.Results().Variables() {
				if t := names.Type(r.Type()); t != nil {
					for _, method := range methods[t.Origin()] {
						want(method)
					}
				}
			}
		}
		if hands && fn.Signature.Recv() != nil {
			by = append(by, fn.Name())
		}
		for _, way := range by {
			for _, caller := range callers[way] {
				want(caller)
			}
		}
		return hands, calls
	}
	for n := 0; n < len(work); n++ {
		visit(work[n])
	}
}

// arity is how many parameters and results a function has. Functions with type parameters, and what
// they are called as, agree in it.
func arity(sig *types.Signature) [2]int {
	return [2]int{sig.Params().Len(), sig.Results().Len()}
}

func (c *checker) within(pos token.Pos, fn *ssa.Function) bool {
	syntax := fn.Syntax()
	return syntax != nil && syntax.Pos() <= pos && pos < syntax.End()
}

// functions returns the functions that are written in the package, literals included.
func (c *checker) functions() []*ssa.Function {
	if c.funcs != nil {
		return c.funcs
	}
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		c.funcs = append(c.funcs, fn)
		for _, anon := range fn.AnonFuncs {
			add(anon)
		}
	}
	for _, file := range c.files {
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.FuncDecl); ok {
				if obj, ok := c.info.Defs[d.Name].(*types.Func); ok {
					if fn := c.ssa.Prog.FuncValue(obj); fn != nil {
						add(fn)
					}
				}
			}
		}
	}
	if init := c.ssa.Func("init"); init != nil {
		for _, anon := range init.AnonFuncs {
			add(anon)
		}
	}
	return c.funcs
}

// instrs yields the instructions of the functions of the package.
func (c *checker) instrs() iter.Seq2[*ssa.Function, ssa.Instruction] {
	return func(yield func(*ssa.Function, ssa.Instruction) bool) {
		for _, fn := range c.functions() {
			for i := range ssas.Instrs(fn) {
				if !yield(fn, i) {
					return
				}
			}
		}
	}
}

// summaryOf returns what is known of a function, or nil if it was not understood.
func (c *checker) summaryOf(fn *ssa.Function) *summary {
	if sum := c.anySummary(fn); sum != nil && !sum.Unknown {
		return sum
	}
	return nil
}

func (c *checker) anySummary(fn *ssa.Function) *summary {
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	if sum, ok := c.summaries[fn]; ok {
		return sum
	}
	if len(fn.Blocks) == 0 {
		return c.factOf(fn)
	}
	if len(c.working) > 400 {
		return nil
	}
	if n := slices.Index(c.working, fn); n >= 0 {
		for _, fn := range c.working[n:] { // each of them calls itself, by the others
			c.recursive[fn] = true
		}
		return nil
	}
	c.working = append(c.working, fn)
	sum := c.flow(fn).sum
	c.working = c.working[:len(c.working)-1]
	if sum.Unknown { // nobody looks at the rest, which may be large
		sum = &summary{Unknown: true, Params: sum.Params, Bound: sum.Bound, fn: fn}
	}
	c.summaries[fn] = sum
	return sum
}

// factOf returns what the analysis of another package has found out.
func (c *checker) factOf(fn *ssa.Function) *summary {
	obj := ssas.Declared(fn)
	if obj == nil || obj.Pkg() == nil || obj.Pkg() == c.pkg {
		return nil
	}
	sum, ok := c.imported[obj]
	if !ok {
		var fact summary
		if c.facts(obj, &fact) {
			sum = &fact
		}
		c.imported[obj] = sum
	}
	return sum
}

// global returns a global variable, here or in another package, by its name.
func (c *checker) global(name string) *ssa.Global {
	if g, ok := c.globals[name]; ok {
		return g
	}
	path, id, _ := strings.Cut(name, " ")
	var g *ssa.Global
	if path == c.pkg.Path() {
		g, _ = c.ssa.Members[id].(*ssa.Global)
	} else if p := c.ssa.Prog.ImportedPackage(path); p != nil {
		g, _ = p.Members[id].(*ssa.Global)
	}
	if g == nil { // it only has to be the same one each time
		pkg := types.NewPackage(path, path[strings.LastIndex(path, "/")+1:])
		pkg.Scope().Insert(types.NewVar(token.NoPos, pkg, id, types.NewInterfaceType(nil, nil)))
		g = c.ssa.Prog.CreatePackage(pkg, nil, nil, false).Members[id].(*ssa.Global)
	}
	c.globals[name] = g
	return g
}

func (c *checker) position(pos token.Pos) token.Position { return c.fset.Position(pos) }

// add notes a finding, unless there is one in the same place.
func (c *checker) add(d *finding) {
	if !d.pos.IsValid() {
		return
	}
	for i, old := range c.findings {
		if !old.like(d) {
			continue
		}
		// One is enough: the certain one, or the first. To store something outlives its use there.
		if old.maybe && !d.maybe || old.maybe == d.maybe && (d.pos < old.pos || d.pos == old.pos && d.code < old.code) {
			c.findings[i] = d
		}
		return
	}
	c.findings = append(c.findings, d)
}

// like reports whether two findings are one: they have the same code, and are in one place or about
// one value, or both have one place, value and end.
func (d *finding) like(o *finding) bool {
	if d.code == o.code && d.about == o.about && d.about != (about{}) {
		return true
	}
	return d.pos == o.pos && (d.code == o.code || len(d.related) > 1 && slices.Equal(d.related, o.related))
}

// sorted returns the findings in the order of the source. A value that is used several times is
// reported once.
func (c *checker) sorted() []*finding {
	slices.SortStableFunc(c.findings, func(a, b *finding) int {
		p, q := c.position(a.pos), c.position(b.pos)
		return cmp.Or(strings.Compare(p.Filename, q.Filename), cmp.Compare(p.Offset, q.Offset), strings.Compare(a.code, b.code))
	})
	return c.findings
}

// noReturn knows functions of others that do not return. Those that always panic are known by the
// builder of SSA.
func noReturn(fn *types.Func) bool {
	switch names.Path(fn) {
	case "os.Exit", "runtime.Goexit", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Panic", "log.Panicf", "log.Panicln",
		"log.Logger.Fatal", "log.Logger.Fatalf", "log.Logger.Fatalln", "log.Logger.Panic", "log.Logger.Panicf", "log.Logger.Panicln",
		"testing.common.Fatal", "testing.common.Fatalf", "testing.common.FailNow", "testing.common.Skip", "testing.common.Skipf", "testing.common.SkipNow",
		"testing.TB.Fatal", "testing.TB.Fatalf", "testing.TB.FailNow", "testing.TB.Skip", "testing.TB.Skipf", "testing.TB.SkipNow":
		return true
	}
	return false
}

var _ analysis.Fact = (*summary)(nil)
