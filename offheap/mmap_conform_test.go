package offheap

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/internal/vm"
)

var (
	_ arena.Memory = (*Mmap)(nil)
	_ arena.Memory = (*Fixed)(nil)
	_ arena.Memory = (*Malloc)(nil)
)

// A conformance is what several goroutines know of the blocks of one provider.
type conformance struct {
	arena.Memory
	mu   sync.Mutex
	live map[uintptr]conformBlock
}

type conformBlock struct {
	mem  []byte
	fill byte
}

// conform runs random programs with several goroutines, and a model. Each has up to most/4 bytes; a
// provider that has no more room may say so by a FullError. verify, if it is not nil, is called
// when nobody else uses the memory.
func conform(t *testing.T, memory arena.Memory, most int, verify func() error) {
	seed := testrun.Seed(t)
	c := &conformance{Memory: memory, live: map[uintptr]conformBlock{}}
	for round := range uint64(3) {
		const goroutines = 4
		handed := make(chan conformBlock, 8) // Blocks that somebody else frees.
		var wg sync.WaitGroup
		for i := range uint64(goroutines) {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(seed, round*goroutines+i))
				if err := c.program(r, 250, most/goroutines, handed); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for len(handed) > 0 {
			if err := c.free(<-handed); err != nil {
				t.Error(err)
			}
		}
		if len(c.live) > 0 {
			t.Fatalf("%d blocks are left", len(c.live))
		}
		if verify != nil {
			if err := verify(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func (c *conformance) program(r *rand.Rand, steps, most int, handed chan conformBlock) (err error) {
	var own []conformBlock
	held := 0
	defer func() {
		for _, b := range own {
			err = errors.Join(err, c.free(b))
		}
	}()
	for range steps {
		size := 1 + r.IntN(1<<r.IntN(bits.Len(uint(most))))
		if r.IntN(2) == 0 { // What arenas ask for.
			size = 1 << (bits.Len(uint(size)) - 1)
		}
		switch op := r.IntN(10); {
		case op < 5 && held+size <= most:
			b, err := c.alloc(r, size)
			if err != nil {
				return err
			}
			if b.mem != nil {
				own = append(own, b)
				held += size
			}
		case op < 9 && len(own) > 0:
			i := r.IntN(len(own))
			b := own[i]
			own = slices.Delete(own, i, i+1)
			held -= len(b.mem)
			if r.IntN(4) == 0 {
				select {
				case handed <- b:
					continue
				default:
				}
			}
			if err := c.free(b); err != nil {
				return err
			}
		default:
			select {
			case b := <-handed:
				if err := c.free(b); err != nil {
					return err
				}
			default:
			}
		}
	}
	return nil
}

func (c *conformance) alloc(r *rand.Rand, size int) (conformBlock, error) {
	mem, err := c.Alloc(size)
	if err != nil {
		if full := (*FullError)(nil); errors.As(err, &full) && full.Largest < int64(size) && full.Free >= full.Largest && full.Size == int64(size) {
			return conformBlock{}, nil
		}
		return conformBlock{}, fmt.Errorf("Alloc(%d): %w", size, err)
	}
	base := vm.Addr(mem)
	if len(mem) != size || cap(mem) != size || base%16 != 0 {
		return conformBlock{}, fmt.Errorf("Alloc(%d): len %d, cap %d, at %#x", size, len(mem), cap(mem), base)
	}
	if n := bytes.Count(mem, []byte{0}); n != size {
		return conformBlock{}, fmt.Errorf("Alloc(%d): %d bytes are not zero", size, size-n)
	}
	b := conformBlock{mem, byte(1 + r.IntN(255))}
	c.mu.Lock()
	for other, o := range c.live {
		if other < base+uintptr(size) && base < other+uintptr(len(o.mem)) {
			c.mu.Unlock()
			return b, fmt.Errorf("Alloc(%d) at %#x: another block has %d bytes at %#x", size, base, len(o.mem), other)
		}
	}
	c.live[base] = b
	c.mu.Unlock()
	mem[0] = b.fill
	for n := 1; n < size; n *= 2 {
		copy(mem[n:], mem[:n])
	}
	return b, nil
}

func (c *conformance) free(b conformBlock) error {
	if n := bytes.Count(b.mem, []byte{b.fill}); n != len(b.mem) {
		return fmt.Errorf("of a block of %d bytes %d have changed", len(b.mem), len(b.mem)-n)
	}
	c.mu.Lock()
	delete(c.live, vm.Addr(b.mem))
	c.mu.Unlock()
	c.Free(b.mem)
	return nil
}

// conformMisuse checks which calls Alloc and Free refuse, and that such a Free changes nothing.
// name is the name of the provider's type.
func conformMisuse(t *testing.T, name string, memory arena.Memory) {
	t.Helper()
	for _, size := range []int{0, -1, -1 << 20} {
		if b, err := memory.Alloc(size); b != nil || err == nil || err.Error() != fmt.Sprintf("offheap: %s.Alloc of %d bytes: the size must be positive", name, size) {
			t.Errorf("Alloc(%d): %d bytes, %v", size, len(b), err)
		}
	}
	for _, size := range []int{math.MaxInt, math.MaxInt - 1000} { // of less see conformSizes
		if b, err := memory.Alloc(size); b != nil || err == nil {
			t.Errorf("Alloc(%d): %d bytes, %v", size, len(b), err)
		}
	}
	b, err := memory.Alloc(20000)
	if err != nil {
		t.Fatal(err)
	}
	b[0], b[19999] = 1, 2
	for what, wrong := range map[string][]byte{
		"nil":        nil,
		"heap":       make([]byte, 20000),
		"interior":   b[8192:],
		"unaligned":  b[1:],
		"shorter":    b[:19999],
		"empty":      b[:0],
		"empty tail": b[20000:],
	} {
		if got := conformPanic(func() { memory.Free(wrong) }); got != badFree(name, wrong) {
			t.Errorf("Free of %s: %v", what, got)
		}
	}
	if b[0] != 1 || b[19999] != 2 {
		t.Error("a refused Free changed something")
	}
	memory.Free(b)
	if got := conformPanic(func() { memory.Free(b) }); got != badFree(name, b) {
		t.Errorf("second Free: %v", got)
	}
}

func conformPanic(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}

// conformBench measures Alloc and Free of a block which is written to, or not.
func conformBench(b *testing.B, memory arena.Memory) {
	for _, size := range []int{4 << 10, 64 << 10, 1 << 20, 4 << 20} {
		for _, touch := range []bool{false, true} {
			b.Run(fmt.Sprintf("size=%d/touch=%t", size, touch), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					mem, err := memory.Alloc(size)
					if err != nil {
						b.Fatal(err)
					}
					if touch {
						for i := 0; i < size; i += 4096 {
							mem[i] = 1
						}
					}
					memory.Free(mem)
				}
			})
		}
	}
}
