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
	"testing"
	"time"
)

// wardsLeft returns the number of wards that there are, once those that nobody has are gone.
func wardsLeft(t *testing.T, want int) {
	t.Helper()
	n := 0
	for range 100 {
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
	out := quarantine.endings
	quarantine.endings, quarantine.bytes = nil, 0
	quarantine.Unlock()
	for _, e := range out {
		e.check()
		e.leave()
	}
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
	want := []pointerWord{{size(1), false}, {size(5), true}, {size(8), true}, {size(10), false}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := pointerWords(nil, reflect.TypeFor[mWide](), 0); len(got) != 0 {
		t.Errorf("a plain type has pointers at %v", got)
	}
}
