package arena

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena/internal/share"
)

// bytesMemory is a Memory of bytes on the heap.
type bytesMemory struct{}

func (bytesMemory) Alloc(size int) ([]byte, error) { return make([]byte, size+7)[:size], nil }
func (bytesMemory) Free([]byte)                    {}

// bytesRegion is a Region of bytes on the heap.
type bytesRegion struct {
	bytesMemory
	all []byte
	now int
}

func (r *bytesRegion) Grow(size int) ([]byte, error) {
	r.now = max(r.now, size, 8)
	if r.now > len(r.all) {
		return nil, fmt.Errorf("%d bytes are too many", size)
	}
	return r.all[:r.now], nil
}

// TestShare proves for random programs that the Memory of an arena knows all text and slices that the arena has handed out, from its first use and
// from a later one, and nothing of the heap and of other arenas. What lies elsewhere is older than the arena's memory: what comes later may
// lie where the arena has given memory up, and so be known.
func TestShare(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	other := NewArena()
	defer other.Free()
	texts := []string{t.Name(), strings.Repeat("h", 10), String(other, "other")}
	lists := [][]string{{"h"}, SliceOf(other, "o")}
	elsewhere := func(m *share.Memory) bool {
		return m.Slice(nil) || slices.ContainsFunc(texts, m.Text) || slices.ContainsFunc(lists, m.Slice)
	}
	for _, test := range []struct {
		name string
		pool *Pool
	}{
		{"heap", &Pool{}},
		{"limit", &Pool{Options: Options{Limit: 1 << 20}}},
		{"nothing retained", &Pool{Options: Options{Retain: -1}, Retain: -1}},
		{"guard", &Pool{Options: Options{Guard: true}}},
		{"memory", &Pool{Options: Options{Memory: bytesMemory{}, Finalize: true}}},
		{"region", &Pool{Options: Options{Memory: &bytesRegion{all: make([]byte, 16<<20)}, Finalize: true}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := test.pool
			region := test.name == "region"
			rounds := 60
			if test.name == "guard" {
				rounds = 5
			}
			var a *Arena
			for round := range rounds {
				if !region || a == nil {
					a = p.Get()
				}
				var m *share.Memory
				late := rnd.IntN(40)
				var texts []string
				var lists [][]string
				for i := range 80 {
					if i == late {
						m = share.MemoryOf(a)
					}
					n := rnd.IntN(40)
					if rnd.IntN(20) == 0 {
						n = rnd.IntN(50_000)
					}
					switch rnd.IntN(5) {
					case 0, 1:
						texts = append(texts, String(a, strings.Repeat("x", n)))
					case 2:
						lists = append(lists, MakeSlice[string](a, n/8, n/8+1))
					case 3:
						texts = append(texts, newTestRefString(a, strings.Repeat("r", n)).Get(a))
					case 4:
						type pair struct{ a, _ []string }
						p := New[pair](a)
						p.a = Append(a, p.a, "1", "2", "3")
						lists = append(lists, p.a)
					}
				}
				for _, s := range texts {
					if m.Text(s) != (len(s) > 0) {
						t.Fatalf("round %d: text of %d bytes is known: %t", round, len(s), m.Text(s))
					}
				}
				for _, s := range lists {
					if !m.Slice(s) || !m.Slice(s[:0]) {
						t.Fatalf("round %d: a slice of %d strings is not known", round, len(s))
					}
				}
				if elsewhere(m) {
					t.Error("what lies elsewhere is known")
				}
				if region {
					a.Reset()
				} else {
					p.Put(a)
				}
			}
			if region {
				p.Put(a)
			}
		})
	}
}

// TestShareStale proves that the Memory of an arena forgets what the arena has given up.
func TestShareStale(t *testing.T) {
	p := &Pool{Options: Options{Retain: -1}}
	a := p.Get()
	m := share.MemoryOf(a)
	for range 1000 {
		String(a, "text")
		a.Reset()
		m.Text("text")
	}
	if m.Pieces() > 40 {
		t.Errorf("there are %d pieces", m.Pieces())
	}
	p.Put(a)
}

// TestShareRace proves that other goroutines may ask while an arena is in use.
func TestShareRace(t *testing.T) {
	p := &Pool{}
	a := p.Get()
	m := share.MemoryOf(a)
	texts := make(chan string)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for s := range texts {
				if !m.Text(s) || m.Text("elsewhere") {
					t.Error("the text is not known, or another one is")
				}
			}
		})
	}
	for i := range 2000 {
		texts <- String(a, strings.Repeat("x", 1+i))
	}
	close(texts)
	wg.Wait()
	p.Put(a)
}
