package fix

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/arena-go/arena/cmd/arena/internal/library"
)

// A spot is a local variable, or a field of one: all that lies behind it counts as the field.
type spot struct {
	v     *types.Var
	field string // empty for the variable as a whole, and elements for what it points at or has in it
}

const elements = "[]"

// itself is the field for the memory that a variable has or refers to, as its address keeps it, and
// not what values in it refer to.
const itself = "&"

// inTexts is the end of a field that stands for the texts in what the field refers to.
const inTexts = "\""

// ofTexts returns the spot of the texts in what s refers to.
func (s spot) ofTexts() spot { return spot{s.v, strings.TrimSuffix(s.field, inTexts) + inTexts} }

// isTexts tells whether s stands for nothing but texts.
func (s spot) isTexts() bool {
	if s.v == nil || s.field == "" || strings.HasSuffix(s.field, inTexts) {
		return s.field != ""
	}
	t := fieldType(s.v.Type(), s.field)
	return t != nil && isText(t)
}

const every = -1 // of the results of a call

// A goal is where a value goes.
type goal struct {
	s    spot   // if it goes to a local variable
	why  reason // if it goes where nothing of an arena may
	part string // if only that field does

	result int       // which result of a call the value is; every if that is not known, or there is only one
	stored bool      // by a function that is called, and not by an assignment
	any    bool      // perhaps in any of its fields
	lent   bool      // a function that is there is called with it
	inside bool      // it becomes an element of what the field refers to
	failed bool      // a function that is called puts the text into an error
	inner  bool      // it becomes an element of that, or a field
	own    reason    // what keeps it in the field that it is read from
	itself bool      // and nothing else that it leads to
	out    bool      // it is returned as the result
	text   bool      // a text that the value has goes there, and nothing else
	hops   int       // how many pointers lead there: two if it is behind what the variable, or its field, refers to
	key    string    // of a literal that goes there: the field that it is in
	at     token.Pos // where why arises; none if it does here
}

// What follows leaves on the heap what goes where nothing of an arena may: to a goroutine, a
// channel, an error, a panic, a variable of a package, or what such a variable refers to. They
// follow variables and their fields inside of functions, not in the order of statements, and
// parameters and results between these; packages.go says what may refer to a variable of a package,
// and alias.go which names there are for the same memory.

// owners are parameters, or fields of these, that a value may be part of.
type owners map[spot]bool

// add adds other, and tells whether that was new.
func (o owners) add(other owners) bool {
	n := len(o)
	maps.Copy(o, other)
	return len(o) != n
}

// flow computes the flows of a function, and tells whether what callers have to know has changed.
func (w *walker) flow() (changed bool) {
	f := w.f
	w.settings, w.went, w.ownersBy = nil, nil, nil
	w.owned()
	w.ownersBy = map[ownersKey]owners{}
	w.pooled()
	changed = w.packaged()
	w.went = map[ast.Node][]goal{}
	w.aliases = w.findAliases()
	kept := map[spot]reason{}   // and why
	shared := map[spot]reason{} // what is stored behind these is kept, and why
	parts := map[spot]reason{}  // why the first spot of a variable, or the first of its texts, is kept
	var at token.Pos            // where the last answer of whyOf arises; none if it does at w.way
	keep := func(s spot, why reason) {
		if !f.from[s].IsValid() {
			if f.from[s] = at; !at.IsValid() && len(w.way) > 0 {
				f.from[s] = w.way[len(w.way)-1].Pos()
			}
		}
		kept[s] = kept[s].or(why)
		part := spot{v: s.v}
		if s.isTexts() {
			part = part.ofTexts()
		}
		parts[part] = parts[part].or(why)
		for _, field := range s.others() {
			other := spot{s.v, field}
			kept[other] = kept[other].or(why)
		}
	}
	for _, v := range f.params() {
		for _, s := range slices.SortedFunc(maps.Keys(f.keepIn), bySpot) {
			if s.v == v {
				at = f.from[s]
				keep(s, f.keepIn[s])
			}
		}
	}
	for _, of := range f.keptParts() {
		if v := f.results()[of.result]; v.Name() != "" { // a return may not name it
			at = f.keepResult[of].at
			keep(spot{v, of.field}, f.keepResult[of].why)
		}
	}
	foreign, lent := w.foreign(), w.lent()
	// whysOf returns why what goes there stays, and why its texts do.
	whysOf := func(goals []goal) (all, text reason) {
		at = token.NoPos
		add := func(g goal, why reason, from token.Pos) {
			to := &all
			if g.text {
				to = &text
			}
			if to.or(why) != *to {
				*to, at = to.or(why), from
			}
		}
		for _, g := range goals {
			if g.why.stays() && g.part == "" && !g.covers(g.why) {
				add(g, g.why, g.at)
			}
			if g.s.v == nil || g.part != "" {
				continue
			}
			inText := kept[spot{v: g.s.v}.ofTexts()].or(kept[g.s.ofTexts()])
			if g.s.field == "" && !g.itself {
				inText = inText.or(parts[spot{v: g.s.v}.ofTexts()])
			}
			if inText.stays() && (!g.stored || inText.crosses()) {
				add(goal{text: true}, inText, f.fromOf(g.s))
			}
			why := kept[spot{g.s.v, ""}]
			if why == whyReused && (g.stored || g.s.field != "") { // it lies in the slice
				why = moves
			}
			why = why.or(kept[g.s])
			if g.hops > 0 {
				why = why.or(shared[spot{g.s.v, ""}])
			}
			if g.hops > 1 {
				why = why.or(shared[g.s]).or(shared[spot{g.s.v, elements}])
			}
			switch {
			case g.itself && !g.any && g.s.field == "":
				why = why.or(kept[spot{g.s.v, itself}])
			case g.any || g.s.field == "":
				why = why.or(parts[spot{v: g.s.v}])
			}
			if foreign[g.s.v] && (g.stored || g.s.field != "") {
				why = why.or(whyLater)
			}
			if g.lent {
				why = why.or(lent[g.s]).or(lent[spot{g.s.v, ""}])
			}
			if why.stays() && (!g.stored || why.crosses()) && !g.covers(why) {
				add(g, why, f.fromOf(g.s))
			}
		}
		return all, text
	}
	whyOf := func(goals []goal) reason {
		all, text := whysOf(goals)
		return all.or(text)
	}
	more := true
	set := func(s spot, why reason) {
		if kept[s].or(why) != kept[s] {
			keep(s, why)
			more = true
		}
	}
	// What a variable that is kept is set to is kept, too.
	for more {
		more = false
		w.functions(func(s spot, x ast.Expr) {
			if why := whyOf(w.handed(x, "", nil, []types.Type{w.info.TypeOf(x)})); why.crosses() {
				set(s, why)
			}
		})
		w.keepAliases(kept, set)
		more = w.share(kept, shared) || more
		w.each(func(x ast.Expr, s spot) {
			own, captured := w.usesItself(x), w.literalsWith(s.v)
			if !refers(w.info.TypeOf(x)) {
				if !own && len(captured) == 0 {
					return
				}
				if s.field != "" {
					s.field = itself
				}
			}
			if kept[s].full() && (!own && len(captured) == 0 || kept[spot{s.v, itself}].full()) {
				return
			}
			why := w.keeps(s.v)
			if why.isGiven() && w.inClosure(w.way) { // a function is given, which uses the variable
				why = moves
			}
			var goals []goal
			if refers(w.info.TypeOf(x)) || own {
				goals = w.goals(w.way)
			}
			whole := moves // why the memory of the variable is kept
			if why == whyGoroutine && len(captured) > 0 {
				whole = why
			}
			for _, i := range captured {
				if lit := w.way[i].(*ast.FuncLit); w.p.literals[lit] == gone && !w.doneNow(w.way[i-1]) {
					why, whole = why.or(whyLater), whole.or(whyLater)
				}
				var with []goal
				for _, g := range w.goals(w.way[:i+1]) {
					g.inner = true
					with = append(with, g)
				}
				whole = whole.or(whyOf(with))
				goals = append(goals, with...)
			}
			if v := s.v; s.field != "" || !slices.Contains(f.params(), v) { // a text that is made for the error is kept, and no variable
				goals = slices.DeleteFunc(goals, func(g goal) bool { return g.failed })
			}
			all, text := whysOf(goals)
			if own || isTextual(w.info.TypeOf(x)) {
				all = all.or(text)
			} else {
				set(s.ofTexts(), text)
			}
			if why = why.or(all); why.stays() {
				set(s, why)
				if own {
					whole = why
				}
				if s.field != "" {
					set(spot{s.v, itself}, whole)
				}
				if why.full() {
					return
				}
			}
			for _, g := range goals {
				part := spot{s.v, cmp.Or(s.field, g.part)}
				if g.part == "" {
					continue
				}
				g.part = ""
				all, text := whysOf([]goal{g})
				set(part, all)
				set(part.ofTexts(), text)
			}
		})
	}
	changed = w.gets(whyOf) || changed
	for _, c := range w.values { // what is kept, and functions are called with, may have in it what they store there
		for _, o := range w.operands(c) {
			if s, ok := w.spotOf(o.x); ok && holds(w.info.TypeOf(o.x)) && kept[s].or(parts[spot{v: s.v}]).full() {
				changed = w.noteShown(c.Fun) || changed
			}
		}
	}
	w.lends(func(s spot) {
		if !f.kept[s].full() && !f.keepIn[s].stays() {
			f.kept[s], changed = whyPackage, true
		}
	})
	for _, s := range f.sites {
		if s.pool != nil && !s.why.stays() && s.pool.why.stays() {
			s.why, changed = s.pool.why, true
		}
		if s.why.stays() || s.local {
			continue
		}
		for _, way := range s.goes {
			w.way = way
			s.why = s.why.or(w.keeps(nil)).or(whyOf(w.goals(way)))
			s.at = cmp.Or(s.at, at)
		}
		if s.kind == kindCarrier { // was not there before
			w.way = s.way
			s.why = w.stays()
		}
		goals := w.goals(s.way)
		for i, g := range goals {
			if g.itself && leadsAway(w.info, s.node, g.part) {
				goals[i].why = moves
			}
			goals[i].part = "" // for all of what is made here
		}
		all, text := whysOf(goals)
		if x, ok := s.node.(ast.Expr); !ok || w.info.TypeOf(x) == nil || isTextual(w.info.TypeOf(x)) {
			all = all.or(text)
		}
		s.why = s.why.or(all)
		s.at = cmp.Or(s.at, at)
		if v, ok := s.v.(*types.Var); ok { // its address may be what is kept
			if why := kept[spot{v, ""}].or(kept[spot{v, itself}]); why.stays() {
				s.why, s.at = s.why.or(why), cmp.Or(s.at, f.fromOf(spot{v, itself}))
			}
		}
		if s.kind == kindCarrier && !s.why.crosses() { // what it leads to does, and not the carrier
			s.why = moves
		}
		changed = changed || s.why.stays()
		if s.pool != nil && s.why.stays() && !s.pool.why.stays() {
			s.pool.why = whyPackage
			w.p.again(nil)
		}
	}
	failed := map[*ast.CallExpr]bool{} // it becomes an error, or part of a panic
	lost := map[*ast.CallExpr]bool{}   // all that a call through an interface may call is lost, or nothing
	for _, c := range slices.Concat(f.calls, f.other) {
		note := func(in spot, of part, why reason) {
			d := drop{c.to, in, of, why, cmp.Or(at, c.expr.Pos())}
			lost[c.expr] = lost[c.expr] || !d.onlyTexts()
			failed[c.expr] = failed[c.expr] || !why.crosses()
			if !slices.ContainsFunc(f.drops, func(o drop) bool { o.at = d.at; return o == d }) {
				f.drops, changed = append(f.drops, d), true
			}
		}
		at = token.NoPos
		if c.why.stays() && (c.why.crosses() || !w.becomesError(c.expr, every)) {
			note(spot{}, part{result: every}, c.why)
		}
		for _, g := range w.goals(c.way) {
			v, field, direct := g.s.v, g.part, g.itself
			g.part, g.itself = "", false
			why, text := whysOf([]goal{g})
			if g.failed {
				continue
			}
			if text.stays() && (text.crosses() || !w.becomesError(c.expr, g.result)) {
				note(spot{}, part{g.result, inTexts}, text)
			}
			if !why.stays() || !why.crosses() && w.becomesError(c.expr, g.result) {
				continue
			}
			switch {
			case direct && field != "" && field != itself:
				note(spot{}, part{g.result, field}, why)
			case direct && !g.why.stays() && g.s.field == "" && !kept[spot{v, ""}].or(kept[spot{v, itself}]).stays() && why == parts[spot{v: v}]:
				for _, s := range slices.SortedFunc(maps.Keys(kept), bySpot) {
					if s.v == v && !s.isTexts() && kept[s].stays() {
						note(spot{}, part{g.result, s.field}, kept[s])
					}
				}
			default:
				note(spot{}, part{result: g.result}, why)
			}
		}
		for _, o := range w.operands(c.expr) {
			for _, in := range c.to.storesIn(o) {
				why, text := whysOf(w.storedWith(o.x, w.partsOfOperand(c.expr, o), in.field, c.to.deep[in], c.to.placedIn(in)))
				if why.crosses() && why.stays() {
					note(in, part{result: every}, why)
				}
				if text.crosses() && text.stays() {
					note(in.ofTexts(), part{result: every}, text)
				}
			}
			for _, in := range c.to.handsIn(o) {
				if why := whyOf(w.handed(o.x, in.field, nil, c.to.hands[in])); why.crosses() && why.stays() {
					note(in, part{result: every}, why)
				}
			}
		}
	}
	for _, c := range f.calls {
		c.lost = c.lost && !failed[c.expr]
		if lost[c.expr] && !c.dropped && (failed[c.expr] || !heeded(f, c.expr)) {
			c.dropped, c.lost, changed = true, !failed[c.expr], true
		}
	}
	params := f.params()
	for s, why := range kept {
		if why.crosses() && slices.Contains(params, s.v) && f.kept[s].or(why) != f.kept[s] && !f.keepIn[s].stays() {
			f.kept[s], changed = f.kept[s].or(why), true
		}
	}
	for _, v := range params {
		if why := kept[spot{v, ""}]; isText(v.Type()) && why.stays() && !why.crosses() && !f.failed[v] {
			f.failed[v], changed = true, true
		}
	}
	return w.summarize() || changed
}

func bySpot(a, b spot) int {
	return cmp.Or(cmp.Compare(a.field, b.field), cmp.Compare(a.v.Pos(), b.v.Pos()))
}

// storesIn returns what of an operand the function stores something in.
func (f *function) storesIn(o operand) []spot { return spotsOf(f.stores, o.param(f.obj)) }

// spotsOf returns the spots in a set that are of a parameter, which is nil if there is none.
func spotsOf[V any](set map[spot]V, param *types.Var) (all []spot) {
	for s := range set {
		if s.v != nil && s.v == param {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, bySpot)
	return all
}

// params returns the receiver and the parameters.
func (f *function) params() (all []*types.Var) {
	sig := f.obj.Signature()
	if r := sig.Recv(); r != nil {
		all = append(all, r)
	}
	return slices.AppendSeq(all, sig.Params().Variables())
}

// results returns the results, which may have no names.
func (f *function) results() []*types.Var {
	return slices.Collect(f.obj.Signature().Results().Variables())
}

// owned computes which parameters and variables of packages the local variables may be part of.
func (w *walker) owned() {
	w.owners = map[spot]owners{}
	for _, v := range w.f.params() {
		w.owners[spot{v, ""}] = owners{spot{v, ""}: true}
	}
	add := func(s spot, o owners) (more bool) {
		if len(o) == 0 {
			return false
		}
		if w.owners[s] == nil {
			w.owners[s] = owners{}
		}
		return w.owners[s].add(o)
	}
	for more := true; more; {
		more = false
		w.assignments(func(to goal, x ast.Expr) {
			if to.s.v == nil {
				return
			}
			lit := literalOf(x)
			if ofStruct(w.info, lit) && to.s.field == "" {
				for i, e := range lit.Elts {
					more = add(spot{to.s.v, fieldOf(w.info, lit, i)}, w.ownersOf(valueOf(e), every)) || more
				}
				return
			}
			if to.s.field != "" { // what x is, is part of that now
				w.loads(x, to.result, func(from spot, field string) {
					o := w.ownersIn(spot{to.s.v, cmp.Or(to.s.field, field)}, false)
					delete(o, from)
					more = add(from, o) || more
				})
			}
			if to.inside {
				to.s.field += elements
			}
			if c, ok := ast.Unparen(x).(*ast.CallExpr); ok && w.isBuiltin(c, "append") {
				if from, ok := w.spotOf(c.Args[0]); !ok || from != to.s { // what it has stays in it
					more = add(to.s, w.ownersOf(c.Args[0], every)) || more
				}
				for _, x := range c.Args[1:] {
					more = add(spot{to.s.v, to.s.field + elements}, w.ownersOf(x, every)) || more
				}
				return
			}
			if s, ok := w.spotOf(x); ok && s.field == "" && to.s.field == "" && holds(w.info.TypeOf(x)) { // each field by itself
				for other, o := range w.owners {
					if other.v == s.v && other.v != to.s.v {
						more = add(spot{to.s.v, other.field}, o) || more
					}
				}
				return
			}
			if c, ok := ast.Unparen(x).(*ast.CallExpr); ok && w.inPlace(to.s, c) {
				return
			}
			more = add(to.s, w.ownersOf(x, to.result)) || more
		})
	}
}

// others returns the other names of a field: a field of an embedded struct can be selected without
// the name of that.
func (s spot) others() (all []string) {
	st := structOf(s.v.Type())
	if st == nil || s.field == "" {
		return nil
	}
	direct := false
	for v := range st.Fields() {
		if v.Name() == s.field {
			direct = true
		}
		if in := structOf(v.Type()); in != nil && v.Embedded() && v.Name() == s.field {
			for v := range in.Fields() {
				all = append(all, v.Name())
			}
		}
	}
	if direct {
		return all
	}
	for v := range st.Fields() {
		if v.Embedded() { // which may have it
			all = append(all, v.Name())
		}
	}
	return all
}

// inPlace tells whether a variable is set to what a function of the program makes of it and of
// texts, as a list without some elements: what is in it is what was in it.
func (w *walker) inPlace(to spot, c *ast.CallExpr) bool {
	targets, known := w.targets(c)
	if len(targets) == 0 || !known || to.field != "" {
		return false
	}
	for _, o := range w.operands(c) {
		t := w.info.TypeOf(o.x)
		if s, ok := w.spotOf(o.x); ok && s == to && !nests(t) || !holds(t) {
			continue
		}
		return false
	}
	return true
}

// nests tells whether what a value of type t refers to may have another value of that type in it.
func nests(t types.Type) bool {
	seen := map[types.Type]bool{}
	var look func(t types.Type) bool
	look = func(t types.Type) bool {
		if seen[t] {
			return true
		}
		seen[t] = true
		switch t := t.Underlying().(type) {
		case *types.Basic:
			return t.Kind() == types.UnsafePointer
		case *types.Slice:
			return look(t.Elem())
		case *types.Array:
			return look(t.Elem())
		case *types.Struct:
			for v := range t.Fields() {
				if refers(v.Type()) && !isText(v.Type()) && look(v.Type()) {
					return true
				}
			}
			return false
		}
		return true
	}
	return look(t)
}

func (w *walker) isBuiltin(c *ast.CallExpr, name string) bool { return w.builtinOf(c) == name }

// builtinOf returns the name of the builtin that a call calls, or "".
func (w *walker) builtinOf(c *ast.CallExpr) string {
	var id *ast.Ident
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr: // of package unsafe
		id = fun.Sel
	default:
		return ""
	}
	b, ok := w.info.Uses[id].(*types.Builtin)
	if !ok {
		return ""
	}
	return b.Name()
}

// ownersIn returns what a spot is part of. Of a variable as a whole its fields do not count, unless
// all is asked for.
func (w *walker) ownersIn(s spot, all bool) (result owners) {
	key := ownersKey{s, all}
	if known, ok := w.ownersBy[key]; ok {
		return known
	}
	if w.ownersBy != nil {
		defer func() { w.ownersBy[key] = result }()
	}
	result = owners{}
	for o := range w.owners[spot{s.v, ""}] {
		if o.v != nil && o.field == "" {
			o.field = s.field
		}
		result[o] = true
	}
	if s.field != "" {
		result.add(w.owners[s])
	}
	if all {
		for other, o := range w.owners {
			if other.v == s.v && (s.field == "" || other.field == s.field+elements) {
				result.add(o)
			}
		}
	}
	return result
}

// An ownersKey is what ownersIn is asked about.
type ownersKey struct {
	s   spot
	all bool
}

// outer returns the expression that leads to x: of a field its struct, of an element its list, of
// *p the pointer p, of &v the variable v. It returns nil for other expressions.
func outer(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		return x.X
	case *ast.IndexExpr:
		return x.X
	case *ast.SliceExpr:
		return x.X
	case *ast.StarExpr:
		return x.X
	case *ast.UnaryExpr:
		return x.X
	case *ast.TypeAssertExpr:
		return x.X
	}
	return nil
}

// literalOf returns the literal that x is, or is the address of, or nil.
func literalOf(x ast.Expr) *ast.CompositeLit {
	x = ast.Unparen(x)
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.AND {
		x = ast.Unparen(u.X)
	}
	lit, _ := x.(*ast.CompositeLit)
	return lit
}

// structOf returns the struct that a type is, or points at, or nil.
func structOf(t types.Type) *types.Struct {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, _ := t.Underlying().(*types.Struct)
	return s
}

// ofStruct tells whether there is a literal, and it is of a struct.
func ofStruct(info *types.Info, lit *ast.CompositeLit) bool {
	if lit == nil {
		return false
	}
	_, ok := info.TypeOf(lit).Underlying().(*types.Struct)
	return ok
}

// assignments calls f for each place that is set, and what it is set to. The places are found once
// in a flow.
func (w *walker) assignments(f func(to goal, x ast.Expr)) {
	if w.settings == nil {
		settings := []setting{}
		w.findSettings(func(to goal, x ast.Expr) { settings = append(settings, setting{to, x}) })
		w.settings = settings
	}
	for _, a := range w.settings {
		f(a.to, a.x)
	}
}

// A setting sets a place to a value.
type setting struct {
	to goal
	x  ast.Expr
}

func (w *walker) findSettings(f func(to goal, x ast.Expr)) {
	pair := func(to, x ast.Expr, result int) {
		if to != nil && x != nil {
			_, inside := ast.Unparen(to).(*ast.IndexExpr)
			for _, g := range w.goalsOf(to, result) {
				g.inside = inside && g.s.field != elements
				f(g, x)
			}
		}
	}
	ast.Inspect(w.f.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				pair(to, n.Rhs[min(i, len(n.Rhs)-1)], resultOf(i, len(n.Lhs), n.Rhs))
			}
		case *ast.ValueSpec:
			for i, to := range n.Names {
				if len(n.Values) > 0 {
					pair(to, n.Values[min(i, len(n.Values)-1)], resultOf(i, len(n.Names), n.Values))
				}
			}
		case *ast.RangeStmt:
			pair(n.Key, n.X, every)
			pair(n.Value, n.X, every)
		case *ast.TypeSwitchStmt:
			for _, g := range w.cases(n) {
				f(g, n.Assign.(*ast.AssignStmt).Rhs[0])
			}
		case *ast.CallExpr:
			for _, lit := range w.closures(n.Fun) {
				for _, o := range w.operands(n) {
					if v := paramOf(w.info, lit, o.index); v != nil {
						f(goal{s: spot{v, ""}, result: every}, o.x)
					}
				}
			}
			for _, x := range n.Args { // a literal may be called with parts of the other operands
				for _, lit := range w.closures(x) {
					for v := range w.info.TypeOf(lit).(*types.Signature).Params().Variables() {
						for _, o := range w.operands(n) {
							if o.x != x && holds(v.Type()) && w.p.leadsTo(w.info.TypeOf(o.x), v.Type()) {
								f(goal{s: spot{v, ""}, result: every}, o.x)
							}
						}
					}
				}
			}
		}
		return true
	})
}

// cases returns the variables that the clauses of a type switch have for the value.
func (w *walker) cases(n *ast.TypeSwitchStmt) (all []goal) {
	for _, c := range n.Body.List {
		if v, ok := w.info.Implicits[c].(*types.Var); ok {
			all = append(all, goal{s: spot{v, ""}, result: every})
		}
	}
	return all
}

// resultOf returns which result of a call the variable i, of n variables, is set to.
func resultOf(i, variables int, values []ast.Expr) int {
	if variables > len(values) {
		return i
	}
	return every
}

// ownersOf returns what the value of x may be part of, or this result if it is a call.
func (w *walker) ownersOf(x ast.Expr, result int) owners {
	x = ast.Unparen(x)
	all := owners{}
	t := w.info.TypeOf(x)
	if list, ok := t.(*types.Tuple); ok && 0 <= result && result < list.Len() {
		t = list.At(result).Type()
	}
	if !holds(t) {
		return all
	}
	if w.global(x) {
		return all
	}
	if s, ok := w.spotOf(x); ok {
		return w.ownersIn(s, true)
	}
	if in := outer(x); in != nil {
		return w.ownersOf(in, every)
	}
	switch x := x.(type) {
	case *ast.CompositeLit:
		for _, e := range x.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			all.add(w.ownersOf(e, every))
		}
	case *ast.FuncLit:
		for v := range w.captures(x) {
			all.add(w.ownersIn(spot{v, ""}, true))
		}
	case *ast.CallExpr:
		if w.info.Types[x.Fun].IsType() {
			if w.endsIn(x, x.Args[0]) {
				return all
			}
			return w.ownersOf(x.Args[0], every)
		}
		targets, known := w.targets(x)
		if w.isValue(x.Fun) {
			all.add(w.ownersOf(x.Fun, every))
		}
		for _, o := range w.operands(x) {
			if !known {
				all.add(w.ownersOf(o.x, every))
				continue
			}
			for _, g := range targets {
				for r := range g.returned(result) {
					if r.v == nil || r.v != o.param(g.obj) {
						continue
					}
					if s, ok := w.spotOf(o.x); ok && !w.global(o.x) {
						s.field = cmp.Or(s.field, r.field)
						all.add(w.ownersIn(s, true))
					} else {
						all.add(w.ownersOf(o.x, every))
					}
				}
			}
		}
	}
	return all
}

// returned returns what a result may be part of.
func (f *function) returned(result int) owners { return ofResult(f.returns, result) }

// ofResult returns what a list has for a result, or for every one.
func ofResult(list []owners, result int) owners {
	all := owners{}
	for i, o := range list {
		if i == result || result == every {
			all.add(o)
		}
	}
	return all
}

// directly is ownersOf without what merely lies in x: in a field, or in a literal.
func (w *walker) directly(x ast.Expr, result int) owners {
	x = ast.Unparen(x)
	if s, ok := w.spotOf(x); ok && !w.global(x) && holds(w.info.TypeOf(x)) {
		return w.ownersIn(s, s.field != "")
	}
	if literalOf(x) != nil {
		return owners{}
	}
	c, ok := x.(*ast.CallExpr)
	if !ok || w.info.Types[c.Fun].IsType() || w.isValue(c.Fun) {
		return w.ownersOf(x, result)
	}
	targets, known := w.targets(c)
	if !known {
		return w.ownersOf(x, result)
	}
	all := owners{}
	for _, o := range w.operands(c) {
		for _, g := range targets {
			for r := range ofResult(g.directs, result) {
				if r.v != nil && r.v == o.param(g.obj) {
					all.add(w.ownersOf(o.x, every))
				}
			}
		}
	}
	return all
}

// quiet are packages whose functions neither keep what they are given, nor store it in another
// argument, nor return what belongs to one, though they use reflection.
var quiet = []string{"fmt", "errors"}

// quietTypes are types whose methods are so, though they call interfaces, or return what nobody
// stores anything in.
var quietTypes = []string{"encoding/binary.AppendByteOrder", "encoding/binary.ByteOrder", "regexp.Regexp", "strings.Replacer", "time.Location", "time.Time"}

// isQuiet tells whether a function of a library neither keeps what it is given, nor stores it in
// another operand, nor returns what belongs to one, and in which something can be stored.
func isQuiet(f *types.Func) bool {
	sig := f.Signature()
	params := slices.Collect(sig.Params().Variables())
	if r := sig.Recv(); r == nil && slices.Contains(quiet, f.Pkg().Path()) {
		return true
	} else if r != nil {
		params = slices.Insert(params, 0, r)
		if n := named(r.Type()); n != nil && slices.Contains(quietTypes, f.Pkg().Path()+"."+n.Obj().Name()) {
			return true
		}
	}
	facts, ok := library.Of(f)
	return ok && facts.All && !slices.ContainsFunc(facts.Flows, func(w library.Flow) bool {
		return w.To != "r" || holds(params[w.From].Type()) && holds(sig.Results().At(w.N).Type())
	})
}

// targets returns the functions that a call may call, and whether what it does with its operands is
// known: it is known of functions of the program, of builtins and of functions of some packages. Of
// a call through an interface these are all methods of the program that it may call, and others are
// taken to do no more.
func (w *walker) targets(c *ast.CallExpr) (all []*function, known bool) {
	switch w.builtinOf(c) {
	case "":
	case "append", "copy", "min", "max", "Add", "Slice", "SliceData", "String", "StringData": // Add and what follows are of package unsafe
		return nil, false
	default:
		return nil, true
	}
	obj, _ := callee(w.info, c)
	switch {
	case obj == nil:
		if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
			if s := w.info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
				m := s.Obj().(*types.Func)
				all = w.p.implementations(interfaceOf(s), m)
				w.p.reads(all...)
				if w.f.live {
					all = slices.DeleteFunc(slices.Clone(all), func(g *function) bool { return !g.live })
				}
				return all, len(all) > 0 || m.Pkg() != nil && isQuiet(m)
			}
		}
		return nil, false
	case w.p.funcs[obj] != nil:
		w.p.reads(w.p.funcs[obj])
		return []*function{w.p.funcs[obj]}, true
	case obj.Pkg() == nil:
		return nil, false
	}
	return nil, isQuiet(obj)
}

// An operand is an argument of a call, or its receiver.
type operand struct {
	x     ast.Expr
	in    ast.Node // the child of the call that has it
	index int      // of the parameter; -1 is the receiver
}

// param returns the parameter of a function that has the operand, or nil.
func (o operand) param(f *types.Func) *types.Var {
	sig := f.Signature()
	switch n := sig.Params().Len(); {
	case o.index < 0:
		return sig.Recv()
	case n > 0:
		return sig.Params().At(min(o.index, n-1))
	}
	return nil
}

// number returns the number of the operand for package library: the receiver is the first one.
func (o operand) number(f *types.Func) int {
	n := o.index
	if f.Signature().Recv() != nil {
		n++
	}
	return n
}

// operands returns the receiver and the arguments of a call. What is called with all results of
// another call gets these in each parameter.
func (w *walker) operands(c *ast.CallExpr) (all []operand) {
	first := 0
	if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		if s := w.info.Selections[sel]; s != nil {
			switch s.Kind() {
			case types.MethodVal:
				all = append(all, operand{sel.X, c.Fun, -1})
			case types.MethodExpr:
				first = 1
			}
		}
	}
	for i, x := range c.Args {
		n := 1
		if t, ok := w.info.TypeOf(x).(*types.Tuple); ok {
			n = t.Len()
		}
		for j := range n {
			all = append(all, operand{x, x, i + j - first})
		}
	}
	return all
}

// summarize notes what callers have to know, and tells whether something is new.
func (w *walker) summarize() (changed bool) {
	f := w.f
	cast := slices.ContainsFunc(f.pkg.Types.Imports(), func(pkg *types.Package) bool { return pkg == types.Unsafe })
	store := func(in ast.Expr, field string, deep bool, places []types.Type) {
		if !deep && literalOf(in) != nil { // which nobody else has
			return
		}
		if cast && len(places) > 0 { // a pointer may lead to more than its type says
			places = []types.Type{nil}
		}
		for s := range w.holders(in, field) {
			if !holds(s.v.Type()) {
				continue
			}
			for _, leaf := range places {
				if w.p.leadsTo(s.v.Type(), leaf) {
					list := f.stores[s]
					changed = addLeaf(&list, leaf) || changed
					f.stores[s] = list
					if (deep || !w.shallow(in, field, s)) && !f.deep[s] {
						f.deep[s], changed = true, true
					}
				}
			}
		}
	}
	set := func(to ast.Expr) {
		if _, ok := ast.Unparen(to).(*ast.Ident); !ok && !w.global(to) && w.variableOf(to) == nil {
			store(holder(to), "", false, append(leafTypes(w.info.TypeOf(to)), w.key(to)...))
		}
	}
	results := f.results()
	for i, v := range results {
		if v.Name() != "" {
			changed = f.returns[i].add(w.ownersIn(spot{v, ""}, true)) || changed
			changed = f.directs[i].add(w.ownersIn(spot{v, ""}, false)) || changed
		}
	}
	visit(f.decl.Body, func(n ast.Node, way []ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				set(to)
			}
		case *ast.RangeStmt:
			for _, to := range []ast.Expr{n.Key, n.Value} {
				if to != nil {
					set(to)
				}
			}
		case *ast.IncDecStmt:
			store(holder(n.X), "", false, w.key(n.X))
		case *ast.ReturnStmt:
			for i, r := range f.returns {
				for j, x := range n.Results {
					result := every
					switch {
					case w.inClosure(way): // whose results may go anywhere
					case len(n.Results) < len(results):
						result = i
					case i != j:
						continue
					}
					changed = r.add(w.ownersOf(x, result)) || changed
					changed = f.directs[i].add(w.directly(x, result)) || changed
				}
			}
		case *ast.SelectorExpr: // a method value, which may be called
			if g := w.methodValue(n, way); g != nil {
				for _, in := range spotsOf(g.stores, g.obj.Signature().Recv()) {
					store(n.X, in.field, g.deep[in], g.stores[in])
				}
			}
		case *ast.CallExpr:
			targets, known := w.targets(n)
			if w.isValue(n.Fun) && !w.isLiteral(n.Fun) && slices.ContainsFunc(w.operands(n), func(o operand) bool { return refers(w.info.TypeOf(o.x)) }) {
				changed = w.hand(n.Fun, "", leafTypes(w.info.TypeOf(n.Fun))) || changed
			}
			for _, o := range w.operands(n) {
				if len(targets) == 0 && w.builtinOf(n) == "" && isFunc(w.info.TypeOf(o.x)) && w.isValue(o.x) { // a library may call it
					changed = w.hand(o.x, "", []types.Type{w.info.TypeOf(o.x)}) || changed
				}
				for _, g := range targets {
					for _, in := range g.handsIn(o) {
						changed = w.hand(o.x, in.field, g.hands[in]) || changed
					}
				}
				if !known && w.mayStore(n, o, nil) && !w.isPut(n) {
					places := []types.Type{nil}
					if s, ok := w.info.TypeOf(o.x).Underlying().(*types.Slice); ok && w.builtinOf(n) != "" {
						places = leafTypes(s.Elem())
					}
					store(o.x, "", w.builtinOf(n) == "", places)
				}
				for _, g := range targets {
					for _, in := range g.storesIn(o) {
						store(o.x, in.field, g.deep[in], g.stores[in])
					}
				}
			}
		}
		return true
	})
	changed = w.tellAliases() || changed
	return w.puts() || changed
}

// methodValue returns the method of the program at the end of way that is not called there, or nil.
func (w *walker) methodValue(sel *ast.SelectorExpr, way []ast.Node) *function {
	if s := w.info.Selections[sel]; s == nil || s.Kind() != types.MethodVal {
		return nil
	}
	if c, ok := way[len(way)-2].(*ast.CallExpr); ok && c.Fun == sel {
		return nil
	}
	return w.functionOf(sel)
}

// shallow tells whether what is put into the field of what x leads to lies directly in what s, the
// field of a parameter, refers to.
func (w *walker) shallow(x ast.Expr, field string, s spot) bool {
	if in, ok := w.spotOf(x); ok && field == "" && isNear(x) && slices.ContainsFunc(w.aliases, func(a alias) bool { return a.whole && a.to == s && a.from == in }) {
		return true
	}
	if sel, ok := ast.Unparen(x).(*ast.SelectorExpr); ok && field == "" {
		x = sel.X
	} else if s.field != field {
		return false
	}
	id, ok := ast.Unparen(x).(*ast.Ident)
	return ok && (w.info.Uses[id] == s.v || w.isCase(w.info.Uses[id], s.v))
}

// isNear tells whether x is a variable, or a field of one.
func isNear(x ast.Expr) bool {
	x = ast.Unparen(x)
	if sel, ok := x.(*ast.SelectorExpr); ok {
		x = sel.X
	}
	return is[*ast.Ident](x)
}

// isCase tells whether obj is what a type switch calls the value of v.
func (w *walker) isCase(obj types.Object, v *types.Var) (found bool) {
	ast.Inspect(w.f.decl.Body, func(n ast.Node) bool {
		if s, ok := n.(*ast.TypeSwitchStmt); ok && slices.ContainsFunc(w.cases(s), func(g goal) bool { return g.s.v == obj }) {
			x := s.Assign.(*ast.AssignStmt).Rhs[0].(*ast.TypeAssertExpr).X
			id, ok := ast.Unparen(x).(*ast.Ident)
			found = ok && w.info.Uses[id] == v
		}
		return !found
	})
	return found
}

// key returns the types of what is stored by the key if x is m[k], and is set.
func (w *walker) key(x ast.Expr) []types.Type {
	if index, ok := ast.Unparen(x).(*ast.IndexExpr); ok && isMap(w.info.TypeOf(index.X)) {
		return leafTypes(w.info.TypeOf(index.X).Underlying().(*types.Map).Key())
	}
	return nil
}

// holders returns what something is stored in that is put into the field of what x leads to.
func (w *walker) holders(x ast.Expr, field string) owners {
	s, ok := w.spotOf(x)
	if !ok {
		return w.ownersOf(x, every)
	}
	exact := false
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		exact = true
	case *ast.UnaryExpr:
		_, exact = x.X.(*ast.Ident)
	case *ast.SelectorExpr:
		_, exact = x.X.(*ast.Ident)
		exact = exact && field == ""
	}
	return w.ownersIn(spot{s.v, cmp.Or(s.field, field)}, !exact)
}

// copies tells whether a function copies an operand, or only looks at it: text that is given to a
// library, and not in an interface.
func (w *walker) copies(c *ast.CallExpr, o operand) bool {
	f, _ := callee(w.info, c)
	t := w.info.TypeOf(o.x)
	if f != nil {
		if v := o.param(f); v != nil && types.IsInterface(elemOfDots(f.Signature(), v)) {
			return false
		}
	}
	return f != nil && w.p.funcs[f] == nil && t != nil && (isText(t) || isBytes(t))
}

// elemOfDots returns the type of a parameter, or of each argument if it is the last of a variadic
// function.
func elemOfDots(sig *types.Signature, v *types.Var) types.Type {
	if n := sig.Params().Len(); sig.Variadic() && sig.Params().At(n-1) == v {
		if s, ok := v.Type().(*types.Slice); ok {
			return s.Elem()
		}
	}
	return v.Type()
}

// exact are packages whose functions store nothing in an operand but other operands. Package
// library has all of these flows.
var exact = []string{"bytes", "maps", "slices", "sort", "strconv", "strings", "time"}

// mayStore tells whether a function that is not known may store the operand from in o. If from is
// nil, it tells so for any other operand.
func (w *walker) mayStore(c *ast.CallExpr, o operand, from *operand) bool {
	if w.info.Types[c.Fun].IsType() {
		return false
	}
	if w.builtinOf(c) != "" {
		return o.index == 0
	}
	t := w.info.TypeOf(o.x)
	if f, _ := callee(w.info, c); f != nil {
		if o.index < 0 {
			t = f.Signature().Recv().Type() // which may be a copy
		}
		if facts, ok := library.Of(f); ok && facts.All && slices.Contains(exact, f.Pkg().Path()) {
			return slices.ContainsFunc(facts.Flows, func(w library.Flow) bool {
				return w.To == "p" && w.N == o.number(f) && (from == nil || w.From == from.number(f))
			})
		}
	}
	if t == nil || !w.p.holds(t) {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Interface, *types.Chan:
		return true
	}
	if types.TypeString(t, nil) != "reflect.Value" {
		return false
	}
	f, _ := callee(w.info, c)
	return o.index >= 0 || f == nil || strings.HasPrefix(f.Name(), "Set") || strings.HasSuffix(f.Name(), "Send") || strings.HasPrefix(f.Name(), "Call")
}

// holder returns what the place x is in.
func holder(x ast.Expr) ast.Expr {
	switch x := ast.Unparen(x).(type) {
	case *ast.SelectorExpr:
		return x.X
	case *ast.IndexExpr:
		return x.X
	case *ast.StarExpr:
		return x.X
	}
	return x
}

// each calls f for each use of a local variable, with its fields, while w.way is the way to it.
func (w *walker) each(f func(x ast.Expr, s spot)) {
	visit(w.f.decl.Body, func(n ast.Node, way []ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || w.info.Uses[id] == nil {
			return true
		}
		w.way = way
		x, end := ast.Expr(id), len(way)
		if end >= 2 {
			if sel, ok := way[end-2].(*ast.SelectorExpr); ok && sel.X == id {
				x = sel
			}
		}
		if s, ok := w.spotOf(x); ok {
			f(x, s)
		}
		return true
	})
}

// spotOf returns the variable, or its field, that an expression leads to. What global tells of has
// none.
func (w *walker) spotOf(x ast.Expr) (s spot, ok bool) {
	for {
		switch e := ast.Unparen(x).(type) {
		case *ast.Ident:
			obj := w.info.Uses[e]
			if obj == nil {
				obj = w.info.Defs[e]
			}
			v, isVar := obj.(*types.Var)
			if !isVar || v.IsField() || v.Pkg() == nil || v.Parent() == v.Pkg().Scope() {
				return s, false
			}
			s.v = v
			return s, true
		case *ast.SelectorExpr:
			if v, ok := w.info.Uses[e.Sel].(*types.Var); ok && v.IsField() {
				if w.p.guarded[v.Origin()] {
					return s, false
				}
				s.field = v.Name()
			}
		case *ast.IndexExpr:
			s.field = elements
		case *ast.StarExpr:
			s.field = cmp.Or(s.field, elements)
		}
		if x = outer(ast.Unparen(x)); x == nil {
			return s, false
		}
	}
}

// goalsOf returns where something goes that the place x is set to, which may be a result of a call.
func (w *walker) goalsOf(x ast.Expr, result int) (all []goal) {
	if s, ok := w.spotOf(x); ok {
		_, star := ast.Unparen(x).(*ast.StarExpr)
		hops := w.hops(x)
		if hops > 0 && isPlace(s.v.Type()) {
			hops = 2
		}
		all = append(all, goal{s: s, result: result, any: star && isPlace(w.info.TypeOf(x)), hops: hops})
	}
	if len(all) == 0 && !w.global(x) {
		for _, g := range w.behind(x) {
			g.result = result
			all = append(all, g)
		}
	}
	_, name := ast.Unparen(x).(*ast.Ident) // a variable itself is set, or a field of it, and not what it refers to
	name = name || w.variableOf(x) != nil
	if w.global(x) || w.strict(x) && (!name && w.ofPackage(holder(x)) || w.embedded(x)) {
		all = append(all, goal{why: whyPackage, result: result})
	}
	for in := outer(ast.Unparen(x)); in != nil; in = outer(ast.Unparen(in)) {
		if t := w.info.TypeOf(in); t != nil && unsuited(t).stays() {
			all = append(all, goal{why: whyInError, result: result})
			break
		}
	}
	if why := w.keepsPlace(x); why.stays() {
		all = append(all, goal{why: why, result: result})
	}
	return all
}

// behind returns where something goes that is put into what x makes or returns: into what x is read
// out of.
func (w *walker) behind(x ast.Expr) (all []goal) {
	w.loads(x, every, func(from spot, _ string) {
		all = append(all, goal{s: spot{from.v, cmp.Or(from.field, elements)}, result: every, stored: true, any: from.field == "", hops: 2})
	})
	return all
}

// stored returns where something goes that is put into the field of what x leads to, or, if that is
// deep, into something that the field leads to.
func (w *walker) stored(x ast.Expr, field string, deep bool) (all []goal) {
	return w.storedWith(x, w.partsOf(x, every), field, deep, fieldSet{cmp.Or(field, elements): true})
}

// storedWith does so where p are the parts of x, and for one of some fields, or elements.
func (w *walker) storedWith(x ast.Expr, p fieldSet, field string, deep bool, places fieldSet) (all []goal) {
	if s, ok := w.spotOf(x); ok {
		hops := 1
		if deep || s.field != "" || field != "" {
			hops = 2
		}
		for _, place := range slices.Sorted(maps.Keys(places)) {
			all = append(all, goal{s: spot{s.v, cmp.Or(s.field, place)}, result: every, stored: true, any: s.field == "" && field == "" && place == elements && deep, hops: hops})
		}
	} else {
		all = w.behind(x)
	}
	in := p // what something is put into
	if field != "" {
		in = p.of(field)
	}
	if w.global(x) || w.strict(x) && (p[""] || in[""] || deep && len(in) > 0) {
		all = append(all, goal{why: whyPackage, result: every})
	}
	return all
}

// goals returns where the value at the end of way goes, or what has it in it. Each answer is kept
// from when it is known what belongs to variables of packages.
func (w *walker) goals(way []ast.Node) []goal {
	if w.went == nil || len(w.answering) > 0 {
		return w.findGoals(way)
	}
	what := way[len(way)-1]
	all, ok := w.went[what]
	if !ok {
		all = w.findGoals(way)
		w.went[what] = all
	}
	return slices.Clone(all)
}

func (w *walker) findGoals(way []ast.Node) (all []goal) {
	direct := true   // the value itself goes there
	through := false // a call
	inner := false   // it is an element of what goes there
	own := moves     // what keeps it in the field that it is read from
	key := ""        // of the literal that goes there
	var passed gift  // what a call passes on of the value
	text := false    // it is a text
	add := func(list []goal) {
		for _, g := range list {
			g.inner, g.own, g.itself, g.key = inner, own, direct && !inner, key
			if inner && !through && g.s.field == "" {
				g.s.field = key
			}
			g.text = g.text || text || strings.HasSuffix(g.part, inTexts)
			g.part = strings.TrimSuffix(g.part, inTexts)
			if g.part != "" && (inner || through) {
				if inner && !through && g.elsewhere() {
					continue
				}
				g.part = "" // of the literal, or of a result; all of what lies there
			}
			if len(passed.parts) == 0 || !through {
				all = append(all, g)
				continue
			}
			for _, g.part = range passed.parts {
				all = append(all, g)
			}
		}
	}
	set := func(to ast.Expr, result int) {
		if !through || !isError(w.info.TypeOf(to)) {
			list := w.goalsOf(to, result)
			for i := range list {
				list[i].text = isText(w.info.TypeOf(to))
			}
			add(list)
		}
	}
	for i := len(way) - 2; i >= 0; i-- {
		inside := way[i+1]
		if x, ok := inside.(ast.Expr); ok && w.info.TypeOf(x) != nil && isText(w.info.TypeOf(x)) {
			text = true
		}
		of := func(j, variables int, values []ast.Expr) int {
			if !direct {
				return every
			}
			return resultOf(j, variables, values)
		}
		switch n := way[i].(type) {
		case *ast.AssignStmt:
			for j, to := range n.Lhs {
				if sets(j, len(n.Lhs), n.Rhs, inside) && passed.has(j, len(n.Lhs), n.Rhs) {
					set(to, of(j, len(n.Lhs), n.Rhs))
				}
			}
			if i > 0 {
				if s, ok := way[i-1].(*ast.TypeSwitchStmt); ok && s.Assign == n {
					add(w.cases(s))
				}
			}
		case *ast.ValueSpec:
			for j, to := range n.Names {
				if sets(j, len(n.Names), n.Values, inside) && passed.has(j, len(n.Names), n.Values) {
					set(to, of(j, len(n.Names), n.Values))
				}
			}
		case *ast.RangeStmt:
			if inside == n.X {
				direct, key = false, ""
				for _, to := range []ast.Expr{n.Key, n.Value} {
					if to != nil {
						add(w.goalsOf(to, every))
					}
				}
			}
		case *ast.ReturnStmt:
			if w.inClosure(way[:i]) {
				add(w.literalResult(way[:i], inside))
				break
			}
			results := w.f.obj.Signature().Results().Len()
			for j, v := range w.f.results() {
				if sets(j, results, n.Results, inside) && passed.has(j, results, n.Results) && !isError(v.Type()) {
					add([]goal{{out: true, result: j}})
				}
			}
			for _, part := range w.f.keptParts() {
				if sets(part.result, results, n.Results, inside) && passed.has(part.result, results, n.Results) {
					k := w.f.keepResult[part]
					add([]goal{{why: k.why, part: part.field, text: spot{w.f.results()[part.result], part.field}.isTexts(), result: of(part.result, results, n.Results), at: k.at}})
				}
			}
		case *ast.IndexExpr:
			if isMap(w.info.TypeOf(n.X)) && inside == n.Index && i > 0 && isSet(way[i-1], n) {
				add(w.stored(n.X, "", false)) // a key
			}
		case *ast.CallExpr:
			add(w.given(n, inside))
			if !w.info.Types[n.Fun].IsType() {
				var some bool
				if passed, some = w.passes(n, inside, passed, way[len(way)-1]); !some {
					return all
				}
			}
			inner = inner || w.isBuiltin(n, "append") && inside != n.Args[0] && !n.Ellipsis.IsValid()
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok && inside == n.Value {
				if why := w.keepsField(id); why.stays() {
					add([]goal{{why: why, result: every}})
				}
			}
		case *ast.CompositeLit:
			inner = true
		case *ast.SelectorExpr:
			own = own.or(w.keepsPlace(n))
		}
		switch n := way[i].(type) {
		case *ast.CompositeLit:
			if j := slices.Index(n.Elts, inside.(ast.Expr)); j >= 0 { // and not the type
				key = fieldOf(w.info, n, j)
			}
		case *ast.ParenExpr, *ast.UnaryExpr, *ast.KeyValueExpr:
		default:
			key = ""
		}
		switch n := way[i].(type) {
		case *ast.FuncLit, ast.Stmt:
			return all
		case *ast.ParenExpr:
		case *ast.CallExpr:
			direct = false
			through = through || !w.info.Types[n.Fun].IsType() && !w.info.Types[n.Fun].IsBuiltin()
		default:
			direct = false
		}
		if w.endsIn(way[i], inside) {
			return all
		}
	}
	return all
}

func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

func (w *walker) inClosure(way []ast.Node) bool {
	return slices.ContainsFunc(way, func(n ast.Node) bool { _, ok := n.(*ast.FuncLit); return ok })
}

// isSet tells whether a statement sets x.
func isSet(s ast.Node, x ast.Expr) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return slices.Contains(s.Lhs, x)
	case *ast.IncDecStmt:
		return s.X == x
	}
	return false
}

// given returns where a call puts an operand.
func (w *walker) given(c *ast.CallExpr, inside ast.Node) (all []goal) {
	targets, known := w.targets(c)
	if w.info.Types[c.Fun].IsType() {
		return nil
	}
	if w.isPut(c) {
		return nil // keeps has the reason, if there is one
	}
	list := w.operands(c)
	unknown := false
	if w.isValue(c.Fun) && w.ofPackage(c.Fun) && !w.isLibrarys(c.Fun) {
		targets = w.p.mayBeTaken(w.info.TypeOf(c.Fun))
		unknown = len(targets) == 0
	}
	for _, o := range list {
		if o.in != inside || !refers(w.info.TypeOf(o.x)) {
			continue
		}
		if w.keptByLibrary(c, o) {
			all = append(all, goal{why: whyPackage, result: every})
		}
		if unknown {
			all = append(all, goal{why: whyPackage, result: every})
		}
		for _, g := range targets {
			if g.failed[o.param(g.obj)] {
				all = append(all, goal{why: whyInError, result: every, failed: true})
			}
			for _, s := range slices.SortedFunc(maps.Keys(g.kept), bySpot) {
				if s.v != o.param(g.obj) || g.kept[s] == whyPool && w.poolOf(o.x) != nil {
					continue
				}
				all = append(all, goal{why: g.kept[s], part: s.field, text: s.isTexts(), result: every, at: g.from[s]})
			}
		}
		for _, lit := range w.closures(c.Fun) {
			if v := paramOf(w.info, lit, o.index); v != nil {
				all = append(all, goal{s: spot{v, ""}, result: every})
			}
		}
		if w.isValue(c.Fun) && !w.isLiteral(c.Fun) {
			all = append(all, w.captured(c.Fun, "")...)
		}
		for _, other := range list {
			if other.in == inside {
				continue
			}
			if len(targets) == 0 && w.builtinOf(c) == "" && isFunc(w.info.TypeOf(other.x)) {
				all = append(all, w.handed(other.x, "", w.info.TypeOf(o.x), []types.Type{w.info.TypeOf(other.x)})...)
			}
			for _, g := range targets {
				for _, in := range g.handsIn(other) {
					all = append(all, w.handed(other.x, in.field, w.info.TypeOf(o.x), g.hands[in])...)
				}
			}
			if !known && !w.copies(c, o) && w.mayStore(c, other, &o) {
				all = append(all, w.stored(other.x, "", w.builtinOf(c) == "" && len(targets) == 0)...)
			}
			for _, g := range targets {
				for _, in := range g.storesIn(other) {
					places := map[bool]fieldSet{false: {}, true: {}} // for texts, and others
					for _, leaf := range g.stores[in] {
						for _, text := range []bool{false, true} {
							if w.p.mayPut(g, o, in, w.info.TypeOf(o.x), leaf, text) {
								places[text].add(placed(in, leaf, g.deep[in]))
								break
							}
						}
					}
					for _, text := range []bool{false, true} {
						if len(places[text]) == 0 {
							continue
						}
						for _, g := range w.storedWith(other.x, w.partsOfOperand(c, other), in.field, g.deep[in], places[text]) {
							g.text = text
							all = append(all, g)
						}
					}
				}
			}
		}
	}
	return all
}

// isValue tells whether what is called is a value: of a variable, of a part of one, or of a call.
func (w *walker) isValue(fun ast.Expr) bool {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		_, ok := w.info.Uses[fun].(*types.Var)
		return ok
	case *ast.SelectorExpr:
		_, ok := w.info.Uses[fun.Sel].(*types.Var)
		return ok
	case *ast.IndexExpr:
		return w.info.Types[fun].IsValue() && w.isValue(fun.X)
	case *ast.CallExpr, *ast.StarExpr, *ast.TypeAssertExpr:
		return w.info.Types[fun].IsValue()
	}
	return false
}

// mayBeTaken returns the functions of the program that are used as values of a type, such as the
// values of a table. It returns none if there are others, of which not all is known: methods with a
// receiver, or functions of a library.
func (p *program) mayBeTaken(t types.Type) (all []*function) {
	if t == nil {
		return nil
	}
	t = t.Underlying()
	if all, ok := p.values.At(t).([]*function); ok {
		p.reads(all...)
		return all
	}
	defer func() {
		p.values.Set(t, all)
		p.reads(all...)
	}()
	for _, v := range slices.Concat(p.taken, p.closures) {
		if !types.Identical(v.t, t) {
			continue
		}
		if v.f == nil {
			return nil
		}
		if r := v.f.obj.Signature().Recv(); r == nil {
			all = append(all, v.f)
		} else if types.Identical(v.t, types.NewSignatureType(nil, nil, nil, v.f.obj.Signature().Params(), v.f.obj.Signature().Results(), v.f.obj.Signature().Variadic())) {
			return nil
		}
	}
	return all
}

// keepsLiterals notes the function literals that use what the function around them declares. A call
// through a variable of a package may reach those that are kept. It is taken to keep its arguments.
func (w *walker) keepsLiterals() {
	ast.Inspect(w.f.decl.Body, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if !ok || w.p.own[lit] {
			return true
		}
		sig := w.info.TypeOf(lit).(*types.Signature)
		f := &function{obj: types.NewFunc(lit.Pos(), w.f.pkg.Types, "", sig), kept: map[spot]reason{}, fills: map[spot]bool{}, captures: true, readers: map[*function]bool{}}
		f.packaged = newFieldSets(sig)
		w.kept[lit] = f
		for v := range sig.Params().Variables() {
			f.kept[spot{v, ""}] = whyPackage
		}
		if w.p.literals[lit] == called {
			w.p.called = append(w.p.called, taken{f, sig})
		} else {
			w.p.closures = append(w.p.closures, taken{f, sig})
		}
		return true
	})
}

func within(v *types.Var, n ast.Node) bool { return n.Pos() <= v.Pos() && v.Pos() < n.End() }

// closures returns the function literals that fun is, or that the variable fun is set to.
func (w *walker) closures(fun ast.Expr) (all []*ast.FuncLit) {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.FuncLit:
		return []*ast.FuncLit{fun}
	case *ast.Ident:
		if v, ok := w.info.Uses[fun].(*types.Var); ok {
			return w.literals[v]
		}
	}
	return nil
}

// isLiteral tells whether what fun is set to are literals, and nothing else.
func (w *walker) isLiteral(fun ast.Expr) bool {
	id, ok := ast.Unparen(fun).(*ast.Ident)
	if !ok {
		return false
	}
	v, _ := w.info.ObjectOf(id).(*types.Var)
	if only, ok := w.onlyLiterals[v]; ok {
		return only
	}
	w.onlyLiterals[v] = false // while it is computed
	only := len(w.literals[v]) > 0 && !slices.Contains(w.f.params(), v)
	ast.Inspect(w.f.decl.Body, func(n ast.Node) bool {
		if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.AND {
			id, ok := ast.Unparen(u.X).(*ast.Ident)
			only = only && (!ok || w.info.Uses[id] != v)
		}
		return only
	})
	w.assignments(func(to goal, x ast.Expr) {
		if _, lit := ast.Unparen(x).(*ast.FuncLit); to.s.v == v && !lit {
			only = false
		}
	})
	w.onlyLiterals[v] = only
	return only
}

// paramOf returns the parameter of a function literal with an index.
func paramOf(info *types.Info, lit *ast.FuncLit, index int) *types.Var {
	if index < 0 {
		return nil
	}
	params := info.TypeOf(lit).(*types.Signature).Params()
	if params.Len() == 0 {
		return nil
	}
	return params.At(min(index, params.Len()-1))
}

// copied returns the index of what has nothing of the value at the end of way, such as a text that
// is made of it, or 0 if there is no such node in the statement.
func (w *walker) copied(way []ast.Node) int {
	for i := len(way) - 2; i >= 0; i-- {
		switch way[i].(type) {
		case *ast.FuncLit, ast.Stmt:
			return 0
		}
		if w.endsIn(way[i], way[i+1]) {
			return i
		}
	}
	return 0
}

// parts are the functions of package strconv that return parts of what they are given.
var parts = []string{"Unquote", "UnquoteChar", "QuotedPrefix"}

// endsIn tells whether the value of n has nothing of the one of its child inside.
func (w *walker) endsIn(n, inside ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if n.Op != token.ADD {
			return true // a comparison, or a number
		}
		return w.hasText(n) // text that others are added to may be what it was, if these are empty
	case *ast.CallExpr:
		if inside == n.Fun {
			return false // a method may return its receiver
		}
		if tv := w.info.Types[n.Fun]; tv.IsType() {
			from := w.info.TypeOf(n.Args[0]) // text keeps its memory in an interface
			_, basic := from.Underlying().(*types.Basic)
			return isText(tv.Type) && !isText(from) && (basic || isSlice(from)) || isText(from) && isSlice(tv.Type)
		}
		if !refers(w.info.TypeOf(n)) {
			return true
		}
		f, _ := callee(w.info, n)
		if f == nil || f.Pkg() == nil {
			return false
		}
		switch path := f.Pkg().Path(); {
		case path != "fmt" && path != "strconv":
		case strings.HasPrefix(f.Name(), "Append"):
			return inside != n.Args[0]
		case f.Name() == "Errorf":
			return !w.wraps(n, inside)
		default:
			return f.Signature().Recv() == nil && !slices.Contains(parts, f.Name())
		}
	}
	return false
}

// hasText tells whether text is added that is a constant, and not empty.
func (w *walker) hasText(x ast.Expr) bool {
	if v := w.info.Types[x].Value; v != nil {
		return v.Kind() == constant.String && constant.StringVal(v) != ""
	}
	sum, ok := ast.Unparen(x).(*ast.BinaryExpr)
	return ok && (w.hasText(sum.X) || w.hasText(sum.Y))
}

// sets reports whether n is the value that one of the variables, j, is set to, or the call that
// sets all of them.
func sets(j, variables int, values []ast.Expr, n ast.Node) bool {
	x, _ := n.(ast.Expr)
	if variables == len(values) {
		return x == values[j]
	}
	return slices.Contains(values, x)
}

// inert are types of the standard library whose values refer to nothing that a program allocates.
var inert = []string{"reflect.Type", "unicode.RangeTable"}

// refers tells whether values of type t refer to memory.
func refers(t types.Type) bool {
	if t == nil {
		return false
	}
	if n := named(t); n != nil && n.Obj().Pkg() != nil && slices.Contains(inert, n.Obj().Pkg().Path()+"."+n.Obj().Name()) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0 || u.Kind() == types.UnsafePointer
	case *types.Array:
		return refers(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if refers(u.Field(i).Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// holds tells whether something that refers to memory can be stored in what values of type t refer
// to.
func holds(t types.Type) bool {
	if !refers(t) || isText(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return refers(u.Elem())
	case *types.Pointer:
		return refers(u.Elem())
	case *types.Array:
		return holds(u.Elem())
	case *types.Struct:
		for v := range u.Fields() {
			if holds(v.Type()) {
				return true
			}
		}
		return false
	}
	return true
}
