package main

import (
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/profilepb"
)

// exported returns a tree as a profile, in a: a sample for each node that has a value, and a
// location for each name. Two trees with the same values and the same order of sample types have
// the same, if they are sorted.
func (t *tree) exported(a *arena.Arena, comment string, from time.Time, d time.Duration) *profilepb.Profile {
	x := exporter{p: arenapb.New[profilepb.Profile](a), a: a}
	x.text("")
	x.p.TimeNanos, x.p.DurationNanos = from.UnixNano(), int64(d)
	x.p.Comment = arena.SliceOf(a, x.text(comment))
	for _, c := range t.columns {
		v := arenapb.New[profilepb.ValueType](a)
		v.Type, v.Unit = x.text(c.kind), x.text(c.unit)
		x.p.SampleType = arena.Push(a, x.p.SampleType, v)
		if c.kind == t.preferred {
			x.p.DefaultSampleType = v.Type
		}
	}

	locations := arena.MakeSlice[uint64](a, len(t.names), len(t.names)) // of each frame, 0 if it has none yet
	var path []int32                                                    // frames, the root first
	samples := arena.SlabOf[profilepb.Sample](a)
	t.walk(func(n int32) {
		if n > 0 {
			path = arena.Append(a, path, t.nodes[n].frame)
		}
		some := false
		for i := range t.columns {
			some = some || t.columns[i].at(n) != 0
		}
		if !some {
			return
		}
		s := samples.New()
		s.Value = arena.MakeSlice[int64](a, len(t.columns), len(t.columns))
		for i := range t.columns {
			s.Value[i] = t.columns[i].at(n)
		}
		s.LocationId = arena.MakeSlice[uint64](a, len(path), len(path))
		for i, f := range path {
			if locations[f] == 0 { // frames without values have none
				locations[f] = x.location(t.names[f])
			}
			s.LocationId[len(path)-1-i] = locations[f]
		}
		x.p.Sample = arena.Push(a, x.p.Sample, s)
	}, func(n int32) {
		if n > 0 {
			path = path[:len(path)-1]
		}
	})
	return x.p
}

// An exporter fills a profile.
type exporter struct {
	p *profilepb.Profile
	a *arena.Arena
}

// text adds a string, and returns its index.
func (x *exporter) text(s string) int64 {
	x.p.StringTable = arena.Push(x.a, x.p.StringTable, s)
	return int64(len(x.p.StringTable) - 1)
}

// location adds a function with its location, and returns the id of both.
func (x *exporter) location(name string) uint64 {
	id := uint64(len(x.p.Location) + 1)
	f := arenapb.New[profilepb.Function](x.a)
	f.Id, f.Name = id, x.text(name)
	f.SystemName = f.Name
	l, line := arenapb.New[profilepb.Location](x.a), arenapb.New[profilepb.Line](x.a)
	l.Id, line.FunctionId = id, id
	l.Line = arena.SliceOf(x.a, line)
	x.p.Function = arena.Push(x.a, x.p.Function, f)
	x.p.Location = arena.Push(x.a, x.p.Location, l)
	return id
}
