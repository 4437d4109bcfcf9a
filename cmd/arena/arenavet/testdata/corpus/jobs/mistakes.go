// Package jobs has mistakes of batch jobs, workers and tools, which were written after the analyzer was made to find their kinds.
package jobs

import (
	"bufio"
	"context"
	"encoding/csv"
	"expvar"
	"fmt"
	"io"
	"iter"
	"log"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/arena-go/arena"

	"example.com/corpus/events"
	"example.com/corpus/lru"
	"example.com/corpus/prom"
)

var (
	pool     arena.Pool
	results  = lru.New[string, string](1000)
	failures = prom.NewCounterVec(prom.CounterOpts{Name: "failures"}, []string{"job"})
	stats    = expvar.NewMap("jobs")
	idle     = map[string]time.Time{}
	hooks    = map[string]func() string{}
	field    = regexp.MustCompile(`(\w+)=(\S+)`)
	bus      events.Bus
	logger   *slog.Logger
	watched  sync.Map
)

type job struct {
	id, queue string
	args      []string
	env       map[string]string
	done      func(error)
}

// decode returns a job whose texts lie in the arena.
func decode(a *arena.Arena, line []byte) *job {
	j := arena.New[job](a)
	text := arena.String(a, line)
	j.id, text, _ = strings.Cut(text, " ")
	j.queue, text, _ = strings.Cut(text, " ")
	j.args = strings.Fields(text)
	return j
}

func readAll(r io.Reader) []*job {
	a := pool.Get()
	defer pool.Put(a)
	jobs := make([]*job, 0, 16)
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		jobs = append(jobs, decode(a, sc.Bytes()))
	}
	slices.SortFunc(jobs, func(x, y *job) int { return strings.Compare(x.id, y.id) })
	return jobs // want `outlives: `
}

func byQueue(lines [][]byte) map[string][]string {
	a := pool.Get()
	defer pool.Put(a)
	out := make(map[string][]string)
	for _, l := range lines {
		j := decode(a, l)
		out[j.queue] = append(out[j.queue], j.id)
	}
	return out // want `outlives: `
}

func oldest(lines [][]byte) string {
	a := pool.Get()
	jobs := make([]*job, len(lines))
	for i, l := range lines {
		jobs[i] = decode(a, l)
	}
	sort.Slice(jobs, func(i, j int) bool { return jobs[i].id < jobs[j].id })
	first := jobs[0]
	pool.Put(a)
	return first.id // want `outlives: ` `stale: `
}

func touch(line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	idle[decode(a, line).queue] = time.Now() // want `outlives: `
}

func schedule(line []byte, run func(id string)) *time.Timer {
	a := pool.Get()
	defer pool.Put(a)
	j := decode(a, line)
	return time.AfterFunc(time.Second, func() { run(j.id) }) // want `outlives: `
}

func ticker(ctx context.Context, line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	j := decode(a, line)
	t := time.NewTicker(time.Second)
	go func() { // want `outlives: `
		for range t.C {
			fmt.Println(j.queue)
		}
	}()
}

func describe(line []byte) {
	a := pool.Get()
	j := decode(a, line)
	hooks["last"] = func() string { return j.id + j.queue } // want `outlives: `
	pool.Put(a)
}

func finish(line []byte) *job {
	a := pool.Get()
	defer pool.Put(a)
	j := decode(a, line)
	return &job{id: strings.Clone(j.id), done: func(err error) { log.Println(j.queue, err) }} // want `outlives: `
}

func announce(line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	j := decode(a, line)
	bus.On("done", func(ctx context.Context, payload any) { slog.InfoContext(ctx, "done", "job", j.id) }) // want `outlives: `
}

func clientFor(line []byte) *events.Client {
	a := pool.Get()
	j := decode(a, line)
	c := events.NewClient(
		events.WithName("jobs"),
		events.WithHeader("X-Queue", j.queue),
	)
	pool.Put(a)
	return c // want `outlives: `
}

func loggerFor(line []byte) {
	a := pool.Get()
	j := decode(a, line)
	logger = slog.Default().With(slog.Group("job", slog.String("id", j.id))) // want `outlives: `
	pool.Put(a)
}

func failed(line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	failures.WithLabelValues(decode(a, line).queue).Add(1) // want `outlives: `
}

func counted(line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	v := new(expvar.Int)
	stats.Set(decode(a, line).queue, v) // want `outlives: `
}

func cached(line []byte, run func(args []string) string) string {
	a := pool.Get()
	defer pool.Put(a)
	j := decode(a, line)
	if out, ok := results.Get(j.id); ok {
		return out
	}
	out := run(j.args)
	results.Add(j.id, out) // want `outlives: `
	return out
}

func unique(lines [][]byte) *lru.Set[string] {
	a := pool.Get()
	defer pool.Put(a)
	ids := lru.Map(lines, func(l []byte) string { return decode(a, l).id })
	return lru.NewSet(ids...) // want `outlives: `
}

func arguments(line []byte) []string {
	a := pool.Get()
	defer pool.Put(a)
	return slices.Clone(decode(a, line).args) // want `outlives: `
}

func environment(a *arena.Arena, line []byte) map[string]string {
	env := map[string]string{}
	for _, m := range field.FindAllStringSubmatch(arena.String(a, line), -1) {
		env[m[1]] = m[2]
	}
	a.Reset()
	return maps.Clone(env) // want `outlives: `
}

func copyOf(line []byte) job {
	a := pool.Get()
	defer pool.Put(a)
	c := *decode(a, line)
	c.queue = "default"
	return c // want `outlives: `
}

func target(line []byte) (*url.URL, error) {
	a := pool.Get()
	defer pool.Put(a)
	return url.Parse(decode(a, line).queue) // want `outlives: `
}

func location(line []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	u, err := url.Parse(arena.String(a, line))
	if err != nil {
		return ""
	}
	return u.Hostname() // want `outlives: `
}

func script(line []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	dir, _ := filepath.Split(decode(a, line).queue)
	return filepath.Clean(dir) // want `outlives: `
}

func columns(line []byte) *csv.Reader {
	a := pool.Get()
	r := csv.NewReader(strings.NewReader(arena.String(a, line)))
	pool.Put(a)
	return r // want `outlives: `
}

// queueJobs yields jobs that are valid until the next one.
func queueJobs(r io.Reader) iter.Seq[*job] {
	return func(yield func(*job) bool) {
		a := pool.Get()
		defer pool.Put(a)
		for sc := bufio.NewScanner(r); sc.Scan(); a.Reset() {
			if !yield(decode(a, sc.Bytes())) {
				return
			}
		}
	}
}

func longest(r io.Reader) (best *job) {
	for j := range queueJobs(r) {
		if best == nil || len(j.args) > len(best.args) {
			best = j
		}
	}
	return best // want `outlives: `
}

func identifiers(r io.Reader) []string {
	var ids []string
	for j := range queueJobs(r) {
		ids = append(ids, j.id)
	}
	return ids // want `outlives: `
}

func index(r io.Reader) map[string]*job {
	m := make(map[string]*job)
	for j := range queueJobs(r) {
		m[strings.Clone(j.id)] = j
	}
	return m // want `outlives: `
}

func collect(r io.Reader) []*job { return slices.Collect(queueJobs(r)) } // want `outlives: `

func watch(r io.Reader) {
	for j := range queueJobs(r) {
		watched.Store(j.id, time.Now()) // want `outlives: `
	}
}

func (w *worker) each(f func(j *job)) {
	w.arena.Reset()
	for _, l := range w.lines {
		f(decode(w.arena, l))
	}
	w.arena.Reset()
}

func (w *worker) queues() []string {
	var out []string
	w.each(func(j *job) { out = append(out, j.queue) })
	return out // want `outlives: `
}

// A worker has its arena until Stop.
type worker struct {
	arena   *arena.Arena
	lines   [][]byte
	current *job
	label   string
	http    *http.Client
	runner  runner
}

func (w *worker) take(line []byte) {
	w.current = decode(w.arena, line)
	w.label = arena.Concat(w.arena, "job ", w.current.id)
}

func (w *worker) Stop() {
	if w.arena != nil {
		pool.Put(w.arena)
		w.arena = nil
	}
}

func (w *worker) flush() { w.arena.Reset() }

func (w *worker) String() string { return w.label }

func (w *worker) stopped() string {
	w.flush()
	return w.label // want `outlives: `
}

func report(w *worker) {
	w.flush()
	fmt.Println("flushed", w.label) // want `stale: `
}

func reportString(w *worker) {
	w.flush()
	log.Print(w.String()) // want `stale: `
}

func one(line []byte) string {
	w := &worker{arena: pool.Get()}
	defer w.Stop()
	w.take(line)
	return w.String() // want `outlives: `
}

type runner interface {
	run(a *arena.Arena, j *job) string
}

type echo struct{}

func (echo) run(a *arena.Arena, j *job) string { return arena.Join(a, j.args, " ") }

type quote struct{ mark string }

func (q quote) run(a *arena.Arena, j *job) string { return arena.Concat(a, q.mark, j.id, q.mark) }

func (w *worker) exec(line []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	return w.runner.run(a, decode(a, line)) // want `outlives: `
}

func runWith(r runner, w io.Writer, line []byte) {
	a := pool.Get()
	out := r.run(a, decode(a, line))
	pool.Put(a)
	io.WriteString(w, out) // want `stale: `
}

var formats = map[string]func(a *arena.Arena, j *job) string{
	"id":    func(a *arena.Arena, j *job) string { return arena.Concat(a, "#", j.id) },
	"queue": func(a *arena.Arena, j *job) string { return arena.Concat(a, "@", j.queue) },
}

func format(kind string, line []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	f, ok := formats[kind]
	if !ok {
		return ""
	}
	return f(a, decode(a, line)) // want `outlives: `
}

func (w *worker) post(ctx context.Context, line []byte) (*http.Request, error) {
	a := pool.Get()
	defer pool.Put(a)
	r, err := http.NewRequestWithContext(ctx, "POST", "http://localhost/", strings.NewReader("x"))
	if err != nil {
		return nil, err
	}
	r.Header.Set("X-Job", decode(a, line).id)
	return r, nil // want `outlives: `
}

type record struct{ id, line string }

type ledger struct{ records []record }

func (l *ledger) add(r record) { l.records = append(l.records, r) }

func enter(l *ledger, line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	l.add(record{id: "1", line: arena.String(a, line)}) // want `outlives: `
}

func enterCopy(l *ledger, line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	l.add(record{id: "1", line: strings.Clone(arena.String(a, line))})
}
