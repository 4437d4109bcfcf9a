package lives

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/names"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// What the standard library does is followed in its sources, but for the functions that are named
// here: they use reflection, package unsafe or the system.

// An effect is what a function does with its operands. One that has none of these keeps nothing of
// them, calls none of their methods, and returns nothing of them.
type effect int

const (
	prints   effect = 1 << iota // it calls the methods by which values are formatted, of all that its operands lead to
	marshals                    // the same with those by which they are encoded; its error may be one of theirs, or have an operand in it
	writes                      // it calls Write of its first operand, with bytes of its own, and returns the error of that
	wraps                       // its result has the errors among its operands
	appends                     // its result may be its first operand, with more behind
	parts                       // its results may be its operands or parts of them
	visits                      // it calls a function among its operands with parts of the others; what that returns is copied
	compares                    // it calls a function among its operands with numbers
	anyone                      // nothing is known
	inner                       // nothing is known, but if the standard library calls it, it keeps nothing but copies of text
	encodes                     // it encodes its second operand as marshals does
	decodes                     // it decodes values into its second operand: they are on the heap, and it calls methods of these, and of what its first operand reads from
	finds                       // it stores an error that its first operand leads to in what its second one points to
	keeps                       // its first operand is a container: it keeps the others, returns them, and calls a function among them with them
	emits                       // it calls Write of the writers that its first operand points to
	copies                      // it returns a new map with the keys and elements of its operand
	logs                        // it hands its operands to a handler of package log/slog: the package's own handlers keep nothing, and format and encode them
)

// known are the functions. Each was compared with the sources of two versions of Go: a test says
// when these change.
var known = []struct {
	does  effect
	pkg   string
	names string
}{
	{prints, "fmt", "Sprint Sprintf Sprintln Print Printf Println"},
	{prints | writes, "fmt", "Fprint Fprintf Fprintln"},
	{prints | appends, "fmt", "Append Appendf Appendln"},
	{prints | wraps, "fmt", "Errorf"},
	{marshals, "encoding/json", "Marshal MarshalIndent"},
	{encodes | emits, "encoding/json", "Encoder.Encode"},
	{prints | writes, "net/http", "Error"},
	{logs, "log/slog", "Debug Info Warn Error DebugContext InfoContext WarnContext ErrorContext Log LogAttrs Logger.Debug Logger.Info Logger.Warn Logger.Error " +
		"Logger.DebugContext Logger.InfoContext Logger.WarnContext Logger.ErrorContext Logger.Log Logger.LogAttrs"},
	{decodes, "encoding/json", "Unmarshal Decoder.Decode"},
	{decodes, "encoding/xml", "Unmarshal Decoder.Decode Decoder.DecodeElement"},
	{finds, "errors", "As"},
	{prints, "log", "Print Printf Println Fatal Fatalf Fatalln"},
	{prints | emits, "log", "Logger.Print Logger.Printf Logger.Println Logger.Fatal Logger.Fatalf Logger.Fatalln"},
	{0, "reflect", "DeepEqual"},
	{anyone, "reflect", "*"},
	{anyone, "internal/reflectlite", "*"},
	{compares, "sort", "Slice SliceStable SliceIsSorted"},
	{parts, "regexp", "Regexp.Find Regexp.FindAll Regexp.FindAllString Regexp.FindAllStringSubmatch Regexp.FindAllSubmatch Regexp.FindString " +
		"Regexp.FindStringSubmatch Regexp.FindSubmatch Regexp.ReplaceAll Regexp.ReplaceAllLiteral Regexp.ReplaceAllLiteralString Regexp.ReplaceAllString " +
		"Regexp.Split Regexp.Expand Regexp.ExpandString Regexp.String Regexp.SubexpNames"},
	{0, "regexp", "Regexp.Match Regexp.MatchString Regexp.FindIndex Regexp.FindAllIndex Regexp.FindStringIndex Regexp.FindAllStringIndex " +
		"Regexp.FindSubmatchIndex Regexp.FindAllSubmatchIndex Regexp.FindStringSubmatchIndex Regexp.FindAllStringSubmatchIndex Regexp.NumSubexp Regexp.SubexpIndex"},
	{parts | visits, "regexp", "Regexp.ReplaceAllFunc Regexp.ReplaceAllStringFunc"},
	{parts, "strings", "Replacer.Replace"},
	{0, "strings", "Builder.WriteString Builder.WriteByte Builder.WriteRune Builder.Write Builder.Grow Builder.Len Builder.Cap Builder.Reset Builder.String"},
	{0, "internal/runtime/syscall/linux", "Syscall6"},
	{0, "syscall", "Syscall Syscall6 RawSyscall RawSyscall6 rawSyscallNoError"},
	{0, "internal/poll", "FD.Read FD.Write FD.Pread FD.Pwrite"},
	{0, "internal/testlog", "Getenv Open Stat"},
	{0, "time", "Now Sleep"},
	{0, "runtime", "KeepAlive Gosched NumGoroutine GC Caller Callers"},
	{inner, "runtime", "SetFinalizer AddCleanup"},
	{anyone, "runtime", "*"},
	{inner, "unique", "Make"},
	{0, "slices", "overlaps startIdx"},
	{copies, "maps", "Clone"},
	{keeps, "sync/atomic", "Pointer.Load Pointer.Store Pointer.Swap Pointer.CompareAndSwap Value.Load Value.Store Value.Swap Value.CompareAndSwap"},
	{keeps, "sync", "Map.Load Map.Store Map.LoadOrStore Map.LoadAndDelete Map.Delete Map.Swap Map.CompareAndSwap Map.CompareAndDelete Map.Range Map.Clear"},
	{0, "hash/crc32", "Update Checksum ChecksumIEEE"},
	{0, "hash/maphash", "String Bytes"},
	{0, "runtime/debug", "FreeOSMemory SetGCPercent"},
	{0, "testing", "B.Loop"},
}

// effects are those by package and name.
var effects = func() map[string]map[string]effect {
	all := map[string]map[string]effect{}
	for _, k := range known {
		if all[k.pkg] == nil {
			all[k.pkg] = map[string]effect{}
		}
		for name := range strings.FieldsSeq(k.names) {
			all[k.pkg][name] = k.does
		}
	}
	return all
}()

// effectOf returns what a function of the standard library does with its operands, if it is known.
func effectOf(obj *types.Func) (does effect, ok bool) {
	list := effects[obj.Pkg().Path()]
	if does, ok = list[names.Local(obj)]; !ok {
		does, ok = list["*"]
	}
	return does, ok
}

// objectOf returns the function that one of SSA was declared as. Wrappers of methods have none:
// their bodies call the methods.
func objectOf(fn *ssa.Function) *types.Func {
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	if fn.Synthetic != "" && len(fn.Blocks) > 0 {
		return nil
	}
	return ssas.Declared(fn)
}

// library does what a function of the standard library does that is known, and tells whether it is.
func (a *analysis) library(u use, fn *ssa.Function, args []operand) bool {
	obj := objectOf(fn)
	if names.Package(obj) == "" {
		return false
	}
	does, ok := effectOf(obj)
	switch {
	case !ok && isWrite(obj) && len(args) == 2 && a.onlyOld(args[:1], nil):
		a.oldsOf(u, nil) // it is a writer, and what it writes to is one
		return true
	case !ok:
		return false
	case does&anyone != 0 && a.rewriting != nil && obj.Pkg().Path() == "reflect":
		a.reflection(u, obj, args)
		return true
	case does&anyone != 0 || does&inner != 0 && !a.isStandard(packageOf(u.in.fn)):
		a.unknown(u, obj, args)
		return true
	}
	if does&keeps != 0 {
		a.keep(u, args)
		return true
	}
	if does&copies != 0 {
		return a.copyMap(u, args[0])
	}
	if does&decodes != 0 {
		a.oldsOf(u, args[:1])
	} else {
		a.oldsOf(u, nil)
	}
	a.made(u)
	if does&prints != 0 {
		a.print(u, obj, args)
	}
	if does&decodes != 0 {
		a.decode(u, obj, args)
	}
	if does&finds != 0 && !a.as(u, args) {
		a.unknown(u, obj, args)
	}
	if does&marshals != 0 && !a.marshal(u, obj.Pkg(), args) {
		a.unknown(u, obj, args)
	}
	if does&encodes != 0 {
		if !a.marshal(u, obj.Pkg(), args[1:]) {
			a.unknown(u, obj, args)
		}
	}
	if does&emits != 0 {
		a.writers(u, args[0])
	}
	if does&logs != 0 {
		if a.ends == nil || !a.onlyStandardHandlers(obj.Pkg()) {
			a.unknown(u, obj, args)
		} else {
			a.methods(u, slices.Concat(printing, encoding, []string{"LogValue"}), args, nil)
		}
	}
	if does&writes != 0 {
		a.write(u, args[0])
	}
	if does&wraps != 0 && !a.wrap(u, obj.Pkg(), args) {
		a.unknown(u, obj, args)
	}
	if does&appends != 0 {
		a.assign(args[0].t, func(l leaf) *set { return a.resultOf(u, 0, l) }, args[0])
	}
	switch {
	case does&visits != 0:
		parts := a.partsOf(u, args)
		part := operand{types.Typ[types.String], func(leaf) *set { return parts }}
		for _, arg := range args {
			a.callValue(u.callback(nil), arg.get(leafFunc), []operand{part})
		}
	case does&parts != 0:
		a.partsOf(u, args)
	case does&compares != 0:
		ints := a.oldOperand(types.Typ[types.Int])
		a.callValue(u.callback(nil), args[1].get(leafFunc), []operand{ints, ints})
	}
	return true
}

var errorType = types.Universe.Lookup("error").Type()

// callback is the call of something that a function of the library is given. Errors that it returns
// go to errs.
func (u use) callback(errs func(leaf) *set) use {
	u.back = true
	u.results = types.NewTuple()
	if errs != nil {
		u.results = types.NewTuple(types.NewParam(0, nil, "", types.Typ[types.Int]), types.NewParam(0, nil, "", errorType))
		u.set = func(_ int, l leaf) *set { return errs(l) }
	}
	return u
}

// errors returns the set of the last result of a call, or one that nobody looks at if that is no
// error.
func (a *analysis) errors(u use) func(leaf) *set {
	n := u.results.Len() - 1
	if n < 0 || !types.Identical(u.results.At(n).Type(), errorType) {
		return func(leaf) *set { return &a.unread }
	}
	return func(l leaf) *set { return u.set(n, l) }
}

// fail has the last result of a call be an error of a type of a package, with others and values in
// it. It returns false if there is no such type.
func (a *analysis) fail(u use, n int, pkg *types.Package, name string, errs, values *set) bool {
	obj := pkg.Scope().Lookup(name)
	if obj == nil || u.results.Len() == 0 {
		return obj != nil
	}
	whole, o := a.object(u.in, u.at, -10*n-1, obj.Type())
	elems, list := a.object(u.in, u.at, -10*n-2, errorType)
	isErr := a.types.one(errorType)
	for _, l := range a.types.of(obj.Type()) {
		a.add(o.cell(l), old)
		switch a.types.plain(l) {
		case leafUnsafe:
			a.union(o.cell(l), values)
		case isErr:
			a.union(o.cell(l), errs)
		case a.types.one(types.NewSlice(errorType)):
			a.add(o.cell(l), elems)
		}
	}
	a.union(list.cell(isErr), errs)
	t := types.NewPointer(obj.Type())
	id, box := a.object(u.in, u.at, -10*n-3, t)
	box.box = true
	a.add(box.cell(a.types.one(t)), whole)
	a.add(a.errors(u)(a.types.one(errorType)), id)
	return true
}

// methods is for a call that may call methods of its operands, and of what they lead to. Errors
// that these return go to errs, which may be nil.
func (a *analysis) methods(u use, names []string, args []operand, errs func(leaf) *set) {
	from := &set{}
	for _, o := range args {
		from.UnionWith(a.all(o))
	}
	u = u.callback(errs)
	each(a.reach(from), func(id int) {
		if o := a.objects[id]; id != old && o.typ != nil {
			a.methodsOf(u, names, id, a.contents(id), nil, map[types.Type]bool{})
		}
	})
}

// marshal is for a call that encodes its first operand. Its error contains the error of a method,
// or a value that has no encoding.
func (a *analysis) marshal(u use, pkg *types.Package, args []operand) bool {
	_, o := a.object(u.in, u.at, -1, nil)
	errs := o.cell(a.types.one(errorType))
	a.hubMethods(u, slices.Concat(printing, encoding), args[:1], func(leaf) *set { return errs })
	a.union(a.errors(u)(a.types.one(errorType)), errs)
	return a.fail(u, 1, pkg, "MarshalerError", errs, &a.empty) && a.fail(u, 2, pkg, "UnsupportedValueError", &a.empty, a.all(args[0]))
}

// methodsOf calls methods of a value in an object, and of the values that it is made of. They get
// the operands with, or old ones.
func (a *analysis) methodsOf(u use, names []string, id int, value operand, with []operand, seen map[types.Type]bool) {
	t := value.t
	if seen[t] {
		return
	}
	seen[t] = true
	var pkg *types.Package
	if n := namedOf(t); n != nil {
		pkg = n.Obj().Pkg()
	}
	list := []types.Type{t}
	if _, ok := t.Underlying().(*types.Pointer); !ok && !types.IsInterface(t) {
		list = append(list, types.NewPointer(t)) // its address may be known, or be taken of a copy
	}
	for _, t := range list {
		for _, name := range names {
			m := a.prog.MethodSets.MethodSet(t).Lookup(pkg, name)
			if m == nil || types.IsInterface(t) {
				continue // what is in it is an object
			}
			fn := a.prog.MethodValue(m)
			if fn == nil || len(with) > 0 && len(with) != fn.Signature.Params().Len() {
				continue
			}
			recv := value
			if len(list) == 2 && t == list[1] {
				recv = operand{t, func(leaf) *set { return single(id) }}
			}
			args := append([]operand{recv}, with...)
			for v := range fn.Signature.Params().Variables() {
				if len(args) <= fn.Signature.Params().Len() {
					args = append(args, a.oldOperand(v.Type()))
				}
			}
			a.invoke(u, fn, args, nil)
		}
	}
	switch under := t.Underlying().(type) {
	case *types.Struct:
		for n := range under.NumFields() {
			f := operand{under.Field(n).Type(), func(l leaf) *set { return value.get(a.types.field(under, n, l)) }}
			a.addressed(under, n)
			a.methodsOf(u, names, id, f, with, seen)
		}
	case *types.Array:
		a.methodsOf(u, names, id, operand{under.Elem(), value.get}, with, seen)
	}
}

// write calls Write of an operand, with bytes that nothing is known of.
func (a *analysis) write(u use, w operand) {
	iface, ok := w.t.Underlying().(*types.Interface)
	if !ok {
		return
	}
	for m := range iface.Methods() {
		if isWrite(m) {
			a.callMethod(u.callback(a.errors(u)), w, m, []operand{a.oldOperand(m.Signature().Params().At(0).Type())})
		}
	}
}

// writers calls Write of the writers that an operand points to.
func (a *analysis) writers(u use, x operand) {
	t := elem(x.t)
	if t == nil {
		return
	}
	for _, l := range a.types.of(t) {
		w := a.types.typeOf(l)
		if w == nil || !types.IsInterface(w) {
			continue
		}
		s := &set{}
		a.look(s, a.all(x), l)
		a.write(u, operand{w, func(leaf) *set { return s }})
	}
}

// onlyStandardHandlers reports whether a program is known to have no handlers of log/slog except
// the package's own, and no functions to which these hand attributes.
func (a *analysis) onlyStandardHandlers(pkg *types.Package) bool {
	if !a.closed {
		return false
	}
	handler, ok := pkg.Scope().Lookup("Handler").(*types.TypeName)
	if !ok {
		return false
	}
	iface := handler.Type().Underlying().(*types.Interface)
	attr := pkg.Scope().Lookup("Attr")
	if attr == nil {
		return false
	}
	for fn := range a.graph.Nodes {
		if fn != nil && packageOf(fn) != pkg && fn.Signature.Params().Len() == 2 && fn.Signature.Results().Len() == 1 &&
			types.Identical(fn.Signature.Params().At(1).Type(), attr.Type()) && types.Identical(fn.Signature.Results().At(0).Type(), attr.Type()) {
			return false
		}
		if fn == nil || fn.Name() != "Handle" || fn.Signature.Recv() == nil || packageOf(fn) == pkg {
			continue
		}
		if types.Implements(fn.Signature.Recv().Type(), iface) {
			return false
		}
	}
	return true
}

// keep is for a call of a method of a container.
func (a *analysis) keep(u use, args []operand) {
	in := a.all(args[0])
	get := func(l leaf) *set {
		s := &set{}
		each(in, func(id int) {
			if a.isGiven(id) {
				a.look(s, single(id), l)
			} else {
				a.look(s, single(id), leafUnsafe)
			}
		})
		return s
	}
	for _, x := range args[1:] {
		if sig, ok := x.t.Underlying().(*types.Signature); ok {
			var list []operand
			for p := range sig.Params().Variables() {
				list = append(list, operand{p.Type(), get})
			}
			a.callValue(u.callback(nil), x.get(leafFunc), list)
			continue
		}
		for _, l := range a.types.of(x.t) {
			a.store(in, leafUnsafe, x.get(l), u.at)
		}
	}
	for n := range u.results.Len() {
		for _, l := range a.types.of(u.results.At(n).Type()) {
			a.union(u.set(n, l), get(l))
		}
	}
}

// wrap is for an error that has others in it: of its operands it keeps errors, and of everything
// else the text. It returns false if it does not know how.
func (a *analysis) wrap(u use, pkg *types.Package, args []operand) bool {
	kept, errs := &set{}, &set{}
	for _, l := range a.types.of(args[1].t) {
		a.look(kept, args[1].get(l), leafAny)
	}
	each(kept, func(id int) {
		if o := a.objects[id]; id == old || !o.box || o.mixed || o.out || types.Implements(o.typ, errorType.Underlying().(*types.Interface)) {
			errs.Insert(id)
		}
	})
	return errs.IsEmpty() || a.fail(u, 1, pkg, "wrapError", errs, &a.empty) && a.fail(u, 2, pkg, "wrapErrors", errs, &a.empty)
}

// partsOf has the results of a call be its operands or parts of them, or lists of these. It returns
// what these are.
func (a *analysis) partsOf(u use, args []operand) *set {
	id, o := a.object(u.in, u.at, -1, nil)
	o.mixed = true
	for _, arg := range args {
		if _, ok := arg.t.Underlying().(*types.Signature); !ok {
			a.union(o.cell(leafText), a.all(arg))
		}
	}
	a.add(o.cell(leafText), id)
	a.results(u, o.cell(leafText))
	return o.cell(leafText)
}

// copyMap is for a call that returns a copy of a map. It tells whether the map's type is known.
func (a *analysis) copyMap(u use, x operand) bool {
	m, ok := x.t.Underlying().(*types.Map)
	if !ok {
		return false
	}
	id, o := a.object(u.in, u.at, -91, entry(m))
	for _, t := range []types.Type{m.Key(), m.Elem()} {
		for _, l := range a.types.of(t) {
			a.load(o.cell(l), a.all(x), l)
		}
	}
	a.results(u, single(id))
	return true
}
