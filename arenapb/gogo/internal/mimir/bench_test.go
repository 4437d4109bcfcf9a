package mimir

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb/gogo"
	"github.com/grafana/mimir/pkg/mimirpb"
	"github.com/prometheus/prometheus/prompb"
)

// remoteWrite is a request with a sample of each of n series, as an agent that has scraped
// Kubernetes' containers sends it.
func remoteWrite(n int) *prompb.WriteRequest {
	w := &prompb.WriteRequest{}
	for i := range n {
		w.Timeseries = append(w.Timeseries, prompb.TimeSeries{
			Labels: []prompb.Label{
				{Name: "__name__", Value: fmt.Sprintf("container_network_receive_bytes_total_%d", i%50)},
				{Name: "cluster", Value: "eu-west-1-production"},
				{Name: "container", Value: fmt.Sprintf("service-%d", i%37)},
				{Name: "endpoint", Value: "https-metrics"},
				{Name: "instance", Value: fmt.Sprintf("10.0.%d.%d:10250", i/250, i%250)},
				{Name: "job", Value: "kubelet"},
				{Name: "namespace", Value: fmt.Sprintf("team-%d", i%11)},
				{Name: "node", Value: fmt.Sprintf("ip-10-0-%d-%d.eu-west-1.compute.internal", i/250, i%250)},
				{Name: "pod", Value: fmt.Sprintf("service-%d-7d9c8b6f5-%05x", i%37, i*7919)},
			},
			Samples: []prompb.Sample{{Value: float64(i) * 1.5, Timestamp: 1790000000000 + int64(i)}},
		})
	}
	return w
}

var ballast []byte

// BenchmarkRemoteWrite decodes two requests in turn, of which one is a little smaller. how=reset
// copies the input into the arena, how=alias refers to it, as Mimir does. how=own-reset and
// how=own-alias are the same with Mimir's types. The bounds are how=scan, which looks at all fields
// and stores nothing, and how=copy.
func BenchmarkRemoteWrite(b *testing.B) {
	runtime.GOMAXPROCS(1)
	ballast = make([]byte, 48<<20)
	trust(b)
	for _, n := range []int{200, 2000} {
		const inputs = 2
		var ins [inputs][]byte
		for i := range ins {
			var err error
			if ins[i], err = remoteWrite(n - i).Marshal(); err != nil {
				b.Fatal(err)
			}
		}
		run := func(how string, f func(in []byte) error) {
			b.Run(fmt.Sprintf("series=%d/how=%s", n, how), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(ins[0])))
				for i := 0; b.Loop(); i++ {
					if err := f(ins[i%inputs]); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		run("gogo", func(in []byte) error { return new(prompb.WriteRequest).Unmarshal(in) })
		run("mimir", func(in []byte) error {
			req := mimirpb.PreallocWriteRequest{}
			err := req.Unmarshal(in)
			mimirpb.ReuseSlice(req.Timeseries)
			return err
		})
		a := arena.NewArena()
		run("reset", func(in []byte) error {
			defer a.Reset()
			return gogo.Unmarshal(a, in, gogo.New[prompb.WriteRequest](a))
		})
		run("alias", func(in []byte) error {
			defer a.Reset()
			return gogo.UnmarshalOptions{AliasInput: true}.Unmarshal(a, in, gogo.New[prompb.WriteRequest](a))
		})
		run("own-reset", func(in []byte) error {
			defer a.Reset()
			return gogo.Unmarshal(a, in, gogo.New[mimirpb.PreallocWriteRequest](a))
		})
		run("own-alias", func(in []byte) error {
			defer a.Reset()
			return gogo.UnmarshalOptions{AliasInput: true}.Unmarshal(a, in, gogo.New[mimirpb.PreallocWriteRequest](a))
		})
		run("copy", func(in []byte) error {
			defer a.Reset()
			arena.Bytes(a, in)
			return nil
		})
		run("scan", func(in []byte) error {
			if !scan(in) {
				return errors.New("the scan finds an error")
			}
			return nil
		})
	}
}

// uvarint returns the varint at b[i:] and where it ends, which is -1 if there is none.
func uvarint(b []byte, i int) (int, int) {
	if i < len(b) && b[i] < 0x80 {
		return int(b[i]), i + 1
	}
	v := 0
	for shift := 0; shift < 63 && i < len(b); shift += 7 {
		c := b[i]
		i++
		v |= int(c&0x7f) << shift
		if c < 0x80 {
			return v, i
		}
	}
	return 0, -1
}

// sub returns the bytes at b[i:], which begin with their length, and where they end, which is -1 if
// there are fewer.
func sub(b []byte, i int) ([]byte, int) {
	n, i := uvarint(b, i)
	if i < 0 || n > len(b)-i {
		return nil, -1
	}
	return b[i : i+n], i + n
}

// scan looks at each field of a write request, and stores nothing.
func scan(b []byte) bool {
	for i := 0; i < len(b); {
		if b[i] != 1<<3|2 {
			return false
		}
		var series []byte
		if series, i = sub(b, i+1); i < 0 {
			return false
		}
		for i := 0; i < len(series); {
			var v []byte
			switch series[i] {
			case 1<<3 | 2:
				if v, i = sub(series, i+1); i < 0 {
					return false
				}
				for i := 0; i < len(v); {
					if v[i] != 1<<3|2 && v[i] != 2<<3|2 {
						return false
					}
					if _, i = sub(v, i+1); i < 0 {
						return false
					}
				}
			case 2<<3 | 2:
				if v, i = sub(series, i+1); i < 0 {
					return false
				}
				for i := 0; i < len(v); {
					switch v[i] {
					case 1<<3 | 1:
						i += 9
						if i > len(v) {
							return false
						}
					case 2<<3 | 0:
						if _, i = uvarint(v, i+1); i < 0 {
							return false
						}
					default:
						return false
					}
				}
			default:
				return false
			}
		}
	}
	return true
}

// TestSame makes sure that both decoders find the same, and that package gogo leaves nothing to
// other methods.
func TestSame(t *testing.T) {
	if list := gogo.Fallbacks(new(prompb.WriteRequest)); len(list) > 0 {
		t.Errorf("prompb.WriteRequest: %q", list)
	}
	in, err := remoteWrite(100).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if !scan(in) {
		t.Error("the scan finds an error")
	}
	var theirs mimirpb.PreallocWriteRequest
	if err := theirs.Unmarshal(in); err != nil {
		t.Fatal(err)
	}
	defer mimirpb.ReuseSlice(theirs.Timeseries)
	a := arena.NewArena()
	defer a.Free()
	ours := gogo.New[prompb.WriteRequest](a)
	if err := gogo.Unmarshal(a, in, ours); err != nil {
		t.Fatal(err)
	}
	if len(ours.Timeseries) != 100 || len(theirs.Timeseries) != 100 {
		t.Fatalf("%d and %d series", len(ours.Timeseries), len(theirs.Timeseries))
	}
	for i, s := range ours.Timeseries {
		x := theirs.Timeseries[i]
		if len(s.Labels) != len(x.Labels) || len(s.Samples) != 1 || len(x.Samples) != 1 || s.Samples[0].Value != x.Samples[0].Value || s.Samples[0].Timestamp != x.Samples[0].TimestampMs {
			t.Fatalf("series %d: %v, want %v", i, s, x)
		}
		for j, l := range s.Labels {
			if l.Name != string(x.Labels[j].Name) || l.Value != string(x.Labels[j].Value) {
				t.Fatalf("series %d: %v, want %v", i, s, x)
			}
		}
	}
}
