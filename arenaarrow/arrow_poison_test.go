package arenaarrow_test

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena/arenaarrow"
	"github.com/arena-go/arena/internal/testrun"
)

// A poisoned is an allocator whose blocks have poison behind them: bytes that nobody has asked for.
// What Reallocate makes smaller is poisoned behind its length, too. Who reads that has other
// results than others, and who writes to it is found at Free.
type poisoned struct {
	mem    memory.Allocator
	shared *poisonings
}

type poisonings struct {
	mu      sync.Mutex
	blocks  map[*byte][]byte // all of a block, by its address
	lengths map[*byte]int    // what of it somebody may write to: the most that was asked for since it was made
	given   map[*byte]int    // what of it is asked for now

	blocksFreed int
	writes      map[string]int // behind what was asked for, by who has freed
	intoGivenUp int            // blocks with writes to what Reallocate has taken off: as builders do
}

const poison = 0x5c

func newPoisoned(mem memory.Allocator) poisoned {
	return poisoned{mem, &poisonings{blocks: map[*byte][]byte{}, lengths: map[*byte]int{}, given: map[*byte]int{}, writes: map[string]int{}}}
}

func (p poisoned) Allocate(size int) []byte {
	if size == 0 {
		return []byte{}
	}
	all := p.mem.Allocate((size+63)&^63 + 64)
	for i := range all[size:] {
		all[size+i] = poison
	}
	at := &all[0]
	p.shared.mu.Lock()
	defer p.shared.mu.Unlock()
	p.shared.blocks[at], p.shared.lengths[at], p.shared.given[at] = all, size, size
	return all[:size:size]
}

func (p poisoned) Reallocate(size int, b []byte) []byte {
	if cap(b) == 0 || size > cap(b) {
		result := p.Allocate(size)
		copy(result, b)
		p.Free(b)
		return result
	}
	at := unsafe.SliceData(b)
	p.shared.mu.Lock()
	defer p.shared.mu.Unlock()
	length := p.shared.lengths[at]
	clear(b[min(len(b), size):size])
	for i := range b[size:length] {
		b[size:length][i] = poison
	}
	p.shared.given[at] = size
	return b[:size]
}

func (p poisoned) Free(b []byte) {
	if cap(b) == 0 {
		return
	}
	at := unsafe.SliceData(b)
	s := p.shared
	s.mu.Lock()
	all, length, given := s.blocks[at], s.lengths[at], s.given[at]
	delete(s.blocks, at)
	for i, c := range all[given:] {
		if c != poison {
			if given+i >= length {
				s.writes[fmt.Sprintf("byte %d of %d\n%s", given+i, length, debug.Stack())]++
			} else {
				s.intoGivenUp++
			}
			break
		}
	}
	s.blocksFreed++
	s.mu.Unlock()
	p.mem.Free(all)
}

// TestPoison runs programs of everything that uses allocators, builders, compute, ipc, csv, pqarrow
// and cdata, on blocks between poison. They come to the same results, and write to nothing that
// they have not asked for; but to what they have given up, as TestResizeToNothing says.
func TestPoison(t *testing.T) {
	seed := testrun.Seed(t)
	programs, most := 30, 2000
	if !testrun.Long() || builtWith("-race") || builtWith("-asan") {
		programs, most = 10, 500
	}
	top := arenaarrow.New(arenaarrow.Options{})
	for i := range programs {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		var forgotten atomic.Int64
		q := top.Child("q")
		p := newPair(q, most, &forgotten)
		mem := newPoisoned(q)
		p.ours.mem = mem
		p.ours.part = func(f func(memory.Allocator)) { f(poisoned{q, mem.shared}) }
		p.noLeaks = false
		for step := range 20 {
			if err := p.step(r); err != nil {
				t.Fatalf("seed %d, program %d, step %d: %v", seed, i, step, err)
			}
		}
		if err := p.releaseAll(); err != nil {
			t.Fatal(err)
		}
		q.Close()
		s := mem.shared
		s.mu.Lock()
		for what, n := range s.writes {
			t.Errorf("%d writes behind a block, of %d: %s", n, s.blocksFreed, strings.TrimSpace(what))
		}
		if i == 0 {
			t.Logf("%d blocks, %d with writes to what was given up", s.blocksFreed, s.intoGivenUp)
		}
		s.mu.Unlock()
	}
}

// TestPoisonFinds has somebody write behind a block, and a builder write to what it has given up.
func TestPoisonFinds(t *testing.T) {
	p := newPoisoned(arenaarrow.New(arenaarrow.Options{}))
	b := p.Allocate(10)
	unsafe.Slice(unsafe.SliceData(b), 11)[10] = 1
	p.Free(b)
	builder := array.NewInt32Builder(p)
	builder.AppendValues(make([]int32, 1000), nil)
	builder.Resize(0)
	builder.Release()
	if len(p.shared.writes) != 1 || p.shared.intoGivenUp != 1 || len(p.shared.blocks) != 0 {
		t.Errorf("%v, %d, %d", p.shared.writes, p.shared.intoGivenUp, len(p.shared.blocks))
	}
}
