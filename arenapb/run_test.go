package arenapb_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/difftest"
	"github.com/arena-go/arena/arenapb/profilepb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// run appends n elements of the list f. The tag has two bytes more than it needs, if long.
func run(w *difftest.Wire, b []byte, f protoreflect.FieldDescriptor, n int, long bool) []byte {
	for i := range n {
		e := smallest(nil, f, i%3)
		if f.Kind() == protoreflect.Uint64Kind || f.Kind() == protoreflect.Int64Kind { // longer ones
			e = protowire.AppendVarint(protowire.AppendTag(nil, f.Number(), protowire.VarintType), 1<<(i*7%64))
		}
		if _, _, n := protowire.ConsumeTag(e); long && f.Kind() != protoreflect.GroupKind {
			b = append(b, e[:n]...)
			b[len(b)-1] |= 0x80
			b = append(b, 0x80, 0)
			e = e[n:]
		}
		b = append(b, e...)
	}
	return b
}

// TestRun decodes lists whose elements lie next to each other: as many as are asked for at once, or
// more or fewer, with other fields before, behind and in between, into messages that have elements
// already, and cut at any place.
func TestRun(t *testing.T) {
	r := random(t)
	w := &difftest.Wire{R: r}
	a := arena.NewArena()
	defer a.Free()
	unknown := protowire.AppendVarint(protowire.AppendTag(nil, 18999, protowire.VarintType), 1)
	tried := 0
	for _, mt := range some(r, types()) {
		fields := mt.Descriptor().Fields()
		var lists []protoreflect.FieldDescriptor
		for i := range fields.Len() {
			if fields.Get(i).IsList() {
				lists = append(lists, fields.Get(i))
			}
		}
		for _, f := range lists {
			other := lists[r.IntN(len(lists))]
			for _, n := range []int{1, 2, 15, 16, 17, 40, 600} {
				if r.IntN(8) > 0 || n == 600 && r.IntN(8) > 0 {
					continue
				}
				long := r.IntN(4) == 0
				one := run(w, nil, f, n, long)
				two := run(w, bytes.Clone(one), f, n, !long)
				for _, b := range [][]byte{
					one, two, append(run(w, bytes.Clone(one), other, 1, false), two...),
					slices.Concat(unknown, one, unknown, two, unknown), one[:len(one)-1], append(bytes.Clone(one), 0xff),
					two[:r.IntN(len(two))], append(bytes.Clone(two), two[:r.IntN(len(two))]...),
				} {
					for _, merge := range []bool{false, true} {
						tried++
						p := newPair(mt)
						if merge {
							p.decode(t, a, one, arenapb.UnmarshalOptions{AllowPartial: true})
							if r.IntN(2) == 0 {
								p.Mutate(r)
							}
						}
						p.decode(t, a, b, arenapb.UnmarshalOptions{Merge: merge, AllowPartial: true, DiscardUnknown: r.IntN(2) == 0})
						p.check(t, "at the end")
						a.Reset()
					}
				}
			}
		}
	}
	t.Logf("%d inputs", tried)
}

// TestRunLimit stops in the middle of lists, wherever the arena has no more memory. The arena stays
// usable.
func TestRunLimit(t *testing.T) {
	p := new(profilepb.Profile)
	for i := range 100 {
		p.Location = append(p.Location, &profilepb.Location{Id: uint64(i), Line: []*profilepb.Line{{FunctionId: 1}, {FunctionId: 2}}})
		p.StringTable = append(p.StringTable, "text")
		p.Sample = append(p.Sample, &profilepb.Sample{LocationId: make([]uint64, 50)})
	}
	b, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	small, _ := proto.Marshal(&profilepb.Profile{StringTable: []string{"a", "b"}, Location: p.Location[:2]})
	want := new(profilepb.Profile)
	proto.Unmarshal(small, want)
	stopped, whole := 0, 0
	for limit := int64(8 << 10); whole < 3; limit += 997 {
		a := arena.NewWith(arena.Options{Limit: limit})
		for range 3 {
			got := new(profilepb.Profile)
			err := arena.Try(func() {
				if err := arenapb.Unmarshal(a, b, got); err != nil || !proto.Equal(got, p) {
					t.Fatalf("limit %d: another message, %v", limit, err)
				}
				whole++
			})
			if limit := new(arena.LimitError); err != nil && !errors.As(err, &limit) {
				t.Fatal(err)
			} else if err != nil {
				stopped++
			}
			if r := a.Stats().Reserved; r > limit {
				t.Fatalf("the arena has %d bytes, and may have %d", r, limit)
			}
			a.Reset()
			proto.Reset(got)
			if err := arena.Try(func() { arenapb.Unmarshal(a, small, got) }); err == nil && !proto.Equal(got, want) {
				t.Fatalf("limit %d: another message afterwards", limit)
			}
			a.Reset()
		}
		a.Free()
	}
	if stopped < 10 {
		t.Errorf("%d were stopped", stopped)
	}
}

// TestRoom checks that what lists have behind their elements is zero, and is the list's alone: in a
// message after one that failed within a list, after a list that was too long for what was left for
// short ones, and after a Reset.
func TestRoom(t *testing.T) {
	number := func(b []byte, v uint64) []byte { return protowire.AppendVarint(append(b, 1<<3), v) }
	sample := func(b, s []byte) []byte { return protowire.AppendBytes(append(b, 2<<3|2), s) }
	packed := func(n int) (s []byte) {
		for range n {
			s = append(s, 0x55)
		}
		return protowire.AppendBytes(append([]byte{}, 1<<3|2), s)
	}
	var short, long []byte
	for i := range 3 {
		short = number(short, uint64(i))
	}
	for range 700 {
		long = number(long, 0x66)
	}
	apart := number(append(bytes.Clone(short), 2<<3, 1), 3) // a list that grows, and has room then
	inputs := [][]byte{
		sample(nil, short), sample(sample(nil, long), apart), sample(sample(nil, packed(9)), apart), sample(nil, packed(600)),
		append(sample(sample(nil, packed(9)), packed(7)[:5]), 0x80), sample(nil, []byte{1<<3 | 2, 12, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0xff}),
		sample(nil, apart),
		sample(sample(nil, short), append(bytes.Clone(long[:40]), 1<<3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)),
	}
	a := arena.NewArena()
	defer a.Free()
	type kept struct{ got, want *profilepb.Profile }
	r := random(t)
	for range rounds(300) {
		var all []kept
		var mine [][]uint64
		for range 1 + r.IntN(8) {
			b := inputs[r.IntN(len(inputs))]
			k := kept{new(profilepb.Profile), new(profilepb.Profile)}
			want := proto.Unmarshal(b, k.want)
			if err := arenapb.Unmarshal(a, b, k.got); (err == nil) != (want == nil) {
				t.Fatal(err, want)
			}
			all = append(all, k)
			mine = append(mine, slices.Repeat([]uint64{^uint64(0)}, 40))
			mine[len(mine)-1] = arena.SliceOf(a, mine[len(mine)-1]...)
		}
		for _, k := range all {
			if !proto.Equal(k.got, k.want) {
				t.Fatal("a message has changed")
			}
			for _, s := range k.got.Sample {
				list := s.LocationId
				if room := list[len(list):cap(list)]; slices.ContainsFunc(room, func(v uint64) bool { return v != 0 }) {
					t.Fatalf("behind %d elements there are %x", len(list), room)
				}
			}
		}
		for _, s := range mine {
			if slices.ContainsFunc(s, func(v uint64) bool { return v != ^uint64(0) }) {
				t.Fatal("a list lies in what is somebody else's")
			}
		}
		if r.IntN(3) > 0 {
			a.Reset()
		}
	}
}
