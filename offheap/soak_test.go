package offheap_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenadebug"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/offheap"
	"github.com/arena-go/arena/ref"
)

var soakTime = flag.Duration("soak", 3*time.Second, "how long TestSoak runs at least with -long; give -timeout as well when it is more than some minutes")

// TestSoak runs random programs in several goroutines over all providers, round after round: with
// limits, with memory that fails, with arenas that are freed, put into pools, handed over and lost.
// After each round no block may be in use, no address mapped, no arena tracked and no goroutine
// left.
func TestSoak(t *testing.T) {
	seed := testrun.Seed(t)
	s := &soak{t: t, dir: t.TempDir()}
	goroutines, resident := runtime.NumGoroutine(), int64(0)
	begin := time.Now()
	rounds := uint64(0)
	for ; rounds < 5 || testrun.Long() && time.Since(begin) < *soakTime; rounds++ {
		s.round(rand.New(rand.NewPCG(seed, rounds)))
		if !testrun.Collect(func() bool { return runtime.NumGoroutine() <= goroutines }) {
			t.Errorf("%d goroutines are left of %d", runtime.NumGoroutine(), goroutines)
		}
		for _, l := range arenadebug.Live() {
			if l.Name == soakName {
				t.Errorf("still listed: %v", l)
			}
		}
		if t.Failed() {
			t.Fatalf("round %d", rounds)
		}
		if rounds == 1 {
			resident = soakResident(t)
		}
	}
	end := soakResident(t)
	t.Logf("%d rounds, %d arenas, %d steps, %d of them failed; %d KiB were resident after the second round, %d KiB at the end",
		rounds, s.arenas.Load(), s.steps.Load(), s.failed.Load(), resident>>10, end>>10)
	if s.failed.Load() == 0 || s.failed.Load() > s.steps.Load()/2 {
		t.Error("too few steps failed, or too many")
	}
}

const soakName = "soak"

// A soak is what the goroutines have in common.
type soak struct {
	t                     *testing.T
	dir                   string // of files
	providers             []*soakProvider
	handed                chan *soakHolding // arenas that somebody else frees
	files                 atomic.Int64
	arenas, steps, failed atomic.Int64
}

// A soakProvider is a Memory that fails now and then, and knows what it has allocated. The provider
// of the Go heap has no Memory.
type soakProvider struct {
	arena.Memory
	name  string
	stats func() (blocks int, reserved int64) // nil if there is no Close
	close func() error

	mu      sync.Mutex
	r       *rand.Rand
	live    map[*byte]int
	freeing int // blocks that a Free under way still has: a cleanup may run it
	pools   [2]arena.Pool
}

var errSoak = errors.New("none, by chance")

func (p *soakProvider) Alloc(size int) ([]byte, error) {
	p.mu.Lock()
	fails := p.r.IntN(16) == 0
	p.mu.Unlock()
	if fails {
		return nil, errSoak
	}
	b, err := p.Memory.Alloc(size)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live[&b[0]] != 0 {
		panic(fmt.Sprintf("%s: a block is given away that is in use", p.name))
	}
	p.live[&b[0]] = len(b)
	return b, nil
}

func (p *soakProvider) Free(b []byte) {
	p.mu.Lock()
	if p.live[&b[0]] != len(b) {
		panic(fmt.Sprintf("%s: %d bytes come back that were not given", p.name, len(b)))
	}
	delete(p.live, &b[0])
	p.freeing++
	p.mu.Unlock()
	p.Memory.Free(b)
	p.mu.Lock()
	p.freeing--
	p.mu.Unlock()
}

func (p *soakProvider) held() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.live) + p.freeing
}

// open makes the providers of a round.
func (s *soak) open(r *rand.Rand) {
	s.providers = []*soakProvider{{name: "heap"}}
	mmap := func(name string, m *offheap.Mmap) {
		s.providers = append(s.providers, &soakProvider{Memory: m, name: name, close: m.Close,
			stats: func() (int, int64) { st := m.Stats(); return st.Blocks, st.Reserved }})
	}
	mmap("Mmap", &offheap.Mmap{})
	mmap("Mmap, little quarantine", &offheap.Mmap{Quarantine: 1 << 20})
	mmap("Mmap, no quarantine", &offheap.Mmap{Quarantine: -1})
	mmap("Mmap, huge pages", &offheap.Mmap{HugePages: offheap.TransparentHugePages})
	mmap("Mmap, explicit huge pages", &offheap.Mmap{HugePages: offheap.ExplicitHugePages})
	mmap("Mmap, locked", &offheap.Mmap{Lock: true})
	mmap("Mmap, node", &offheap.Mmap{Node: new(0)})
	fixed, err := offheap.NewFixed(12 << 20)
	if err != nil {
		s.t.Fatal(err)
	}
	s.providers = append(s.providers, &soakProvider{Memory: fixed, name: "Fixed", close: fixed.Close,
		stats: func() (int, int64) { st := fixed.Stats(); return st.Blocks, st.Size }})
	for name, open := range map[string]func() (*offheap.Malloc, error){"Mimalloc": offheap.Mimalloc, "Jemalloc": offheap.Jemalloc} {
		if m, err := open(); err == nil {
			s.providers = append(s.providers, &soakProvider{Memory: m, name: name, stats: func() (int, int64) { return m.Stats().Blocks, 0 }})
		} else if !errors.Is(err, errors.ErrUnsupported) {
			s.t.Fatal(err)
		}
	}
	for _, p := range s.providers {
		p.r, p.live = rand.New(rand.NewPCG(r.Uint64(), 0)), map[*byte]int{}
		for i := range p.pools {
			o := s.options(r, p)
			o.Finalize = true // of those that are dropped
			p.pools[i].Options, p.pools[i].Retain = o, soakAny[int64](r, 0, -1, 50_000)
		}
	}
	s.handed = make(chan *soakHolding, 8)
}

// round runs the goroutines, and checks what they leave.
func (s *soak) round(r *rand.Rand) {
	s.open(r)
	var wg sync.WaitGroup
	for range 4 {
		r := rand.New(rand.NewPCG(r.Uint64(), 1))
		wg.Go(func() {
			for range testrun.Times(10, 100) {
				if s.t.Failed() {
					break
				}
				s.life(r)
			}
		})
	}
	wg.Wait()
	close(s.handed)
	for h := range s.handed {
		h.free()
	}
	for _, p := range s.providers {
		clear(p.pools[:]) // Their arenas are garbage now, and so are those that were lost.
	}
	testrun.Collect(func() bool {
		return !slices.ContainsFunc(s.providers, func(p *soakProvider) bool { return p.held() > 0 })
	})
	for _, p := range s.providers {
		if n := p.held(); n > 0 {
			s.t.Errorf("%s: %d blocks are left", p.name, n)
		}
		s.close(p)
	}
	s.providers, s.handed = nil, nil
	for _, m := range soakMappings(s.t) {
		if strings.Contains(m.name, s.dir) {
			s.t.Errorf("a file is still mapped: %s", m.name)
		}
	}
	if files, err := filepath.Glob(filepath.Join(s.dir, "*")); err != nil || len(files) > 0 {
		s.t.Errorf("files are left: %v %v", files, err)
	}
}

// close closes a provider, while nobody does anything else, and checks that it leaves nothing.
func (s *soak) close(p *soakProvider) {
	if p.stats == nil {
		return
	}
	blocks, reserved := p.stats()
	if blocks > 0 {
		s.t.Errorf("%s: Stats have %d blocks", p.name, blocks)
	}
	if p.close == nil {
		return
	}
	total := func() (n int64) {
		for _, m := range soakMappings(s.t) {
			n += m.size
		}
		return n
	}
	threads := func() int {
		all, _ := os.ReadDir("/proc/self/task")
		return len(all)
	}
	before, threadsBefore := total(), threads()
	if err := p.close(); err != nil {
		s.t.Error(err)
	}
	// The runtime, or a sanitizer, may have mapped something meanwhile, and a new thread its stack.
	if after := total(); before > 0 && before-after < reserved-8<<20 && threads() == threadsBefore {
		s.t.Errorf("%s: %d bytes of addresses were reserved, and Close gave %d back", p.name, reserved, before-after)
	}
}

func soakAny[T any](r *rand.Rand, v ...T) T { return v[r.IntN(len(v))] }

// options returns the options of arenas with memory from p.
func (s *soak) options(r *rand.Rand, p *soakProvider) arena.Options {
	o := arena.Options{
		Name:   soakName,
		Limit:  soakAny[int64](r, 0, 0, 0, 20_000, 300_000),
		Retain: soakAny[int64](r, 0, 0, -1, 50_000),
		Report: func(r *arena.Report) { s.t.Error(r) },
	}
	if p.Memory != nil {
		o.Memory = p
	}
	return o
}

// life is the life of one or more arenas.
func (s *soak) life(r *rand.Rand) {
	p := s.providers[r.IntN(len(s.providers))]
	o := s.options(r, p)
	pool := &p.pools[r.IntN(len(p.pools))]
	s.arenas.Add(1)
	switch r.IntN(8) {
	case 0, 1: // one that is Reset, and freed by somebody
		o.Track = r.IntN(4) == 0
		h := &soakHolding{soak: s, a: arena.NewWith(o)}
		for range r.IntN(5) {
			h.work(r, 60)
			h.reset()
		}
		h.work(r, 60)
		select {
		case s.handed <- h:
			if h = <-s.handed; h == nil {
				return
			}
			h.work(r, 20)
		default:
		}
		h.free()
	case 2: // one that is lost
		o.Finalize = true
		h := &soakHolding{soak: s, a: arena.NewWith(o)}
		h.work(r, 60)
		runtime.KeepAlive(h.a)
	case 3, 4:
		h := &soakHolding{soak: s, a: pool.Get()}
		h.work(r, 60)
		switch r.IntN(10) {
		case 0:
			h.free()
		case 1:
			pool.Drop(h.a)
			h.work(r, 20)
			runtime.KeepAlive(h.a)
		case 2: // lost
			runtime.KeepAlive(h.a)
		default:
			pool.Put(h.a)
		}
	case 5:
		defer func() {
			if v := recover(); v != nil && v != errSoak {
				panic(v)
			}
		}()
		pool.Do(func(a *arena.Arena) {
			(&soakHolding{soak: s, a: a}).work(r, 60)
			if r.IntN(8) == 0 {
				panic(errSoak) // It is dropped.
			}
			runtime.KeepAlive(a)
		})
	case 6:
		s.group(r, o)
	case 7:
		s.file(r, o)
	}
}

// group is the life of a Group.
func (s *soak) group(r *rand.Rand, o arena.Options) {
	o.Finalize = r.IntN(4) == 0
	g := &arena.Group{Options: o}
	for range 1 + r.IntN(3) {
		all := make([]*soakHolding, 1+r.IntN(3))
		for i := range all {
			r := rand.New(rand.NewPCG(r.Uint64(), 2))
			g.Go(func(a *arena.Arena) {
				all[i] = &soakHolding{soak: s, a: a}
				all[i].work(r, 30)
			})
		}
		g.Wait()
		for _, h := range all {
			h.check()
		}
		g.Reset()
	}
	if !o.Finalize {
		g.Free()
		if st := g.Stats(); st.Reserved != 0 {
			s.t.Errorf("a freed Group has %+v", st)
		}
	}
}

// file is the life of a File, which is full sometimes, and of the arenas that write and read it.
func (s *soak) file(r *rand.Rand, o arena.Options) {
	path := filepath.Join(s.dir, fmt.Sprint(s.files.Add(1)))
	f, err := offheap.Create(path, offheap.FileOptions{Limit: soakAny(r, 64<<10, 1<<20)})
	if err != nil {
		s.t.Error(err)
		return
	}
	o.Memory = f
	h := &soakHolding{soak: s, a: arena.NewWith(o), refsOnly: true}
	h.work(r, 150)
	if h.root.IsNil() || r.IntN(4) == 0 {
		h.free()
		if err := f.Close(); err != nil {
			s.t.Error(err)
		}
		return
	}
	err = offheap.Save(f, ref.In(h.a), h.root)
	h.check()
	h.free()
	if err := errors.Join(err, f.Close()); err != nil {
		s.t.Error(err)
		return
	}
	if f, err = offheap.Open(path, offheap.FileOptions{}); err != nil {
		s.t.Error(err)
		return
	}
	o.Memory = f
	reader := &soakHolding{soak: s, a: arena.NewWith(o), model: h.model}
	if reader.root, err = offheap.Root[soakRoot](f, ref.In(reader.a)); err == nil {
		reader.check()
		err = f.Verify()
	}
	reader.free()
	if err := errors.Join(err, f.Close(), os.Remove(path)); err != nil {
		s.t.Error(err)
	}
}

// A soakHolding is what somebody has in an arena, and what it should be.
type soakHolding struct {
	*soak
	a        *arena.Arena
	root     ref.Of[soakRoot]
	model    soakModel
	plain    *arena.Map[string, uint64]
	checks   []func() bool // of other values
	refsOnly bool          // there are no others
}

// A soakRoot is plain, and may be written to a file.
type soakRoot struct {
	ints  ref.Map[uint64, uint64]
	tree  ref.Tree[int64, uint64]
	texts ref.TextMap[uint64]
	words ref.TextTree[uint64]
	list  ref.Of[soakNode]
}

type soakNode struct {
	next  ref.Of[soakNode]
	name  ref.String
	items ref.Slice[uint32]
}

// A soakModel is what a soakRoot and a Map should be.
type soakModel struct {
	ints         map[uint64]uint64
	tree         map[int64]uint64
	texts, words map[string]uint64
	plain        map[string]uint64
	list         []uint32 // The last one is the first node.
}

// work makes up to steps steps, and checks everything now and then.
func (h *soakHolding) work(r *rand.Rand, steps int) {
	if h.model.ints == nil {
		h.model = soakModel{map[uint64]uint64{}, map[int64]uint64{}, map[string]uint64{}, map[string]uint64{}, map[string]uint64{}, nil}
	}
	for range r.IntN(steps) {
		h.steps.Add(1)
		if err := arena.Try(func() { h.step(r) }); err != nil {
			h.failed.Add(1)
			if !h.expected(err) {
				h.t.Error(err)
			}
		}
		if r.IntN(16) == 0 {
			h.check()
		}
	}
	h.check()
}

// expected reports whether err is a failure that there may be.
func (h *soakHolding) expected(err error) bool {
	var full *offheap.FullError
	return errors.Is(err, arena.ErrLimit) || errors.Is(err, errSoak) || errors.As(err, &full) ||
		strings.Contains(err.Error(), "FileOptions.Limit") || strings.Contains(err.Error(), "RLIMIT_MEMLOCK")
}

// step makes something in the arena, or changes it. If it may fail the model is changed last.
func (h *soakHolding) step(r *rand.Rand) {
	a, v := h.a, r.Uint64()
	s := ref.In(a)
	size := r.IntN(1 << r.IntN(12))
	op := r.IntN(16)
	if h.refsOnly {
		op |= 8
	}
	switch op {
	case 0:
		soakKeep(h, arena.New[[1]int64](a)[:], int64(v))
	case 1:
		soakKeep(h, arena.New[[1]*int](a)[:], new(int(v)))
	case 2:
		soakKeep(h, arena.MakeSlice[byte](a, size, size), byte(v)|1)
	case 3:
		if r.IntN(20) == 0 {
			size += 100_000
		}
		soakKeep(h, arena.MakeSlice[uint64](a, size, size), v)
	case 4:
		soakKeep(h, arena.MakeSlice[string](a, size/16, size/16), fmt.Sprint(v))
	case 5:
		want := strings.Repeat(fmt.Sprint(v), size/16)
		got := arena.String(a, want)
		h.checks = append(h.checks, func() bool { return got == want })
	case 6:
		want := slices.Repeat([]uint16{uint16(v)}, size/8)
		got := arena.MakeSlice[uint16](a, 0, r.IntN(10))
		for _, v := range want {
			got = arena.Append(a, got, v)
		}
		h.checks = append(h.checks, func() bool { return slices.Equal(got, want) })
	case 7:
		if h.plain == nil {
			h.plain = arena.NewMap[string, uint64](a, size/16)
		}
		for range size / 4 {
			k := fmt.Sprint(r.IntN(200))
			if r.IntN(3) == 0 {
				soakDeleted(h, h.plain.Delete(k), h.model.plain, k)
			} else {
				h.plain.Set(k, v)
				h.model.plain[k] = v
			}
		}
	default:
		if h.root.IsNil() {
			h.root, _ = ref.New[soakRoot](s)
		}
		h.stepRoot(r, op, size, v)
	}
}

// stepRoot is a step with what references refer to.
func (h *soakHolding) stepRoot(r *rand.Rand, op, size int, v uint64) {
	a, m, root := h.a, &h.model, h.root.Get(ref.In(h.a))
	space := ref.In(a)
	if op >= 14 {
		name := ref.NewString(space, fmt.Sprint(uint32(v)))
		items, s := ref.NewSlice[uint32](space, size)
		node, p := ref.New[soakNode](space)
		for i := range s {
			s[i] = uint32(v)
		}
		*p = soakNode{root.list, name, items}
		root.list = node
		m.list = append(m.list, uint32(v))
		return
	}
	for range size / 4 {
		k := r.Uint64N(500)
		text := fmt.Sprint("a key that is text ", k)
		set := r.IntN(3) > 0
		switch {
		case op <= 9 && set:
			root.ints.Set(space, k, v)
			m.ints[k] = v
		case op <= 9:
			soakDeleted(h, root.ints.Delete(space, k), m.ints, k)
		case op <= 11 && set:
			root.tree.Set(space, int64(k), v)
			m.tree[int64(k)] = v
		case op <= 11:
			soakDeleted(h, root.tree.Delete(space, int64(k)), m.tree, int64(k))
		case op == 12 && set:
			root.texts.Set(space, text, v)
			m.texts[text] = v
		case op == 12:
			soakDeleted(h, root.texts.Delete(space, text), m.texts, text)
		case set:
			root.words.Set(space, text, v)
			m.words[text] = v
		default:
			soakDeleted(h, root.words.Delete(space, text), m.words, text)
		}
	}
}

// soakKeep checks that the elements of s, which are new, are zero, and has them keep v.
func soakKeep[T comparable](h *soakHolding, s []T, v T) {
	all := func(v T) bool { return !slices.ContainsFunc(s, func(e T) bool { return e != v }) }
	if !all(*new(T)) {
		h.t.Errorf("new values are not zero: %v", s)
	}
	for i := range s {
		s[i] = v
	}
	h.checks = append(h.checks, func() bool { return all(v) })
}

// soakDeleted deletes k from a model, after a Delete that has told whether it was there.
func soakDeleted[K comparable](h *soakHolding, was bool, model map[K]uint64, k K) {
	if _, ok := model[k]; ok != was {
		h.t.Errorf("Delete(%v) is %t", k, was)
	}
	delete(model, k)
}

// check compares all that is in the arena with what it should be.
func (h *soakHolding) check() {
	m := &h.model
	for i, ok := range h.checks {
		if !ok() {
			h.t.Errorf("value %d has changed", i)
		}
	}
	if h.plain != nil && !maps.Equal(maps.Collect(h.plain.All()), m.plain) {
		h.t.Error("a Map has changed")
	}
	root := h.root.Get(ref.In(h.a))
	if root == nil {
		return
	}
	if root.ints.Len() != len(m.ints) || !maps.Equal(maps.Collect(root.ints.All(ref.In(h.a))), m.ints) {
		h.t.Error("a Map has changed")
	}
	if root.texts.Len() != len(m.texts) || !maps.Equal(maps.Collect(root.texts.All(ref.In(h.a))), m.texts) {
		h.t.Error("a TextMap has changed")
	}
	soakOrdered(h, "Tree", root.tree.All(ref.In(h.a)), m.tree)
	soakOrdered(h, "TextTree", root.words.All(ref.In(h.a)), m.words)
	node := root.list.Get(ref.In(h.a))
	for _, v := range slices.Backward(m.list) {
		if node == nil || node.name.Get(ref.In(h.a)) != fmt.Sprint(v) || slices.ContainsFunc(node.items.Get(ref.In(h.a)), func(e uint32) bool { return e != v }) {
			h.t.Error("a list has changed")
			return
		}
		node = node.next.Get(ref.In(h.a))
	}
	if node != nil {
		h.t.Error("a list has become longer")
	}
}

func soakOrdered[K cmp.Ordered](h *soakHolding, what string, entries iter.Seq2[K, uint64], model map[K]uint64) {
	var keys []K
	for k, v := range entries {
		keys = append(keys, k)
		if want, ok := model[k]; !ok || v != want {
			h.t.Errorf("in a %s %v is %d", what, k, v)
			return
		}
	}
	if len(keys) != len(model) || !slices.IsSorted(keys) {
		h.t.Errorf("a %s has changed", what)
	}
}

func (h *soakHolding) reset() {
	h.check()
	h.a.Reset()
	*h = soakHolding{soak: h.soak, a: h.a}
}

func (h *soakHolding) free() {
	h.check()
	h.a.Free()
	if s := h.a.Stats(); s.Reserved != 0 {
		h.t.Errorf("a freed arena has %+v", s)
	}
}

// soakResident returns the bytes of memory that the process has, or 0 where that is not known.
func soakResident(t *testing.T) int64 {
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		t.Fatal(err)
	}
	return resident * int64(os.Getpagesize())
}

type soakMapping struct {
	size int64
	name string
}

// soakMappings returns what /proc/self/maps has but for the Go heap; nothing if there is no such
// file.
func soakMappings(t *testing.T) (all []soakMapping) {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		var low, high uint64
		var perm, offset, device, inode, name string
		if n, err := fmt.Sscanf(line, "%x-%x", &low, &high); n < 2 {
			t.Fatal(err)
		}
		fmt.Sscan(line, &perm, &perm, &offset, &device, &inode, &name) // Most have no name.
		if low>>32 != 0xc0 {
			all = append(all, soakMapping{int64(high - low), name})
		}
	}
	return all
}
