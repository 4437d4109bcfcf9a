package arenavet

import (
	"go/constant"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/names"
	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// wrapped returns an error that a call has made with others in it. What fmt.Errorf returns has its
// text, and who prints it does not look at the others.
func (f *flow) wrapped(s *state, call ssa.CallInstruction, place loc) av {
	args := call.Common().Args
	r := av{ptr: place}
	if len(args) == 0 || place.root == nil {
		return unknown
	}
	operands, below := varargs(args[len(args)-1]), place
	if names.Package(ssas.Callee(call.Common())) == "fmt" {
		operands, below = wrapping(args[0], operands), place.add(stepDeref)
	}
	s.forget(place)
	for n, arg := range operands {
		v, to := s.get(arg), below.add(".#"+strconv.Itoa(n))
		if isSlice(arg.Type()) {
			v, to = f.element(s, v.ptr, stepElem, elementType(arg.Type())), below.add(stepElem)
		}
		if !v.zero() {
			s.setWhole(to, v)
		}
		if below == place {
			r = r.with(v.tags...) // whoever prints it looks at them
			r.other = r.other || len(v.tags) > 0 && v.other
		}
	}
	return r
}

// wrapping returns the operands of a format that are for the verb %w. If the format is not known,
// these are all errors.
func wrapping(format ssa.Value, operands []ssa.Value) (all []ssa.Value) {
	wraps := func(v ssa.Value) bool {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		}
		t := v.Type()
		if isSlice(t) {
			t = elementType(t)
		}
		return types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
	}
	c, ok := format.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.String || strings.ContainsAny(constant.StringVal(c.Value), "[*") {
		return slices.DeleteFunc(slices.Clone(operands), func(v ssa.Value) bool { return !wraps(v) })
	}
	_, text, verb := strings.Cut(strings.ReplaceAll(constant.StringVal(c.Value), "%%", ""), "%")
	for n := 0; verb && n < len(operands); n++ {
		if strings.HasPrefix(strings.TrimLeft(text, "+-# 0123456789."), "w") && wraps(operands[n]) {
			all = append(all, operands[n])
		}
		_, text, verb = strings.Cut(text, "%")
	}
	return all
}

// errorAs returns what errors.As finds in an error: what is of type t of the error, and of those in
// it.
func (f *flow) errorAs(s *state, err av, t types.Type) av {
	found, of := av{}, func(v av) bool {
		return slices.ContainsFunc(v.dyn, func(dyn types.Type) bool { return types.AssignableTo(dyn, t) })
	}
	if of(err) {
		found = err
	}
	if err.ptr.root != nil {
		s.reachable(err.ptr, func(l loc, v av) {
			if of(v) {
				if isStruct(t) {
					v.sub = s.fields(l)
				}
				found = joinValues(found, v)
			}
		})
	}
	switch {
	case found.zero() && err.dyn != nil:
		return unknown // there is none
	case found.zero():
		return err
	}
	found.other = found.other || err.other || len(found.dyn) > 1
	return found
}
