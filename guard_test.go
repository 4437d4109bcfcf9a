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
	"time"

	"github.com/arena-go/arena/internal/books"
	"github.com/arena-go/arena/internal/guard"
	"github.com/arena-go/arena/internal/testrun"
)

// wardsLeft waits until at most n wards are left: nobody has the others.
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
	seed := testrun.Seed(t)
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
		v.plain = Ptr(a, [5]int32{4: int32(v.n)})
		v.node = Ptr(a, mNode{left: Ptr(a, mNode{n: v.n})})
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

// TestReportPanics has the function that is called with reports panic, Reset other arenas and look
// into the quarantine, in the middle of the Reset of an arena that is none of its business.
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

// TestGuardLarge checks that guard mode does not need much memory for large arenas, and does not
// report each of very many writes.
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

// TestGuardBusy proves that an arena in guard mode finds a second goroutine that allocates while
// one is inside, and goes on when that has left.
func TestGuardBusy(t *testing.T) {
	a := NewWith(Options{Guard: true, Name: "busy"})
	String(a, "first")
	g := a.stores.guard.(*arenaGuard)
	g.busy.Store(true) // as if the other one were there
	func() {
		defer func() {
			if p, _ := recover().(string); !strings.HasPrefix(p, "arena: arena busy is used by two goroutines") || !strings.Contains(p, "Fork") {
				t.Errorf("the panic is %q", p)
			}
		}()
		String(a, "second")
	}()
	g.busy.Store(false)
	if checking {
		return // What the second one did not get is counted: its arena has been in a data race, and is not right any more.
	}
	if String(a, "third") != "third" || MakeSlice[int](a, 3, 3)[2] != 0 {
		t.Error("it does not go on")
	}
	a.Free()
}

// TestTrack runs a random program with tracked arenas of all kinds, and compares Live and the
// reports of leaks with a model: a list of the arenas that are open.
func TestTrack(t *testing.T) {
	before := len(books.Live())
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	var mu sync.Mutex
	leaks := map[string]int{}
	options := func(name string) Options {
		return Options{Name: name, Track: true, Report: func(r *Report) {
			mu.Lock()
			defer mu.Unlock()
			if r.Mistake != Leak || !strings.Contains(r.Made.String(), "TestTrack") {
				panic(r)
			}
			leaks[r.Arena]++
		}}
	}
	pool := &Pool{Options: options("pool")}
	group := &Group{Options: options("group")}
	type open struct {
		name string
		a    *Arena
	}
	var model []open
	lost := map[string]int{}
	for step := range 3000 {
		switch op := r.IntN(10); {
		case op == 9 && r.IntN(20) == 0 || step == 2999:
			testrun.Collect(func() bool {
				mu.Lock()
				defer mu.Unlock()
				return fmt.Sprint(leaks) == fmt.Sprint(lost)
			})
			mu.Lock()
			if fmt.Sprint(leaks) != fmt.Sprint(lost) {
				t.Fatalf("step %d: leaks %v, want %v", step, leaks, lost)
			}
			mu.Unlock()
			var got, want []string
			for _, l := range books.Live() {
				name := l.Name
				if name == "" && strings.Contains(Stack(l.Made).String(), "TestTrack") {
					name = "zero"
				}
				if !slices.Contains([]string{"single", "pool", "group", "zero"}, name) {
					continue
				}
				if age := time.Since(l.Time); age < 0 || age > time.Hour || l.Guarded {
					t.Fatalf("step %d: %+v", step, l)
				}
				var inUse int64
				stats := l.Stats().(*Stats)
				for _, ty := range stats.Types {
					inUse += ty.Bytes
				}
				if reserved := l.Reserved(); inUse != stats.InUse || stats.Reserved > reserved+reserved/8 {
					t.Fatalf("step %d: %+v", step, l)
				}
				got = append(got, fmt.Sprint(name, l.Reserved()))
			}
			for _, o := range model {
				want = append(want, fmt.Sprint(o.name, o.a.Stats().Reserved))
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("step %d: Live has\n%v\nwant\n%v", step, got, want)
			}
		case op < 3:
			kind := r.IntN(4)
			o := open{name: []string{"single", "pool", "group", "zero"}[kind]}
			switch kind {
			case 0:
				o.a = NewWith(options("single"))
			case 1:
				o.a = pool.Get()
			case 2:
				o.a = group.Arena()
			case 3:
				books.Track(1)
				o.a = new(Arena)
				New[int](o.a)
				books.Track(0)
			}
			model = append(model, o)
		case op < 7 && len(model) > 0:
			o := &model[r.IntN(len(model))]
			n := 1 + r.IntN(100_000)
			MakeSlice[byte](o.a, n, n)
		case op == 7 && len(model) > 0:
			i := r.IntN(len(model))
			o := model[i]
			switch o.name {
			case "group":
				group.Reset()
				model = slices.DeleteFunc(model, func(o open) bool { return o.name == "group" })
				continue
			case "pool":
				if r.IntN(2) == 0 {
					pool.Put(o.a)
				} else {
					pool.Drop(o.a)
				}
			default:
				o.a.Free()
			}
			model = slices.Delete(model, i, i+1)
		case op == 8 && len(model) > 0:
			i := r.IntN(len(model))
			if name := model[i].name; name != "group" && name != "zero" {
				lost[name]++
				model = slices.Delete(model, i, i+1)
			}
		}
	}
	group.Free()
	for _, o := range model {
		switch o.name {
		case "pool":
			pool.Put(o.a)
		case "single", "zero":
			o.a.Free()
		}
	}
	if n := len(books.Live()) - before; n > 0 {
		t.Errorf("%d arenas are live in the end", n)
	}
}

// TestTrackEvery counts what Track chooses.
func TestTrackEvery(t *testing.T) {
	defer books.Track(0)
	var pool Pool
	for _, every := range []int{0, 1, 2, 7, 100, -1} {
		books.Track(every)
		before := len(books.Live())
		var arenas, pooled []*Arena
		for range 700 {
			a := NewArena()
			New[int](a)
			arenas = append(arenas, a)
			pooled = append(pooled, pool.Get())
		}
		want := 0
		if every > 0 {
			want = 1400 / every
		}
		if got := len(books.Live()) - before; got != want {
			t.Errorf("Track(%d): %d arenas of 1400 are tracked", every, got)
		}
		for _, a := range arenas {
			a.Free()
		}
		for _, a := range pooled {
			pool.Put(a)
		}
		if n := len(books.Live()) - before; n != 0 {
			t.Errorf("%d arenas are left", n)
		}
	}
}

// TestGuardEvery counts the arenas in guard mode that a Pool gives away, and what its Stats say of
// them.
func TestGuardEvery(t *testing.T) {
	for _, every := range []int{0, 1, 3, 1000} {
		p := &Pool{GuardEvery: every}
		guarded := map[*Arena]bool{}
		var n int64
		for i := range 3000 {
			a := p.Get()
			New[mNode](a)
			String(a, "text")
			if guarded[a] {
				t.Fatal("an arena in guard mode is given away again")
			}
			if a.stores.guard != nil {
				guarded[a] = true
				n++
			}
			if i%10 == 9 {
				p.Drop(a)
				continue
			}
			p.Put(a)
			if err := panicOfCall(func() { New[int](a) }); !strings.Contains(err, "Pool.Put") {
				t.Fatalf("used after Put: %q", err)
			}
		}
		want := int64(0)
		if every > 0 {
			want = 3000 / int64(every)
		}
		if n != want {
			t.Errorf("GuardEvery %d: %d of 3000", every, n)
		}
		s := p.Stats()
		if s.Gets != 3000 || s.Puts != 2700 || s.Dropped != 300 || s.Lost != 0 || s.Out != 0 || s.Made-s.Collected-s.Idle < n-300 {
			t.Errorf("GuardEvery %d: %+v", every, s)
		}
		runtime.KeepAlive(guarded)
	}
}

func panicOfCall(f func()) (s string) {
	defer func() { s = fmt.Sprint(recover()) }()
	f()
	return ""
}
