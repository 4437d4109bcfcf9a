package arenatest_test

import (
	"bufio"
	"bytes"
	"container/heap"
	"container/list"
	"container/ring"
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"flag"
	"io"
	"io/fs"
	"iter"
	"log"
	"log/slog"
	"net/http"
	"net/url"
	"os/exec"
	"reflect"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"text/template"
	"time"

	"github.com/arena-go/arena"
)

// A unit makes what a way keeps: in an arena, or copies of it on the heap.
type unit struct {
	a      *arena.Arena
	cloned bool
	after  func(func()) // lets go, when all is known
}

// text returns a text of the arena, or a copy.
func (u unit) text() string {
	const text = "sku-3-long-enough"
	if u.cloned {
		return strings.Clone(text)
	}
	return arena.String(u.a, text)
}

// path returns a text of the arena with the form of a path, or a copy.
func (u unit) path() string {
	const path = "/sku-3/long/enough"
	if u.cloned {
		return strings.Clone(path)
	}
	return arena.String(u.a, path)
}

// price returns a value of the arena, or one of the heap.
func (u unit) price() *price {
	if u.cloned {
		return &price{sku: "heap"}
	}
	return arena.New[price](u.a)
}

// started has f run in a goroutine, and waits until that says so.
func (u unit) started(f func(running chan<- bool, end <-chan bool)) {
	running, end := make(chan bool), make(chan bool)
	go f(running, end)
	<-running
	u.after(func() { close(end) })
}

type (
	price struct {
		sku   string
		cents int
		next  *price
	}
	shelf struct {
		name string
		price
		last *price
		tags []string
	}
	orderError struct{ sku string }
	attrs      struct {
		slog.Handler
		list []slog.Attr
	}
	prices []*price
)

func (e *orderError) Error() string                   { return "no such order" }
func (p *price) total() int                           { return p.cents }
func (h *attrs) WithAttrs(a []slog.Attr) slog.Handler { return &attrs{h.Handler, append(h.list, a...)} }
func (p prices) Len() int                             { return len(p) }
func (p prices) Less(i, j int) bool                   { return p[i].cents < p[j].cents }
func (p prices) Swap(i, j int)                        { p[i], p[j] = p[j], p[i] }
func (p *prices) Push(x any)                          { *p = append(*p, x.(*price)) }
func (p *prices) Pop() any                            { return nil }

// What keeps.
var (
	keptText     string
	keptKeys     = map[string]int{}
	keptValues   = map[int]string{}
	keptStructs  = map[int]price{}
	keptPointers = map[string]*price{}
	keptSyncKey  sync.Map
	keptSyncVal  sync.Map
	keptSlice    []string
	keptSlices   [][]string
	keptArray    [4]string
	keptShelf    = new(shelf)
	keptEmbedded shelf
	keptList     = &price{next: &price{next: &price{}}}
	keptPart     string
	keptBytes    []byte
	keptFields   []string
	keptFunc     func() int
	keptHooks    []func() int
	keptMethod   func() int
	keptQueue    = make(chan string, 4)
	keptContext  context.Context
	keptParent   = context.Background()
	keptError    error
	keptJoined   error
	keptPath     error
	keptLogger   *slog.Logger
	keptPrefix   = log.New(io.Discard, "", 0)
	keptHeader   = http.Header{}
	keptNames    = http.Header{}
	keptCookie   *http.Cookie
	keptData     map[string]any
	keptTemplate = template.New("kept")
	keptOnce     func() string
	keptCounters *expvar.Map
	keptURL      *url.URL
	keptQuery    url.Values
	keptLRU      = list.New()
	keptRing     = ring.New(2)
	keptHeap     = new(prices)
	keptFinal    = new(shelf)
	keptCleanup  = new(shelf)
	keptPull     func() (string, bool)
	keptSeq      iter.Seq[string]
	keptPattern  *regexp.Regexp
	keptRaw      json.RawMessage
	keptReader   io.Reader
	keptBuffer   *bytes.Buffer
	keptBuffered *bufio.Reader
	keptAtomic   atomic.Pointer[price]
	keptAny      atomic.Value
	keptReflect  reflect.Value
	keptBox      any
	keptPointer  any
	keptField    *int
	keptRows     []price
	keptMap      *arena.Map[string, int]
	keptFlags    *flag.FlagSet
	keptCommand  *exec.Cmd
	keptZone     *time.Location
	keptReplacer *strings.Replacer
	keptMux      = http.NewServeMux()
	keptServer   = new(http.Server)
	keptRequest  *http.Request
	keptPanic    any
	keptSplit    [][]byte
	keptDeep     = map[string]map[int][]*shelf{}
	keptMutex    sync.Mutex
	keptCond     = sync.NewCond(&keptMutex)
)

// A way is a way to keep a value beyond the end of its arena.
type way struct {
	name string
	keep func(u unit)
	path []string // parts of the path, in this order
}

var ways = []way{
	{"global", func(u unit) { keptText = u.text() }, []string{"keptText"}},
	{"key of a map", func(u unit) { keptKeys[u.text()] = 1 }, []string{"keptKeys", "key"}},
	{"value of a map", func(u unit) { keptValues[1] = u.text() }, []string{"keptValues", "value"}},
	{"field of a value of a map", func(u unit) { keptStructs[1] = price{sku: u.text()} }, []string{"keptStructs", "sku"}},
	{"value behind a pointer in a map", func(u unit) { keptPointers["a"] = u.price() }, []string{"keptPointers", "value"}},
	{"key of a sync.Map", func(u unit) { keptSyncKey.Store(u.text(), 1) }, []string{"keptSyncKey"}},
	{"value of a sync.Map", func(u unit) { keptSyncVal.Store(1, u.text()) }, []string{"keptSyncVal"}},
	{"element of a slice", func(u unit) { keptSlice = []string{"a", u.text()} }, []string{"keptSlice", "element 1"}},
	{"slice of slices", func(u unit) { keptSlices = [][]string{{u.text()}} }, []string{"keptSlices", "element 0", "element 0"}},
	{"element of an array", func(u unit) { keptArray[2] = u.text() }, []string{"keptArray[2]"}},
	{"field behind a pointer", func(u unit) { keptShelf.last = &price{sku: u.text()} }, []string{"keptShelf", "last", "sku"}},
	{"field of an embedded struct", func(u unit) { keptEmbedded.sku = u.text() }, []string{"keptEmbedded", "sku"}},
	{"list", func(u unit) { keptList.next.next.sku = u.text() }, []string{"keptList", "next", "next", "sku"}},
	{"part of a text", func(u unit) { keptPart = u.text()[3:8] }, []string{"keptPart"}},
	{"bytes", func(u unit) {
		if keptBytes = []byte(u.text()); !u.cloned {
			keptBytes = arena.Bytes(u.a, "bytes of an arena")
		}
	}, []string{"keptBytes"}},
	{"fields of a text", func(u unit) { keptFields = strings.Split(u.text(), "-") }, []string{"keptFields", "element 0"}},
	{"closure", func(u unit) { s := u.text(); keptFunc = func() int { return len(s) } }, []string{"keptFunc"}},
	{"closure among hooks", func(u unit) {
		s := u.text()
		keptHooks = []func() int{func() int { return 1 }, func() int { return len(s) }}
	}, []string{"keptHooks", "element 1"}},
	{"method value", func(u unit) { keptMethod = u.price().total }, []string{"keptMethod"}},
	{"timer", func(u unit) {
		s := u.text()
		t := time.AfterFunc(time.Hour, func() { keptText = s })
		u.after(func() { t.Stop() })
	}, nil},
	{"channel", func(u unit) { keptQueue <- u.text() }, []string{"keptQueue"}},
	{"goroutine that sends", func(u unit) {
		queue := make(chan string)
		u.started(func(running chan<- bool, end <-chan bool) { sendKept(u.text(), queue, running) })
		u.after(func() { <-queue })
	}, []string{"goroutine", "chan send", "kept_ways_test.go"}},
	{"goroutine that receives", func(u unit) { u.started(func(r chan<- bool, end <-chan bool) { receiveKept(u.text(), r, end) }) },
		[]string{"goroutine", "receiveKept"}},
	{"goroutine that selects", func(u unit) { u.started(func(r chan<- bool, end <-chan bool) { selectKept(u.text(), r, end) }) },
		[]string{"goroutine", "selectKept"}},
	{"goroutine that sleeps", func(u unit) { u.started(func(r chan<- bool, end <-chan bool) { sleepKept(u.text(), r, end) }) },
		[]string{"goroutine", "sleepKept"}},
	{"goroutine that waits for a lock", func(u unit) {
		keptMutex.Lock()
		u.started(func(r chan<- bool, end <-chan bool) { lockKept(u.text(), r) })
		u.after(keptMutex.Unlock)
	}, []string{"goroutine", "lockKept"}},
	{"deferred call", func(u unit) { u.started(func(r chan<- bool, end <-chan bool) { deferKept(u.text(), r, end) }) },
		[]string{"goroutine", "deferKept"}},
	{"labels of a goroutine", func(u unit) {
		s := u.text()
		u.started(func(r chan<- bool, end <-chan bool) {
			pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("sku", s)))
			s = ""
			r <- true
			<-end
		})
	}, nil},
	{"value of a context", func(u unit) { keptContext = context.WithValue(context.Background(), keptKey{}, u.text()) }, []string{"keptContext"}},
	{"function after a context", func(u unit) {
		ctx, cancel := context.WithCancel(context.Background())
		s := u.text()
		context.AfterFunc(ctx, func() { keptText = s })
		keptParent = ctx
		u.after(cancel)
	}, []string{"keptParent"}},
	{"cause of a context", func(u unit) {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(&orderError{u.text()})
		keptContext = ctx
	}, []string{"keptContext"}},
	{"error", func(u unit) { keptError = &orderError{u.text()} }, []string{"keptError", "sku"}},
	{"joined errors", func(u unit) { keptJoined = errors.Join(io.EOF, &orderError{u.text()}) }, []string{"keptJoined", "sku"}},
	{"path of an error", func(u unit) { keptPath = &fs.PathError{Op: "open", Path: u.path(), Err: fs.ErrNotExist} }, []string{"keptPath", "Path"}},
	{"attribute of a logger", func(u unit) { keptLogger = slog.New(&attrs{Handler: slog.DiscardHandler}).With("sku", u.text()) }, []string{"keptLogger"}},
	{"prefix of a logger", func(u unit) { keptPrefix.SetPrefix(u.text()) }, []string{"keptPrefix"}},
	{"value of a header", func(u unit) { keptHeader.Set("Sku", u.text()) }, []string{"keptHeader", "value"}},
	{"name of a header", func(u unit) { keptNames[u.text()] = nil }, []string{"keptNames", "key"}},
	{"cookie", func(u unit) { keptCookie = &http.Cookie{Name: "sku", Value: u.text()} }, []string{"keptCookie", "Value"}},
	{"data of a template", func(u unit) { keptData = map[string]any{"sku": u.text()} }, []string{"keptData", "value"}},
	{"function of a template", func(u unit) {
		s := u.text()
		keptTemplate.Funcs(template.FuncMap{"sku": func() string { return s }})
	}, []string{"keptTemplate"}},
	{"result that is computed once", func(u unit) {
		s := u.text()
		keptOnce = sync.OnceValue(func() string { return s })
		keptOnce()
	}, []string{"keptOnce"}},
	{"name of a counter", func(u unit) {
		keptCounters = new(expvar.Map)
		keptCounters.Add(u.text(), 1)
	}, []string{"keptCounters"}},
	{"part of a URL", func(u unit) { keptURL, _ = url.Parse(u.path()) }, []string{"keptURL", "Path"}},
	{"query of a URL", func(u unit) { keptQuery, _ = url.ParseQuery(u.text()) }, []string{"keptQuery", "key"}},
	{"list of package container", func(u unit) { keptLRU.PushBack(u.text()) }, []string{"keptLRU", "Value"}},
	{"ring", func(u unit) { keptRing.Next().Value = u.text() }, []string{"keptRing", "Value"}},
	{"heap of package container", func(u unit) { keptHeap = new(prices); heap.Push(keptHeap, u.price()) }, []string{"keptHeap", "element 0"}},
	{"finalizer", func(u unit) {
		s := u.text()
		keptFinal = new(shelf)
		runtime.SetFinalizer(keptFinal, func(*shelf) { keptText = s })
	}, []string{"finalizer"}},
	{"cleanup", func(u unit) { runtime.AddCleanup(keptCleanup, func(s string) { keptText = s }, u.text()) }, nil},
	{"iterator that is pulled", func(u unit) {
		s := u.text()
		next, stop := iter.Pull(func(yield func(string) bool) { _ = yield("a") && yield(s) })
		next()
		keptPull = next
		u.after(stop)
	}, nil},
	{"iterator", func(u unit) { keptSeq = strings.SplitSeq(u.text(), "-") }, []string{"keptSeq"}},
	{"pattern", func(u unit) { keptPattern = regexp.MustCompile(u.text()) }, []string{"keptPattern"}},
	{"raw JSON", func(u unit) {
		if keptRaw = json.RawMessage(u.text()); !u.cloned {
			keptRaw = arena.Bytes(u.a, `{"sku": "long enough"}`)
		}
	}, []string{"keptRaw"}},
	{"reader", func(u unit) { keptReader = strings.NewReader(u.text()) }, []string{"keptReader"}},
	{"buffer", func(u unit) {
		if keptBuffer = bytes.NewBufferString(u.text()); !u.cloned {
			keptBuffer = bytes.NewBuffer(arena.Bytes(u.a, "bytes of an arena"))
		}
	}, []string{"keptBuffer", "buf"}},
	{"reader of a reader", func(u unit) { keptBuffered = bufio.NewReader(strings.NewReader(u.text())) }, []string{"keptBuffered"}},
	{"atomic pointer", func(u unit) { keptAtomic.Store(u.price()) }, []string{"keptAtomic"}},
	{"atomic value", func(u unit) { keptAny.Store(u.text()) }, []string{"keptAny"}},
	{"reflect.Value", func(u unit) { keptReflect = reflect.ValueOf(u.price()).Elem() }, []string{"keptReflect"}},
	{"interface of a text", func(u unit) { keptBox = u.text() }, []string{"keptBox"}},
	{"interface of a pointer", func(u unit) { keptPointer = u.price() }, []string{"keptPointer"}},
	{"pointer to a field", func(u unit) { keptField = &u.price().cents }, []string{"keptField"}},
	{"slice of values", func(u unit) {
		if keptRows = make([]price, 3); !u.cloned {
			keptRows = arena.MakeSlice[price](u.a, 3, 3)
		}
	}, []string{"keptRows"}},
	{"map of an arena", func(u unit) {
		if keptMap = new(arena.Map[string, int]); !u.cloned {
			keptMap = arena.NewMap[string, int](u.a, 100)
			keptMap.Set("a", 1)
		}
	}, []string{"keptMap"}},
	{"default of a flag", func(u unit) {
		keptFlags = flag.NewFlagSet("kept", flag.ContinueOnError)
		keptFlags.String("sku", u.text(), "")
	}, []string{"keptFlags"}},
	{"argument of a command", func(u unit) { keptCommand = exec.Command("true", u.text()) }, []string{"keptCommand", "Args", "element 1"}},
	{"name of a time zone", func(u unit) { keptZone = time.FixedZone(u.text(), 90) }, []string{"keptZone"}},
	{"replacer", func(u unit) { keptReplacer = strings.NewReplacer(u.text(), "a", "b", "c") }, []string{"keptReplacer"}},
	{"pattern of a mux", func(u unit) {
		keptMux = http.NewServeMux()
		keptMux.Handle(u.path(), http.NotFoundHandler())
	}, []string{"keptMux"}},
	{"function of a server", func(u unit) { s := u.text(); keptServer.RegisterOnShutdown(func() { keptText = s }) }, []string{"keptServer"}},
	{"request", func(u unit) { keptRequest = &http.Request{RequestURI: u.path()} }, []string{"keptRequest", "RequestURI"}},
	{"value of a panic", func(u unit) {
		defer func() { keptPanic = recover() }()
		panic(u.text())
	}, []string{"keptPanic"}},
	{"parts of bytes", func(u unit) {
		b := []byte(u.text())
		if !u.cloned {
			b = arena.Bytes(u.a, "bytes of an arena")
		}
		keptSplit = bytes.Split(b, []byte(" "))
	}, []string{"keptSplit", "element 0"}},
	{"deep in maps", func(u unit) {
		keptDeep["a"] = map[int][]*shelf{1: {{}, {tags: []string{"a", "b", u.text()}}}}
	}, []string{"keptDeep", "value", "value", "element 1", "tags", "element 2"}},
	{"goroutine that waits for a condition", func(u unit) {
		u.started(func(r chan<- bool, end <-chan bool) { condKept(u.text(), r) })
		u.after(keptCond.Broadcast)
	}, []string{"goroutine", "condKept"}},
}

type keptKey struct{}

// These hold s while they wait.

//go:noinline
func sendKept(s string, queue chan<- string, running chan<- bool) { running <- true; queue <- s }

//go:noinline
func receiveKept(s string, running chan<- bool, end <-chan bool) {
	running <- true
	<-end
	use(s)
}

//go:noinline
func selectKept(s string, running chan<- bool, end <-chan bool) {
	running <- true
	select {
	case <-end:
	case <-make(chan bool):
	}
	use(s)
}

//go:noinline
func sleepKept(s string, running chan<- bool, end <-chan bool) {
	running <- true
	for {
		select {
		case <-end:
			use(s)
			return
		case <-time.After(time.Hour):
		}
	}
}

//go:noinline
func lockKept(s string, running chan<- bool) {
	running <- true
	keptMutex.Lock()
	defer keptMutex.Unlock()
	use(s)
}

//go:noinline
func condKept(s string, running chan<- bool) {
	keptMutex.Lock()
	running <- true
	keptCond.Wait()
	keptMutex.Unlock()
	use(s)
}

//go:noinline
func deferKept(s string, running chan<- bool, end <-chan bool) {
	defer use(s)
	running <- true
	<-end
}

// use uses s where a fault is none: what it is called by has let the test end.
//
//go:noinline
func use(s string) { sink = len(s) }

var sink int
