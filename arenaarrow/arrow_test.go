package arenaarrow_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena/arenaarrow"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/offheap"
)

var _ memory.Allocator = (*arenaarrow.Allocator)(nil)

// A pair runs each step twice, with the allocator under test and with the allocator of the Go heap.
type pair struct {
	ours, want env
	forgotten  *atomic.Int64 // bytes that a part of the work has left
	noLeaks    bool          // no steps that leave some
	noC        bool          // none with C
	steps      int
	refused    []error // of steps that arrow cannot do with any allocator
}

func newPair(q *arenaarrow.Allocator, most int, forgotten *atomic.Int64) *pair {
	p := &pair{forgotten: forgotten}
	p.ours = env{mem: q, most: most, part: func(f func(memory.Allocator)) {
		c := q.Child("part")
		f(c)
		if l := c.Close(); l != nil {
			forgotten.Add(l.Bytes)
		}
	}}
	p.want = env{mem: memory.NewGoAllocator(), most: most, part: func(f func(memory.Allocator)) { f(memory.NewGoAllocator()) }}
	return p
}

// step runs a step, and releases some of the arrays that there are. It returns an error if there is
// a difference.
func (p *pair) step(r *rand.Rand) (err error) {
	s := any1(r, steps...)
	if s.part && p.noLeaks || s.name == throughCName && p.noC {
		return nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", s.name, err)
		}
	}()
	seed := r.Uint64()
	run := func(e *env) (text []byte, err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("%v\n%s", v, debug.Stack())
			}
		}()
		list, text := s.do(e, rand.New(rand.NewPCG(seed, 0)))
		e.arrays = append(e.arrays, list...)
		return text, nil
	}
	before := len(p.want.arrays)
	p.steps++
	want, err := run(&p.want)
	if err != nil {
		p.refused = append(p.refused, fmt.Errorf("%s: %w", s.name, err))
		return nil // Arrow cannot do that.
	}
	got, err := run(&p.ours)
	switch {
	case err != nil:
		return err
	case !bytes.Equal(got, want):
		return fmt.Errorf("what was written is not the same")
	case len(p.ours.arrays) != len(p.want.arrays):
		return fmt.Errorf("%d arrays, want %d", len(p.ours.arrays), len(p.want.arrays))
	}
	for i := before; i < len(p.want.arrays); i++ {
		if err := p.compare(i); err != nil {
			return err
		}
	}
	for len(p.want.arrays) > 20 || len(p.want.arrays) > 0 && r.IntN(3) == 0 {
		if err := p.release(r.IntN(len(p.want.arrays))); err != nil {
			return err
		}
	}
	return nil
}

func (p *pair) compare(i int) error {
	if got, want := p.ours.arrays[i], p.want.arrays[i]; !array.Equal(got, want) {
		return fmt.Errorf("array %d of %v:\n%v\nwant\n%v", i, got.DataType(), short(got), short(want))
	}
	return nil
}

func short(a arrow.Array) string {
	text := fmt.Sprint(a)
	return text[:min(len(text), 2000)]
}

// remove takes array i out, after it has compared it.
func (p *pair) remove(i int) (ours, want arrow.Array, err error) {
	err = p.compare(i)
	ours, want = p.ours.arrays[i], p.want.arrays[i]
	p.ours.arrays = slices.Delete(p.ours.arrays, i, i+1)
	p.want.arrays = slices.Delete(p.want.arrays, i, i+1)
	return ours, want, err
}

func (p *pair) release(i int) error {
	ours, want, err := p.remove(i)
	ours.Release()
	want.Release()
	return err
}

// releaseAll releases what there is, and returns an error if it is not what it was.
func (p *pair) releaseAll() error {
	for len(p.want.arrays) > 0 {
		if err := p.release(len(p.want.arrays) - 1); err != nil {
			return err
		}
	}
	return nil
}

// TestArrow runs random programs with arrow, in several goroutines that share an allocator, and
// compares with memory.GoAllocator after each step. What a goroutine has made, another may release.
func TestArrow(t *testing.T) {
	seed := testrun.Seed(t)
	for i, o := range []arenaarrow.Options{
		{},
		{Align: 4096, StackRate: 1},
		{Memory: &offheap.Mmap{}},
		{Retain: -1, StackRate: -1},
		{Limit: 1 << 10},
		{Retain: 1 << 20, StackRate: 1, Memory: &offheap.Mmap{}, Align: 128},
		{Debug: true},
	} {
		o.Name = fmt.Sprintf("options %d", i)
		t.Run(o.Name, func(t *testing.T) {
			steps, most := 80, 5000
			switch {
			case o.Debug:
				steps, most = 20, 50
			case !testrun.Long() || builtWith("-race") || builtWith("-asan"):
				steps, most = 40, 1000
			}
			arrowPrograms(t, o, seed+uint64(i), steps, most)
		})
	}
}

// arrowPrograms runs a program with this number of steps in each of four goroutines.
func arrowPrograms(t *testing.T, o arenaarrow.Options, seed uint64, steps, most int) {
	top := arenaarrow.New(o)
	type handed struct{ ours, want arrow.Array }
	var wg sync.WaitGroup
	var forgotten atomic.Int64
	others := make(chan handed, 16)
	give := func(h handed) error {
		defer h.ours.Release()
		defer h.want.Release()
		if !array.Equal(h.ours, h.want) {
			return fmt.Errorf("an array that was handed over:\n%v\nwant\n%v", short(h.ours), short(h.want))
		}
		return nil
	}
	var queries []*arenaarrow.Allocator
	for g := range 4 {
		q := top.Child(fmt.Sprint("query ", g))
		queries = append(queries, q)
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(g)))
			p := newPair(q, most, &forgotten)
			p.noLeaks = o.Memory != nil // They would stay forever.
			for i := range steps {
				err := p.step(r)
				if n := len(p.want.arrays); err == nil && n > 0 && r.IntN(4) == 0 {
					var h handed
					if h.ours, h.want, err = p.remove(r.IntN(n)); err == nil {
						select {
						case others <- h:
							err = give(<-others)
						default:
							err = give(h)
						}
					}
				}
				if err != nil {
					t.Errorf("seed %d, goroutine %d, step %d: %v", seed, g, i, err)
					return
				}
			}
			if err := p.releaseAll(); err != nil {
				t.Error(err)
			}
			if len(p.refused) > p.steps/5 {
				t.Errorf("%d of %d steps could not be done with any allocator: %v", len(p.refused), p.steps, errors.Join(p.refused...))
			}
		})
	}
	wg.Wait()
	close(others)
	for h := range others {
		if err := give(h); err != nil {
			t.Error(err)
		}
	}
	if t.Failed() {
		return
	}
	for _, q := range queries {
		q.AssertSize(t, 0)
		if s := q.Stats(); s.Blocks != 0 || s.Peak == 0 || q.Exceeded() != (o.Limit > 0) {
			t.Errorf("%+v, %v", s, q.Err())
		}
		if l := q.Close(); l != nil {
			t.Error(l)
		}
	}
	if s := top.Stats(); s.InUse != 0 || s.Blocks != 0 || s.Orphans > forgotten.Load() || o.Retain < 0 && s.Cached > 0 {
		t.Errorf("%+v; %d bytes were forgotten", s, forgotten.Load())
	}
	if l := top.Close(); l != nil {
		t.Error(l)
	}
	if s := top.Stats(); s.Held != 0 || s.Cached != 0 {
		t.Errorf("%+v", s)
	}
	if m, ok := o.Memory.(*offheap.Mmap); ok {
		if s := m.Stats(); s.Blocks != 0 || s.InUse != 0 {
			t.Errorf("%+v", s)
		}
	}
}

// builtWith reports whether this test was built with a flag.
func builtWith(flag string) bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
		return s.Key == flag && s.Value == "true"
	})
}
