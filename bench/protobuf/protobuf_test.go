package protobuf

import (
	"hash/crc64"
	"sync"
	"testing"

	"github.com/arena-go/arena/bench/protobuf/messages"
	"google.golang.org/protobuf/proto"
)

// smaller are the inputs of tests, for sets that take long.
var smaller = map[string]func() []input{
	"profile-726kB": one(profiles, func() *messages.Profile { return cutProfile(20) }),
	"mixed":         sync.OnceValue(func() []input { return mixed()[:6] }),
}

// TestWorkloads decodes messages of each set, and keeps them, in all ways that this program has.
// The checks are for each of them twice.
func TestWorkloads(t *testing.T) {
	for i, w := range Workloads()[:2*len(sets)] {
		t.Run(w.Name, func(t *testing.T) {
			s := sets[i%len(sets)]
			if small := smaller[s.name]; small != nil {
				defer func(whole func() []input) { s.inputs = whole }(s.inputs)
				s.inputs = small
			}
			inputs := s.inputs()
			want, size := uint64(0), 0
			for range 2 {
				for _, in := range inputs {
					want = crc64.Update(want, polynomial, in.bytes)
					size += len(in.bytes)
				}
			}
			for _, i := range w.Implementations {
				if !i.Here() {
					t.Logf("without %s: it needs %s", i.Name, i.Missing)
					continue
				}
				r := i.Run(2*len(inputs), 0)
				if r.Check != want || r.Rounds == 0 || r.CPU < 0 {
					t.Errorf("%s: %+v, where the check should be %d", i.Name, r, want)
				}
				if kept := r.Values["kept"] * float64(2*len(inputs)); len(w.Values) > 0 && kept < float64(size) {
					t.Errorf("%s: %.0f bytes are kept of %d", i.Name, kept, size)
				}
			}
		})
	}
}

// TestJSONWorkloads decodes each text in all ways: the results equal protojson's results.
func TestJSONWorkloads(t *testing.T) {
	for i, w := range jsonWorkloads() {
		m := jsonTexts[i].message()
		same := jsonTexts[i].inArena(nil)
		want := digestOf(digestOf(0, same, m), same, m)
		for _, i := range w.Implementations {
			if r := i.Run(2, 0); r.Check != want || r.CPU < 0 {
				t.Errorf("%s, %s: %+v, where the check should be %d", w.Name, i.Name, r, want)
			}
		}
	}
}

// TestDigest checks that a digest covers a message, and all of it.
func TestDigest(t *testing.T) {
	m := someLogs(rng(1), 3)
	want := digest(0, logs, m)
	if got := digest(0, logs, proto.Clone(m)); got != want {
		t.Errorf("the digest of a copy is %x, not %x", got, want)
	}
	m.Sources[1].Labels["node"] += "0"
	if digest(0, logs, m) == want {
		t.Error("the digest of another message is the same")
	}
}

// TestCutProfile sees that a part of a profile has all that it refers to.
func TestCutProfile(t *testing.T) {
	for _, n := range []int{1, 10, 1000} {
		p := cutProfile(n)
		if len(p.Sample) != n {
			t.Fatalf("%d samples, not %d", len(p.Sample), n)
		}
		locations, functions := map[uint64]bool{}, map[uint64]bool{}
		for _, f := range p.Function {
			functions[f.Id] = p.StringTable[f.Name] != "" && p.StringTable[f.Filename] != ""
		}
		for _, l := range p.Location {
			locations[l.Id] = true
			for _, line := range l.Line {
				if !functions[line.FunctionId] {
					t.Fatalf("with %d samples, function %d is not there", n, line.FunctionId)
				}
			}
		}
		for _, s := range p.Sample {
			for _, id := range s.LocationId {
				if !locations[id] {
					t.Fatalf("with %d samples, location %d is not there", n, id)
				}
			}
		}
	}
}
