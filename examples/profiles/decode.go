package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/arena-go/arena"
)

// maxInlining bounds the frames of all stacks of a profile, as a multiple of its size. A location
// that represents many frames can be named many times by few bytes; without a bound a small file
// could keep a service busy for long.
const maxInlining = 8

// A FormatError says where and why data is not a profile.
type FormatError struct {
	Offset int // in the uncompressed data
	Reason string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("offset %d: %s (offset in the uncompressed data)", e.Offset, e.Reason)
}

// Decode decodes a profile. Everything it allocates, it allocates in a, so
// the profile is valid until a is reset; with a nil arena it is on the heap.
// The strings of the profile are parts of data and are not copied.
//
// The error, if any, is a *[FormatError]. Memory is bounded by a constant
// times len(data).
func Decode(a *arena.Arena, data string) (*Profile, error) {
	d := &decoder{a: a, data: data}
	p := d.profile()
	if d.err != nil {
		return nil, d.err
	}
	return p, nil
}

// The numbers of the fields of a Profile message that hold most of its data.
const (
	sampleTypes = 1 + iota
	samples
	mappings
	locations
	functions
	stringTable
	others // all the fields that follow
)

// A decoder works in two steps. The first one finds the parts of the message;
// writers mix them in any order. The second one decodes the parts, each kind
// after the kinds that it refers to, so that references become pointers at
// once and every slice gets its exact size.
//
// The first error stops all loops over fields and is kept in err.
type decoder struct {
	a       *arena.Arena
	data    string
	err     error
	parts   [others + 1][]span // by field number
	strings []string
	frames  int64 // in all stacks so far

	ids, values []uint64 // of the sample at hand
}

// A span is a part of the data. For others it includes the field's tag.
type span struct{ lo, hi int32 }

func (d *decoder) profile() *Profile {
	if len(d.data) == 0 {
		d.fail(0, "the profile is empty")
		return nil
	}
	if len(d.data) > math.MaxInt32 {
		d.fail(math.MaxInt32, "the profile is larger than 2 GiB")
		return nil
	}
	d.findParts()
	d.findStrings()

	p := arena.New[Profile](d.a)
	p.SampleType = arena.MakeSlice[ValueType](d.a, len(d.parts[sampleTypes]), len(d.parts[sampleTypes]))
	for i, s := range d.parts[sampleTypes] {
		d.valueType(&p.SampleType[i], s)
	}
	p.Mapping = decodeAll(d, mappings, d.mapping)
	mappingIDs := d.newIDs(mappings, "mapping", func(i int) uint64 { return p.Mapping[i].ID })
	p.Function = decodeAll(d, functions, d.function)
	functionIDs := d.newIDs(functions, "function", func(i int) uint64 { return p.Function[i].ID })
	p.Location = decodeAll(d, locations, func(l *Location, s span) { d.location(l, s, p, mappingIDs, functionIDs) })
	locationIDs := d.newIDs(locations, "location", func(i int) uint64 { return p.Location[i].ID })
	p.Sample = decodeAll(d, samples, func(smp *Sample, s span) { d.sample(smp, s, p, locationIDs) })
	d.header(p)
	return p
}

// findParts fills d.parts. It counts them first.
func (d *decoder) findParts() {
	var count [len(d.parts)]int
	for f := d.fields("profile", span{0, int32(len(d.data))}); f.next(); {
		count[min(f.num, others)]++
	}
	if d.err != nil {
		return
	}
	for num, n := range count {
		d.parts[num] = arena.MakeSlice[span](d.a, 0, n)
	}
	for f := d.fields("profile", span{0, int32(len(d.data))}); f.next(); {
		if f.num < others {
			d.parts[f.num] = append(d.parts[f.num], f.bytes())
		} else {
			d.parts[others] = append(d.parts[others], span{int32(f.at), int32(f.pos)})
		}
	}
}

// findStrings fills d.strings.
func (d *decoder) findStrings() {
	d.strings = arena.MakeSlice[string](d.a, len(d.parts[stringTable]), len(d.parts[stringTable]))
	for i, s := range d.parts[stringTable] {
		d.strings[i] = d.data[s.lo:s.hi]
	}
	if len(d.strings) > 0 && d.strings[0] != "" {
		d.fail(int(d.parts[stringTable][0].lo), "the first string is %.20q, not empty", d.strings[0])
	}
}

// decodeAll decodes all messages of one kind with the given function.
func decodeAll[T any](d *decoder, kind int, decode func(*T, span)) []*T {
	slab := arena.SlabOf[T](d.a)
	all := arena.MakeSlice[*T](d.a, len(d.parts[kind]), len(d.parts[kind]))
	for i, s := range d.parts[kind] {
		if d.err != nil {
			return nil
		}
		all[i] = slab.New()
		decode(all[i], s)
	}
	return all
}

func (d *decoder) header(p *Profile) {
	for _, s := range d.parts[others] {
		for f := d.fields("profile", s); f.next(); {
			switch f.num {
			case 7:
				p.DropFrames = f.string()
			case 8:
				p.KeepFrames = f.string()
			case 9:
				p.TimeNanos = f.int()
			case 10:
				p.DurationNanos = f.int()
			case 11:
				d.valueType(&p.PeriodType, f.bytes())
			case 12:
				p.Period = f.int()
			case 13:
				d.ids = f.numbers(d.ids[:0])
				for _, i := range d.ids {
					p.Comment = arena.Append(d.a, p.Comment, f.lookup(i))
				}
			case 14:
				p.DefaultSampleType = f.string()
			case 15:
				p.DocURL = f.string()
			}
		}
	}
}

func (d *decoder) valueType(v *ValueType, s span) {
	for f := d.fields("value type", s); f.next(); {
		switch f.num {
		case 1:
			v.Type = f.string()
		case 2:
			v.Unit = f.string()
		}
	}
}

func (d *decoder) mapping(m *Mapping, s span) {
	for f := d.fields("mapping", s); f.next(); {
		switch f.num {
		case 1:
			m.ID = f.uint()
		case 2:
			m.Start = f.uint()
		case 3:
			m.Limit = f.uint()
		case 4:
			m.Offset = f.uint()
		case 5:
			m.File = f.string()
		case 6:
			m.BuildID = f.string()
		case 7:
			m.HasFunctions = f.uint() != 0
		case 8:
			m.HasFilenames = f.uint() != 0
		case 9:
			m.HasLineNumbers = f.uint() != 0
		case 10:
			m.HasInlineFrames = f.uint() != 0
		}
	}
}

func (d *decoder) function(fn *Function, s span) {
	for f := d.fields("function", s); f.next(); {
		switch f.num {
		case 1:
			fn.ID = f.uint()
		case 2:
			fn.Name = f.string()
		case 3:
			fn.SystemName = f.string()
		case 4:
			fn.Filename = f.string()
		case 5:
			fn.StartLine = f.int()
		}
	}
}

func (d *decoder) location(l *Location, s span, p *Profile, mappingIDs, functionIDs ids) {
	lines := 0
	for f := d.fields("location", s); f.next(); {
		if f.num == 4 {
			lines++
		}
	}
	l.Line = arena.MakeSlice[Line](d.a, 0, lines)
	for f := d.fields("location", s); f.next(); {
		switch f.num {
		case 1:
			l.ID = f.uint()
		case 2:
			if id := f.uint(); id != 0 {
				if i, ok := mappingIDs.find(id); ok {
					l.Mapping = p.Mapping[i]
				} else {
					f.fail("there is no mapping %d", id)
				}
			}
		case 3:
			l.Address = f.uint()
		case 4:
			l.Line = append(l.Line, d.line(f.bytes(), p, functionIDs))
		case 5:
			l.IsFolded = f.uint() != 0
		}
	}
}

func (d *decoder) line(s span, p *Profile, functionIDs ids) (l Line) {
	for f := d.fields("line", s); f.next(); {
		switch f.num {
		case 1:
			if id := f.uint(); id != 0 {
				if i, ok := functionIDs.find(id); ok {
					l.Function = p.Function[i]
				} else {
					f.fail("there is no function %d", id)
				}
			}
		case 2:
			l.Line = f.int()
		case 3:
			l.Column = f.int()
		}
	}
	return l
}

func (d *decoder) sample(smp *Sample, s span, p *Profile, locationIDs ids) {
	d.ids, d.values = d.ids[:0], d.values[:0]
	labels := 0
	for f := d.fields("sample", s); f.next(); {
		switch f.num {
		case 1:
			d.ids = f.numbers(d.ids)
		case 2:
			d.values = f.numbers(d.values)
		case 3:
			labels++
		}
	}
	if len(d.values) != len(p.SampleType) || len(d.values) == 0 {
		d.fail(int(s.lo), "the sample has %d values and the profile %d sample types", len(d.values), len(p.SampleType))
	}
	smp.Location = arena.MakeSlice[*Location](d.a, len(d.ids), len(d.ids))
	for i, id := range d.ids {
		pos, ok := locationIDs.find(id)
		if !ok {
			d.fail(int(s.lo), "the sample has a location %d, which does not exist", id)
			return
		}
		smp.Location[i] = p.Location[pos]
		d.frames += int64(max(1, len(smp.Location[i].Line)))
	}
	if limit := maxInlining * int64(len(d.data)); d.frames > limit {
		d.fail(int(s.lo), "the stacks have more than %d frames, too many for a profile of %d bytes", limit, len(d.data))
	}
	smp.Value = arena.MakeSlice[int64](d.a, len(d.values), len(d.values))
	for i, v := range d.values {
		smp.Value[i] = int64(v)
	}
	if labels == 0 {
		return
	}
	smp.Label = arena.MakeSlice[Label](d.a, 0, labels)
	for f := d.fields("sample", s); f.next(); {
		if f.num == 3 {
			smp.Label = append(smp.Label, d.label(f.bytes()))
		}
	}
}

func (d *decoder) label(s span) (l Label) {
	for f := d.fields("label", s); f.next(); {
		switch f.num {
		case 1:
			l.Key = f.string()
		case 2:
			l.Str = f.string()
		case 3:
			l.Num = f.int()
		case 4:
			l.NumUnit = f.string()
		}
	}
	return l
}

// ids finds the position of an object by its id. Most writers number their
// objects 1, 2, 3 and so on; then there is nothing to store.
type ids struct {
	n      int
	sorted []idPos // empty if the ids are 1 to n in order
}

type idPos struct {
	id  uint64
	pos int
}

// newIDs checks that the ids of the objects of one kind differ, and are not 0.
func (d *decoder) newIDs(kind int, name string, id func(i int) uint64) ids {
	x := ids{n: len(d.parts[kind])}
	if d.err != nil {
		return x
	}
	inOrder := 0
	for inOrder < x.n && id(inOrder) == uint64(inOrder)+1 {
		inOrder++
	}
	if inOrder == x.n {
		return x
	}
	x.sorted = arena.MakeSlice[idPos](d.a, x.n, x.n)
	for i := range x.sorted {
		x.sorted[i] = idPos{id(i), i}
	}
	slices.SortFunc(x.sorted, func(x, y idPos) int {
		return cmp.Or(cmp.Compare(x.id, y.id), cmp.Compare(x.pos, y.pos))
	})
	last := idPos{id: 0}
	for _, e := range x.sorted {
		if e.id == last.id {
			d.fail(int(d.parts[kind][e.pos].lo), "the %s's id %d is 0 or used before", name, e.id)
			break
		}
		last = e
	}
	return x
}

func (x ids) find(id uint64) (pos int, ok bool) {
	if len(x.sorted) == 0 {
		return int(id - 1), id-1 < uint64(x.n)
	}
	i, ok := slices.BinarySearchFunc(x.sorted, id, func(e idPos, id uint64) int { return cmp.Compare(e.id, id) })
	if !ok {
		return 0, false
	}
	return x.sorted[i].pos, true
}
