package main

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/arena-go/arena"
)

// A tree is made of all that an arena can hold.
type tree struct {
	key         int
	name        string
	list        []int
	flags       []bool
	left, right *tree
	any         any
	index       *arena.Map[string, int]
}

func grow(a *arena.Arena, r *rand.Rand, depth int) *tree {
	if depth == 0 {
		return nil
	}
	key := r.IntN(1000)
	t := arena.New[tree](a)
	t.key = key
	t.name = arena.Concat(a, "key ", strconv.Itoa(key))
	t.list = arena.MakeSlice[int](a, 0, 1)
	for range 1 + key%7 {
		t.list = arena.Append(a, t.list, key)
	}
	t.left, t.right = grow(a, r, depth-1), grow(a, r, depth-1)
	if r.IntN(4) > 0 {
		return t
	}
	t.flags = arena.SliceOf(a, key%2 == 0, true)
	t.any = arena.Ptr(a, point{key, -key})
	t.index = arena.NewMap[string, int](a, key%3)
	t.index.Set(t.name, key)
	b := arena.NewBuilder(a)
	b.WriteString("built ")
	b.WriteInt(int64(key), 10)
	t.index.Set(b.String(), key)
	if key == 0 {
		arena.MakeSlice[int64](a, 50_000, 50_000)[49_999] = 1
	}
	s := arena.SlabOf[[5]int](a)
	for range key % 5 {
		s.New()[4] = key
	}
	return t
}

// check panics when t is not as grow has made it.
func (t *tree) check() {
	if t == nil {
		return
	}
	t.left.check()
	t.right.check()
	k := t.key
	if t.name != "key "+strconv.Itoa(k) || t.list[len(t.list)-1] != k {
		panic(fmt.Sprintf("a tree is %+v", t))
	}
	if t.index == nil {
		return
	}
	n := 0
	for _, v := range t.index.All() {
		n += v
	}
	got, _ := t.index.Get("built " + strconv.Itoa(k))
	if *t.any.(*point) != (point{k, -k}) || t.flags[0] != (k%2 == 0) || n != 2*k || got != k {
		panic(fmt.Sprintf("a tree is %+v", t))
	}
}

// load uses arenas without any mistake, in all the ways that there are.
func load() {
	const workers = 16
	var pool arena.Pool
	var done atomic.Int64
	handed := make(chan parcel)
	var partners, wait sync.WaitGroup
	for range 4 {
		partners.Go(func() {
			for p := range handed {
				p.tree.check()
				if p.answer == nil {
					p.arena.Free()
					continue
				}
				r := rand.New(rand.NewPCG(uint64(p.tree.key), 0))
				p.arena.Reset()
				p.tree = grow(p.arena, r, 1)
				p.answer <- p
			}
		})
	}
	for w := range workers {
		wait.Go(func() {
			r := rand.New(rand.NewPCG(*seed, uint64(w)))
			a := arena.NewWith(options())
			g := &arena.Group{Options: options()}
			var last *tree // a clone
			for done.Add(1) <= int64(*cycles) {
				last.check()
				if r.IntN(32) == 0 {
					growing([]*arena.Arena{a, nil}[r.IntN(2)], r)
					a.Reset()
				}
				switch r.IntN(8) {
				case 0: // Reset
					grow(a, r, 1+r.IntN(2)).check()
					a.Reset()
				case 1: // Pool
					b := pool.Get()
					grow(b, r, 1+r.IntN(2)).check()
					pool.Put(b)
				case 2: // Do
					pool.Do(func(a *arena.Arena) { grow(a, r, 1).check() })
				case 3: // a Group, whose values others read
					var trees [2]*tree
					seeds := [2]uint64{r.Uint64(), r.Uint64()}
					for i := range trees {
						g.Go(func(a *arena.Arena) { trees[i] = grow(a, rand.New(rand.NewPCG(seeds[i], 0)), 1) })
					}
					g.Wait()
					trees[0].check()
					trees[1].check()
					g.Reset()
				case 4: // handed over and back
					answer := make(chan parcel)
					handed <- parcel{a, grow(a, r, 1), answer}
					p := <-answer
					p.tree.check()
					p.arena.Reset()
				case 5: // handed over for good
					handed <- parcel{a, grow(a, r, 1), nil}
					a = arena.NewWith(options())
				case 6: // read by others
					t := grow(a, r, 1+r.IntN(2))
					var readers sync.WaitGroup
					readers.Go(t.check)
					readers.Go(t.check)
					readers.Wait()
					a.Reset()
				case 7: // copied out
					t := grow(a, r, 1)
					s := arena.Clone(t.name)
					last = arena.DeepClone(t)
					a.Reset()
					if !strings.HasPrefix(s, "key ") {
						panic(s)
					}
				}
			}
			a.Free()
			g.Free()
		})
	}
	wait.Wait()
	close(handed)
	partners.Wait()
}

// growing checks that iterators of a Map that grows meanwhile see all that was there, once.
func growing(a *arena.Arena, r *rand.Rand) {
	m := arena.NewMap[string, []int](a, 0)
	n := 1 + r.IntN(30)
	for i := range n {
		m.Set(arena.String(a, strconv.Itoa(i)), arena.SliceOf(a, i))
	}
	seen := 0
	for k, v := range m.All() {
		if i, err := strconv.Atoi(k); err != nil || v[0] != i {
			panic(fmt.Sprintf("%q has %v", k, v))
		} else if i < n {
			seen++
		}
		for range r.IntN(10) {
			i := n + r.IntN(100)
			m.Set(arena.String(a, strconv.Itoa(i)), arena.SliceOf(a, i))
		}
		for k := range m.Keys() { // one more, which begins later
			*m.Entry(k) = arena.Append(a, *m.Entry(k), 1)
			if r.IntN(3) == 0 {
				break
			}
		}
	}
	if seen != n {
		panic(fmt.Sprintf("%d entries of %d were seen", seen, n))
	}
	p := arena.NewMap[int, int](a, 0)
	for i := range 5 {
		p.Set(i, i)
	}
	sum := 0
	for k, v := range p.All() {
		if k < 5 {
			sum += v
		}
		for i := range 20 * r.IntN(3) {
			p.Set(100+i, 0)
		}
	}
	if sum != 10 {
		panic(fmt.Sprint("the sum is ", sum))
	}
}

// A parcel is an arena that is handed over.
type parcel struct {
	arena  *arena.Arena
	tree   *tree
	answer chan parcel
}

// loadStale is load, and then a mistake.
func loadStale() {
	load()
	stale()
}

// forget does various things between Reset and the use of what is stale.
func forget() {
	debug.SetGCPercent(-1)
	a := arena.NewArena()
	v := arena.New[point](a)
	a.Reset()
	scene = a
	buffer := make([]int, 1<<20)
	for i := range *accesses {
		buffer[(i*64)&(len(buffer)-1)] = i
	}
	for range *goroutines {
		done := make(chan struct{})
		go func() { close(done) }()
		<-done
	}
	b := arena.NewArena()
	for range *resets {
		arena.New[point](b)
		b.Reset()
	}
	v.x = 7 // ACCESS forget
}
