package names

import "strings"

// An Own is a function of an arena package, and what it does: arenavet's word for it, and lives'
// word. None is "-".
type Own struct{ Path, Name, Vet, Lives string }

// Owns yields these functions.
func Owns(yield func(Own) bool) {
	for line := range strings.Lines(owns) {
		f := strings.Fields(line)
		for _, name := range f[3:] {
			if !yield(Own{Core + strings.TrimPrefix(f[2], "arena"), name, f[0], f[1]}) {
				return
			}
		}
	}
}

// owns has in each line the word of arenavet, the word of lives, the package, and the functions.
const owns = `make new arena New MakeSlice MakeMap String Bytes Concat Join MakeSliceAligned ReadAll ReadAllLimit Slab.New Arena.New Arena.MakeSlice Arena.String
make new arena Arena.Bytes
make format arena Sprintf
make map arena NewBuilder NewMap Arena.NewMap
make - arena MakeSliceValue NewValue
makeof ptr arena Ptr Arena.Ptr
makeof box arena Box Arena.Box
makeslice elements arena SliceOf Arena.SliceOf
makeslice collect arena Collect CollectMap Arena.Collect
makeslice keys arena SortedKeys
grow grow arena Append Push Grow Arena.Append Arena.Push Arena.Grow
grow collect arena AppendSeq
handle handle arena SlabOf Arena.SlabOf
new arena arena NewArena
newwith arenaof arena NewWith
newgroup arena arena NewGroup
get arena arena Pool.Get
member member arena Group.Arena
reset reset arena Arena.Reset
rewind rewind arena Arena.Rewind
free free arena Arena.Free
put put arena Pool.Put
drop nothing arena Pool.Drop
groupreset groupreset arena Group.Reset
groupfree groupfree arena Group.Free
wait wait arena Group.Wait
do do arena Do Pool.Do
groupdo groupdo arena Group.Do
groupgo groupgo arena Group.Go
call try arena Try
clone clone arena Clone
deepclone copy arena DeepClone
fromcontext fromcontext arena FromContext
newcontext newcontext arena NewContext
fork same arena Fork
groupcontext newcontext arena Group.NewContext
derive derive arena Builder.String Builder.Bytes Builder.AvailableBuffer
derive all arena Map.All Map.Keys
derive values arena Map.Values
entry entry arena Map.Entry Map.Lookup LookupText
elem get arena Map.Get
set set arena Map.Set
insert collect arena Map.Insert
mapclear nothing arena Map.Clear
clean nothing arena Map.Len Map.Has Map.Delete Builder.Len Builder.Cap Builder.Available Builder.Reset Arena.Stats Group.Stats
clean nothing arena Pool.Stats
truncate nothing arena Builder.Truncate
mark mark arena Arena.Mark
into nothing arena Builder.Write Builder.WriteString Builder.WriteByte Builder.WriteRune Builder.WriteInt Builder.WriteUint Builder.WriteFloat
into nothing arena Builder.WriteBool Builder.WriteQuote Builder.WriteJSONString Builder.ReadFrom Builder.Grow
into format arena Builder.Printf
- nothing arena Arena.Limit LimitError.Error LimitError.Is LimitError.Unwrap MemoryError.Error MemoryError.Is MemoryError.Unwrap
make new arena/arenabufio Text ReadString ReadBytes
make - arena/arenabufio NewReader NewReaderSize NewScanner
make - arena/arenakit Slab.New Slab.Slice
handle - arena/arenakit SlabOf
handle nothing arena/arenascope OrHeap
fork - arena/arenascope NewContext
keep nothing arena/arenascope Keep
- same arena/arenascope OutOfMemory
handle - arena/ref In SlabOf
reffree - arena/ref Of.Free
refget - arena/ref Of.Get Slice.Get Slice.At String.Get List.Get Map.Get Map.Lookup Map.All Map.Delete Map.Clear TextMap.Get TextMap.Lookup
refget - arena/ref TextMap.All TextMap.Delete TextMap.Clear Tree.Get Tree.Lookup Tree.All Tree.Backward Tree.BackwardFrom Tree.From Tree.Range
refget - arena/ref Tree.Min Tree.Max Tree.Delete Tree.Clear TextTree.Get TextTree.Lookup TextTree.All TextTree.Backward TextTree.BackwardFrom
refget - arena/ref TextTree.From TextTree.Prefix TextTree.Range TextTree.Min TextTree.Max TextTree.Delete TextTree.Clear
refin - arena/ref List.Append List.Grow Map.Set Map.Entry Map.Grow TextMap.Set TextMap.Entry TextMap.Grow Tree.Set Tree.Entry TextTree.Set
refin - arena/ref TextTree.Entry
makeref - arena/ref New NewSlice NewString At
nouse - arena/ref Of.IsNil Of.Offset Slice.Len String.Len List.Len
make new arena/arenastrings Itoa FormatInt FormatUint FormatFloat Quote
parts parts arena/arenastrings Fields Split SplitAfter SplitN
parts - arena/arenastrings FieldsFunc
maybemake - arena/arenastrings Map
maybemake maynew arena/arenastrings Repeat Replace ReplaceAll ToLower ToUpper
make new arena/arenapb New
fill fill arena/arenapb Unmarshal UnmarshalOptions.Unmarshal UnmarshalJSON UnmarshalJSONOptions.Unmarshal
make marshal arena/arenapb Marshal MarshalOptions.Marshal MarshalJSON MarshalJSONOptions.Marshal
grow marshal arena/arenapb MarshalAppend MarshalOptions.MarshalAppend MarshalJSONOptions.MarshalAppend
deepclone copy arena/arenapb Clone
fillrequest fillctx arena/arenapb Read ReadOptions.Read
- nothing arena/arenapb Fallbacks JSONFallbacks Panics RequestError.Error
make new arena/arenapb/gogo New
fill fill arena/arenapb/gogo Unmarshal UnmarshalOptions.Unmarshal
fill fill arena/arenajson Unmarshal UnmarshalOptions.Unmarshal UnmarshalOptions.UnmarshalStrict Decoder.Decode
make marshal arena/arenajson Marshal MarshalOptions.Marshal
grow marshal arena/arenajson Append MarshalOptions.Append
clean nothing arena/arenajson Valid
clean write arena/arenajson Write MarshalOptions.Write Encoder.Encode
fillrequest fillctx arena/arenajson Read ReadOptions.Read
- nothing arena/arenajson RequestError.Error DuplicateNameError.Error InvalidUTF8Error.Error
rows rows arena/arenapgx Collect CollectPointers One Exactly
each each arena/arenapgx ForEach
fill fillall arena/arenapgx Scan
make list arena/arenapgx TextArray IntArray
rows rows arena/arenasql Collect CollectPointers One Exactly
each each arena/arenasql ForEach
fill - arena/arenasql Scan
keep nothing arena/arenahttp Keep
- nothing arena/arenahttp Middleware New
keep nothing arena/arenagrpc Keep
keep nothing arena/arenaconnect Keep
new arena arena/arenatest New
do do arena/arenatest NoHeap
make - arena/arenaarrow/build NewBools NewBuilder NewColumn NewList NewText
`
