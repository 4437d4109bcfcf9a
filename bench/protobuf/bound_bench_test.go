package protobuf

import (
	"runtime"
	"testing"

	"google.golang.org/protobuf/proto"
)

// BenchmarkBound compares decoders with one that is written by hand, with one processor and 48 MB
// of live memory.
//
//	how=hand    the bound of an arena that is reset
//	how=object  the bound of a new arena for each message: one new object
func BenchmarkBound(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	ballast := make([][]byte, 48)
	for i := range ballast {
		ballast[i] = make([]byte, 1<<20)
	}
	for _, s := range sets {
		in := s.inputs()[0]
		hand := leastKinds[in.kind]
		if hand == nil || len(s.inputs()) > 1 {
			continue
		}
		run := func(how string, decode func()) {
			b.Run("in="+s.name+"/how="+how, func(b *testing.B) {
				b.SetBytes(int64(len(in.bytes)))
				b.ReportAllocs()
				decode()
				for b.Loop() {
					decode()
				}
			})
		}
		var d leastDecoder
		run("hand", func() {
			if d.decode(hand, in.bytes) == nil {
				b.Fatal("an error")
			}
			d.reset()
		})
		if s.name == "profile-281B" {
			run("object", func() {
				d.renew()
				if d.decode(hand, in.bytes) == nil {
					b.Fatal("an error")
				}
			})
		}
		for _, other := range decoders {
			switch other.name {
			case "proto.Unmarshal", "hyperpb-shared", "arenapb-reset", "arenapb-free":
				if other.open != nil {
					decode := other.open()
					run(other.name, func() { decode(in, nil) })
				}
			}
		}
	}
	runtime.KeepAlive(ballast)
}

// TestBound decodes all messages that the decoder by hand knows, twice, and compares them.
func TestBound(t *testing.T) {
	var d leastDecoder
	for _, s := range sets {
		for _, in := range s.inputs() {
			hand := leastKinds[in.kind]
			if hand == nil {
				continue
			}
			want := in.kind.new()
			check(proto.Unmarshal(in.bytes, want))
			for range 2 {
				if got := d.decode(hand, in.bytes); got == nil || !proto.Equal(got, want) {
					t.Errorf("%s: another message of type %T", s.name, want)
				}
				d.reset()
			}
		}
	}
}
