package main

import (
	"hash/crc64"
	"testing"

	"google.golang.org/protobuf/proto"
)

// TestWorkloads decodes each of them with each decoder that this program has.
func TestWorkloads(t *testing.T) {
	*short = true
	for _, w := range workloads {
		t.Run(w.name, func(t *testing.T) {
			w.load(0)
			want, size := uint64(0), 0
			for _, in := range w.inputs {
				size += len(in.bytes)
				want = crc64.Update(want, polynomial, in.bytes)
			}
			for _, d := range decoders {
				if d.open == nil {
					continue
				}
				if r := measure(w, d); r.Digest != want || r.Bytes != size || r.Messages == 0 || r.Passes == 0 {
					t.Errorf("%s: %+v, where the digest should be %d", d.name, r, want)
				}
			}
		})
	}
}

// TestKept keeps messages of each workload.
func TestKept(t *testing.T) {
	*short = true
	for _, w := range workloads {
		t.Run(w.name, func(t *testing.T) {
			for _, d := range decoders {
				if d.keep == nil {
					continue
				}
				if f := keep(w, d); f.Bytes < float64(w.size()) || f.Messages < 2 {
					t.Errorf("%s: %+v of %d bytes", d.name, f, w.size())
				}
				var kept []proto.Message
				decode := d.keep()
				for _, in := range append(w.inputs, w.inputs...) {
					kept = append(kept, decode(in))
				}
				for i, m := range kept {
					in := w.inputs[i%len(w.inputs)]
					if digest(0, in.kind, m) != crc64.Checksum(in.bytes, polynomial) {
						t.Errorf("%s: message %d is another one", d.name, i)
					}
				}
			}
		})
	}
}

// TestDigest sees that a digest is that of a message, and of all of it.
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
