package arena

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/arena-go/arena/internal/vm"
)

// wardsLeft returns the number of wards that there are, once those that nobody has are gone.
func wardsLeft(t *testing.T, want int) {
	t.Helper()
	n := 0
	for start := time.Now(); time.Since(start) < time.Minute; {
		runtime.GC()
		wards.Lock()
		n = len(wards.all) - len(wards.free)
		wards.Unlock()
		if n <= want {
			return
		}
		time.Sleep(time.Millisecond) // finalizers have a goroutine of their own
	}
	t.Errorf("%d wards are left, want %d", n, want)
}

// emptyQuarantine lets out all that is in quarantine.
func emptyQuarantine() {
	quarantine.Lock()
	quarantine.leaving = append(quarantine.leaving, quarantine.endings...)
	quarantine.endings, quarantine.bytes = nil, 0
	quarantine.Unlock()
	letOut()
}

// faults tells whether f touches memory that cannot be accessed.
func faults(f func()) (r *Report) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			if r = FaultReport(v); r == nil {
				panic(v)
			}
		}
	}()
	f()
	return nil
}

// TestGuardLife has arenas in guard mode live and end in all ways, and checks that what nobody has
// ended can be used, however long ago its arena was dropped; that what was ended
// cannot; and that no memory stays inaccessible which the runtime wants to use for something else.
func TestGuardLife(t *testing.T) {
	emptyQuarantine()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	type value struct {
		text  string
		ints  []int64
		plain *[5]int32
		node  *mNode
		n     int
	}
	check := func(v value) error {
		if v.text != strings.Repeat("x", v.n) || len(v.ints) != v.n || v.plain[4] != int32(v.n) || v.node.left.n != v.n {
			return fmt.Errorf("%v", v)
		}
		for _, i := range v.ints {
			if i != int64(v.n) {
				return fmt.Errorf("%v", v)
			}
		}
		return nil
	}
	build := func(a *Arena) value {
		v := value{n: r.IntN(300) + 1}
		if r.IntN(20) == 0 {
			v.n += 20000
		}
		v.text = String(a, strings.Repeat("x", v.n))
		v.ints = MakeSlice[int64](a, v.n, v.n)
		for i := range v.ints {
			v.ints[i] = int64(v.n)
		}
		v.plain = Put(a, [5]int32{4: int32(v.n)})
		v.node = Put(a, mNode{left: Put(a, mNode{n: v.n})})
		return v
	}
	// Others take and leave memory of the same sizes, and would be hurt.
	stop := make(chan bool)
	var others sync.WaitGroup
	others.Go(func() {
		r := rand.New(rand.NewPCG(seed, 1))
		kept := make([][]byte, 100)
		for {
			select {
			case <-stop:
				return
			default:
				b := make([]byte, (1+r.IntN(12))<<12)
				for i := range b {
					b[i] = 1
				}
				kept[r.IntN(len(kept))] = b
			}
		}
	})
	var kept []value
	report := func(r *Report) {
		if r.Mistake != Leak { // it is meant
			unexpected(r)
		}
	}
	pool := &Pool{GuardEvery: 2, Options: Options{Report: report}}
	rounds := 400
	if testing.Short() {
		rounds = 100
	}
	for round := range rounds {
		a := NewWith(Options{Guard: true, Report: report})
		pooled := r.IntN(2) == 0
		if pooled {
			a = pool.Get()
		}
		var values []value
		for range 1 + r.IntN(40) {
			values = append(values, build(a))
		}
		for _, v := range values {
			if err := check(v); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
		guarded := a.stores.guard != nil
		ended := true
		switch r.IntN(4) {
		case 0:
			a.Free()
		case 1:
			a.Reset()
			if err := check(build(a)); err != nil {
				t.Fatalf("round %d, after Reset: %v", round, err)
			}
		case 2:
			if pooled {
				pool.Put(a)
			} else {
				a.Free()
			}
		default:
			if pooled {
				pool.Drop(a)
			}
			kept = append(kept, values[r.IntN(len(values))])
			ended = false
		}
		v := values[r.IntN(len(values))]
		for what, use := range map[string]func(){
			"text":       func() { _ = strings.Count(v.text, "y") },
			"slice":      func() { v.ints[v.n-1]++; v.ints[v.n-1]-- },
			"plain":      func() { v.plain[0] = 0 },
			"through it": func() { v.node.left.n++; v.node.left.n-- },
		} {
			if ended && !guarded {
				break // it may see anything
			}
			report := faults(use)
			if (report != nil) != ended {
				t.Fatalf("round %d: use of %s: %v, ended %t", round, what, report, ended)
			}
			if ended && report.Mistake != UseAfterReset && report.Mistake != UseAfterFree {
				t.Fatalf("round %d: use of %s: %v", round, what, report)
			}
		}
		if n := len(kept); n > 30 {
			kept = slices.Delete(kept, 0, 10)
		}
		if r.IntN(30) == 0 {
			runtime.GC()
		}
		for _, v := range kept {
			if err := check(v); err != nil {
				t.Fatalf("round %d, of an arena that was dropped: %v", round, err)
			}
		}
	}
	close(stop)
	others.Wait()
	CheckQuarantine()
	emptyQuarantine()
	kept = nil
	wardsLeft(t, 0)
}

// TestGuardCrowd has more in guard mode than there can be wards. What has none is on the heap, and
// writes to it are found all the same.
func TestGuardCrowd(t *testing.T) {
	emptyQuarantine()
	wardsLeft(t, 0)
	var reports []*Report
	var arenas []*Arena
	var texts [][]byte
	for range maxWards/maxFenced + 3 {
		a := NewWith(Options{Guard: true, Name: "crowd", Report: func(r *Report) { reports = append(reports, r) }})
		arenas = append(arenas, a)
		for range maxFenced + 10 {
			texts = append(texts, Bytes(a, []byte("text")))
		}
	}
	if n := len(wards.free); n != 0 {
		t.Errorf("%d wards are free", n)
	}
	last := texts[len(texts)-1]
	for i := range last {
		last[i]++ // it is in use
	}
	for _, a := range arenas {
		a.Free()
	}
	if faults(func() { last[0] = 'x' }) != nil {
		t.Fatal("there was a ward for the last text")
	}
	if with := texts[(maxWards/maxFenced-1)*(maxFenced+10)]; faults(func() { with[0] = 'x' }) == nil {
		t.Error("there was no ward for a text of the last arena that has wards")
	}
	CheckQuarantine()
	if len(reports) != 1 || reports[0].Mistake != WriteAfterFree || reports[0].Arena != "crowd" {
		t.Errorf("reports: %v", reports)
	}
	CheckQuarantine()
	if len(reports) != 1 {
		t.Errorf("reported twice: %v", reports)
	}
	arenas, texts, last = nil, nil, nil
	emptyQuarantine()
	wardsLeft(t, 0)
}

// TestQuarantine checks how much is in quarantine, and that a write is found when it leaves.
func TestQuarantine(t *testing.T) {
	emptyQuarantine()
	var reports []*Report
	a := NewWith(Options{Guard: true, Report: func(r *Report) { reports = append(reports, r) }})
	stale := Put(a, mFlags{n: 1})
	a.Reset()
	stale.n, stale.b = 2, true
	for i := range 3 * maxEndings {
		New[mNode](a)
		MakeSlice[byte](a, 1+i%20000, 1+i%20000)
		a.Reset()
		quarantine.Lock()
		bytes, n := 0, len(quarantine.endings)
		for _, e := range quarantine.endings {
			bytes += e.bytes
		}
		if quarantine.bytes != bytes || bytes > maxQuarantine || n > maxEndings || i >= 100 && n < 100 {
			t.Fatalf("round %d: %d endings of %d bytes, said to be %d", i, n, bytes, quarantine.bytes)
		}
		quarantine.Unlock()
	}
	if len(reports) != 1 || reports[0].Mistake != WriteAfterReset || reports[0].Detail != "byte 1 of a value of type arena.mFlags" {
		t.Errorf("reports: %v", reports)
	}
	a.Free()
	emptyQuarantine()
	wardsLeft(t, 0)
}

// TestPointerWords compares what pointerWords says of types with what they are.
func TestPointerWords(t *testing.T) {
	type odd struct {
		_ int8
		s string
		b bool
		_ [0]*int
		x [2]struct {
			n int32
			e any
		}
		m map[int]int
	}
	size := func(n uintptr) uintptr { return n * (4 << (^uintptr(0) >> 63)) }
	got := pointerWords(nil, reflect.TypeFor[odd](), 0)
	want := []pointerWord{
		{offset: size(1), reach: 1, lengths: 1},
		{offset: size(4), count: 2, stride: size(3), elem: []pointerWord{{offset: size(1), isInterface: true}}},
		{offset: size(10)},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := pointerWords(nil, reflect.TypeFor[mWide](), 0); len(got) != 0 {
		t.Errorf("a plain type has pointers at %v", got)
	}
	if got := pointerWords(nil, reflect.TypeFor[[1 << 20]*mBig](), 0); len(got) != 1 || got[0].elem[0].reach != 8*300 {
		t.Errorf("a large array has pointers at %v", got)
	}
}

// TestTrap checks that nothing can be reached through stale values but what is inaccessible, even if the values
// refer to something very large, and there is no ward for them.
func TestTrap(t *testing.T) {
	type holder struct {
		ints  []int64
		bytes []byte
		big   *[1 << 20]int64
		bigs  []mBig
		text  string
		few   [2][]string
	}
	for _, crowded := range []bool{false, true} {
		emptyQuarantine()
		wardsLeft(t, 0)
		a := NewWith(Options{Guard: true, Report: func(*Report) {}})
		h := New[holder](a)
		h.ints = make([]int64, 1<<20)
		h.bytes = make([]byte, 1<<20)
		h.big = new([1 << 20]int64)
		h.bigs = make([]mBig, 100)
		h.text = strings.Repeat("x", 1<<20)
		h.few = [2][]string{1: make([]string, 1000)}
		var crowd []*ward
		for crowded {
			w := new(ward)
			if !w.enlist() {
				break
			}
			crowd = append(crowd, w)
		}
		a.Reset()
		touched := 0
		for name, s := range map[string]struct {
			n   int
			use func(i int)
		}{
			"ints":  {len(h.ints), func(i int) { h.ints[i]++ }},
			"bytes": {cap(h.bytes), func(i int) { h.bytes[:cap(h.bytes)][i]++ }},
			"bigs":  {cap(h.bigs), func(i int) { h.bigs[:cap(h.bigs)][i].xs[299]++ }},
			"text":  {len(h.text), func(i int) { touched += int(h.text[i]) }},
			"few":   {cap(h.few[1]), func(i int) { h.few[1][:cap(h.few[1])][i] = "x" }},
		} {
			if (s.n == 0) != crowded {
				t.Errorf("%s has %d elements, crowded %t", name, s.n, crowded)
			}
			for i := range s.n {
				if i%97 == 0 || i == s.n-1 {
					if r := faults(func() { s.use(i) }); r == nil || r.Mistake != UseAfterReset {
						t.Fatalf("%s[%d] of %d: %v", name, i, s.n, r)
					}
				}
			}
		}
		if h.big != nil || len(h.few[0]) != 0 {
			t.Errorf("a pointer to what is larger than a trap is %p", h.big)
		}
		for _, w := range crowd {
			w.release(nil)
		}
		a.Free()
	}
	emptyQuarantine()
	wardsLeft(t, 0)
}

// TestReportPanics has the function that is called with reports panic, Reset other arenas and look into the
// quarantine, in the middle of the Reset of an arena that is none of its business.
func TestReportPanics(t *testing.T) {
	emptyQuarantine()
	other := NewWith(Options{Guard: true, Report: func(*Report) {}})
	calls := 0
	bad := NewWith(Options{Guard: true, Report: func(r *Report) {
		calls++
		New[mNode](other)
		other.Reset()
		CheckQuarantine()
		Live()
		panic("in Report")
	}})
	for range 2 {
		stale := New[mNode](bad)
		bad.Reset()
		stale.n++
	}
	a := NewWith(Options{Guard: true, Report: unexpected})
	panics := 0
	for i := range maxEndings + 10 {
		p := New[[3]int](a)
		p[1] = i
		New[mNode](a)
		if panicOfCall(a.Reset) == "in Report" {
			panics++
		}
		if v := New[[3]int](a); *v != [3]int{} {
			t.Fatalf("a new value is %v", *v)
		}
	}
	if calls != 2 || panics != 1 { // the second call is within the first
		t.Errorf("%d calls, %d panics", calls, panics)
	}
	g := &Group{Options: Options{Guard: true}}
	g.Options.Report = func(*Report) { g.Stats() }
	stale := New[mNode](g.Arena())
	g.Reset()
	stale.n++
	CheckQuarantine()
	g.Free()
	a.Free()
	bad.Free()
	other.Free()
	emptyQuarantine()
	wardsLeft(t, 0)
}

// TestGuardLarge checks that guard mode does not need much memory for large arenas, and does not report each of very many writes.
func TestGuardLarge(t *testing.T) {
	emptyQuarantine()
	reports := 0
	a := NewWith(Options{Guard: true, Report: func(*Report) { reports++ }})
	flags := MakeSlice[bool](a, 1<<20, 1<<20)
	a.Reset()
	for i := range flags {
		flags[i] = !flags[i]
	}
	CheckQuarantine()
	if reports != 16 {
		t.Errorf("%d reports", reports)
	}
	for range 64 {
		MakeSlice[*int](a, 1<<17, 1<<17)
	}
	New[[1 << 17]*int](a)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a.Free()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > maxQuarantine+1<<20 {
		t.Errorf("Free of 65 MiB allocated %d bytes", n)
	}
	// What a failed allocation was for says nothing of the next.
	b := NewWith(Options{Guard: true, Limit: 1000})
	Try(func() { MakeSlice[float64](b, 1000, 1000) })
	p := New[int](b)
	b.Free()
	if r := faults(func() { *p++ }); r == nil || !strings.Contains(r.Detail, "values of type int") {
		t.Errorf("%v", r)
	}
	// The finalizer of a guarded page is no business of the program.
	c := NewWith(Options{Guard: true})
	page := MakeSlice[byte](c, 1<<13, 1<<13)
	if address(page) == c.stores.guard.(*guard).wards[0].lo {
		t.Error("a slice begins where its object does")
	}
	c.Free()
	emptyQuarantine()
	wardsLeft(t, 0)
}

// TestGuardTraps has arenas in guard mode end while there are too few wards, and while the system refuses to protect pages or to
// give them back, and checks that no pointer in what they held ever leads to memory that can be accessed: all pointers of a type share
// a trap, which would be memory of many types.
func TestGuardTraps(t *testing.T) {
	emptyQuarantine()
	wardsLeft(t, 0)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	type value struct {
		a *[2]uintptr
		b *string
		c []byte
		d []string
		e string
		f *value
		g map[int]int
		h [2]*any
	}
	var refused atomic.Int32 // one in so many requests
	refuse := func(f func([]byte) error, r *rand.Rand) func([]byte) error {
		return func(b []byte) error { // wards is locked
			if n := refused.Load(); n > 0 && r.Int32N(n) == 0 {
				return fmt.Errorf("refused")
			}
			return f(b)
		}
	}
	system := func(protect, unprotect func([]byte) error) {
		wards.Lock()
		defer wards.Unlock()
		protectPages, unprotectPages = protect, unprotect
	}
	system(refuse(vm.Protect, rand.New(rand.NewPCG(seed, 1))), refuse(vm.Unprotect, rand.New(rand.NewPCG(seed, 2))))
	var crowd []*ward // takes the room of others
	defer func() {
		system(vm.Protect, vm.Unprotect)
		wards.Lock()
		defer wards.Unlock()
		for _, mem := range stuck {
			if err := vm.Unprotect(mem); err != nil {
				t.Error(err)
			}
			for i, w := range wards.all {
				if w != nil && w.lo == address(mem) {
					wards.table[i].Set(0, 0, nil)
					wards.all[i] = nil
					wards.free = append(wards.free, i)
				}
			}
		}
		stuck = nil
	}()
	record := &record{}
	leave := func(n int) {
		wards.Lock()
		defer wards.Unlock()
		for ; n > 0 && len(crowd) > 0; n-- {
			w := crowd[len(crowd)-1]
			crowd = crowd[:len(crowd)-1]
			wards.all[w.slot] = nil
			wards.free = append(wards.free, w.slot)
		}
	}
	check := func(v *value) {
		t.Helper()
		s := ""
		for name, p := range map[string]struct {
			isNil bool
			use   func()
		}{
			"a": {v.a == nil, func() { v.a[0]++ }},
			"b": {v.b == nil, func() { s = strings.Clone(*v.b) }},
			"c": {len(v.c) == 0, func() { v.c[len(v.c)-1]++ }},
			"d": {len(v.d) == 0, func() { s = strings.Clone(v.d[len(v.d)-1]) }},
			"e": {len(v.e) == 0, func() { s = strings.Clone(v.e) }},
			"f": {v.f == nil, func() { s = strings.Clone(v.f.e) }},
			"g": {v.g == nil, func() { v.g[1]++ }},
			"h": {v.h[1] == nil, func() { *v.h[1] = 1 }},
		} {
			if !p.isNil && faults(p.use) == nil {
				t.Fatalf("%s leads to memory that can be accessed, %q", name, s)
			}
		}
		wards.Lock()
		defer wards.Unlock()
		for _, w := range wards.all {
			if w != nil && w.lo != 0 && w.lo == uintptr(unsafe.Pointer(v.a)) {
				t.Fatal("a pointer is aimed at the start of an object, whose finalizer it can take away")
			}
		}
	}
	var stale []*value
	for range few(300) {
		switch r.IntN(4) {
		case 0:
			for n := r.IntN(maxWards); n > 0; n-- {
				w := &ward{record: record}
				if !w.enlist() {
					break
				}
				crowd = append(crowd, w)
			}
		case 1:
			leave(r.IntN(maxWards))
		}
		refused.Store(r.Int32N(4))
		a := NewWith(Options{Guard: true, Report: func(r *Report) {
			if r.Mistake != Leak { // it is meant
				unexpected(r)
			}
		}})
		for n := r.IntN(3); n >= 0; n-- {
			x := any(n)
			stale = append(stale, Put(a, value{
				new([2]uintptr), new(string), make([]byte, 5), []string{"x"}, String(a, "text"), New[value](a), map[int]int{}, [2]*any{&x, &x},
			}))
			MakeSlice[int](a, 10, 10)
		}
		if r.IntN(2) == 0 {
			a.Reset()
		} else {
			a.Free()
		}
		if r.IntN(3) == 0 {
			emptyQuarantine()
		}
		if r.IntN(10) == 0 {
			runtime.GC()
		}
		if n := len(stale); n > 30 {
			stale = stale[n-30:]
		}
		for _, v := range stale {
			check(v)
		}
	}
	emptyQuarantine()
	for _, v := range stale {
		check(v)
	}
	stale = nil
	leave(maxWards)
	refused.Store(0)
	wards.Lock()
	kept := len(stuck)
	wards.Unlock()
	wardsLeft(t, kept)
}
