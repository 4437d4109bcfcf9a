package protobuf

import (
	"runtime"
	"testing"
)

// BenchmarkJSON decodes each text of the workloads in each way, with one processor and 48 MB of
// live memory.
func BenchmarkJSON(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	ballast := make([]byte, 48<<20)
	for i := range jsonTexts {
		t := &jsonTexts[i]
		in := t.encoded()
		for _, d := range jsonDecoders {
			b.Run("in="+t.name+"/how="+d.name, func(b *testing.B) {
				b.SetBytes(int64(len(in)))
				b.ReportAllocs()
				decode := d.open(t)
				for range 2 {
					decode(in, nil)
				}
				for b.Loop() {
					decode(in, nil)
				}
			})
		}
	}
	runtime.KeepAlive(ballast)
}
