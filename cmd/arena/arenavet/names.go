package arenavet

import (
	"go/types"
	"strings"

	"github.com/arena-go/arena/cmd/arena/internal/names"
)

const corePath = names.Core

// refPath is the package of references.
const refPath = corePath + "/ref"

// An op says what a function that we know does.
type op string

const (
	opNone         op = ""
	opMake         op = "make"      // the result lies in the arena, which is an argument, and is zero or text
	opMakeOf       op = "makeof"    // the result lies in the arena and has a copy of the last argument: Ptr, Box
	opMakeSlice    op = "makeslice" // the result lies in the arena, with elements of slices that are arguments
	opGrow         op = "grow"      // the result lies in the arena or where the slice did
	opMaybeMake    op = "maybemake" // the result lies in the arena, or is the text that was given
	opParts        op = "parts"     // a slice in the arena, whose elements are parts of the text that was given
	opDerive       op = "derive"    // the result is a part of the first argument
	opSliceInsert  op = "inserts"   // what append returns, with the elements elsewhere
	opElem         op = "elem"      // a value of a Map
	opEntry        op = "entry"     // a pointer into a Map
	opSet          op = "set"       // a Map gets a key
	opMapClear     op = "mapclear"  // a Map, or a map by what a function says, loses its keys
	opHandle       op = "handle"    // a handle to the arena, which Reset leaves usable
	opNew          op = "new"       // a new arena
	opNewWith      op = "newwith"   // a new arena with Options
	opNewGroup     op = "newgroup"
	opGet          op = "get"    // Pool.Get
	opMember       op = "member" // Group.Arena
	opReset        op = "reset"
	opMark         op = "mark"
	opRewind       op = "rewind" // what was made since a Mark ends
	opFree         op = "free"
	opPut          op = "put" // Pool.Put
	opDrop         op = "drop"
	opGroupReset   op = "groupreset"
	opGroupFree    op = "groupfree"
	opWait         op = "wait"
	opDo           op = "do"      // calls a function with an arena that ends when it returns
	opGroupDo      op = "groupdo" // calls a function with an arena of a Group
	opGroupGo      op = "groupgo" // and in a goroutine
	opCall         op = "call"    // calls a function without arguments
	opClone        op = "clone"
	opShallow      op = "shallow" // a copy, with the text of the original
	opDeepClone    op = "deepclone"
	opFromContext  op = "fromcontext"
	opNewContext   op = "newcontext"
	opFork         op = "fork"
	opGroupContext op = "groupcontext"
	opKeep         op = "keep" // the arena of the request stays
	opContext      op = "context"
	opFill         op = "fill"        // the last argument, a pointer, is filled with values in the arena
	opFillRequest  op = "fillrequest" // the same in the arena of the request before it
	opRefGet       op = "refget"      // what a reference leads to, in the Space that is given
	opMakeRef      op = "makeref"
	opRefFree      op = "reffree"  // what a reference leads to is made again
	opTruncate     op = "truncate" // what a Builder returned as bytes is written anew
	opSyncGet      op = "syncget"
	opSyncPut      op = "syncput"
	opMapStore     op = "mapstore" // sync.Map
	opWithValue    op = "withvalue"
	opCtxValue     op = "ctxvalue" // what a context has for a key
	opClean        op = "clean"    // reads its arguments, and returns nothing that is theirs
	opInsert       op = "insert"   // a sequence is put into a Map
	opNoUse        op = "nouse"    // looks at no memory: KeepAlive
	opRows         op = "rows"     // the result lies in the arena, and so does all that it leads to
	opGo           op = "go"       // calls a function in a goroutine
	opEach         op = "each"     // calls a function with a pointer to what lies in the arena
	opWrap         op = "wrap"     // an error with others in it
	opAs           op = "as"       // an error that is in the first argument
	opUnwrap       op = "unwrap"   // the error that an error wraps
	opRefIn        op = "refin"    // a ref.Map or ref.List gets an entry, in the Space that is given
	opInto         op = "into"     // a Builder grows, and returns nothing that is an argument's
	opHolds        op = "holds"    // the result refers to all arguments
	opAddTo        op = "addto"    // the first argument refers to the others from now on
	opTexts        op = "texts"    // the first argument keeps the texts of the others: strings, or those in slices and maps
	opSelf         op = "self"     // addto, and the result is the first argument
	opAttrs        op = "attrs"    // calls a function with what a record has
	opLabels       op = "labels"   // the goroutine refers to the first argument until it is called again
	opNodes        op = "nodes"    // a list or a ring, or an element of one
	opCell         op = "cell"     // the first argument, an atomic pointer or value, has the last one from now on
	opLoad         op = "load"     // what an atomic pointer or value has
	opHeader       op = "header"   // what a writer sends when its handler has returned
	opPull         op = "pull"     // a function returns what a sequence gives
	opShare        op = "share"    // what a function returns goes to other callers, too
	opAppends      op = "append"   // a method of an interface appends to the slice that it is given
	opLock         op = "lock"     // waits for who has the lock
	opHijack       op = "hijack"   // the connection is the handler's, and the arena of the request is its own
)

// known has the functions by package and name. Methods have their type in front.
var known = map[string]op{}

func init() {
	for own := range names.Owns {
		if own.Vet != "-" {
			known[own.Path+"."+own.Name] = op(own.Vet)
		}
	}
	for line := range strings.Lines(knownText) {
		if f := strings.Fields(line); len(f) > 2 {
			for _, name := range f[2:] {
				known[f[1]+"."+name] = op(f[0])
			}
		}
	}
}

// knownText has the op, the package, and the names, of functions that no package of arenas has.
const knownText = `
nouse runtime KeepAlive
hijack net/http ResponseController.Hijack Hijacker.Hijack
hijack github.com/gorilla/websocket Upgrader.Upgrade
hijack github.com/coder/websocket Accept
syncget sync Pool.Get
syncput sync Pool.Put
mapstore sync Map.Store Map.LoadOrStore Map.Swap Map.CompareAndSwap
cell sync/atomic Pointer.Store Pointer.Swap Pointer.CompareAndSwap Value.Store Value.Swap Value.CompareAndSwap StorePointer SwapPointer CompareAndSwapPointer
load sync/atomic Pointer.Load Value.Load LoadPointer
call sync Once.Do
share golang.org/x/sync/singleflight Group.Do Group.DoChan
wait sync WaitGroup.Wait Cond.Wait
wait golang.org/x/sync/errgroup Group.Wait
append hash Hash.Sum
append encoding BinaryAppender.AppendBinary TextAppender.AppendText
append encoding/binary AppendByteOrder.AppendUint16 AppendByteOrder.AppendUint32 AppendByteOrder.AppendUint64
append crypto/cipher AEAD.Seal AEAD.Open
lock sync Mutex.Lock RWMutex.Lock RWMutex.RLock
go sync WaitGroup.Go
go golang.org/x/sync/errgroup Group.Go
go time AfterFunc
go context AfterFunc
wait time Timer.Stop
context net/http Request.Context
context context WithCancel WithTimeout WithDeadline WithCancelCause WithoutCancel WithTimeoutCause WithDeadlineCause
withvalue context WithValue
ctxvalue context Context.Value
derive strings FieldsSeq FieldsFuncSeq Lines SplitSeq SplitAfterSeq Replacer.Replace
clean strings Repeat Join Builder.String
derive bytes FieldsSeq FieldsFuncSeq Lines SplitSeq SplitAfterSeq NewBufferString Buffer.Bytes Buffer.Next Buffer.Peek Buffer.AvailableBuffer
derive bufio Reader.Peek Reader.ReadSlice Reader.ReadLine Writer.AvailableBuffer
clone slices Clone
clone maps Clone
shallow google.golang.org/protobuf/proto Clone CloneOf
shallow github.com/golang/protobuf/proto Clone
derive slices Values All Backward Collect Sorted SortedFunc SortedStableFunc Grow Clip
inserts slices Insert
derive maps Keys Values All Collect
mapclear maps DeleteFunc
derive errors New
derive weak Make Pointer.Value
derive sync OnceFunc OnceValue OnceValues
holds log/slog With Logger.With Logger.WithGroup Any AnyValue Group GroupAttrs GroupValue String StringValue
holds io MultiReader
holds net/http NewRequest NewRequestWithContext Request.WithContext Request.Clone
derive log/slog Record.Clone
addto log/slog Record.Add Record.AddAttrs
texts github.com/prometheus/client_golang/prometheus CounterVec.With CounterVec.WithLabelValues CounterVec.GetMetricWith CounterVec.GetMetricWithLabelValues
texts github.com/prometheus/client_golang/prometheus GaugeVec.With GaugeVec.WithLabelValues GaugeVec.GetMetricWith GaugeVec.GetMetricWithLabelValues
texts github.com/prometheus/client_golang/prometheus HistogramVec.With HistogramVec.WithLabelValues HistogramVec.GetMetricWith HistogramVec.GetMetricWithLabelValues
texts github.com/prometheus/client_golang/prometheus SummaryVec.With SummaryVec.WithLabelValues SummaryVec.GetMetricWith SummaryVec.GetMetricWithLabelValues
attrs log/slog Record.Attrs
holds text/template New
self text/template Template.New Template.Parse Template.Funcs Template.Delims Template.Lookup
derive text/template Must
holds html/template New
self html/template Template.New Template.Parse Template.Funcs Template.Delims Template.Lookup
derive html/template Must
holds runtime/pprof Labels WithLabels
labels runtime/pprof SetGoroutineLabels
nodes container/list New List.Init List.PushBack List.PushFront List.InsertBefore List.InsertAfter List.Front List.Back List.Remove
nodes container/list List.MoveToFront List.MoveToBack List.MoveBefore List.MoveAfter Element.Next Element.Prev
nodes container/ring New Ring.Next Ring.Prev Ring.Move Ring.Link Ring.Unlink Ring.Do
addto container/heap Push
elem container/heap Pop Remove
elem bufio Scanner.Bytes
clean bufio Scanner.Scan
pull iter Pull Pull2
addto net/http ServeMux.Handle ServeMux.HandleFunc
header net/http ResponseWriter.Header
wrap errors Join
wrap fmt Errorf
as errors As AsType
unwrap errors Unwrap
clean fmt Sprint Sprintf Sprintln Print Printf Println Fprint Fprintf Fprintln Append Appendf Appendln Sscan Sscanf
clean strconv Itoa FormatInt FormatUint FormatFloat FormatBool
clean encoding/json Marshal MarshalIndent Valid Encoder.Encode
clean log Print Printf Println
clean hash/maphash String Bytes
`

// opOf returns what is known of a function.
func opOf(fn *types.Func) op {
	return known[names.Path(fn)]
}

// callName is how a call of the function looks: arena.String, a.Reset.
func callName(fn *types.Func) string {
	if fn == nil {
		return "a call"
	}
	if fn.Signature().Recv() != nil {
		return names.Local(fn)
	}
	if fn.Pkg() == nil {
		return fn.Name()
	}
	return fn.Pkg().Name() + "." + fn.Name()
}

// coreType returns the name of a type of the core, without a star, or "".
func coreType(t types.Type) string {
	n := names.Type(t)
	if n == nil || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != corePath {
		return ""
	}
	return n.Obj().Name()
}

// handle reports whether values of t are arenas, or handles that stay usable when their arena is
// Reset.
func handle(t types.Type) bool {
	switch coreType(t) {
	case "Arena", "Slab", "Group":
		return true
	}
	return names.Is(t, refPath, "Space") || names.Is(t, refPath, "Slab") || names.Is(t, corePath+"/arenakit", "Slab")
}

// readers are packages of the standard library whose functions do not change their arguments. It is
// true for those whose functions keep nothing of them, either: what these return may be a part.
var readers = map[string]bool{
	"fmt": true, "strings": true, "strconv": true, "unicode/utf8": true, "math": true, "path": true, "path/filepath": true, "cmp": true, "hash/maphash": true,
	"errors": false, "log": false, "log/slog": false, "os": false, "net/http": false, "slices": false, "sort": false, "maps": false, "runtime": false,
	"sync": false, "sync/atomic": false, "context": false, "testing": false, "time": false,
}

// reads reports whether a function is of a package whose functions do not change their arguments.
func reads(fn *types.Func) bool {
	_, ok := readers[names.Package(fn)]
	return ok
}
