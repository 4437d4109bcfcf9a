package lives

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// A hub is where all calls of one interface's method, or of old function values of one type, come
// together: what these are given goes to all that they may call. So the cost grows with the calls
// and with the functions, and not with both together.
type hub struct {
	in      *instance
	params  []types.Type
	args    []map[leaf]*set
	results *types.Tuple
	use     use
}

type hubKey struct {
	m      *types.Func
	inside bool
}

// hubOf returns the hub of a method, or of function values, which calls what targets does.
func (a *analysis) hubOf(m *types.Func, t types.Type, u use, params []types.Type, results *types.Tuple, targets func(h *hub)) *hub {
	key := hubKey{m, u.inside}
	if a.hubs == nil {
		a.hubs = map[hubKey]*typeutil.Map{}
	}
	byType := a.hubs[key]
	if byType == nil {
		byType = &typeutil.Map{}
		a.hubs[key] = byType
	}
	if h, ok := byType.At(t).(*hub); ok {
		return h
	}
	h := &hub{in: &instance{fn: u.in.fn, inside: u.inside, dirty: true}, params: params, results: results}
	h.in.own.owner = h.in
	h.in.run = func() { targets(h) }
	for range params {
		h.args = append(h.args, map[leaf]*set{})
	}
	for range results.Len() {
		h.in.results = append(h.in.results, map[leaf]*set{})
	}
	h.use = use{in: h.in, at: u.at, inside: u.inside, back: true, results: results, set: func(n int, l leaf) *set { return cell(h.in.results[n], l, &h.in.callers) }}
	byType.Set(t, h)
	a.instances = append(a.instances, h.in)
	a.changed = true
	return h
}

// call notes a call by a hub.
func (h *hub) call(a *analysis, u use, args []operand) {
	h.in.callers.add(a.current)
	for n, t := range h.params {
		if n < len(args) {
			a.assign(t, func(l leaf) *set { return cell(h.args[n], l, &h.in.own) }, args[n])
		}
	}
	for n := range min(u.results.Len(), h.results.Len()) {
		from := operand{h.results.At(n).Type(), func(l leaf) *set { return cell(h.in.results[n], l, &h.in.callers) }}
		a.assign(u.results.At(n).Type(), func(l leaf) *set { return u.set(n, l) }, from)
	}
}

// operands returns what the calls by a hub are given.
func (h *hub) operands() (all []operand) {
	for n, t := range h.params {
		all = append(all, operand{t, func(l leaf) *set { return cell(h.args[n], l, &h.in.own) }})
	}
	return all
}

// invoke has a hub call a function.
func (h *hub) invoke(a *analysis, fn *ssa.Function, binds []map[leaf]*set) {
	a.invoke(h.use, fn, h.operands(), binds)
}

// gathering returns a hub that has one operand, of any type, and returns an error.
func (a *analysis) gathering(m *types.Func, t types.Type, u use, run func(h *hub)) *hub {
	return a.hubOf(m, t, u, []types.Type{types.Typ[types.UnsafePointer]}, types.NewTuple(types.NewParam(0, nil, "", errorType)), run)
}

// gather adds to the operand of such a hub, and has errs, which may be nil, get its errors.
func (h *hub) gather(a *analysis, args []operand, errs func(leaf) *set) {
	for _, o := range args {
		for _, l := range a.types.of(o.t) {
			a.union(cell(h.args[0], leafUnsafe, &h.in.own), o.get(l))
		}
	}
	if errs != nil {
		h.in.callers.add(a.current)
		l := a.types.one(errorType)
		a.union(errs(l), h.use.set(0, l))
	}
}
