package heapdump

import (
	"context"
	"os/exec"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"
)

// A value is what is kept. Its memory is 64 bytes.
type value struct {
	text string
	_    *value
	pad  [40]byte
}

func (v *value) String() string { return v.text }

type service struct {
	name  string
	last  []*value
	_     map[string]*value
	any   any
	inner struct{ list [3]*value }
}

type pair struct {
	v *value
	n int
}

func (p pair) String() string { return p.v.text }

type pairKey struct {
	v *value
	_ [40]int
}

type contextKey struct{}

type stringer interface{ String() string }

// kept are the globals that values are kept by.
var kept struct {
	pointer  *value
	values   map[string]*value
	keys     map[*value]int
	structs  map[int]pair
	large    map[pairKey]int
	many     map[int]*value
	service  service
	services []service
	channel  chan *value
	function [2]func()
	any      [4]any
	stringer stringer
	array    [4]*value
	synced   sync.Map
	pool     sync.Pool
	context  context.Context
	bytes    []byte
}

var (
	alone  *value
	static = &service{name: "static"}
	held   [3]*service // in the heap
	wakes  = make(chan bool)
	used   any
)

// blocked starts a goroutine and returns when it is blocked.
func blocked(f func()) {
	before := blockedIn()
	go f()
	for blockedIn() == before {
		runtime.Gosched()
	}
}

// blockedIn counts the goroutines that wait for the channel wakes.
func blockedIn() int {
	text := make([]byte, 1<<20)
	text = text[:runtime.Stack(text, true)]
	return strings.Count(string(text), "heapdump.rest(") + strings.Count(string(text), "heapdump.send(")
}

//go:noinline
func rest() { <-wakes }

//go:noinline
func send(c chan *value, v *value) { c <- v }

//go:noinline
func use(v any) { used = v; used = nil }

//go:noinline
func argument(v *value) { rest(); use(v) }

//go:noinline
func local(v *value) {
	list := append(make([]*value, 0, 3), nil, v)
	v = nil
	rest()
	use(list)
}

//go:noinline
func address(v *value) {
	var s service
	s.any = v
	take(&s)
	rest()
	take(&s)
}

//go:noinline
func take(s *service) {
	if s.name != "" {
		println(s.name)
	}
}

//go:noinline
func deferred(v *value) {
	for range 2 {
		defer func(v *value) func() { return func() { use(v) } }(v)()
	}
	v = nil
	rest()
}

func panicking(v *value) {
	defer func() { rest(); use(recover()) }()
	panic(v)
}

// ways are ways to keep a value, with the paths to it. If names vary, … represents any text.
var ways = []struct {
	name string
	keep func(v *value)
	path []string
}{
	{"a global", func(v *value) { alone = v }, []string{"global heapdump.alone (*heapdump.value)"}},
	{"a field of a global", func(v *value) { kept.pointer = v }, []string{"global heapdump.kept.pointer (*heapdump.value)"}},
	{"a field of a field", func(v *value) { kept.service.inner.list[2] = v }, []string{"global heapdump.kept.service.inner.list[2] (*heapdump.value)"}},
	{"an array", func(v *value) { kept.array[3] = v }, []string{"global heapdump.kept.array[3] (*heapdump.value)"}},
	{"a value of a map", func(v *value) { kept.values = map[string]*value{"a": nil, "b": v} },
		[]string{"global heapdump.kept.values (map[string]*heapdump.value)", "value (*heapdump.value)"}},
	{"a key of a map", func(v *value) { kept.keys = map[*value]int{v: 1} },
		[]string{"global heapdump.kept.keys (map[*heapdump.value]int)", "key (*heapdump.value)"}},
	{"a field of a map's value", func(v *value) { kept.structs = map[int]pair{1: {v, 2}} },
		[]string{"global heapdump.kept.structs (map[int]heapdump.pair)", "value, field v (*heapdump.value)"}},
	{"a large key of a map", func(v *value) { kept.large = map[pairKey]int{{v: v}: 2} },
		[]string{"global heapdump.kept.large (map[heapdump.pairKey]int)", "key (*heapdump.pairKey)", "field v (*heapdump.value)"}},
	{"a large map", func(v *value) {
		kept.many = map[int]*value{}
		for i := range 3000 {
			kept.many[i] = nil
		}
		kept.many[1234] = v
	}, []string{"global heapdump.kept.many (map[int]*heapdump.value)", "value (*heapdump.value)"}},
	{"a struct that the linker made", func(v *value) { static.last = []*value{nil, v} },
		[]string{"global heapdump.static (*heapdump.service)", "field last ([]*heapdump.value)", "element 1 (*heapdump.value)"}},
	{"a slice of structs", func(v *value) { kept.services = make([]service, 3); kept.services[2].inner.list[1] = v },
		[]string{"global heapdump.kept.services ([]heapdump.service)", "element 2, field inner.list[1] (*heapdump.value)"}},
	{"a part of a slice", func(v *value) { kept.service.last = append(make([]*value, 3), v)[2:] },
		[]string{"global heapdump.kept.service.last ([]*heapdump.value)", "element (*heapdump.value)"}},
	{"a channel", func(v *value) { kept.channel = make(chan *value, 4); kept.channel <- nil; kept.channel <- v },
		[]string{"global heapdump.kept.channel (chan *heapdump.value)", "buffer", "element 1 (*heapdump.value)"}},
	{"a closure", func(v *value) { n := 0; kept.function[0] = func() { n++; use(v) } },
		[]string{"global heapdump.kept.function[0] (func())", "captured v of func heapdump.…"}},
	{"a variable of two functions", func(v *value) { kept.function[1] = func() { use(v); v = nil } },
		[]string{"global heapdump.kept.function[1] (func())", "captured v of func heapdump.…"}},
	{"any", func(v *value) { kept.any[0] = v }, []string{"global heapdump.kept.any[0] (*heapdump.value)"}},
	{"any of a struct", func(v *value) { kept.any[1] = pair{v, 1} }, []string{"global heapdump.kept.any[1] (heapdump.pair)", "field v (*heapdump.value)"}},
	{"any of a map", func(v *value) { kept.any[2] = map[int]*value{1: v} }, []string{"global heapdump.kept.any[2] (map[int]*heapdump.value)", "value (*heapdump.value)"}},
	{"any of a function", func(v *value) { kept.any[3] = func() { use(v) } }, []string{"global heapdump.kept.any[3] (func())", "captured v of func heapdump.…"}},
	{"an interface", func(v *value) { kept.stringer = pair{v, 1} }, []string{"global heapdump.kept.stringer (heapdump.pair)", "field v (*heapdump.value)"}},
	{"a sync.Map", func(v *value) { kept.synced.Store("a", 1); kept.synced.Store("b", v) },
		[]string{"global heapdump.kept.synced, sync.Map", "value (*heapdump.value)"}},
	{"a sync.Pool", func(v *value) {
		for range 64 { // with the race detector, a Pool drops some
			kept.pool.Put(v)
		}
	}, []string{"global heapdump.kept.pool, sync.Pool…"}},
	{"a context", func(v *value) { kept.context = context.WithValue(context.Background(), contextKey{}, v) },
		[]string{"global heapdump.kept.context (*context.valueCtx)", "field val (*heapdump.value)"}},
	{"an argument", func(v *value) { blocked(func() { argument(v) }) },
		[]string{"goroutine … [chan receive], heapdump.argument at keep_test.go:…, variable v (*heapdump.value)"}},
	{"a local slice", func(v *value) { blocked(func() { local(v) }) },
		[]string{"goroutine … [chan receive], heapdump.local at keep_test.go:…, variable list ([]*heapdump.value)", "element 1 (*heapdump.value)"}},
	{"a variable whose address is taken", func(v *value) { blocked(func() { address(v) }) },
		[]string{"goroutine … [chan receive], heapdump.address at keep_test.go:…, variable s.any (*heapdump.value)"}},
	{"a deferred call", func(v *value) { blocked(func() { deferred(v) }) }, []string{"goroutine … [chan receive], a deferred call", "captured …"}},
	{"a panic", func(v *value) { blocked(func() { panicking(v) }) }, []string{"goroutine … [chan receive], runtime.gopanic…"}},
	{"a blocked send", func(v *value) { blocked(func() { send(make(chan *value), v) }) },
		[]string{"goroutine … [chan send], …"}},
	{"a timer", func(v *value) { time.AfterFunc(time.Hour, func() { use(v) }) }, []string{"global runtime.…", "…", "captured v of func heapdump.…"}},
	{"the function of a finalizer", func(v *value) { runtime.SetFinalizer(held[0], func(*service) { use(v) }) },
		[]string{"finalizer of *heapdump.service", "captured v of func heapdump.…"}},
	{"the argument of a cleanup", func(v *value) { runtime.AddCleanup(held[1], func(v *value) { use(v) }, v) },
		[]string{"cleanup, perhaps: no root in the dump leads to what follows", "object of … bytes, offset 0"}},
	{"the function of a cleanup", func(v *value) { runtime.AddCleanup(held[2], func(int) { use(v) }, 1) },
		[]string{"cleanup, perhaps: no root in the dump leads to what follows", "captured v of func heapdump.…"}},
	{"bytes within", func(v *value) { kept.bytes = v.pad[7:9] }, []string{"global heapdump.kept.bytes ([]uint8)"}},
}

// config lets the go command find the names.
func config(t testing.TB) Config {
	c := Config{Go: true}
	if mode := testing.CoverMode(); mode != "" {
		c.Flags = []string{"-covermode=" + mode}
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the names need the go command")
	}
	return c
}

// TestKept checks for each way to keep a value that its path is found.
func TestKept(t *testing.T) {
	c := config(t)
	for i := range held {
		held[i] = new(service)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // Find's collection leaves what is in the sync.Pool
	var objects []Object
	for _, w := range ways {
		objects = append(objects, keep(w.keep))
	}
	found, note, err := Find(objects, c)
	if err != nil || note != "" {
		t.Fatal(err, note)
	}
	for i, w := range ways {
		t.Run(strings.ReplaceAll(w.name, " ", "_"), func(t *testing.T) {
			path := found[i].Path
			// A word that some stack still has comes before what only a cleanup may have.
			if strings.HasPrefix(w.path[0], "cleanup") && strings.HasSuffix(path[0], "a word of the stack that may be out of use") {
				path[0] = w.path[0]
			}
			matches(t, path, w.path)
		})
	}
}

// keep makes a value that is kept in one way only.
//
//go:noinline
func keep(f func(v *value)) Object {
	v := &value{text: strings.Repeat("x", 100)}
	o := Object{reflect.ValueOf(v).Pointer(), reflect.TypeFor[value]().Size()}
	f(v)
	return o
}

func matches(t *testing.T, got, want []string) {
	t.Helper()
	pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(strings.Join(want, "\n")), "…", "(?s:.*)") + "$"
	if !regexp.MustCompile(pattern).MatchString(strings.Join(got, "\n")) {
		t.Errorf("the path is\n\t%s\nand should be\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}
