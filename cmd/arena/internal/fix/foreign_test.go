package fix

import (
	"go/types"
	"strings"
	"testing"
)

// foreign is a package that is not changed. Functions named Calls do no more with their first
// parameter than to call it.
const foreign = `
-- inner/inner.go --
package inner

import (
	"errors"
	"slices"
)

type List []int

func CallsDirectly(f func(n int) bool) {
	if f != nil && f(1) {
		f(2)
	}
}

func (l List) CallsEach(f func(n int) error) error {
	var all error
	for _, n := range l {
		all = errors.Join(all, (f)(n))
	}
	return all
}

func CallsDeferred(f func()) { defer f() }

func CallsOther(f func(n int) bool, again bool) {
	CallsDirectly(f)
	if again {
		CallsOther(f, false)
	}
}

func CallsInLiteral(f func(n int) bool) {
	func() { f(1) }()
	CallsDirectly(func(n int) bool { return f(n) })
}

func CallsSorted(f func(a, b int) int) { slices.SortFunc([]int{2, 1}, f) }

var kept func(n int) bool

func KeepsInVariable(f func(n int) bool) { kept = f }

type holder struct{ f func(n int) bool }

func KeepsInStruct(f func(n int) bool) *holder { return &holder{f} }

func KeepsInGoroutine(f func(n int) bool) { go f(1) }

func KeepsInGoroutineDeep(f func(n int) bool) { go func() { f(1) }() }

func KeepsSent(f func(n int) bool, c chan func(n int) bool) { c <- f }

func KeepsReturned(f func(n int) bool) func() { return func() { f(1) } }

func KeepsSet(f func(n int) bool) {
	g := f
	g(1)
}

func KeepsByValue(f func(n int) bool) { call(f) }

var call = func(f func(n int) bool) { f(1) }

type doer interface{ Do(f func(n int) bool) }

func KeepsByInterface(f func(n int) bool, d doer) { d.Do(f) }

func KeepsByOther(f func(n int) bool) { CallsDirectly(f); KeepsInVariable(f) }

func KeepsResult(f func(n int) *int) { f(1) }

func KeepsVariadic(f ...func(n int) bool) { f[0](1) }

func KeepsInCycle(f func(n int) bool) { KeepsInCycleToo(f); kept = f }

func KeepsInCycleToo(f func(n int) bool) {
	if f(1) {
		KeepsInCycle(f)
	}
}

func KeepsInLiteral(f func(n int) bool) { KeepsInVariable(func(n int) bool { return f(n) }) }
`

// TestOnlyCalls proves what is known of functions in packages that are not changed, by their
// sources.
func TestOnlyCalls(t *testing.T) {
	t.Parallel()
	o := newForeigners(written(t, foreign))
	pkg := o.load("example.com/m/inner")
	if pkg == nil {
		t.Fatal("the package is not loaded")
	}
	o.onlyCalls(pkg.Types.Scope().Lookup("KeepsInCycle").(*types.Func), 0) // before the other one
	for _, obj := range pkg.TypesInfo.Defs {
		f, ok := obj.(*types.Func)
		if !ok || f.Signature().Params().Len() == 0 {
			continue
		}
		if got := o.onlyCalls(f, 0); got != strings.HasPrefix(f.Name(), "Calls") {
			t.Errorf("%s: only called: %v", f.Name(), got)
		}
	}
	if o.load("example.com/m/none") != nil {
		t.Error("a package that is not there")
	}
}

// TestForeign: what literals make that other packages only call lies in the arena.
func TestForeign(t *testing.T) {
	t.Parallel()
	dir := written(t, foreign+`-- p.go --
package m

import "example.com/m/inner"

type Node struct{ n int }

func Parse(s string) (all, others []*Node) {
	inner.List{1, 2}.CallsEach(func(n int) error {
		all = append(all, &Node{n}) // moves: a value, append
		return nil
	})
	inner.KeepsInGoroutine(func(n int) bool {
		others = append(others, &Node{n}) // stays: a value, append
		return true
	})
	return all, others
}
`)
	parseAsCommented(t, dir, ".")
}

// TestVariables: a variable of another package that only its declaration sets is that function.
func TestVariables(t *testing.T) {
	t.Parallel()
	dir := written(t, `
-- inner/inner.go --
package inner

func length[T ~string | ~[]byte](s T) int { return len(s) }

var split = length[string]

func Declared(s string) int { return split(s) }

var Exported = length[string]

func ByExported(s string) int { return Exported(s) }

var set = length[string]

func Set(f func(string) int) { set = f }

func BySet(s string) int { return set(s) }

var pointed = length[string]

var pointer = &pointed

func ByPointed(s string) int { return pointed(s) }

var late func(string) int

func init() { late = length[string] }

func ByLate(s string) int { return late(s) }
-- p.go --
package m

import "example.com/m/inner"

func Parse(s string) int {
	n := inner.Declared(s + "0") // moves: text
	n += inner.ByExported(s + "1") // stays: text
	n += inner.BySet(s + "2") // stays: text
	n += inner.ByPointed(s + "3") // stays: text
	n += inner.ByLate(s + "4") // stays: text
	return n
}
`)
	parseAsCommented(t, dir, ".")
}

// TestGeneric: the compiler says of what a generic function allocates that it is at its name, too.
func TestGeneric(t *testing.T) {
	t.Parallel()
	dir := written(t, `
-- p.go --
package m

import "sync"

type Map[K comparable, V any] struct{ m *sync.Map }

func New[K comparable, V any]() Map[K, V] {
	return Map[K, V]{m: &sync.Map{}}
}

func Parse(s string) *Map[string, int] {
	m := New[string, int]()
	return &m // moves: a variable
}
`)
	r, err := Run(Options{Dir: dir, Roots: []string{"m.Parse"}})
	if err != nil || r.Moved() == 0 {
		t.Error(r, err)
	}
}
