package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena/arenapb/profilepb"
	"github.com/arena-go/arena/internal/testrun"
	"google.golang.org/protobuf/proto"
)

// A model is what a tree should be: the values of each stack, whose frames are joined from the root
// by newlines, by sample type.
type model map[string]map[valueType]int64

func (m model) add(stack []string, v valueType, value int64) {
	if value == 0 {
		return
	}
	key := strings.Join(stack, "\n")
	if m[key] == nil {
		m[key] = map[valueType]int64{}
	}
	if m[key][v] += value; m[key][v] == 0 {
		delete(m[key], v)
	}
	if len(m[key]) == 0 {
		delete(m, key)
	}
}

func (m model) addAll(other model) {
	for key, values := range other {
		for v, value := range values {
			m.add([]string{key}, v, value)
		}
	}
}

func (m model) equal(other model) bool {
	return maps.EqualFunc(m, other, func(x, y map[valueType]int64) bool { return maps.Equal(x, y) })
}

// total returns the sum of all values of a type.
func (m model) total(v valueType) (sum int64) {
	for _, values := range m {
		sum += values[v]
	}
	return sum
}

// top returns the rows of all functions.
func (m model) top(v valueType) map[string]row {
	rows := map[string]row{}
	for key, values := range m {
		if values[v] == 0 || key == "" {
			continue
		}
		stack := strings.Split(key, "\n")
		for i, name := range stack {
			r := rows[name]
			r.Name = name
			if !slices.Contains(stack[:i], name) {
				r.Cum += values[v]
			}
			if i == len(stack)-1 {
				r.Flat += values[v]
			}
			rows[name] = r
		}
	}
	return rows
}

// modelOf returns what is in a tree, by its nodes and nothing else.
func modelOf(t *tree) model {
	m := model{}
	if t == nil {
		return m
	}
	for i := range t.nodes {
		var stack []string
		for n := int32(i); n != 0; n = t.nodes[n].parent {
			stack = append(stack, t.names[t.nodes[n].frame])
		}
		slices.Reverse(stack)
		for c := range t.columns {
			m.add(stack, t.columns[c].valueType, t.columns[c].at(int32(i)))
		}
	}
	return m
}

// checkTree checks that the tree is one: each node is a child of its parent once, and found by the
// table, and no two are the same.
func checkTree(t *testing.T, tree *tree) {
	t.Helper()
	seen := map[int32]int{}
	tree.walk(func(n int32) { seen[n]++ }, func(n int32) { seen[n]++ })
	for i := range tree.nodes {
		if seen[int32(i)] != 2 {
			t.Fatalf("walk entered and left node %d %d times", i, seen[int32(i)])
		}
		if n, ok := tree.children.Get(uint64(tree.nodes[i].parent)<<32 | uint64(tree.nodes[i].frame)); i > 0 && (!ok || n != int32(i)) {
			t.Fatalf("node %d is node %d for the table", i, n)
		}
	}
	if len(seen) != len(tree.nodes) || tree.children.Len() != len(tree.nodes)-1 || tree.frames.Len() != len(tree.names) {
		t.Fatalf("%d nodes, %d by walk, %d in the table", len(tree.nodes), len(seen), tree.children.Len())
	}
}

var (
	cpuTypes  = []valueType{{"samples", "count"}, {"cpu", "nanoseconds"}}
	heapTypes = []valueType{{"alloc_space", "bytes"}, {"inuse_space", "bytes"}, {"samples", "count"}}
)

// randomProfile returns a profile, and what it should add to a tree.
func randomProfile(random *rand.Rand, types []valueType) (*profilepb.Profile, model) {
	p, m := &profilepb.Profile{}, model{}
	text := func(s string) int64 {
		if i := slices.Index(p.StringTable, s); i >= 0 {
			return int64(i)
		}
		p.StringTable = append(p.StringTable, s)
		return int64(len(p.StringTable) - 1)
	}
	text("")
	for _, v := range types {
		p.SampleType = append(p.SampleType, &profilepb.ValueType{Type: text(v.kind), Unit: text(v.unit)})
	}
	if random.IntN(2) == 0 {
		p.DefaultSampleType = text(types[0].kind)
	}
	step := []uint64{1, 1, 1 << 40, 7}[random.IntN(4)] // between ids
	id := func(i int) uint64 { return uint64(i+1) * step }
	var files, names []string
	for i := range 1 + random.IntN(3) {
		files = append(files, []string{"", "/bin/a", "/lib/b.so"}[random.IntN(3)])
		p.Mapping = append(p.Mapping, &profilepb.Mapping{Id: id(i), Filename: text(files[i])})
	}
	for i := range 1 + random.IntN(12) {
		names = append(names, []string{"", "main", fmt.Sprint("f", random.IntN(20)), "x.(*T[go.shape.int]).m"}[random.IntN(4)])
		p.Function = append(p.Function, &profilepb.Function{Id: id(i), Name: text(names[i])})
	}
	var frames [][]string // of each location, from the root
	for i := range 1 + random.IntN(20) {
		l := &profilepb.Location{Id: id(i)}
		unnamed := "<unknown>"
		if random.IntN(3) > 0 {
			k := random.IntN(len(files))
			l.MappingId = id(k)
			if files[k] != "" {
				unnamed = "[" + files[k][strings.LastIndex(files[k], "/")+1:] + "]"
			}
		}
		var all []string
		for range random.IntN(4) {
			k := random.IntN(len(names)+1) - 1
			if k < 0 {
				l.Line = append(l.Line, &profilepb.Line{})
				all = append(all, unnamed)
				continue
			}
			l.Line = append(l.Line, &profilepb.Line{FunctionId: id(k), Line: random.Int64N(100)})
			if name := names[k]; name != "" {
				all = append(all, name)
			} else {
				all = append(all, unnamed)
			}
		}
		if len(all) == 0 {
			all = []string{unnamed}
		}
		slices.Reverse(all)
		p.Location = append(p.Location, l)
		frames = append(frames, all)
	}
	for range random.IntN(40) {
		s := &profilepb.Sample{}
		var stack []string
		for range random.IntN(12) {
			k := random.IntN(len(frames))
			s.LocationId = append([]uint64{id(k)}, s.LocationId...)
			stack = append(stack, frames[k]...)
		}
		for _, v := range types {
			value := random.Int64N(5)
			s.Value = append(s.Value, value)
			m.add(stack, v, value)
		}
		if random.IntN(3) == 0 {
			s.Label = append(s.Label, &profilepb.Label{Key: text("k"), Str: text("v")}, &profilepb.Label{Key: text("n"), Num: 3, NumUnit: text("bytes")})
		}
		p.Sample = append(p.Sample, s)
	}
	return p, m
}

func marshal(t testing.TB, p *profilepb.Profile) []byte {
	t.Helper()
	data, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// newRandom returns the random numbers of a test.
func newRandom(t testing.TB) *rand.Rand {
	return rand.New(rand.NewPCG(testrun.Seed(t), 0))
}
