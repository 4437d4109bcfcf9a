package arena

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena/internal/books"
	"github.com/arena-go/arena/internal/guard"
	"github.com/arena-go/arena/internal/testrun"
)

// wardsLeft waits until no more than so many wards are left: nobody has the others.
func wardsLeft(t *testing.T, want int) {
	t.Helper()
	if !testrun.Collect(func() bool { return guard.Wards() <= want }) {
		t.Fatalf("%d wards are left, want %d", guard.Wards(), want)
	}
}

// faults tells whether f touches memory that cannot be accessed.
func faults(f func()) (r *Report) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			fault, _ := v.(interface{ Addr() uintptr })
			if fault == nil {
				panic(v)
			}
			f, ok := guard.At(fault.Addr())
			if !ok {
				panic(v)
			}
			r = reportOf(f)
		}
	}()
	f()
	return nil
}

// TestGuardLife has arenas in guard mode live and end in all ways, and checks that what nobody has
// ended can be used, however long ago its arena was dropped; that what was ended
// cannot; and that no memory stays inaccessible which the runtime wants to use for something else.
func TestGuardLife(t *testing.T) {
	guard.Empty()
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
	if !testrun.Long() {
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
	guard.Check()
	guard.Empty()
	kept = nil
	wardsLeft(t, 0)
}

// TestGuardCrowd has more in guard mode than there can be wards. What has none is on the heap, and
// writes to it are found all the same.
func TestGuardCrowd(t *testing.T) {
	guard.Empty()
	wardsLeft(t, 0)
	var reports []*Report
	var arenas []*Arena
	var texts [][]byte
	for range guard.MaxWards/guard.MaxFenced + 3 {
		a := NewWith(Options{Guard: true, Name: "crowd", Report: func(r *Report) { reports = append(reports, r) }})
		arenas = append(arenas, a)
		for range guard.MaxFenced + 10 {
			texts = append(texts, Bytes(a, []byte("text")))
		}
	}
	if n := guard.Wards(); n != guard.MaxWards {
		t.Errorf("there are %d wards", n)
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
	if with := texts[(guard.MaxWards/guard.MaxFenced-1)*(guard.MaxFenced+10)]; faults(func() { with[0] = 'x' }) == nil {
		t.Error("there was no ward for a text of the last arena that has wards")
	}
	guard.Check()
	if len(reports) != 1 || reports[0].Mistake != WriteAfterFree || reports[0].Arena != "crowd" {
		t.Errorf("reports: %v", reports)
	}
	guard.Check()
	if len(reports) != 1 {
		t.Errorf("reported twice: %v", reports)
	}
	arenas, texts, last = nil, nil, nil
	guard.Empty()
	wardsLeft(t, 0)
}

// TestReportPanics has the function that is called with reports panic, Reset other arenas and look into the
// quarantine, in the middle of the Reset of an arena that is none of its business.
func TestReportPanics(t *testing.T) {
	guard.Empty()
	other := NewWith(Options{Guard: true, Report: func(*Report) {}})
	calls := 0
	bad := NewWith(Options{Guard: true, Report: func(r *Report) {
		calls++
		New[mNode](other)
		other.Reset()
		guard.Check()
		books.Live()
		panic("in Report")
	}})
	for range 2 {
		stale := New[mNode](bad)
		bad.Reset()
		stale.n++
	}
	a := NewWith(Options{Guard: true, Report: unexpected})
	panics := 0
	for i := range guard.MaxEndings + 10 {
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
	guard.Check()
	g.Free()
	a.Free()
	bad.Free()
	other.Free()
	guard.Empty()
	wardsLeft(t, 0)
}

// TestGuardLarge checks that guard mode does not need much memory for large arenas, and does not report each of very many writes.
func TestGuardLarge(t *testing.T) {
	guard.Empty()
	reports := 0
	a := NewWith(Options{Guard: true, Report: func(*Report) { reports++ }})
	flags := MakeSlice[bool](a, 1<<20, 1<<20)
	a.Reset()
	for i := range flags {
		flags[i] = !flags[i]
	}
	guard.Check()
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
	if n := after.TotalAlloc - before.TotalAlloc; n > guard.MaxQuarantine+1<<20 {
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
	guard.Empty()
	wardsLeft(t, 0)
}
