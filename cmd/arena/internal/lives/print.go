package lives

import (
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// The names of the methods by which values are formatted and encoded, in both versions of
// encoding/json. The verb %#v calls others than the verbs for text do, and other verbs call Format
// only.
var (
	printing = []string{"String", "Error", "Format", "GoString"}
	sharply  = []string{"Format", "GoString"}
	encoding = []string{"MarshalJSON", "MarshalText", "MarshalJSONTo", "AppendText", "IsZero"}
)

// print is for a call that formats its operands, and calls their methods for that.
func (a *analysis) print(u use, obj *types.Func, args []operand) {
	text, sharp := a.verbs(u, obj, args)
	a.hubMethods(u, printing, text, nil)
	a.hubMethods(u, sharply, sharp, nil)
}

// hubMethods is methods. In a rewriting, the calls that call the same methods come together in a
// hub, and each gets the errors that the methods return to any.
func (a *analysis) hubMethods(u use, names []string, args []operand, errs func(leaf) *set) {
	if a.rewriting == nil {
		a.methods(u, names, args, errs)
		return
	}
	if len(args) == 0 {
		return
	}
	key := types.Typ[types.Invalid+types.BasicKind(len(names))] // any type for each list
	h := a.gathering(nil, key, u, func(h *hub) {
		panics := operand{types.Typ[types.UnsafePointer], func(leaf) *set { return &a.panics }} // of these methods
		a.methods(h.use, names, append(h.operands(), panics), func(l leaf) *set { return h.use.set(0, l) })
	})
	h.gather(a, args, errs)
}

// verbs returns the operands that a call formats as text, and others whose methods it may call. A
// format that is a constant tells which these are.
func (a *analysis) verbs(u use, obj *types.Func, args []operand) (text, sharp []operand) {
	c := u.at.Common()
	n := len(args) - 1
	if u.back || n < 1 || len(c.Args) != len(args) || !strings.HasSuffix(obj.Name(), "f") {
		return args, nil
	}
	format, ok := c.Args[n-1].(*ssa.Const)
	if !ok || format.Value == nil || format.Value.Kind() != constant.String {
		return args, nil
	}
	list, known := parse(constant.StringVal(format.Value))
	values := variadic(c.Args[n])
	if !known || values == nil {
		return args, nil
	}
	for n, v := range values {
		x := a.operand(u.in, v)
		switch {
		case n >= len(list) || strings.ContainsRune("vsxXqw", rune(list[n].verb)) && !(list[n].verb == 'v' && list[n].sharp):
			text = append(text, x)
		case list[n].verb != 'T' && list[n].verb != 'p':
			sharp = append(sharp, x)
		}
	}
	return text, sharp
}

// A verb is one of a format.
type verb struct {
	verb  byte
	sharp bool
}

// parse returns the verbs of a format, one for each operand. It returns false if they do not take
// the operands in order.
func parse(format string) (list []verb, ok bool) {
	for {
		_, rest, found := strings.Cut(format, "%")
		if !found {
			return list, true
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return !strings.ContainsRune("+-# 0123456789.", r) })
		if end < 0 {
			return list, true
		}
		switch rest[end] {
		case '*', '[':
			return nil, false
		case '%':
		default:
			list = append(list, verb{rest[end], strings.Contains(rest[:end], "#")})
		}
		format = rest[end+1:]
	}
}

// variadic returns the values of a list of operands that a call makes, or nil.
func variadic(v ssa.Value) []ssa.Value {
	s, ok := v.(*ssa.Slice)
	if !ok {
		return nil
	}
	alloc, ok := s.X.(*ssa.Alloc)
	if !ok || alloc.Comment != "varargs" { // of the program itself
		return nil
	}
	array, ok := elem(alloc.Type()).Underlying().(*types.Array)
	if !ok {
		return nil
	}
	all := make([]ssa.Value, array.Len())
	for _, i := range *alloc.Referrers() {
		at, ok := i.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		index, ok := at.Index.(*ssa.Const)
		if !ok {
			return nil
		}
		for _, r := range *at.Referrers() {
			if st, ok := r.(*ssa.Store); ok && st.Addr == at {
				all[index.Int64()] = st.Val
			}
		}
	}
	for _, v := range all {
		if v == nil {
			return nil
		}
	}
	return all
}
