package main

// A Profile is a decoded profile.proto message: what a Go program writes with
// runtime/pprof and what `go tool pprof` reads.
//
// References are pointers here, where the file has numbers: a sample points to
// its locations, a location to its functions. The objects live in the arena
// that was given to [Decode], and are ordinary Go objects in every respect.
type Profile struct {
	SampleType        []ValueType
	Sample            []*Sample
	Mapping           []*Mapping
	Location          []*Location
	Function          []*Function
	DropFrames        string
	KeepFrames        string
	TimeNanos         int64
	DurationNanos     int64
	PeriodType        ValueType
	Period            int64
	Comment           []string
	DefaultSampleType string
	DocURL            string
}

// A ValueType says what a number counts, such as cpu in nanoseconds.
type ValueType struct {
	Type, Unit string
}

// String returns the type in the notation of pprof: "cpu/nanoseconds".
func (v ValueType) String() string { return v.Type + "/" + v.Unit }

// A Sample is one stack with its values, one for each sample type.
type Sample struct {
	Location []*Location // the leaf comes first
	Value    []int64
	Label    []Label
}

// A Label is a key with either a string or a number.
type Label struct {
	Key, Str string
	Num      int64
	NumUnit  string
}

// A Mapping is a part of the address space, such as the program or a library.
type Mapping struct {
	ID, Start, Limit, Offset uint64
	File, BuildID            string
	HasFunctions             bool
	HasFilenames             bool
	HasLineNumbers           bool
	HasInlineFrames          bool
}

// A Location is an address. It represents several frames if the compiler has inlined calls.
type Location struct {
	ID       uint64
	Mapping  *Mapping // may be nil
	Address  uint64
	Line     []Line // the innermost inlined call comes first
	IsFolded bool
}

// A Line is a place in the source of a function.
type Line struct {
	Function     *Function // may be nil
	Line, Column int64
}

// A Function is a function of the profiled program.
type Function struct {
	ID                         uint64
	Name, SystemName, Filename string
	StartLine                  int64

	frame *Frame // the function in the tree that Tree.Add is filling
}
