package heapdump

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unique"
)

// A holder is a way to keep a value, and the path that is to be found.
type holder struct {
	name string
	keep func(v *value)
	want []string // the beginning of each step
}

type value struct {
	text string
	next *value
	pad  [8]byte
}

type service struct {
	name  string
	last  []*value
	seen  map[string]*value
	any   any
	inner struct {
		list [3]*value
	}
}

type stringer interface{ String() string }

func (v *value) String() string { return v.text }

type byValue struct {
	v *value
	n int
}

func (b byValue) String() string { return "" }

var (
	globalPointer *value
	globalMap     map[string]*value
	globalKeys    map[*value]int
	globalService = &service{name: "static"}
	globalStruct  service
	globalSlice   []service
	globalChan    chan *value
	globalFunc    func()
	globalAny     any
	globalIface   stringer
	globalArray   [4]*value
	globalSync    sync.Map
	globalPool    sync.Pool
	globalList    *value
	globalContext context.Context
	globalBig     map[int]*value
	globalString  string
	release       = make(chan bool)
)

type keyType struct{}

var holders = []holder{
	{"pointer", func(v *value) { globalPointer = v }, []string{"global PKG.globalPointer (*PKG.value)"}},
	{"map value", func(v *value) { globalMap = map[string]*value{"a": nil, "b": v} }, []string{"global PKG.globalMap (map[string]*PKG.value)", "value (*PKG.value)"}},
	{"map key", func(v *value) { globalKeys = map[*value]int{v: 1} }, []string{"global PKG.globalKeys (map[*PKG.value]int)", "key (*PKG.value)"}},
	{"big map", func(v *value) {
		globalBig = map[int]*value{}
		for i := range 3000 {
			globalBig[i] = nil
		}
		globalBig[1234] = v
	}, []string{"global PKG.globalBig (map[int]*PKG.value)", "value (*PKG.value)"}},
	{"static struct", func(v *value) { globalService.last = append(globalService.last, nil, v) }, []string{"global PKG.globalService (*PKG.service)", "field last ([]*PKG.value)", "element 1 (*PKG.value)"}},
	{"struct", func(v *value) { globalStruct.inner.list[2] = v }, []string{"global PKG.globalStruct.inner.list[2] (*PKG.value)"}},
	{"slice of structs", func(v *value) { globalSlice = make([]service, 3); globalSlice[2].any = v }, []string{"global PKG.globalSlice ([]PKG.service)", "element 2, field any (*PKG.value)"}},
	{"map in struct", func(v *value) { globalStruct.seen = map[string]*value{"x": v} }, []string{"global PKG.globalStruct.seen (map[string]*PKG.value)", "value (*PKG.value)"}},
	{"channel", func(v *value) { globalChan = make(chan *value, 4); globalChan <- nil; globalChan <- v }, []string{"global PKG.globalChan (chan *PKG.value)", "buffer", "element 1 (*PKG.value)"}},
	{"closure", func(v *value) { n := 0; globalFunc = func() { n++; fmt.Println(v, n) } }, []string{"global PKG.globalFunc (func())", "captured v of func PKG.init.func"}},
	{"any", func(v *value) { globalAny = v }, []string{"global PKG.globalAny (*PKG.value)"}},
	{"any of struct", func(v *value) { globalAny = byValue{v, 1} }, []string{"global PKG.globalAny (PKG.byValue)", "field v (*PKG.value)"}},
	{"interface", func(v *value) { globalIface = byValue{v, 1} }, []string{"global PKG.globalIface (PKG.byValue)", "field v (*PKG.value)"}},
	{"array", func(v *value) { globalArray[3] = v }, []string{"global PKG.globalArray[3] (*PKG.value)"}},
	{"sync.Map", func(v *value) { globalSync.Store("k", v); globalSync.Store("l", v) }, []string{"global PKG.globalSync", "field key"}},
	{"sync.Pool", func(v *value) { globalPool.Put(v) }, []string{"global PKG.globalPool sync.Pool", "x"}},
	{"context", func(v *value) { globalContext = context.WithValue(context.Background(), keyType{}, v) }, []string{"global PKG.globalContext (*context.valueCtx)", "field val (*PKG.value)"}},
	{"substring", func(v *value) { globalString = "" }, nil},
	{"list", func(v *value) {
		globalList = v
		for range 100 {
			globalList = &value{next: globalList}
		}
	}, []string{"global PKG.globalList (*PKG.value)", "field next (*PKG.value)"}},
	{"goroutine", func(v *value) { go wait(v); settle() }, []string{"goroutine "}},
	{"goroutine that has not run", func(v *value) { runtime.GOMAXPROCS(1); go func() { wait(v) }() }, []string{"goroutine "}},
	{"address taken", func(v *value) { go waitTaken(v); settle() }, []string{"goroutine "}},
	{"defer", func(v *value) { go waitDefer(v); settle() }, []string{"goroutine "}},
	{"finalizer", func(v *value) {
		o := &service{}
		globalStruct.any = o
		runtime.SetFinalizer(o, func(*service) { fmt.Println(v) })
		globalStruct.any = nil
		held = o
	}, []string{"finalizer"}},
	{"finalized", func(v *value) {
		o := &service{any: v}
		runtime.SetFinalizer(o, func(*service) { time.Sleep(time.Hour) })
	}, []string{"finalizer"}},
	{"cleanup", func(v *value) { runtime.AddCleanup(held, func(v *value) { fmt.Println(v) }, v) }, []string{"cleanup"}},
	{"cleanup function", func(v *value) { runtime.AddCleanup(held, func(int) { fmt.Println(v) }, 1) }, []string{"cleanup"}},
	{"timer", func(v *value) { time.AfterFunc(time.Hour, func() { fmt.Println(v) }) }, []string{"global runtime."}},
	{"unique", func(v *value) { unique.Make(v); globalAny = unique.Make(v) }, []string{"global"}},
	{"channel that is sent to", func(v *value) { globalChan = make(chan *value); go func() { globalChan <- v }(); settle() }, []string{"global"}},
	{"panic", func(v *value) { go waitPanic(v); settle() }, []string{"goroutine "}},
}

var held = &service{}

func settle() { time.Sleep(20 * time.Millisecond) }

//go:noinline
func wait(v *value) { <-release; fmt.Println(v) }

//go:noinline
func waitTaken(v *value) { var s service; s.any = v; take(&s); <-release; take(&s) }

//go:noinline
func take(s *service) {
	if s.name == "x" {
		fmt.Println(s.any)
	}
}

//go:noinline
func waitDefer(v *value) {
	for range 2 {
		defer func() { fmt.Println(v) }()
	}
	v = nil
	<-release
}

func waitPanic(v *value) { defer func() { <-release; recover() }(); panic(v) }

const childName = "HEAPDUMP_TEST_HOLDER"

func TestX(t *testing.T) {
	name := os.Getenv(childName)
	for _, h := range holders {
		if name != "" && h.name != name {
			continue
		}
		v := &value{text: strings.Repeat("x", 30)}
		addr := reflect.ValueOf(v).Pointer()
		h.keep(v)
		v = nil
		start := time.Now()
		found, note, err := Find([]Object{{addr, 40}}, Config{Go: true})
		t.Logf("%s: %q\n  note %s %v %v", h.name, found[0], note, err, time.Since(start))
		globalPointer, globalMap, globalKeys, globalChan, globalFunc, globalAny, globalIface, globalContext, globalList = nil, nil, nil, nil, nil, nil, nil, nil, nil
		globalBig, globalSlice = nil, nil
		globalStruct, globalArray = service{}, [4]*value{}
		_ = slices.Max[[]int]
	}
}
