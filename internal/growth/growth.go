// Package growth finds work that grows faster than the same work does elsewhere: with
// encoding/json, with protobuf, with Go's maps, with package strings. Only tests import it.
//
// A [Row] makes the same work of any size twice: by the reference, and by the code that is tested.
// [Run] does it at three sizes, n, 2n and 4n, and compares what it counts. No verdict depends on
// time, load or the collector, unless time is asked for:
//
//	go test ./internal/growth/...           bytes allocated, bytes kept, calls of methods, bytes read and written
//	make growth                             also the steps, which are the basic blocks that were executed
//	make growth GROWTH=cpu                  also the time
//
// # What is counted
//
// [Bytes] are all that were allocated on the heap, arenas included, with the collector off and
// empty pools. [Kept] is what is reachable after the work: from its results, and from all that the
// program holds. Rows count the others themselves, see [Call] and [Count].
//
// [Steps] come from the counters of go test -covermode=atomic. They are exact, and they see only
// the packages that -coverpkg names: the reference's have to be among them. They do not see
// assembly and the runtime, whose maps are part of it. [CPU] sees everything.
//
// # The rules
//
// A [Rule] has two conditions, and both must hold. At each size ours is at most a multiple of what
// the reference takes, plus a multiple of the input, plus a constant. And from n to 4n ours grows
// at most Grow times as much as that bound. The first finds what is too much at once; the second
// finds what would be too much for larger input. It leaves out what is at most twice the reference
// at 4n: ours may be far better at n, and as good as the reference where it leaves the work to it.
package growth

import (
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A Measure is something that is counted.
type Measure string

const (
	Bytes   Measure = "bytes"   // allocated
	Kept    Measure = "kept"    // bytes on the heap afterwards
	Calls   Measure = "calls"   // of methods of the user's types, see Call
	Read    Measure = "read"    // bytes taken from readers, see Reader
	Written Measure = "written" // calls of Write, see Writer
	Steps   Measure = "steps"   // basic blocks executed
	CPU     Measure = "cpu"     // nanoseconds, the least of several attempts
)

// A Rule bounds ours by the reference.
type Rule struct {
	Times float64 // ours is at most this multiple of the reference's,
	Input float64 // plus this multiple of the bytes of Work.Input,
	Slack int64   // plus this
	Grow  float64 // the allowance grows from n to 4n; ours grows by at most this multiple of its growth
}

// Rules apply to rows without rules of their own. The sizes of a row differ by a factor of four. So
// a quadratic measure grows 4 times as much as a linear reference, and Grow is between 4 and 1.
var Rules = map[Measure]Rule{
	// An arena takes chunks that double, and buffers double too. So half of what was allocated may
	// be unused, and what doubles has allocated the former halves. A fallback does the reference's
	// work on top. The input may be copied, into a buffer that doubles, and to find an error it may
	// be copied again.
	Bytes: {Times: 4, Input: 8, Slack: 32 << 10, Grow: 2},
	// The same without the former halves. The slack is more than what the runtime keeps of a few
	// goroutines.
	Kept: {Times: 3, Input: 8, Slack: 32 << 10, Grow: 2},
	// What finds an error may do the work again, once.
	Calls: {Times: 2, Slack: 4, Grow: 1.5},
	// A reader of streams has a buffer.
	Read:    {Times: 4, Slack: 64 << 10, Grow: 2},
	Written: {Times: 2, Slack: 4, Grow: 1.5},
	// Basic blocks of different programs are not the same work. What grows with them is.
	Steps: {Times: 6, Slack: 20_000, Grow: 2},
	// 250 µs are for what other programs do on the machine at the same time.
	CPU: {Times: 6, Slack: 250_000, Grow: 2.5},
}

// A Row is one kind of work.
type Row struct {
	Name string

	// N is the smallest size. The others are 2N and 4N. At 4N, what is wrong has to be out of
	// proportion, and what is right has to take milliseconds.
	N int

	// New makes work of size n. What it makes it from is not counted. Each of the functions is
	// called once, and does the work: the reference, and one for each way of ours. If the reference
	// is nil, it is something that takes n. What a function has in its variables counts as kept.
	New func(n int) Work

	Rules map[Measure]Rule // those that differ from Rules, with the reason
	Max   int              // the largest size that makes sense, for CPU; 0 is for none
	Cold  bool             // do not do the work once before: it counts what is done only once for a type

	// Unseen is for a reference whose steps no counter sees, like the steps of Go's maps. They
	// count as n.
	Unseen bool
}

// Work is the same work, done in several ways.
type Work struct {
	Reference func()
	Ours      []Way
	Input     int // how many bytes of input it has, if that counts
}

// A Way is a name, and what does the work.
type Way struct {
	Name string
	Do   func()

	// Arena says that an arena has what is made, and keeps it until Reset. So ours keeps what the
	// reference has allocated, and the collector might have taken.
	Arena bool
}

// Ours is the work of a row that has one way.
func Ours(do, reference func()) Work {
	return Work{Reference: reference, Ours: []Way{{Do: do}}}
}

// counts are the counts of the current work, and most their maxima.
var (
	counts = map[Measure]*atomic.Int64{Calls: {}, Read: {}, Written: {}}
	most   = map[Measure]int64{}

	working bool
)

// exceeded is the panic that ends work which counts more than it may: it might be on its way to
// 2^n.
type exceeded Measure

// Call says that a method of a user's type was called.
func Call() { Count(Calls, 1) }

// Count adds n to what is counted. It panics when there is so much of it that the row has failed.
func Count(m Measure, n int) {
	if limit, ok := most[m]; working && counts[m].Add(int64(n)) > limit && ok {
		panic(exceeded(m))
	}
}

// Reader returns a reader that counts what is read from r.
func Reader(r io.Reader) io.Reader { return reader{r} }

type reader struct{ io.Reader }

func (r reader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	counts[Read].Add(int64(n))
	return n, err
}

// Writer returns a writer that counts calls, and throws away what it is given.
func Writer() io.Writer { return writer{} }

type writer struct{}

func (writer) Write(b []byte) (int, error) {
	counts[Written].Add(1)
	return len(b), nil
}

// asked returns the environment's request for more than the default counts. Flags would be unknown
// to the tests of other packages.
func asked(what string) bool {
	return slices.Contains(strings.Split(os.Getenv("ARENA_TEST_GROWTH"), ","), what)
}

// Run runs the rows as subtests. With -short it runs none: detectors and other processors have
// counts of their own, and they run short tests.
func Run(t *testing.T, rows []Row) {
	if testing.Short() {
		t.Skip("growth is counted by programs that are built as usual")
	}
	// With one processor, pools have one place where to look. It also makes collections faster.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	steps := asked("steps")
	if steps {
		if err := clearSteps(); err != nil {
			t.Fatalf("%v: see make growth", err)
		}
	}
	names := map[string]bool{}
	rows = slices.SortedFunc(slices.Values(rows), func(x, y Row) int { return strings.Compare(x.Name, y.Name) })
	for _, row := range rows {
		if names[row.Name] {
			t.Errorf("two rows are %s", row.Name)
		}
		names[row.Name] = true
		t.Run(row.Name, func(t *testing.T) {
			for _, f := range row.check(t, steps) {
				t.Error(f.text)
			}
		})
	}
}

// A finding is a rule that a way breaks.
type finding struct {
	way     string // with a slash in front, or empty
	measure Measure
	text    string
}

// figures are what was counted.
type figures map[Measure]int64

// check does the work of a row and returns which rules it breaks.
func (row *Row) check(t *testing.T, steps bool) (found []finding) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	ways := row.New(row.N).Ours
	var input [3]int
	var reference [3]figures
	ours, against := make([][3]figures, len(ways)), make([][3]figures, len(ways))
	broken := make([]map[Measure]string, len(ways))
	report := func(way int, m Measure, why string) {
		if broken[way] == nil {
			broken[way] = map[Measure]string{}
		}
		if broken[way][m] == "" {
			broken[way][m] = why
		}
	}
	for i := range 3 {
		n := row.N << i
		clear(most)
		pick := func(w Work) func() { return w.Reference }
		w := row.New(n)
		if input[i] = w.Input; w.Reference != nil {
			reference[i] = row.measure(n, steps, i != 1, pick)
			if reference[i][Steps] == 0 && steps && !row.Unseen {
				t.Fatalf("the reference has no steps: -coverpkg does not name its package")
			}
		}
		for way := range ways {
			if broken[way][Calls] != "" {
				continue
			}
			clear(most)
			if reference[i] != nil {
				most[Calls] = row.rule(Calls).most(reference[i][Calls], input[i])
			}
			ours[way][i] = row.measure(n, steps, i != 1, func(w Work) func() { return w.Ours[way].Do })
			if ways[way].Arena && reference[i] != nil {
				against[way][i] = maps.Clone(reference[i])
				against[way][i][Kept] = max(reference[i][Kept], reference[i][Bytes])
			} else {
				against[way][i] = reference[i]
			}
			for m, got := range ours[way][i] {
				if reference[i] == nil || m == Steps && row.Unseen {
					continue
				}
				if limit := row.rule(m).most(against[way][i][m], input[i]); got > limit {
					report(way, m, fmt.Sprintf("more than %d", limit))
				}
			}
		}
	}
	clear(most)
	for way := range ways {
		for m, got := range ours[way][2] {
			if ours[way][0] == nil || broken[way][m] != "" {
				continue
			}
			rule := row.rule(m)
			want := 4.0
			if reference[2] != nil && !(m == Steps && row.Unseen) && got <= 2*against[way][2][m] {
				continue
			}
			if reference[0] != nil && !(m == Steps && row.Unseen) {
				want = float64(rule.most(against[way][2][m], input[2])) / float64(rule.most(against[way][0][m], input[0]))
			}
			if limit := rule.Grow * want * float64(ours[way][0][m]+rule.Slack); float64(got) > limit {
				report(way, m, fmt.Sprintf("grows by %.1f, and may by %.1f times %g",
					float64(got)/float64(max(1, ours[way][0][m])), want, rule.Grow))
			}
		}
	}
	if asked("cpu") {
		for way := range ways {
			if broken[way][Calls] == "" {
				if why := row.time(way); why != "" {
					report(way, CPU, why)
				}
			}
		}
	}
	if testing.Verbose() {
		for m := range ours[0][0] {
			for way := range ways {
				t.Logf("%s %s: %s; reference %s", ways[way].Name, m, list(ours[way], m), list(reference, m))
			}
		}
	}
	for way, measures := range broken {
		name := ways[way].Name
		if name != "" {
			name = "/" + name
		}
		for m, why := range measures {
			found = append(found, finding{name, m, fmt.Sprintf("%s%s: %s at sizes %d, %d, %d: %s; reference %s: %s",
				row.Name, name, m, row.N, 2*row.N, 4*row.N, list(ours[way], m), list(against[way], m), why)})
		}
	}
	slices.SortFunc(found, func(x, y finding) int { return strings.Compare(x.text, y.text) })
	return found
}

// rule returns the rule for m.
func (row *Row) rule(m Measure) Rule {
	if rule, ok := row.Rules[m]; ok {
		return rule
	}
	return Rules[m]
}

// most returns what ours may be.
func (r Rule) most(reference int64, input int) int64 {
	return int64(math.Ceil(r.Times*float64(reference)+r.Input*float64(input))) + r.Slack
}

func list(f [3]figures, m Measure) string {
	var b strings.Builder
	for i, f := range f {
		if i > 0 {
			b.WriteString(", ")
		}
		if f == nil {
			b.WriteString("none")
		} else {
			fmt.Fprint(&b, f[m])
		}
	}
	return b.String()
}

// measure does work of size n once, after a first time that fills caches, and returns what it took.
// To know what is kept takes collections: for the size in the middle nobody asks.
func (row *Row) measure(n int, steps, kept bool, pick func(Work) func()) figures {
	if !row.Cold {
		run(pick(row.New(n)))
	}
	do := pick(row.New(n))
	var before, after runtime.MemStats
	settle()
	runtime.ReadMemStats(&before)
	if steps {
		if err := clearSteps(); err != nil {
			panic(err)
		}
	}
	run(do)
	runtime.ReadMemStats(&after)
	f := figures{Bytes: int64(after.TotalAlloc - before.TotalAlloc)}
	if steps {
		f[Steps] = readSteps()
	}
	for m, count := range counts {
		f[m] = count.Load()
	}
	if kept {
		settle()
		runtime.ReadMemStats(&after)
		f[Kept] = max(0, int64(after.HeapAlloc)-int64(before.HeapAlloc))
	}
	runtime.KeepAlive(do)
	return f
}

// settle takes what nobody refers to, and what lies in pools: those are empty after two
// collections.
func settle() {
	runtime.GC()
	runtime.GC()
}

// run calls f, which counts from 0.
func run(f func()) {
	for _, count := range counts {
		count.Store(0)
	}
	working = true
	defer func() {
		working = false
		if p := recover(); p != nil {
			if _, ok := p.(exceeded); !ok {
				panic(p)
			}
		}
	}()
	f()
}

// time compares times, at sizes that take long enough for that, and returns which rule is broken.
func (row *Row) time(way int) (why string) {
	const enough = 10 * time.Millisecond
	best := func(n int, pick func(Work) func()) (d time.Duration) {
		d = math.MaxInt64
		for range 5 {
			do := pick(row.New(n))
			if do == nil {
				return 0
			}
			start := time.Now()
			run(do)
			d = min(d, time.Since(start))
			if d > time.Second {
				break
			}
		}
		runtime.GC()
		return d
	}
	reference := func(w Work) func() { return w.Reference }
	ours := func(w Work) func() { return w.Ours[way].Do }
	n := row.N
	for (row.Max == 0 || 8*n <= row.Max) && max(best(4*n, ours), best(4*n, reference)) < enough {
		n *= 2
	}
	o1, o4, r1, r4 := best(n, ours), best(4*n, ours), best(n, reference), best(4*n, reference)
	rule := row.rule(CPU)
	figures := fmt.Sprintf("at %d and %d: %v, %v; reference %v, %v: ", n, 4*n, o1, o4, r1, r4)
	slack := time.Duration(rule.Slack)
	want := 4.0
	if r4 > 0 {
		if limit := time.Duration(rule.most(int64(r4), 0)); o4 > limit {
			return figures + fmt.Sprintf("more than %g times and %v", rule.Times, slack)
		}
		want = float64(r4+slack) / float64(r1+slack)
	}
	if got := float64(o4) / float64(o1+slack); got > rule.Grow*want {
		return figures + fmt.Sprintf("grows by %.1f, and may by %.1f times %g", got, want, rule.Grow)
	}
	return ""
}
