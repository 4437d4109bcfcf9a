package arenavet

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// A fix is a change of the source that removes a finding.
type fix struct {
	message string
	edits   []edit
}

type edit struct {
	pos, end token.Pos
	text     string
}

// maxChecks is how often a package is analyzed again to find out which fixes are right. Fixes that
// are unchecked by then are not offered.
const maxChecks = 40

// A candidate is a fix that may be offered.
type candidate struct {
	*finding
	fix  fix
	next []fix // what is tried if that is not right
}

// suggested returns a fix for each finding for which there is one: the first one that compiles, and
// with which the package has fewer findings and no new ones, that are not certain included. All of
// them can be applied together: of two that overlap, one is returned.
func (c *checker) suggested(findings []*finding) map[*finding]fix {
	right := map[*finding]fix{}
	var accepted, pending []candidate
	c.checks = 0
	for _, d := range findings {
		if d.fix != nil {
			pending = append(pending, candidate{finding: d, next: d.fix()})
		}
	}
	// Fixes are tried together, and halves of them if that fails.
	var try func(some []candidate) (wrong []candidate)
	try = func(some []candidate) (wrong []candidate) {
		if len(some) == 0 || c.checks == maxChecks {
			return nil
		}
		c.checks++
		if c.verified(slices.Concat(accepted, some)) {
			accepted = append(accepted, some...)
			for _, f := range some {
				right[f.finding] = f.fix
			}
			return nil
		}
		if len(some) == 1 {
			return some
		}
		return append(try(some[:len(some)/2]), try(some[len(some)/2:])...)
	}
	for len(pending) > 0 {
		var now, later []candidate
		for _, f := range pending {
			if len(f.next) == 0 {
				continue
			}
			f.fix, f.next = f.next[0], f.next[1:]
			overlaps := func(o candidate) bool { return overlap(f.fix.edits, o.fix.edits) }
			switch {
			case len(f.fix.edits) == 0 || !c.written(f.fix.edits) || slices.ContainsFunc(accepted, overlaps): // the next run offers it
			case slices.ContainsFunc(now, overlaps):
				f.next = slices.Insert(slices.Clone(f.next), 0, f.fix)
				later = append(later, f)
			default:
				now = append(now, f)
			}
		}
		pending = append(later, try(now)...)
		if c.checks == maxChecks {
			break
		}
	}
	return right
}

// overlap reports whether edits of one list touch edits of another.
func overlap(some, others []edit) bool {
	for _, e := range some {
		for _, o := range others {
			if e.pos <= o.end && o.pos <= e.end {
				return true
			}
		}
	}
	return false
}

// written reports whether edits are in files as somebody has written them, and not in those that
// cgo, or another program, has made of them.
func (c *checker) written(edits []edit) bool {
	return !slices.ContainsFunc(edits, func(e edit) bool {
		return c.fset.PositionFor(e.pos, true).Filename != c.fset.PositionFor(e.pos, false).Filename
	})
}

// verified applies fixes in memory, and analyzes the package again.
func (c *checker) verified(all []candidate) bool {
	byFile := map[*token.File][]edit{}
	fewer := map[findingKind]int{}
	for _, f := range all {
		fewer[f.kind()]++
		for _, e := range f.fix.edits {
			file := c.fset.File(e.pos)
			if file == nil || file != c.fset.File(e.end) {
				return false
			}
			byFile[file] = append(byFile[file], e)
		}
	}
	files := slices.Clone(c.files)
	for file, edits := range byFile {
		text := c.content(file.Name())
		slices.SortStableFunc(edits, func(a, b edit) int { return int(a.pos - b.pos) })
		var changed []byte
		at := 0
		for _, e := range edits {
			from, to := file.Offset(e.pos), file.Offset(e.end)
			if from < at || to > len(text) {
				return false
			}
			changed = append(append(changed, text[at:from]...), e.text...)
			at = to
		}
		parsed, err := parser.ParseFile(c.fset, file.Name(), append(changed, text[at:]...), parser.ParseComments)
		if parsed != nil {
			defer c.fset.RemoveFile(c.fset.File(parsed.FileStart))
		}
		if err != nil {
			return false
		}
		for i, old := range files {
			if c.fset.File(old.FileStart) == file {
				files[i] = parsed
			}
		}
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		FileVersions: map[*ast.File]string{},
	}
	compiles := true
	config := types.Config{Importer: imported(c.pkg), GoVersion: c.pkg.GoVersion(), Sizes: c.sizes, Error: func(err error) {
		var e types.Error
		// An import that nothing needs any more is removed by go fix, and by editors.
		if !errors.As(err, &e) || !e.Soft || !strings.HasSuffix(e.Msg, "imported and not used") {
			compiles = false
		}
	}}
	pkg, _ := config.Check(c.pkg.Path(), c.fset, files, info)
	if !compiles {
		return false
	}
	again := &checker{fset: c.fset, pkg: pkg, files: files, info: info, facts: c.facts, reused: c.reused, options: c.options, read: c.read, sizes: c.sizes, pools: c.pools}
	again.analyze()
	again.useless()
	before, after := c.count(), again.count()
	for kind, n := range after {
		if n > before[kind]-fewer[kind] {
			return false
		}
	}
	return true
}

// A findingKind is what findings are counted by: one that is certain must not become one that is
// not.
type findingKind struct {
	code  string
	maybe bool
}

func (d *finding) kind() findingKind { return findingKind{d.code, d.maybe} }

func (c *checker) count() map[findingKind]int {
	n := map[findingKind]int{}
	for _, d := range c.findings {
		n[d.kind()]++
	}
	return n
}

// imported gives a package what another one has imported.
type imports map[string]*types.Package

func imported(p *types.Package) imports {
	all := imports{"unsafe": types.Unsafe}
	for _, dep := range p.Imports() {
		all[dep.Path()] = dep
	}
	return all
}

func (all imports) Import(path string) (*types.Package, error) {
	if p := all[path]; p != nil {
		return p, nil
	}
	return nil, &types.Error{Msg: "no package " + path}
}

// path returns the nodes that are around a place, from the inside.
func (c *checker) path(pos token.Pos) []ast.Node {
	for _, f := range c.files {
		if f.FileStart <= pos && pos < f.FileEnd {
			path, _ := astutil.PathEnclosingInterval(f, pos, pos)
			return path
		}
	}
	return nil
}

// enclosing returns the innermost node of a type around a place.
func enclosing[N ast.Node](path []ast.Node) (n N, ok bool) {
	for _, x := range path {
		if n, ok := x.(N); ok {
			return n, true
		}
	}
	return n, false
}

// cloned wraps an expression in what copies its value to the heap.
func (c *checker) cloned(e ast.Expr) []fix {
	t := c.info.TypeOf(e)
	if t == nil {
		return nil
	}
	if iface, ok := t.Underlying().(*types.Interface); ok && !iface.Empty() {
		return nil // DeepClone leaves errors and contexts as they are
	}
	if _, ok := t.Underlying().(*types.Signature); ok || isMessage(t) {
		return nil // DeepClone does not copy functions and messages
	}
	names := c.imports(e.Pos())
	var calls []string
	if arena := names[corePath]; arena != "" {
		switch u := t.Underlying().(type) {
		case *types.Basic:
			calls = append(calls, arena+".Clone")
		case *types.Slice:
			if !carries(u.Elem()) {
				calls = append(calls, arena+".Clone")
			}
		case *types.Pointer:
			if !carries(u.Elem()) {
				calls = append(calls, arena+".Clone")
			}
		}
		calls = append(calls, arena+".DeepClone")
	}
	if s := names["strings"]; s != "" && types.Identical(t, types.Typ[types.String]) {
		calls = append([]string{s + ".Clone"}, calls...)
	}
	var all []fix
	for _, call := range calls {
		all = append(all, fix{"Copy to the heap with " + call, []edit{{e.Pos(), e.Pos(), call + "("}, {e.End(), e.End(), ")"}}})
	}
	return all
}

// copied is cloned, but of a call of append it clones what is appended: the other elements stay the
// same ones.
func (c *checker) copied(e ast.Expr) []fix {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return c.cloned(e)
	}
	if id, ok := call.Fun.(*ast.Ident); !ok || c.info.Uses[id] != types.Universe.Lookup("append") {
		return c.cloned(e)
	}
	// One of them, or all if all were made here.
	var one, all []fix
	made := true
	for n, arg := range call.Args[1:] {
		clones := c.cloned(arg)
		one = append(one, clones...)
		_, isCall := ast.Unparen(arg).(*ast.CallExpr)
		made = made && isCall && (n == 0 || len(clones) == len(all))
		for i, f := range clones {
			if n == 0 {
				all = append(all, fix{message: f.message})
			}
			if made {
				all[i].edits = append(all[i].edits, f.edits...)
			}
		}
	}
	if len(call.Args) == 2 || !made {
		return one
	}
	return append(one, all...)
}

// imports returns the names that packages have in the file of a place.
func (c *checker) imports(pos token.Pos) map[string]string {
	names := map[string]string{}
	for _, f := range c.files {
		if f.FileStart > pos || pos >= f.FileEnd {
			continue
		}
		for _, spec := range f.Imports {
			name := c.info.PkgNameOf(spec)
			if name != nil && name.Name() != "_" && name.Name() != "." {
				names[name.Imported().Path()] = name.Name()
			}
		}
	}
	return names
}

// fixEscape copies what is stored in a place that lives longer.
func (c *checker) fixEscape(d *finding, at ssa.Instruction, l loc) {
	if at == nil {
		return
	}
	d.fix = func() []fix {
		path := c.path(d.pos)
		key := strings.HasSuffix(l.path, stepKey)
		if call, ok := at.(*ssa.Call); ok {
			expr, ok := enclosing[*ast.CallExpr](path)
			if fn := call.Call.StaticCallee(); ok && fn != nil && len(expr.Args) > 0 {
				switch opOf(ssas.Declared(fn)) {
				case opMapStore:
					n := 1
					if key {
						n = 0
					}
					if n < len(expr.Args) {
						return c.cloned(expr.Args[n])
					}
				case opCell, opAddTo:
					return c.cloned(expr.Args[len(expr.Args)-1])
				case opNodes:
					return c.cloned(expr.Args[0])
				}
			}
			if b, isBuiltin := call.Call.Value.(*ssa.Builtin); !isBuiltin || b.Name() != "append" {
				return nil
			}
		}
		switch stmt := statement(path).(type) {
		case *ast.AssignStmt:
			if len(stmt.Lhs) != 1 || len(stmt.Rhs) != 1 {
				return nil
			}
			if x, ok := stmt.Lhs[0].(*ast.IndexExpr); ok && key {
				return c.cloned(x.Index)
			}
			return c.copied(stmt.Rhs[0])
		case *ast.IncDecStmt:
			if x, ok := stmt.X.(*ast.IndexExpr); ok && key {
				return c.cloned(x.Index)
			}
		}
		return nil
	}
}

func statement(path []ast.Node) ast.Stmt {
	for _, n := range path {
		if s, ok := n.(ast.Stmt); ok {
			return s
		}
	}
	return nil
}

// isMessage reports whether values of t are messages of protobuf.
func isMessage(t types.Type) bool {
	m, _, _ := types.LookupFieldOrMethod(t, true, nil, "ProtoReflect")
	_, ok := m.(*types.Func)
	return ok
}

// fixReturn copies a result.
func (c *checker) fixReturn(d *finding, n int) {
	d.fix = func() []fix {
		stmt, ok := statement(c.path(d.pos)).(*ast.ReturnStmt)
		if !ok || n >= len(stmt.Results) {
			return nil
		}
		if t := c.info.TypeOf(stmt.Results[n]); t != nil && isMessage(t) {
			// The copy may fail, so that the error takes the place of a nil.
			name := c.imports(d.pos)[corePath+"/arenapb"]
			if name == "" || len(stmt.Results) != 2 || n != 0 || !c.info.Types[stmt.Results[1]].IsNil() {
				return nil
			}
			first, last := stmt.Results[0], stmt.Results[1]
			return []fix{{"Copy to the heap with " + name + ".Clone", []edit{{first.Pos(), last.End(), name + ".Clone(" + c.text(first) + ")"}}}}
		}
		return c.copied(stmt.Results[n])
	}
}

// fixLost gives an arena back when the function returns.
func (c *checker) fixLost(d *finding, made ssa.Instruction) {
	d.fix = func() []fix {
		path := c.path(d.pos)
		stmt, ok := statement(path).(*ast.AssignStmt)
		if !ok || len(stmt.Lhs) != 1 || len(stmt.Rhs) != 1 {
			return nil
		}
		name, ok := stmt.Lhs[0].(*ast.Ident)
		call, ok2 := stmt.Rhs[0].(*ast.CallExpr)
		from, ok3 := made.(*ssa.Call)
		if !ok || !ok2 || !ok3 || name.Name == "_" || c.givesBack(path, name) {
			return nil
		}
		text := ""
		switch fn := from.Call.StaticCallee(); {
		case fn == nil:
		case opOf(ssas.Declared(fn)) == opNewWith:
			text = "\ndefer " + name.Name + ".Free()"
		case opOf(ssas.Declared(fn)) == opGet:
			// The Pool of a function that calls Get has no name here.
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && !hasCall(s.X) {
				text = "\ndefer " + c.text(s.X) + ".Put(" + name.Name + ")"
			}
		}
		if text == "" {
			return nil
		}
		return []fix{{"Give it back when the function returns", []edit{{stmt.End(), stmt.End(), text}}}}
	}
}

// givesBack reports whether the function around gives an arena back somewhere, so that to do that
// in any case would be to do it twice.
func (c *checker) givesBack(path []ast.Node, name *ast.Ident) (gives bool) {
	decl, ok := enclosing[*ast.FuncDecl](path)
	if !ok {
		return false
	}
	arena := c.info.ObjectOf(name)
	is := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && c.info.Uses[id] == arena
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if s, ok := call.Fun.(*ast.SelectorExpr); ok {
			switch fn, _ := c.info.Uses[s.Sel].(*types.Func); opOf(fn) {
			case opFree:
				gives = gives || is(s.X)
			case opPut, opDrop:
				gives = gives || is(call.Args[0])
			}
		}
		return true
	})
	return gives
}

func hasCall(e ast.Expr) (has bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		_, ok := n.(*ast.CallExpr)
		has = has || ok
		return true
	})
	return has
}

// fixGroup gives a goroutine an arena of a Group, instead of one that others use.
func (c *checker) fixGroup(d *finding) {
	d.fix = func() []fix {
		path := c.path(d.pos)
		stmt, ok := statement(path).(*ast.GoStmt)
		if !ok || len(stmt.Call.Args) > 0 {
			return nil
		}
		literal, ok := ast.Unparen(stmt.Call.Fun).(*ast.FuncLit)
		if !ok || literal.Type.Params.NumFields() > 0 {
			return nil
		}
		name := c.imports(d.pos)[corePath]
		var shared *types.Var // the arena that it has captured
		ast.Inspect(literal.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				v, isVar := c.info.Uses[id].(*types.Var)
				if isVar && coreType(v.Type()) == "Arena" && isPointer(v.Type()) && !v.IsField() && (v.Pos() < literal.Pos() || v.Pos() >= literal.End()) {
					if shared != nil && shared != v {
						name = "" // there are two
					}
					shared = v
				}
			}
			return true
		})
		if shared == nil || name == "" {
			return nil
		}
		var at ast.Node = stmt
		for i, n := range path {
			if _, ok := n.(*ast.FuncLit); ok && n != literal {
				break
			}
			switch n.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				at = n
				if l, ok := path[min(i+1, len(path)-1)].(*ast.LabeledStmt); ok {
					at = l
				}
			}
		}
		scope := c.pkg.Scope().Innermost(stmt.Pos())
		if scope == nil {
			return nil
		}
		group := ""
		for _, free := range []string{"group", "arenas", "arenaGroup"} {
			if _, taken := scope.LookupParent(free, stmt.Pos()); taken == nil {
				group = free
				break
			}
		}
		if group == "" {
			return nil
		}
		edits := []edit{
			{stmt.Pos(), literal.Body.Pos(), group + ".Go(func(" + shared.Name() + " *" + name + ".Arena) "},
			{literal.End(), stmt.End(), ")"},
		}
		made := group + " := " + name + ".NewGroup()"
		used := 0
		for id, o := range c.info.Uses {
			if o == shared && (id.Pos() < literal.Pos() || id.Pos() >= literal.End()) {
				used++
			}
		}
		if def, ok := statement(c.path(shared.Pos())).(*ast.AssignStmt); ok && used == 0 && len(def.Lhs) == 1 && def.Tok == token.DEFINE {
			// Nobody else needs the arena.
			edits = append(edits, edit{def.Pos(), def.End(), made})
		} else if at == stmt {
			edits[0].text = made + "\n" + edits[0].text
		} else {
			edits = append(edits, edit{at.Pos(), at.Pos(), made + "\n"})
		}
		return []fix{{"Give each goroutine an arena of a Group", edits}}
	}
}

// fixFresh makes an arena in front of a loop, and empties it where it was made.
func (c *checker) fixFresh(d *finding) {
	d.fix = func() []fix {
		path := c.path(d.pos)
		stmt, ok := statement(path).(*ast.AssignStmt)
		if !ok || len(stmt.Lhs) != 1 || len(stmt.Rhs) != 1 || stmt.Tok != token.DEFINE || c.varies(stmt.Rhs[0]) {
			return nil
		}
		name, ok := stmt.Lhs[0].(*ast.Ident)
		if !ok {
			return nil
		}
		for i, n := range path {
			var body *ast.BlockStmt
			switch loop := n.(type) {
			case *ast.ForStmt:
				body = loop.Body
			case *ast.RangeStmt:
				body = loop.Body
			case *ast.FuncLit:
				return nil
			}
			if body == nil || stmt.Pos() < body.Pos() {
				continue
			}
			at := n
			if i+1 < len(path) {
				if l, ok := path[i+1].(*ast.LabeledStmt); ok {
					at = l
				}
			}
			if scope := c.pkg.Scope().Innermost(at.Pos()); scope == nil {
				return nil
			} else if _, taken := scope.LookupParent(name.Name, token.NoPos); taken != nil {
				return nil // behind the loop, or in its head, the name means something else
			}
			return []fix{{"Make it in front of the loop", []edit{
				{at.Pos(), at.Pos(), c.text(stmt) + "\n"}, {stmt.Pos(), stmt.End(), name.Name + ".Reset()"},
			}}}
		}
		return nil
	}
}

// varies reports whether the arguments of a call may be others in each turn of a loop.
func (c *checker) varies(e ast.Expr) (varies bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			v, ok := c.info.Uses[n].(*types.Var)
			varies = varies || ok && !v.IsField()
		case *ast.CallExpr:
			varies = varies || n != e
		case *ast.SelectorExpr:
			s := c.info.Selections[n]
			varies = varies || s != nil
		}
		return true
	})
	return varies
}
