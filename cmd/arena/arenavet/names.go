package arenavet

import (
	"go/types"
	"strings"
)

// corePath is the package whose arenas are followed. Analyzed programs need not have the version that this one was made for, so
// everything is known by its name.
const corePath = "github.com/arena-go/arena"

// refPath is the package of references.
const refPath = corePath + "/ref"

// An op says what a function that we know does.
type op uint8

const (
	opNone      op = iota
	opMake         // the result lies in the arena, which is an argument, and is zero or text
	opMakeOf       // the result lies in the arena and has a copy of the last argument: Ptr, Box
	opMakeSlice    // the result lies in the arena, with elements of slices that are arguments
	opGrow         // the result lies in the arena or where the slice did
	opMaybeMake    // the result lies in the arena, or is the text that was given
	opParts        // a slice in the arena, whose elements are parts of the text that was given
	opDerive       // the result is a part of the first argument
	opMayDerive    // the result may be a part of the first argument
	opElem         // a value of a Map
	opEntry        // a pointer into a Map
	opSet          // a Map gets a key
	opMapClear
	opHandle  // a handle to the arena, which Reset leaves usable
	opNew     // a new arena
	opNewWith // a new arena with Options
	opNewGroup
	opGet    // Pool.Get
	opMember // Group.Arena
	opReset
	opRewind // what was made since a Mark ends
	opFree
	opPut // Pool.Put
	opDrop
	opGroupReset
	opGroupFree
	opWait
	opDo      // calls a function with an arena that ends when it returns
	opGroupDo // calls a function with an arena of a Group
	opGroupGo // and in a goroutine
	opCall    // calls a function without arguments
	opClone
	opDeepClone
	opFromContext
	opNewContext
	opFork
	opGroupContext
	opKeep // the arena of the request stays
	opContext
	opFill   // the last argument, a pointer, is filled with values in the arena
	opRefGet // what a reference leads to, in the Space that is given
	opMakeRef
	opSyncGet
	opSyncPut
	opMapStore // sync.Map
	opWithValue
	opClean  // reads its arguments, and returns nothing that is theirs
	opInsert // a sequence is put into a Map
	opNoUse  // looks at no memory: KeepAlive
	opRows   // the result lies in the arena, and so does all that it leads to
	opGo     // calls a function in a goroutine
	opEach   // calls a function with a pointer to what lies in the arena
	opWrap   // an error with others in it
	opRefIn  // a ref.Map or ref.List gets an entry, in the Space that is given
	opInto   // a Builder grows, and returns nothing that is an argument's
	opHolds  // the result refers to all arguments
	opAddTo  // the first argument refers to the others from now on
	opCell   // the first argument, an atomic pointer or value, has the last one from now on
	opLoad   // what an atomic pointer or value has
	opHeader // what a writer sends when its handler has returned
	opHijack // the connection is the handler's, and the arena of the request is its own
)

// known has the functions by package and name. Methods have their type in front.
var known = map[string]op{}

func init() {
	for line := range strings.Lines(knownText) {
		f := strings.Fields(line)
		if len(f) < 3 {
			continue
		}
		o, ok := opNames[f[0]]
		if !ok {
			panic("arenavet: no op " + f[0])
		}
		pkg := f[1]
		if pkg == "arena" || strings.HasPrefix(pkg, "arena/") {
			pkg = corePath + strings.TrimPrefix(pkg, "arena")
		}
		for _, name := range f[2:] {
			known[pkg+"."+name] = o
		}
	}
}

var opNames = map[string]op{
	"make": opMake, "makeof": opMakeOf, "makeslice": opMakeSlice, "grow": opGrow, "maybemake": opMaybeMake, "parts": opParts, "derive": opDerive,
	"mayderive": opMayDerive, "elem": opElem, "entry": opEntry, "set": opSet, "mapclear": opMapClear, "handle": opHandle, "new": opNew, "newwith": opNewWith,
	"newgroup": opNewGroup, "get": opGet, "member": opMember, "reset": opReset, "rewind": opRewind, "free": opFree, "put": opPut, "drop": opDrop,
	"groupreset": opGroupReset, "groupfree": opGroupFree, "wait": opWait, "do": opDo, "groupdo": opGroupDo, "groupgo": opGroupGo, "call": opCall,
	"clone": opClone, "deepclone": opDeepClone, "fromcontext": opFromContext, "newcontext": opNewContext, "fork": opFork,
	"groupcontext": opGroupContext, "keep": opKeep, "context": opContext, "fill": opFill, "refget": opRefGet, "makeref": opMakeRef,
	"syncget": opSyncGet, "syncput": opSyncPut, "mapstore": opMapStore, "withvalue": opWithValue, "clean": opClean, "insert": opInsert, "nouse": opNoUse,
	"rows": opRows, "go": opGo, "each": opEach, "wrap": opWrap, "refin": opRefIn, "into": opInto, "holds": opHolds, "addto": opAddTo,
	"cell": opCell, "load": opLoad, "hijack": opHijack, "header": opHeader,
}

// knownText has the op, the package, and the names.
const knownText = `
make arena New MakeSlice String Bytes Concat Join Sprintf NewBuilder NewMap MakeSliceAligned MakeSliceValue NewValue ReadAll ReadAllLimit Slab.New Arena.New Arena.NewMap Arena.MakeSlice Arena.String Arena.Bytes
make arena/arenakit Slab.New Slab.Slice
makeof arena Ptr Box Arena.Ptr Arena.Box
makeslice arena SliceOf Collect CollectMap SortedKeys Arena.SliceOf Arena.Collect
grow arena Append Push AppendSeq Grow Arena.Append Arena.Push Arena.Grow
handle arena SlabOf Arena.SlabOf
handle arena/arenakit SlabOf
handle arena/arenascope OrHeap
handle arena/ref In SlabOf
new arena NewArena
newwith arena NewWith
newgroup arena NewGroup
get arena Pool.Get
member arena Group.Arena
reset arena Arena.Reset
rewind arena Arena.Rewind
free arena Arena.Free
put arena Pool.Put
drop arena Pool.Drop
groupreset arena Group.Reset
groupfree arena Group.Free
wait arena Group.Wait
do arena Do Pool.Do
groupdo arena Group.Do
groupgo arena Group.Go
call arena Try
clone arena Clone
deepclone arena DeepClone
fromcontext arena FromContext
newcontext arena NewContext
fork arena Fork
fork arena/arenascope NewContext
groupcontext arena Group.NewContext
derive arena Builder.String Builder.Bytes Builder.AvailableBuffer Map.All Map.Keys Map.Values
entry arena Map.Entry Map.Lookup LookupText
elem arena Map.Get
set arena Map.Set
insert arena Map.Insert
mapclear arena Map.Clear
clean arena Map.Len Map.Has Map.Delete Builder.Len Builder.Cap Builder.Available Builder.Reset Builder.Truncate Arena.Stats Arena.Mark Group.Stats Pool.Stats
into arena Builder.Write Builder.WriteString Builder.WriteByte Builder.WriteRune Builder.Printf Builder.WriteInt Builder.WriteUint Builder.WriteFloat Builder.WriteBool Builder.WriteQuote Builder.WriteJSONString Builder.ReadFrom Builder.Grow
refget arena/ref Of.Get Slice.Get Slice.At String.Get List.Get Map.Get Map.Lookup Map.All Map.Delete Map.Clear
refget arena/ref TextMap.Get TextMap.Lookup TextMap.All TextMap.Delete TextMap.Clear
refget arena/ref Tree.Get Tree.Lookup Tree.All Tree.Backward Tree.BackwardFrom Tree.From Tree.Range Tree.Min Tree.Max Tree.Delete Tree.Clear
refget arena/ref TextTree.Get TextTree.Lookup TextTree.All TextTree.Backward TextTree.BackwardFrom TextTree.From TextTree.Prefix TextTree.Range TextTree.Min TextTree.Max TextTree.Delete TextTree.Clear
refin arena/ref List.Append List.Grow Map.Set Map.Entry Map.Grow TextMap.Set TextMap.Entry TextMap.Grow Tree.Set Tree.Entry TextTree.Set TextTree.Entry
makeref arena/ref New NewSlice NewString At
nouse runtime KeepAlive
make arena/arenastrings Itoa FormatInt FormatUint FormatFloat Quote
parts arena/arenastrings Fields FieldsFunc Split SplitAfter SplitN
maybemake arena/arenastrings Map Repeat Replace ReplaceAll ToLower ToUpper
make arena/arenapb New
fill arena/arenapb Unmarshal UnmarshalOptions.Unmarshal UnmarshalJSON UnmarshalJSONOptions.Unmarshal
make arena/arenapb Marshal MarshalOptions.Marshal MarshalJSON MarshalJSONOptions.Marshal
grow arena/arenapb MarshalAppend MarshalOptions.MarshalAppend MarshalJSONOptions.MarshalAppend
make arena/arenapb/gogo New
fill arena/arenapb/gogo Unmarshal UnmarshalOptions.Unmarshal
deepclone arena/arenapb Clone
fill arena/arenajson Unmarshal UnmarshalOptions.Unmarshal UnmarshalOptions.UnmarshalStrict Decoder.Decode
make arena/arenajson Marshal MarshalOptions.Marshal
grow arena/arenajson Append MarshalOptions.Append
clean arena/arenajson Valid Write MarshalOptions.Write Encoder.Encode
rows arena/arenapgx Collect CollectPointers One Exactly
each arena/arenapgx ForEach
fill arena/arenapgx Scan
make arena/arenapgx TextArray IntArray
rows arena/arenasql Collect CollectPointers One Exactly
each arena/arenasql ForEach
fill arena/arenasql Scan
hijack net/http ResponseController.Hijack Hijacker.Hijack
hijack github.com/gorilla/websocket Upgrader.Upgrade
hijack github.com/coder/websocket Accept
keep arena/arenahttp Keep
keep arena/arenagrpc Keep
keep arena/arenaconnect Keep
keep arena/arenascope Keep
new arena/arenatest New
do arena/arenatest NoHeap
make arena/arenaarrow/build NewBools NewBuilder NewColumn NewList NewText
syncget sync Pool.Get
syncput sync Pool.Put
mapstore sync Map.Store Map.LoadOrStore Map.Swap Map.CompareAndSwap
cell sync/atomic Pointer.Store Pointer.Swap Pointer.CompareAndSwap Value.Store Value.Swap Value.CompareAndSwap StorePointer SwapPointer CompareAndSwapPointer
load sync/atomic Pointer.Load Value.Load LoadPointer
call sync Once.Do
wait sync WaitGroup.Wait Cond.Wait
wait golang.org/x/sync/errgroup Group.Wait
go sync WaitGroup.Go
go golang.org/x/sync/errgroup Group.Go
go time AfterFunc
go context AfterFunc
wait time Timer.Stop
context net/http Request.Context
context context WithCancel WithTimeout WithDeadline WithCancelCause WithoutCancel WithTimeoutCause WithDeadlineCause
withvalue context WithValue
derive strings Trim TrimSpace TrimLeft TrimRight TrimPrefix TrimSuffix TrimFunc TrimLeftFunc TrimRightFunc Cut CutPrefix CutSuffix Fields FieldsFunc FieldsSeq FieldsFuncSeq Lines Split SplitN SplitAfter SplitAfterN SplitSeq SplitAfterSeq NewReader
derive strings ToLower ToUpper ToTitle ToValidUTF8 Map Replace ReplaceAll Title Replacer.Replace
clean strings Clone Repeat Join Contains ContainsAny ContainsRune ContainsFunc HasPrefix HasSuffix Index IndexAny IndexByte IndexFunc IndexRune LastIndex LastIndexAny LastIndexByte LastIndexFunc Count Compare EqualFold Builder.String Builder.WriteString Builder.WriteByte Builder.WriteRune Builder.Write
derive bytes Trim TrimSpace TrimLeft TrimRight TrimPrefix TrimSuffix TrimFunc TrimLeftFunc TrimRightFunc Cut CutPrefix CutSuffix Fields FieldsFunc FieldsSeq FieldsFuncSeq Lines Split SplitN SplitAfter SplitAfterN SplitSeq SplitAfterSeq NewReader NewBuffer NewBufferString Buffer.Bytes Buffer.Next Buffer.AvailableBuffer Runes
clean bytes Clone Contains ContainsAny Equal HasPrefix HasSuffix Index IndexByte Count Compare EqualFold ToLower ToUpper Map Replace ReplaceAll Repeat Join Buffer.String Buffer.Len Buffer.Cap Buffer.WriteString Buffer.WriteByte Buffer.WriteRune Buffer.Write Buffer.WriteTo Buffer.ReadFrom Buffer.Reset Buffer.Grow Buffer.Truncate
derive path Base Ext
derive path/filepath Base Ext VolumeName
clone slices Clone
clone maps Clone
derive slices Clip Values All Backward Collect Sorted SortedFunc SortedStableFunc Delete DeleteFunc Compact CompactFunc
mayderive slices Grow
derive maps Keys Values All Collect
derive errors New
derive sync OnceFunc OnceValue OnceValues
holds bufio NewReader NewReaderSize NewScanner
holds io LimitReader MultiReader NopCloser TeeReader
holds encoding/json NewDecoder
holds encoding/csv NewReader
holds log/slog With Logger.With Logger.WithGroup Any AnyValue Group GroupAttrs GroupValue String StringValue
holds net/http NewRequest NewRequestWithContext
holds strings NewReplacer
addto log/slog Record.Add Record.AddAttrs
addto container/list List.PushBack List.PushFront List.InsertBefore List.InsertAfter
addto container/heap Push
addto net/http ServeMux.Handle ServeMux.HandleFunc
header net/http ResponseWriter.Header
addto net/url Values.Add Values.Set
wrap errors Join
wrap fmt Errorf
clean fmt Sprint Sprintf Sprintln Print Printf Println Fprint Fprintf Fprintln Append Appendf Appendln Sscan Sscanf
clean strconv Itoa Atoi ParseInt ParseUint ParseFloat ParseBool FormatInt FormatUint FormatFloat FormatBool Quote AppendInt AppendQuote AppendUint AppendFloat AppendBool
clean encoding/json Marshal MarshalIndent Valid Encoder.Encode
clean encoding/hex EncodeToString DecodeString
clean encoding/base64 Encoding.EncodeToString Encoding.DecodeString
clean log Print Printf Println
clean unicode/utf8 RuneCountInString RuneCount ValidString Valid DecodeRuneInString DecodeRune DecodeLastRuneInString
clean io WriteString Copy ReadFull
clean hash/maphash String Bytes
`

// opOf returns what is known of a function.
func opOf(fn *types.Func) op {
	if fn == nil || fn.Pkg() == nil {
		return opNone
	}
	return known[fn.Pkg().Path()+"."+localName(fn)]
}

// localName returns the name of a function in its package. A method has its type in front.
func localName(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return fn.Name()
	}
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name() + "." + fn.Name()
	}
	return fn.Name()
}

// callName is how a call of the function looks: arena.String, a.Reset.
func callName(fn *types.Func) string {
	if fn == nil {
		return "a call"
	}
	if fn.Signature().Recv() != nil {
		return localName(fn)
	}
	if fn.Pkg() == nil {
		return fn.Name()
	}
	return fn.Pkg().Name() + "." + fn.Name()
}

// coreType returns the name of a type of the core, without a star, or "".
func coreType(t types.Type) string {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != corePath {
		return ""
	}
	return n.Obj().Name()
}

// handle reports whether values of t are arenas, or handles that stay usable when their arena is Reset.
func handle(t types.Type) bool {
	switch coreType(t) {
	case "Arena", "Slab", "Group":
		return true
	}
	return isNamed(t, refPath, "Space") || isNamed(t, refPath, "Slab") || isNamed(t, corePath+"/arenakit", "Slab")
}

func isNamed(t types.Type, pkg, name string) bool {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg && n.Obj().Name() == name
}

// reads are packages of the standard library whose functions leave what they are given as it is.
var reads = map[string]bool{
	"fmt": true, "strings": true, "strconv": true, "errors": true, "log": true, "log/slog": true, "unicode/utf8": true, "os": true, "net/http": true,
	"math": true, "slices": true, "sort": true, "maps": true, "path": true, "path/filepath": true, "hash/maphash": true, "runtime": true, "sync": true, "sync/atomic": true, "context": true,
	"testing": true, "time": true, "cmp": true,
}
