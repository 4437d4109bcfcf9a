package arenavet

import (
	"flag"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/arena-go/arena/cmd/arena/internal/library"

	"github.com/arena-go/arena/cmd/arena/internal/names"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

var updateLibrary = flag.Bool("update.library", false, "add to library.txt what the standard library of this Go does")

// libraryPackages are the packages whose functions library.txt has.
const libraryPackages = `bufio bytes container/heap container/list container/ring encoding/base64 encoding/binary encoding/csv encoding/hex encoding/json
encoding/pem encoding/xml errors expvar flag hash/adler32 hash/crc32 hash/fnv hash/maphash html io log log/slog maps math/big mime mime/multipart
net net/http net/mail net/netip net/textproto net/url os path path/filepath regexp slices sort strconv strings sync text/scanner text/tabwriter
time unicode unicode/utf16 unicode/utf8`

// libraryVersions are those whose sources were looked at: another one may do more, which somebody
// has to look at first.
var libraryVersions = []string{"go1.26.8", "go1.27.4"}

// TestLibrary compares library.txt with the sources of the standard library: which functions return
// what they are given, or keep it.
func TestLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library")
	}
	all, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax}, strings.Fields(libraryPackages)...)
	if err != nil {
		t.Fatal(err)
	}
	prog, _ := ssautil.AllPackages(all, ssa.BuilderMode(0))
	prog.Build()
	l := &sources{flows: map[*ssa.Function]map[library.Flow]bool{}, unsure: map[*ssa.Function]bool{}}
	for fn := range ssautil.AllFunctions(prog) {
		if len(fn.Blocks) > 0 {
			l.all = append(l.all, fn)
		}
	}
	slices.SortFunc(l.all, func(a, b *ssa.Function) int { return strings.Compare(a.String(), b.String()) })
	for l.changed = true; l.changed; {
		l.changed = false
		for _, fn := range l.all {
			l.follow(fn)
		}
	}
	wanted := strings.Fields(libraryPackages)
	table := map[string]library.Facts{}
	callers := map[string]bool{}
	for _, fn := range l.all {
		obj := ssas.Declared(fn)
		if obj == nil || fn.Origin() != nil || fn.Synthetic != "" || !obj.Exported() || !slices.Contains(wanted, obj.Pkg().Path()) || !token.IsExported(names.Local(obj)) {
			continue
		}
		name := names.Path(obj)
		if obj.Pkg().Path() == "net/http" && !strings.HasPrefix(names.Local(obj), "Header.") {
			continue
		}
		if not, _, _ := strings.Cut(names.Local(obj), "."); obj.Pkg().Path() == "net" && !slices.Contains([]string{"SplitHostPort", "JoinHostPort", "IP", "AddrError"}, not) || name == "path/filepath.Join" {
			continue // addresses are parsed, and what is joined is a copy unless the rest is empty
		}
		for n, p := range fn.Params {
			if _, ok := p.Type().Underlying().(*types.Signature); ok && !l.keeps(fn, n) {
				callers[name+"."+strconv.Itoa(n)] = true
			}
		}
		flows := slices.SortedFunc(maps.Keys(l.flows[fn]), func(a, b library.Flow) int { return strings.Compare(a.String(), b.String()) })
		flows = slices.DeleteFunc(flows, func(w library.Flow) bool {
			return w.To == toUnknown || w.To == "g" && strings.HasSuffix(w.Global, " lookupArshalerCache")
		}) // of types
		if given := slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool { return carries(p.Type()) }); given && (len(flows) > 0 || !l.unsure[fn]) {
			table[name] = library.Facts{Flows: flows, All: !l.unsure[fn]}
		}
	}
	have := library.Table()
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(table)) {
		for _, w := range table[name].Flows {
			if !slices.Contains(have[name].Flows, w) {
				missing = append(missing, fmt.Sprintf("%s: library.txt does not have %s: look at its source, and run the test with -update.library", name, w))
			}
		}
		if have[name].All && !table[name].All {
			missing = append(missing, fmt.Sprintf("%s: may do more than library.txt has: look at its source, and run the test with -update.library", name))
		}
	}
	for name := range union(callers, library.Callers()) {
		if callers[name] != library.Callers()[name] && (!callers[name] || runtime.Version() == libraryVersions[0]) {
			missing = append(missing, name+": only calls the argument, or not any more: look at its source, and run the test with -update.library")
		}
	}
	switch {
	case *updateLibrary:
		writeLibrary(t, have, table, callers)
	case len(missing) > 0 && slices.Contains(libraryVersions, runtime.Version()):
		t.Error(strings.Join(missing, "\n"))
	case len(missing) > 0:
		t.Skipf("needs one of %s, whose sources were looked at. In those of %s:\n%s", libraryVersions, runtime.Version(), strings.Join(missing, "\n"))
	}
}

// writeLibrary writes library.txt: what holds for the Go that runs it, and for those for which it
// was written before.
func writeLibrary(t *testing.T, have, table map[string]library.Facts, callers map[string]bool) {
	var lines []string
	clean := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(union(table, have))) {
		f, ok := table[name]
		if old, both := have[name]; !ok {
			f = old
		} else if both {
			f.All = f.All && old.All
			for _, w := range old.Flows {
				if !slices.Contains(f.Flows, w) {
					f.Flows = append(f.Flows, w)
				}
			}
		}
		if len(f.Flows) == 0 {
			if i := strings.IndexByte(name[strings.LastIndexByte(name, '/')+1:], '.') + strings.LastIndexByte(name, '/') + 1; f.All {
				clean[name[:i]] = append(clean[name[:i]], name[i+1:])
			}
			continue
		}
		line := name
		if f.All {
			line = "=" + name
		}
		for _, w := range f.Flows {
			line += " " + w.String()
		}
		lines = append(lines, line)
	}
	for _, path := range slices.Sorted(maps.Keys(clean)) {
		lines = append(lines, "= "+path+" "+strings.Join(clean[path], " "))
	}
	calling := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(callers)) {
		i := strings.LastIndexByte(name, '/') + 1
		i += strings.IndexByte(name[i:], '.')
		calling[name[:i]] = append(calling[name[:i]], name[i+1:])
	}
	for _, path := range slices.Sorted(maps.Keys(calling)) {
		lines = append(lines, "! "+path+" "+strings.Join(calling[path], " "))
	}
	if err := os.WriteFile("../internal/library/library.txt", []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

func union[K comparable, V any](a, b map[K]V) map[K]V {
	all := maps.Clone(a)
	if all == nil {
		all = map[K]V{}
	}
	maps.Copy(all, b)
	return all
}

// sources follows values through functions, whatever conditions say.
type sources struct {
	all     []*ssa.Function
	flows   map[*ssa.Function]map[library.Flow]bool
	unsure  map[*ssa.Function]bool // which may do more
	changed bool
}

// A taint is a parameter, or what its memory refers to.
type taint struct {
	n     int
	below bool
}

// toUnknown is where a value flows that is given to a function of which nothing is known.
const toUnknown = "?"

// keeps reports whether a function may keep an argument: it returns or stores it, or gives it away.
func (l *sources) keeps(fn *ssa.Function, n int) bool {
	for w := range l.flows[fn] {
		if w.From == n {
			return true
		}
	}
	return false
}

// gives notes that somebody unknown gets values.
func (b *body) gives(all ...ssa.Value) {
	for _, v := range all {
		if carries(v.Type()) {
			for t := range b.whole(v) {
				b.flow(library.Flow{From: t.n, Below: t.below, To: toUnknown})
			}
		}
	}
}

type body struct {
	l       *sources
	fn      *ssa.Function
	value   map[ssa.Value]map[taint]bool
	content map[ssa.Value]map[taint]bool // of what was made, by its root
	changed bool
}

func (l *sources) follow(fn *ssa.Function) {
	b := &body{l: l, fn: fn, value: map[ssa.Value]map[taint]bool{}, content: map[ssa.Value]map[taint]bool{}}
	n := 0
	for _, p := range fn.Params {
		if carries(p.Type()) {
			b.add(b.value, p, taint{n, false})
		}
		n++
	}
	for _, p := range fn.FreeVars {
		b.add(b.value, p, taint{n, false})
		n++
	}
	for b.changed = true; b.changed; {
		b.changed = false
		for _, block := range fn.Blocks {
			for _, i := range block.Instrs {
				b.step(i)
			}
		}
	}
}

func (b *body) add(to map[ssa.Value]map[taint]bool, v ssa.Value, t taint) {
	if to[v] == nil {
		to[v] = map[taint]bool{}
	}
	if !to[v][t] {
		to[v][t], b.changed = true, true
	}
}

func (b *body) flow(w library.Flow) {
	all := b.l.flows[b.fn]
	if all == nil {
		all = map[library.Flow]bool{}
		b.l.flows[b.fn] = all
	}
	if !all[w] {
		all[w], b.l.changed = true, true
	}
}

// roots returns what a value is, or lies in.
func roots(v ssa.Value) (all []ssa.Value) {
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		if seen[v] {
			return
		}
		seen[v] = true
		switch x := v.(type) {
		case *ssa.FieldAddr:
			visit(x.X)
		case *ssa.IndexAddr:
			visit(x.X)
		case *ssa.Field:
			visit(x.X)
		case *ssa.Index:
			visit(x.X)
		case *ssa.UnOp:
			visit(x.X)
		case *ssa.Slice:
			visit(x.X)
		case *ssa.ChangeType:
			visit(x.X)
		case *ssa.ChangeInterface:
			visit(x.X)
		case *ssa.MakeInterface:
			visit(x.X)
		case *ssa.TypeAssert:
			visit(x.X)
		case *ssa.Lookup:
			visit(x.X)
		case *ssa.Extract:
			if _, ok := x.Tuple.(*ssa.Call); ok {
				all = append(all, v)
				return
			}
			visit(x.Tuple)
		case *ssa.Phi:
			for _, e := range x.Edges {
				visit(e)
			}
		case *ssa.Convert:
			if _, ok := x.X.Type().Underlying().(*types.Basic); ok && !ssas.IsString(x.X.Type()) {
				visit(x.X)
			}
		default:
			all = append(all, v)
		}
	}
	visit(v)
	return all
}

// put puts something into the memory that a value leads to.
func (b *body) put(at ssa.Value, all map[taint]bool) {
	for _, root := range roots(at) {
		for t := range all {
			b.add(b.content, root, t)
		}
		switch r := root.(type) {
		case *ssa.Global:
			for t := range all {
				if r.Object() != nil {
					b.flow(library.Flow{From: t.n, Below: t.below, To: "g", Global: r.Object().Pkg().Path() + " " + r.Name()})
				}
			}
		}
		for p := range b.value[root] {
			for t := range all {
				if p.n != t.n {
					b.flow(library.Flow{From: t.n, Below: t.below, To: "p", N: p.n})
				}
			}
		}
	}
}

// whole returns what a value is, and what lies in it if it was made here.
func (b *body) whole(v ssa.Value) map[taint]bool {
	all := maps.Clone(b.value[v])
	for _, root := range roots(v) {
		all = union(all, b.content[root])
	}
	return all
}

// loaded returns what lies in the memory of a value.
func (b *body) loaded(v ssa.Value) map[taint]bool {
	all := map[taint]bool{}
	for _, root := range roots(v) {
		maps.Copy(all, b.content[root])
	}
	for t := range b.value[v] {
		all[taint{t.n, true}] = true
	}
	return all
}

func (b *body) set(v ssa.Value, all map[taint]bool) {
	if !carries(v.Type()) {
		return
	}
	for t := range all {
		b.add(b.value, v, t)
	}
}

func (b *body) unsure() {
	if !b.l.unsure[b.fn] {
		b.l.unsure[b.fn], b.l.changed = true, true
	}
}

// tainted reports whether one of these values is a parameter, or has something of one.
func (b *body) tainted(all ...ssa.Value) bool {
	return slices.ContainsFunc(all, func(v ssa.Value) bool { return carries(v.Type()) && len(b.whole(v)) > 0 })
}

// onlyReads reports whether a function that is not written in Go looks at numbers and text only.
func onlyReads(fn *ssa.Function) bool {
	return fn.Pkg != nil && slices.Contains([]string{"internal/bytealg", "hash/crc32", "math/big"}, fn.Pkg.Pkg.Path())
}

func (b *body) step(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Phi:
		for _, e := range i.Edges {
			b.set(i, b.value[e])
		}
	case *ssa.FieldAddr:
		b.set(i, b.value[i.X])
	case *ssa.IndexAddr:
		b.set(i, b.value[i.X])
	case *ssa.UnOp:
		if i.Op == token.MUL || i.Op == token.ARROW {
			b.set(i, b.loaded(i.X))
		}
	case *ssa.Field:
		b.set(i, b.value[i.X])
		b.set(i, b.loaded(i.X))
	case *ssa.Index:
		b.set(i, b.loaded(i.X))
	case *ssa.Lookup:
		b.set(i, b.loaded(i.X))
	case *ssa.Range:
		b.set(i, b.value[i.X])
	case *ssa.Next:
		if r, ok := i.Iter.(*ssa.Range); ok && !i.IsString {
			b.set(i, b.loaded(r.X))
		}
	case *ssa.Extract:
		b.set(i, b.value[i.Tuple])
	case *ssa.Slice:
		b.set(i, b.value[i.X])
	case *ssa.ChangeType:
		b.set(i, b.value[i.X])
	case *ssa.ChangeInterface:
		b.set(i, b.value[i.X])
	case *ssa.MakeInterface:
		b.set(i, b.value[i.X])
		if isStruct(i.X.Type()) {
			b.set(i, b.loaded(i.X))
		}
	case *ssa.TypeAssert:
		b.set(i, b.value[i.X])
	case *ssa.SliceToArrayPointer:
		b.set(i, b.value[i.X])
	case *ssa.Convert:
		if ssas.IsString(i.X.Type()) == ssas.IsString(i.Type()) {
			b.set(i, b.value[i.X])
		}
	case *ssa.Store:
		if carries(i.Val.Type()) {
			b.put(i.Addr, b.whole(i.Val))
			if isStruct(i.Val.Type()) {
				b.put(i.Addr, b.loaded(i.Val))
			}
		}
	case *ssa.MapUpdate:
		for _, v := range []ssa.Value{i.Key, i.Value} {
			if carries(v.Type()) {
				b.put(i.Map, b.whole(v))
			}
		}
	case *ssa.Send:
		b.gives(i.X)
		if carries(i.X.Type()) {
			b.put(i.Chan, b.whole(i.X))
		}
	case *ssa.MakeClosure:
		for _, v := range i.Bindings {
			b.put(i, b.value[v])
			b.put(i, b.loaded(v))
		}
		literal := i.Fn.(*ssa.Function)
		for w := range maps.Clone(b.l.flows[literal]) { // as if it was called
			from, to := w.From-len(literal.Params), w.N-len(literal.Params)
			if w.To != "p" || from < 0 || to < 0 {
				continue
			}
			b.put(i.Bindings[to], b.loaded(i.Bindings[from]))
			if !w.Below {
				b.put(i.Bindings[to], b.whole(i.Bindings[from]))
			}
		}
	case *ssa.Select:
		for _, s := range i.States {
			if s.Send != nil {
				b.gives(s.Send)
			}
			if s.Send != nil && b.tainted(s.Send) {
				b.unsure()
			}
		}
	case ssa.CallInstruction:
		b.call(i)
	case *ssa.Return:
		for n, r := range i.Results {
			if !carries(r.Type()) {
				continue
			}
			for t := range b.value[r] {
				b.flow(library.Flow{From: t.n, Below: t.below, To: "r", N: n})
			}
			for _, root := range roots(r) {
				for t := range b.content[root] {
					b.flow(library.Flow{From: t.n, Below: t.below, To: "r", N: n, In: true})
				}
			}
		}
	}
}

func (b *body) call(i ssa.CallInstruction) {
	c := i.Common()
	value := i.Value()
	if builtin, ok := c.Value.(*ssa.Builtin); ok {
		switch builtin.Name() {
		case "append":
			b.set(value, b.value[c.Args[0]])
			if carries(elementType(value.Type())) {
				b.put(value, b.loaded(c.Args[0]))
				if len(c.Args) > 1 {
					b.put(value, b.loaded(c.Args[1]))
					b.put(c.Args[0], b.loaded(c.Args[1]))
				}
			}
		case "copy":
			if carries(elementType(c.Args[0].Type())) {
				b.put(c.Args[0], b.loaded(c.Args[1]))
			}
		case "String", "StringData", "Slice", "SliceData", "Add":
			b.set(value, b.value[c.Args[0]])
		}
		return
	}
	fn := c.StaticCallee()
	if fn == nil {
		// Readers and writers keep nothing, by contract.
		if m := c.Method; m != nil && slices.Contains([]string{"Read", "Write", "WriteString", "WriteByte", "ReadByte", "ReadRune", "WriteTo", "ReadFrom"}, m.Name()) {
			return
		}
		b.gives(c.Args...)
		if _, ok := i.(*ssa.Go); ok {
			b.gives(c.Value)
		}
		if b.tainted(c.Args...) || value != nil && carries(value.Type()) && b.tainted(c.Value) {
			b.unsure()
		}
		return
	}
	if _, ok := i.(*ssa.Go); ok {
		b.gives(c.Args...)
		b.gives(c.Value)
		if b.tainted(c.Args...) {
			b.unsure()
		}
	}
	args := c.Args
	if literal, ok := c.Value.(*ssa.MakeClosure); ok {
		args = slices.Concat(args, literal.Bindings)
	}
	if obj := ssas.Declared(fn); obj != nil && obj.Pkg() != nil {
		switch names.Path(obj) {
		case "sync.Map.Store", "sync.Map.Swap", "sync.Map.LoadOrStore", "sync.Map.CompareAndSwap", "sync/atomic.Value.Store", "sync/atomic.Value.Swap", "sync/atomic.Pointer.Store", "sync/atomic.Pointer.Swap", "sync/atomic.Pointer.CompareAndSwap":
			for _, a := range args[1:] {
				b.put(args[0], b.value[a])
				b.put(args[0], b.loaded(a))
			}
			return
		case "sync.Pool.Put", "strings.Clone", "bytes.Clone", "internal/stringslite.Clone":
			return
		case "maps.Clone":
			b.put(value, b.loaded(args[0]))
			return
		}
		switch obj.Pkg().Path() {
		case "fmt":
			if strings.HasPrefix(obj.Name(), "Append") {
				b.set(value, b.value[args[0]])
			}
			return
		case "reflect", "internal/reflectlite", "runtime":
			b.gives(args...)
			if b.tainted(args...) {
				b.unsure()
			}
			return
		}
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	if len(fn.Blocks) == 0 && !onlyReads(fn) {
		b.gives(args...)
	}
	if b.tainted(args...) && (b.l.unsure[fn] || len(fn.Blocks) == 0 && !onlyReads(fn)) {
		b.unsure()
	}
	for w := range maps.Clone(b.l.flows[fn]) {
		if w.From >= len(args) {
			continue
		}
		all := b.value[args[w.From]]
		if w.Below {
			all = b.loaded(args[w.From])
		}
		switch w.To {
		case "r":
			if value == nil {
				continue
			}
			targets := []ssa.Value{value}
			if t, ok := value.Type().(*types.Tuple); ok {
				targets = nil
				for _, ref := range *value.Referrers() {
					if e, ok := ref.(*ssa.Extract); ok && e.Index == w.N && carries(t.At(w.N).Type()) {
						targets = append(targets, e)
					}
				}
			}
			for _, v := range targets {
				if w.In {
					b.put(v, all)
					if !w.Below {
						b.put(v, b.whole(args[w.From]))
					}
				} else {
					b.set(v, all)
					for _, root := range roots(args[w.From]) {
						b.put(v, b.content[root])
					}
				}
			}
		case "p":
			if w.N < len(args) {
				b.put(args[w.N], all)
				if !w.Below {
					b.put(args[w.N], b.whole(args[w.From]))
				}
			}
		case toUnknown:
			b.gives(args[w.From])
		case "g":
			if !w.Below {
				all = b.whole(args[w.From])
			}
			for t := range all {
				b.flow(library.Flow{From: t.n, Below: t.below, To: "g", Global: w.Global})
			}
		}
	}
}
