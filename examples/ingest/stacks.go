package main

import (
	"fmt"
	"path"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb/profilepb"
)

// What bounds a profile. A location may be in many stacks, and stand for many frames: a few bytes
// can mean very much work.
const (
	maxFrames = 4 << 20 // of all stacks together, in what is sent
	maxDepth  = 1 << 14 // of one
)

// A profileError says what is wrong with a profile.
type profileError struct{ text string }

func (e *profileError) Error() string { return "the profile is invalid: " + e.text }

func invalid(format string, args ...any) error {
	return &profileError{fmt.Sprintf(format, args...)}
}

// A stacks is what a tree takes of a profile, all of which has been checked.
type stacks struct {
	types     []valueType
	preferred string
	names     []string            // of the frames
	samples   []*profilepb.Sample // whose location ids are places in spans
	spans     []span              // of each location, in frames
	frames    []int32             // places in names, the caller before those that are inlined into it
}

type span struct{ from, to int32 }

// at returns the frames of a location.
func (s *stacks) at(place uint64) []int32 {
	at := s.spans[place]
	return s.frames[at.from:at.to]
}

// newStacks checks a profile, and returns what a tree takes of it. It changes the samples: their
// location ids become places. What it makes is in a, and refers to p. All stacks together may have
// maxFrames.
func newStacks(a *arena.Arena, p *profilepb.Profile, maxFrames int) (*stacks, error) {
	text := func(what string, i int64) (string, error) {
		if i < 0 || i >= int64(len(p.StringTable)) {
			return "", invalid("%s is string %d, and there are %d", what, i, len(p.StringTable))
		}
		return p.StringTable[i], nil
	}
	if len(p.StringTable) == 0 || p.StringTable[0] != "" {
		return nil, invalid(`the first string is not ""`)
	}
	s := arena.New[stacks](a)
	var err error
	if s.types, err = sampleTypes(a, p, text); err != nil {
		return nil, err
	}
	s.preferred = s.types[len(s.types)-1].kind
	if i := p.DefaultSampleType; i != 0 {
		if s.preferred, err = text("the default sample type", i); err != nil {
			return nil, err
		}
	}

	for _, m := range p.Mapping {
		if _, err = text("the file of a mapping", m.Filename); err != nil {
			return nil, err
		}
	}
	mappings, err := newPlaces(a, "mapping", p.Mapping)
	if err != nil {
		return nil, err
	}
	s.names = arena.MakeSlice[string](a, len(p.Function)+1, len(p.Function)+len(p.Mapping)+1)
	s.names[0] = "<unknown>"
	for i, f := range p.Function {
		if s.names[i+1], err = text("the name of a function", f.Name); err != nil {
			return nil, err
		}
	}
	functions, err := newPlaces(a, "function", p.Function)
	if err != nil {
		return nil, err
	}
	// unnamed returns the frame for code of which only the mapping is known, or not even that.
	files := arena.MakeSlice[int32](a, len(p.Mapping), len(p.Mapping))
	unnamed := func(mapping int) int32 {
		if mapping < 0 || p.Mapping[mapping].Filename == 0 {
			return 0
		}
		if files[mapping] == 0 {
			files[mapping] = int32(len(s.names))
			s.names = append(s.names, arena.Concat(a, "[", path.Base(p.StringTable[p.Mapping[mapping].Filename]), "]"))
		}
		return files[mapping]
	}
	lines := 0
	for _, l := range p.Location {
		lines += max(1, len(l.Line))
	}
	s.spans = arena.MakeSlice[span](a, len(p.Location), len(p.Location))
	s.frames = arena.MakeSlice[int32](a, 0, lines)
	for i, l := range p.Location {
		s.spans[i].from = int32(len(s.frames))
		m, ok := mappings.find(l.MappingId)
		if !ok && l.MappingId != 0 {
			return nil, invalid("location %d is in mapping %d, which is not there", l.Id, l.MappingId)
		}
		for j := len(l.Line) - 1; j >= 0; j-- {
			f, ok := functions.find(l.Line[j].FunctionId)
			if !ok && l.Line[j].FunctionId != 0 {
				return nil, invalid("location %d is in function %d, which is not there", l.Id, l.Line[j].FunctionId)
			}
			frame := int32(f + 1)
			if s.names[frame] == "" || !ok {
				frame = unnamed(m)
			}
			s.frames = append(s.frames, frame)
		}
		if len(l.Line) == 0 {
			s.frames = append(s.frames, unnamed(m))
		}
		s.spans[i].to = int32(len(s.frames))
	}
	locations, err := newPlaces(a, "location", p.Location)
	if err != nil {
		return nil, err
	}

	frames := 0
	for i, sample := range p.Sample {
		if len(sample.Value) != len(s.types) {
			return nil, invalid("sample %d has %d values, and there are %d sample types", i, len(sample.Value), len(s.types))
		}
		depth := 0
		for j, id := range sample.LocationId {
			place, ok := locations.find(id)
			if !ok {
				return nil, invalid("sample %d is at location %d, which is not there", i, id)
			}
			sample.LocationId[j] = uint64(place)
			at := s.spans[place]
			depth += int(at.to - at.from)
			if depth > maxDepth {
				return nil, invalid("sample %d has more than %d frames", i, maxDepth)
			}
		}
		if frames += depth; frames > maxFrames {
			return nil, invalid("the stacks have more than %d frames", maxFrames)
		}
		for _, l := range sample.Label {
			for _, i := range [...]int64{l.Key, l.Str, l.NumUnit} {
				if _, err := text("a part of a label", i); err != nil {
					return nil, err
				}
			}
		}
	}
	s.samples = p.Sample
	return s, nil
}

// sampleTypes returns the types of the values that each sample has.
func sampleTypes(a *arena.Arena, p *profilepb.Profile, text func(what string, i int64) (string, error)) ([]valueType, error) {
	if len(p.SampleType) == 0 || len(p.SampleType) > maxColumns {
		return nil, invalid("there are %d sample types, and must be 1 to %d", len(p.SampleType), maxColumns)
	}
	types := arena.MakeSlice[valueType](a, 0, len(p.SampleType))
	for _, v := range p.SampleType {
		kind, err := text("a sample type", v.Type)
		if err != nil {
			return nil, err
		}
		unit, err := text("the unit of a sample type", v.Unit)
		if err != nil {
			return nil, err
		}
		for _, other := range types {
			if other.kind == kind && other.unit == unit {
				return nil, invalid("sample type %s is there twice", other)
			}
		}
		types = append(types, valueType{kind, unit})
	}
	return types, nil
}

// A places finds the place of an id in a list.
type places struct {
	dense  []int32 // of the id that is its index, plus 1
	sparse *arena.Map[uint64, int32]
}

// newPlaces returns the places of the parts of a profile, of which none may have the id of another.
func newPlaces[T interface{ GetId() uint64 }](a *arena.Arena, what string, all []T) (places, error) {
	largest := uint64(0)
	for _, v := range all {
		largest = max(largest, v.GetId())
	}
	var p places
	if largest <= 2*uint64(len(all))+64 {
		p.dense = arena.MakeSlice[int32](a, int(largest)+1, int(largest)+1)
	} else {
		p.sparse = arena.NewMap[uint64, int32](a, len(all))
	}
	for i, v := range all {
		id := v.GetId()
		if id == 0 {
			return p, invalid("%s %d of %d has the id 0", what, i+1, len(all))
		}
		if _, ok := p.find(id); ok {
			return p, invalid("there are two %ss with the id %d", what, id)
		}
		if p.sparse != nil {
			p.sparse.Set(id, int32(i))
		} else {
			p.dense[id] = int32(i) + 1
		}
	}
	return p, nil
}

// find returns the place of an id, or -1.
func (p *places) find(id uint64) (int, bool) {
	if p.sparse != nil {
		if i, ok := p.sparse.Get(id); ok {
			return int(i), true
		}
		return -1, false
	}
	if id >= uint64(len(p.dense)) {
		return -1, false
	}
	i := p.dense[id]
	return int(i) - 1, i != 0
}
