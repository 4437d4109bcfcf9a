package offheap

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/internal/vm"
)

// check verifies the invariants of f, which nobody uses.
func (f *Fixed) check() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.pieces.check([]int{len(f.mem)}); err != nil {
		return err
	}
	s := FixedStats{Size: int64(len(f.mem)), Locked: f.stats.Locked}
	for i, owner := range f.owner {
		if p := &f.pieces.all[owner]; owner != 0 {
			if p.state != used || p.offset != i*fixedUnit || p.offset+p.size > f.used {
				return fmt.Errorf("piece %d at %d: %+v", owner, i*fixedUnit, *p)
			}
			s.Blocks++
			s.InUse += int64(p.size)
		}
	}
	if s != f.stats {
		return fmt.Errorf("Stats are %+v, and should be %+v", f.stats, s)
	}
	if n := bytes.Count(f.mem[f.used:], []byte{0}); n != len(f.mem)-f.used {
		return errors.New("what was never in use is not zero")
	}
	if cap(f.pieces.all) > len(f.mem)/fixedUnit+1 {
		return errors.New("the records have grown")
	}
	return nil
}

// fixedNew returns a Fixed that is closed at the end of the test.
func fixedNew(t testing.TB, n int) *Fixed {
	t.Helper()
	mmapSupported(t)
	f, err := NewFixed(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 2 {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
		if b, err := f.Alloc(1); b != nil || !errors.Is(err, errClosed) {
			t.Errorf("Alloc after Close: %d bytes, %v", len(b), err)
		}
		if err := f.Lock(); !errors.Is(err, errClosed) {
			t.Errorf("Lock after Close: %v", err)
		}
	})
	return f
}

// TestFixedRandomPrograms runs random programs with room for all they want, and with less.
func TestFixedRandomPrograms(t *testing.T) {
	for _, size := range []int{4 << 20, 16 << 20, 64 << 20} {
		t.Run(fmt.Sprintf("size=%d", size), func(t *testing.T) {
			f := fixedNew(t, size)
			conform(t, f, 16<<20, f.check)
			if s := f.Stats(); s.Blocks != 0 || s.Largest != int64(size) {
				t.Errorf("Stats at the end: %+v", s)
			}
		})
	}
}

func TestFixedMisuse(t *testing.T) {
	f := fixedNew(t, 1<<20)
	conformMisuse(t, "Fixed", f)
	other := fixedNew(t, 1<<20)
	b, err := other.Alloc(1)
	if err != nil {
		t.Fatal(err)
	}
	if got := conformPanic(func() { f.Free(b) }); got != badFree("Fixed", b) {
		t.Errorf("Free of another one's: %v", got)
	}
	want := "offheap: Fixed.Close: 1 blocks with 4096 bytes are in use; Free the arenas first"
	if err := other.Close(); err == nil || err.Error() != want {
		t.Errorf("Close: %v", err)
	}
	other.Free(b)
	for _, n := range []int{0, -1, math.MaxInt} {
		if f, err := NewFixed(n); f != nil || err == nil {
			t.Errorf("NewFixed(%d): %v", n, err)
		}
	}
}

// TestFixedFull fills a Fixed, and checks what it says then, and that all of it can be used again.
func TestFixedFull(t *testing.T) {
	const units = 16
	f := fixedNew(t, units*fixedUnit-1) // Rounded up.
	var blocks [][]byte
	for range units {
		b, err := f.Alloc(fixedUnit)
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, b)
	}
	for i := 0; i < units; i += 2 { // Every other one, and thus nothing in one piece.
		f.Free(blocks[i])
	}
	b, err := f.Alloc(fixedUnit + 1)
	full, ok := err.(*FullError)
	if b != nil || !ok || *full != (FullError{fixedUnit + 1, units / 2 * fixedUnit, fixedUnit}) {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if want := "offheap: Fixed.Alloc of 4097 bytes: 32768 are free, 4096 of them in one piece; make it larger, or Free arenas"; ok && full.Error() != want {
		t.Errorf("got %s, want %s", full, want)
	}
	for i := 1; i < units; i += 2 {
		f.Free(blocks[i])
	}
	b, err = f.Alloc(units * fixedUnit)
	if err != nil {
		t.Fatal(err)
	}
	f.Free(b)
	b[0], b[len(b)-1] = 1, 1 // Stale, and harmless: the next block is zero all the same.
	b, err = f.Alloc(units * fixedUnit)
	if err != nil || b[0] != 0 || b[len(b)-1] != 0 {
		t.Error("not zero", err)
	}
	f.Free(b)
}

// fixedWork is a random program without calls that would disturb a measurement.
func fixedWork(f *Fixed, r *rand.Rand, live [][]byte) {
	for range 500 {
		b := &live[r.IntN(len(live))]
		if *b != nil {
			f.Free(*b)
			*b = nil
		}
		size := 1 + r.IntN(64<<10)
		mem, err := f.Alloc(size)
		if err != nil {
			continue // An error is allocated on the heap; there is room enough not to see one.
		}
		mem[0], mem[size-1] = 1, 1
		*b = mem
	}
}

// fixedRandom returns the random numbers of a test.
func fixedRandom(t *testing.T) *rand.Rand {
	seed := testrun.Seed(t)
	return rand.New(rand.NewPCG(seed, 0))
}

func TestFixedAllocatesNothing(t *testing.T) {
	f := fixedNew(t, 8<<20)
	live := make([][]byte, 64)
	r := fixedRandom(t)
	if n := testing.AllocsPerRun(20, func() { fixedWork(f, r, live) }); n != 0 {
		t.Errorf("%v allocations on the Go heap", n)
	}
	for _, b := range live {
		if b != nil {
			f.Free(b)
		}
	}
	if err := f.check(); err != nil {
		t.Error(err)
	}
}

// TestFixedRecords needs as many records as there can be: each unit is a block of its own.
func TestFixedRecords(t *testing.T) {
	const units = 1000
	f := fixedNew(t, units*fixedUnit)
	r := fixedRandom(t)
	for range 5 {
		var blocks [][]byte
		for range units {
			b, err := f.Alloc(1)
			if err != nil || vm.Addr(b)%fixedUnit != 0 {
				t.Fatal(err)
			}
			blocks = append(blocks, b)
		}
		r.Shuffle(units, func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
		for i, b := range blocks {
			if f.Free(b); i%100 == 0 {
				if err := f.check(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestFixedPieces checks how far Alloc and Free go down the tree of free pieces when there are
// many, each a little too small.
func TestFixedPieces(t *testing.T) {
	for n := 125; n <= 2000; n *= 4 {
		f := fixedNew(t, 5*n*fixedUnit)
		var apart, blocks [][]byte
		for range n {
			b, err := f.Alloc(4 * fixedUnit)
			c, err2 := f.Alloc(fixedUnit)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			apart, blocks = append(apart, c), append(blocks, b)
		}
		if rest := int(f.Stats().Largest); rest > 0 {
			b, _ := f.Alloc(rest)
			apart = append(apart, b)
		}
		fixedRandom(t).Shuffle(n, func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
		for _, b := range blocks {
			f.Free(b)
		}
		if h, most := int(f.pieces.all[f.pieces.root].height), bits.Len(uint(n))*3/2; h > most {
			t.Errorf("%d free pieces: the tree has %d levels, and should have %d at most", n, h, most)
		}
		var full *FullError
		if _, err := f.Alloc(5 * fixedUnit); !errors.As(err, &full) || full.Largest != 4*fixedUnit {
			t.Errorf("Alloc of more than the largest piece: %v", err)
		}
		f.Free(apart[n/2])
		b, err := f.Alloc(9 * fixedUnit)
		if err != nil {
			t.Fatalf("Alloc of the only piece that is large enough: %v", err)
		}
		if err := f.check(); err != nil {
			t.Fatal(err)
		}
		f.Free(b)
		for i, c := range apart {
			if i != n/2 {
				f.Free(c)
			}
		}
		if err := f.check(); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkFixed(b *testing.B) {
	f := fixedNew(b, 16<<20)
	b.Run("impl=fixed", func(b *testing.B) { conformBench(b, f) })
}
