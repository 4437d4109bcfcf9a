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
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/arena-go/arena/cmd/arena/internal/names"
)

var updateLibrary = flag.Bool("update.library", false, "add to library.txt what the standard library of this Go does")

// libraryPackages are the packages whose functions library.txt has.
const libraryPackages = `bufio bytes container/heap container/list container/ring encoding/csv encoding/json encoding/pem encoding/xml errors expvar flag
html io log log/slog maps mime mime/multipart net net/http net/mail net/netip net/textproto net/url os path path/filepath regexp slices sort
strconv strings sync text/scanner text/tabwriter unicode/utf8`

// libraryVersion is the Go whose sources were looked at: another one may do more, which somebody has to look at first.
const libraryVersion = "go1.26.8"

// TestLibrary compares library.txt with the sources of the standard library: which functions return what they are given, or keep it.
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
	l := &sources{flows: map[*ssa.Function]map[libraryFlow]bool{}}
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
	table := map[string]map[libraryFlow]bool{}
	for _, fn := range l.all {
		obj := object(fn)
		if obj == nil || fn.Origin() != nil || fn.Synthetic != "" || !obj.Exported() || !slices.Contains(wanted, obj.Pkg().Path()) || !token.IsExported(names.Local(obj)) {
			continue
		}
		name := names.Path(obj)
		if obj.Pkg().Path() == "net/http" && !strings.HasPrefix(names.Local(obj), "Header.") || known[name] != opNone {
			continue
		}
		if not, _, _ := strings.Cut(names.Local(obj), "."); obj.Pkg().Path() == "net" && !slices.Contains([]string{"SplitHostPort", "JoinHostPort", "IP", "AddrError"}, not) || name == "path/filepath.Join" {
			continue // addresses are parsed, and what is joined is a copy unless the rest is empty
		}
		flows := l.flows[fn]
		results := obj.Signature().Results().Len()
		recv := obj.Signature().Recv()
		maps.DeleteFunc(flows, func(w libraryFlow, _ bool) bool {
			switch {
			case w.to == "r" && isError(obj.Signature().Results().At(w.n).Type()):
				return true
			case recv != nil && w.from == 0 && w.to != "r":
				return true // its own
			case recv != nil && w.from == 0:
				return !open(recv.Type())
			}
			// What else a function with results does to its arguments depends on more than can be told without conditions.
			return w.to == "p" && (w.from == w.n || w.n > 0 || results > 0 || recv == nil && obj.Pkg().Path() != "maps" && obj.Pkg().Path() != "slices")
		})
		if len(flows) > 0 {
			table[name] = flows
		}
	}
	have := map[string]map[libraryFlow]bool{}
	for name, flows := range library() {
		have[name] = map[libraryFlow]bool{}
		for _, w := range flows {
			have[name][w] = true
		}
	}
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(table)) {
		for w := range table[name] {
			if !have[name][w] && !*updateLibrary {
				missing = append(missing, fmt.Sprintf("%s: library.txt does not have %s: look at its source, and run the test with -update.library", name, w))
			}
		}
	}
	slices.Sort(missing)
	switch {
	case len(missing) > 0 && runtime.Version() == libraryVersion:
		t.Error(strings.Join(missing, "\n"))
	case len(missing) > 0:
		t.Skipf("needs %s, whose sources were looked at. In those of %s:\n%s", libraryVersion, runtime.Version(), strings.Join(missing, "\n"))
	}
	if *updateLibrary {
		var lines []string
		for name := range union(table, have) {
			var words []string
			for w := range union(table[name], have[name]) {
				words = append(words, w.String())
			}
			slices.Sort(words)
			lines = append(lines, name+" "+strings.Join(words, " "))
		}
		slices.Sort(lines)
		if err := os.WriteFile("library.txt", []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
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

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// open reports whether a type has no fields that only its package knows.
func open(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return true
	}
	for f := range st.Fields() {
		if !f.Exported() {
			return false
		}
	}
	return true
}

// sources follows values through functions, whatever conditions say.
type sources struct {
	all     []*ssa.Function
	flows   map[*ssa.Function]map[libraryFlow]bool
	changed bool
}

// A taint is a parameter, or what its memory refers to.
type taint struct {
	n     int
	below bool
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

func (b *body) flow(w libraryFlow) {
	all := b.l.flows[b.fn]
	if all == nil {
		all = map[libraryFlow]bool{}
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
			if _, ok := x.X.Type().Underlying().(*types.Basic); ok && !isString(x.X.Type()) {
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
					b.flow(libraryFlow{from: t.n, below: t.below, to: "g", global: r.Object().Pkg().Path() + " " + r.Name()})
				}
			}
		}
		for p := range b.value[root] {
			for t := range all {
				if p.n != t.n {
					b.flow(libraryFlow{from: t.n, below: t.below, to: "p", n: p.n})
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
		if isString(i.X.Type()) == isString(i.Type()) {
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
		if carries(i.X.Type()) {
			b.put(i.Chan, b.whole(i.X))
		}
	case *ssa.MakeClosure:
		for _, v := range i.Bindings {
			b.put(i, b.value[v])
			b.put(i, b.loaded(v))
		}
	case ssa.CallInstruction:
		b.call(i)
	case *ssa.Return:
		for n, r := range i.Results {
			if !carries(r.Type()) {
				continue
			}
			for t := range b.value[r] {
				b.flow(libraryFlow{from: t.n, below: t.below, to: "r", n: n})
			}
			for _, root := range roots(r) {
				for t := range b.content[root] {
					b.flow(libraryFlow{from: t.n, below: t.below, to: "r", n: n, in: true})
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
		return
	}
	args := c.Args
	if literal, ok := c.Value.(*ssa.MakeClosure); ok {
		args = slices.Concat(args, literal.Bindings)
	}
	if obj := object(fn); obj != nil && obj.Pkg() != nil {
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
		if obj.Pkg().Path() == "fmt" || obj.Pkg().Path() == "reflect" || obj.Pkg().Path() == "runtime" {
			return
		}
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	for w := range maps.Clone(b.l.flows[fn]) {
		if w.from >= len(args) {
			continue
		}
		all := b.value[args[w.from]]
		if w.below {
			all = b.loaded(args[w.from])
		}
		switch w.to {
		case "r":
			if value == nil {
				continue
			}
			targets := []ssa.Value{value}
			if t, ok := value.Type().(*types.Tuple); ok {
				targets = nil
				for _, ref := range *value.Referrers() {
					if e, ok := ref.(*ssa.Extract); ok && e.Index == w.n && carries(t.At(w.n).Type()) {
						targets = append(targets, e)
					}
				}
			}
			for _, v := range targets {
				if w.in {
					b.put(v, all)
					if !w.below {
						b.put(v, b.whole(args[w.from]))
					}
				} else {
					b.set(v, all)
					for _, root := range roots(args[w.from]) {
						b.put(v, b.content[root])
					}
				}
			}
		case "p":
			if w.n < len(args) {
				b.put(args[w.n], all)
				if !w.below {
					b.put(args[w.n], b.whole(args[w.from]))
				}
			}
		case "g":
			if !w.below {
				all = b.whole(args[w.from])
			}
			for t := range all {
				b.flow(libraryFlow{from: t.n, below: t.below, to: "g", global: w.global})
			}
		}
	}
}

var _ = fmt.Sprint
