package offheap

import (
	"errors"
	"strings"
	"testing"
)

var mallocs = map[string]func() (*Malloc, error){"Mimalloc": Mimalloc, "Jemalloc": Jemalloc}

// TestMalloc checks the libraries that the program is built with, and that the others say what is
// missing.
func TestMalloc(t *testing.T) {
	for name, open := range mallocs {
		t.Run(name, func(t *testing.T) {
			m, err := open()
			if m == nil {
				tag := strings.ToLower(name)
				want := "offheap: " + name + " is not in this program: install lib" + tag + "-dev and pkg-config, and build it with CGO_ENABLED=1 go build -tags " + tag + ": "
				if !errors.Is(err, errors.ErrUnsupported) || !strings.HasPrefix(err.Error(), want) {
					t.Error(err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			conform(t, m, 32<<20, nil)
			conformMisuse(t, name, m)
			conformSizes(t, name, m, nil)
			sizesOfArena(t, m)
			other, err := open()
			if err != nil {
				t.Fatal(err)
			}
			b, err := other.Alloc(100)
			if err != nil {
				t.Fatal(err)
			}
			if got := conformPanic(func() { m.Free(b) }); got != badFree(name, b) {
				t.Errorf("Free of another one's: %v", got)
			}
			if s := other.Stats(); s.Blocks != 1 || s.InUse != 100 {
				t.Errorf("Stats with a block of 100 bytes: %+v", s)
			}
			other.Free(b)
			for _, m := range []*Malloc{m, other} {
				s := m.Stats()
				t.Logf("%+v", s)
				version, ok := strings.CutPrefix(s.Version, name+" ")
				if s.Blocks != 0 || s.InUse != 0 || !ok || strings.Count(version, ".") < 2 {
					t.Errorf("Stats at the end: %+v", s)
				}
			}
		})
	}
}

func BenchmarkMalloc(b *testing.B) {
	for name, open := range mallocs {
		if m, err := open(); err == nil {
			b.Run("impl="+strings.ToLower(name), func(b *testing.B) { conformBench(b, m) })
		}
	}
}
