package lives

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// What the standard library does is followed in its sources, but for the functions that are named here: they use reflection, pools or
// the system.

// clean functions keep nothing of what they are given, and return nothing of it. They may call these methods of it.
var clean = map[string]string{
	"fmt":              "Sprint Sprintf Sprintln Print Printf Println Fprint Fprintf Fprintln",
	"log":              "Print Printf Println Fatal Fatalf Fatalln Logger.Print Logger.Printf Logger.Println Logger.Fatal Logger.Fatalf Logger.Fatalln",
	"encoding/json":    "Marshal MarshalIndent Valid",
	"reflect":          "DeepEqual",
	"os":               "File.Write File.WriteString File.WriteAt File.Read File.ReadAt File.Close Exit Getenv ReadFile WriteFile Open Create",
	"sync":             "Mutex.Lock Mutex.Unlock Mutex.TryLock RWMutex.Lock RWMutex.Unlock RWMutex.RLock RWMutex.RUnlock WaitGroup.Add WaitGroup.Done WaitGroup.Wait",
	"time":             "Now Since Sleep",
	"runtime":          "KeepAlive Gosched NumGoroutine GC Caller Callers",
	"strings":          "Builder.WriteString Builder.WriteByte Builder.WriteRune Builder.Write Builder.Grow Builder.Len Builder.Reset Builder.String",
	"math/rand":        "Int Intn",
	"testing":          "B.Loop",
	"internal/race":    "*",
	"internal/msan":    "*",
	"internal/asan":    "*",
	"runtime/debug":    "FreeOSMemory SetGCPercent",
	"internal/poll":    "FD.Write FD.Read",
	"unicode/utf8":     "*",
	"internal/bytealg": "*",
}

var methods = []string{"String", "Error", "Format", "GoString", "MarshalJSON", "MarshalText"}

// derive has types whose methods keep nothing of what they are given, and return copies or parts of it.
var derive = []string{"regexp.Regexp", "strings.Replacer"}

// library does what a function of the standard library does that is known, and tells whether it is.
func (a *analysis) library(in *instance, c ssa.CallInstruction, fn *ssa.Function, args []operand, inside bool) bool {
	obj, _ := fn.Object().(*types.Func)
	if fn.Origin() != nil {
		obj, _ = fn.Origin().Object().(*types.Func)
	}
	if obj == nil || obj.Pkg() == nil {
		return false
	}
	path, name := obj.Pkg().Path(), obj.Name()
	typ := ""
	if r := obj.Signature().Recv(); r != nil {
		t := types.Unalias(r.Type())
		if p, ok := t.(*types.Pointer); ok {
			t = types.Unalias(p.Elem())
		}
		if n, ok := t.(*types.Named); ok {
			typ = n.Obj().Name()
			name = typ + "." + name
		}
	}
	switch list := clean[path]; {
	case list == "*" || slices.Contains(strings.Fields(list), name):
		a.cleaned(in, c, args, inside)
		return true
	case path == "fmt" && name == "Errorf":
		a.wrap(in, c, args)
		a.cleaned(in, c, args, inside)
		return true
	case typ != "" && slices.Contains(derive, path+"."+typ):
		a.derived(in, c, args, inside)
		return true
	case path == "sync" && name == "Once.Do":
		a.callValue(in, c, args[1].get(leafFunc), nil, inside)
		return true
	case path == "sort" && (name == "Slice" || name == "SliceStable" || name == "SliceIsSorted"):
		fn := args[1]
		ints := types.Typ[types.Int]
		a.callValue(in, c, fn.get(leafFunc), []operand{a.oldOperand(ints), a.oldOperand(ints)}, inside)
		return true
	case path == "reflect" || path == "internal/reflectlite":
		a.unknown(in, c, obj, args)
		return true
	case typ != "" && (obj.Name() == "Write" || obj.Name() == "WriteString") && len(args) > 0 && a.onlyOld(args[:1], nil):
		a.olds(in, c) // what it writes to has a Write of its own
		return true
	}
	return false
}

// cleaned is for a call that keeps and returns nothing of its operands, but may call methods of them, or of what they lead to.
func (a *analysis) cleaned(in *instance, c ssa.CallInstruction, args []operand, inside bool) {
	a.olds(in, c)
	a.made(in, c)
	if !slices.ContainsFunc(args, func(o operand) bool { return types.IsInterface(o.t) || elem(o.t) != nil }) {
		return
	}
	from := &set{}
	for _, o := range args {
		from.UnionWith(a.all(o))
	}
	each(a.reach(from), func(id int) {
		if o := a.objects[id]; id != old && o.typ != nil {
			a.methodsOf(in, c, id, o.typ, o.box, map[types.Type]bool{}, inside)
		}
	})
}

// methodsOf calls methods of a type, and of those that it is made of, for a value in an object.
func (a *analysis) methodsOf(in *instance, c ssa.CallInstruction, id int, t types.Type, value bool, seen map[types.Type]bool, inside bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	o := a.objects[id]
	list := []types.Type{t}
	if !value {
		list = append(list, types.NewPointer(t)) // its address may be known
	}
	for _, t := range list {
		for _, name := range methods {
			m := a.prog.MethodSets.MethodSet(t).Lookup(nil, name)
			if m == nil {
				continue
			}
			fn := a.prog.MethodValue(m)
			if fn == nil || isStandard(packageOr(fn)) {
				continue
			}
			recv := operand{t, func(l leaf) *set { return cell(o.cells, l) }}
			if _, ok := t.(*types.Pointer); ok && !o.box {
				recv = operand{t, func(leaf) *set { return single(id) }}
			}
			args := []operand{recv}
			for v := range fn.Signature.Params().Variables() {
				args = append(args, a.oldOperand(v.Type()))
			}
			callee := a.enter(fn, inside, c)
			for n, param := range fn.Params {
				for _, l := range a.types.of(param.Type()) {
					a.union(a.value(callee, param, 0, l), args[n].get(l))
				}
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			a.methodsOf(in, c, id, f.Type(), value, seen, inside)
		}
	case *types.Array:
		a.methodsOf(in, c, id, u.Elem(), value, seen, inside)
	}
}

func packageOr(fn *ssa.Function) *types.Package {
	if pkg := packageOf(fn); pkg != nil {
		return pkg
	}
	return types.NewPackage("", "")
}

// wrap is for an error that has others in it: of its operands it keeps errors, and of everything else the text.
func (a *analysis) wrap(in *instance, c ssa.CallInstruction, args []operand) {
	v := c.Value()
	if v == nil {
		return
	}
	kept := &set{}
	for _, l := range a.types.of(args[1].t) {
		a.look(kept, args[1].get(l), leafAny)
	}
	each(kept, func(id int) {
		if o := a.objects[id]; o.box && types.Implements(o.typ, types.Universe.Lookup("error").Type().Underlying().(*types.Interface)) {
			a.add(a.value(in, v, 0, a.types.one(v.Type())), id)
		}
	})
}

// derived is for a call that keeps nothing, and returns copies or parts of its operands.
func (a *analysis) derived(in *instance, c ssa.CallInstruction, args []operand, inside bool) {
	v := c.Value()
	a.cleaned(in, c, args, inside)
	if v == nil {
		return
	}
	for _, arg := range args {
		a.callValue(in, c, arg.get(leafFunc), []operand{a.oldOperand(types.Typ[types.String])}, inside)
	}
	id, o := a.object(in, c, 0, nil)
	o.mixed = true
	list := c.Common().Signature().Results()
	for _, arg := range args {
		a.union(cell(o.cells, leafText), a.all(arg))
	}
	for n := range list.Len() {
		for _, l := range a.types.of(list.At(n).Type()) {
			a.add(a.value(in, v, n, l), id)
			a.union(a.value(in, v, n, l), cell(o.cells, leafText))
		}
	}
}
