package jobs

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/arena-go/arena"

	"example.com/corpus/events"
	"example.com/corpus/lru"
)

func okReadAll(a *arena.Arena, r io.Reader) []*job {
	jobs := make([]*job, 0, 16)
	for sc := bufio.NewScanner(r); sc.Scan(); {
		jobs = append(jobs, decode(a, sc.Bytes()))
	}
	slices.SortFunc(jobs, func(x, y *job) int { return strings.Compare(x.id, y.id) })
	return jobs
}

func okDeep(lines [][]byte) []*job {
	a := pool.Get()
	defer pool.Put(a)
	jobs := make([]*job, 0, len(lines))
	for _, l := range lines {
		jobs = append(jobs, arena.DeepClone(decode(a, l)))
	}
	return jobs
}

func okByQueue(lines [][]byte) map[string]int {
	a := pool.Get()
	defer pool.Put(a)
	out := make(map[string]int)
	for _, l := range lines {
		q := decode(a, l).queue
		if _, ok := out[q]; !ok {
			q = strings.Clone(q)
		}
		out[q]++
	}
	return out
}

func okOldest(lines [][]byte) string {
	a := pool.Get()
	defer pool.Put(a)
	jobs := make([]*job, len(lines))
	for i, l := range lines {
		jobs[i] = decode(a, l)
	}
	sort.Slice(jobs, func(i, j int) bool { return jobs[i].id < jobs[j].id })
	return strings.Clone(jobs[0].id)
}

func okTouch(line []byte) time.Duration {
	a := pool.Get()
	defer pool.Put(a)
	return time.Since(idle[decode(a, line).queue])
}

func okSchedule(line []byte, run func(id string)) *time.Timer {
	a := pool.Get()
	defer pool.Put(a)
	id := strings.Clone(decode(a, line).id)
	return time.AfterFunc(time.Second, func() { run(id) })
}

func okWorkers(lines [][]byte) {
	done := make(chan struct{}, len(lines))
	a := pool.Get()
	for _, l := range lines {
		j := decode(a, l)
		go func() { fmt.Println(j.id); done <- struct{}{} }()
	}
	for range lines {
		<-done
	}
	pool.Put(a)
}

func okDescribe(line []byte) {
	a := pool.Get()
	j := decode(a, line)
	text := fmt.Sprint(j.id, j.queue)
	hooks["last"] = func() string { return text }
	pool.Put(a)
}

func okFinish(line []byte) int {
	a := pool.Get()
	defer pool.Put(a)
	j := decode(a, line)
	n := 0
	j.done = func(err error) { n = len(j.queue) }
	j.done(nil)
	return n
}

func okAnnounce(line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	j := arena.DeepClone(decode(a, line))
	bus.On("done", func(ctx context.Context, payload any) { slog.InfoContext(ctx, "done", "job", j.id) })
}

func okClient(line []byte) error {
	a := pool.Get()
	defer pool.Put(a)
	j := decode(a, line)
	return events.NewClient(events.WithName(j.id), events.WithHeader("X-Queue", j.queue)).Send(j.id)
}

func okLogger(line []byte) {
	a := pool.Get()
	j := decode(a, line)
	l := slog.Default().With(slog.Group("job", slog.String("id", j.id)))
	l.Info("start")
	l.Error("end", "queue", j.queue)
	pool.Put(a)
}

func okFailed(line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	failures.WithLabelValues(strings.Clone(decode(a, line).queue)).Add(1)
}

func okCounted(line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	if v := stats.Get(decode(a, line).queue); v != nil {
		log.Print(v.String())
	}
}

func okCached(line []byte, run func(args []string) string) string {
	a := pool.Get()
	defer pool.Put(a)
	j := decode(a, line)
	if out, ok := results.Get(j.id); ok {
		return out
	}
	out := run(slices.Clone(j.args))
	results.Add(strings.Clone(j.id), out)
	return out
}

func okUnique(lines [][]byte) int {
	a := pool.Get()
	defer pool.Put(a)
	return lru.NewSet(lru.Map(lines, func(l []byte) string { return decode(a, l).id })...).Len()
}

func okArguments(line []byte) []string {
	a := pool.Get()
	defer pool.Put(a)
	args := slices.Clone(decode(a, line).args)
	for i, s := range args {
		args[i] = strings.Clone(s)
	}
	return args
}

func okEnvironment(a *arena.Arena, line []byte) map[string]string {
	env := map[string]string{}
	for _, m := range field.FindAllStringSubmatch(arena.String(a, line), -1) {
		env[strings.Clone(m[1])] = strings.Clone(m[2])
	}
	a.Reset()
	return maps.Clone(env)
}

func okCopy(line []byte) job {
	a := pool.Get()
	defer pool.Put(a)
	c := *decode(a, line)
	return job{id: strings.Clone(c.id), queue: "default"}
}

func okTarget(line []byte) bool {
	a := pool.Get()
	defer pool.Put(a)
	u, err := url.Parse(decode(a, line).queue)
	return err == nil && u.Scheme == "https" && u.Port() == ""
}

func okScript(line []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	dir, name := filepath.Split(decode(a, line).queue)
	return filepath.Join("/srv", dir, name)
}

func okLongest(r io.Reader) (best int) {
	for j := range queueJobs(r) {
		best = max(best, len(j.args))
	}
	return best
}

func okFind(r io.Reader, id string) *job {
	for j := range queueJobs(r) {
		if j.id == id {
			return arena.DeepClone(j)
		}
	}
	return nil
}

func okIdentifiers(r io.Reader) []string {
	var ids []string
	for j := range queueJobs(r) {
		ids = append(ids, strings.Clone(j.id))
	}
	return ids
}

func okRunAll(r io.Reader, run func(*job) error) error {
	for j := range queueJobs(r) {
		if err := run(j); err != nil {
			return fmt.Errorf("job %s: %w", j.id, err)
		}
	}
	return nil
}

func okWindow(r io.Reader) (n int) {
	var prev string
	for j := range queueJobs(r) {
		if prev == j.queue {
			n++
		}
		prev = strings.Clone(j.queue)
	}
	return n
}

func (w *worker) okQueues() []string {
	var out []string
	w.each(func(j *job) { out = append(out, strings.Clone(j.queue)) })
	return out
}

func (w *worker) okCount() (n int) {
	w.each(func(j *job) { n += len(j.args) })
	return n
}

func okReport(w *worker, line []byte) {
	w.flush()
	w.take(line)
	fmt.Println("took", w.label)
}

func okReportBefore(w *worker) {
	label := strings.Clone(w.label)
	w.flush()
	fmt.Println("flushed", label)
}

func okOne(line []byte) int {
	w := &worker{arena: pool.Get()}
	defer w.Stop()
	w.take(line)
	return len(w.String())
}

func okLoop(lines [][]byte) {
	w := &worker{arena: arena.NewArena()}
	for _, l := range lines {
		w.take(l)
		fmt.Println(w)
		w.flush()
	}
}

func (w *worker) okExec(out io.Writer, line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	io.WriteString(out, w.runner.run(a, decode(a, line)))
}

func okRunWith(r runner, line []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	return strings.Clone(r.run(a, decode(a, line)))
}

func okFormat(kind string, w io.Writer, line []byte) {
	a := pool.Get()
	defer pool.Put(a)
	if f, ok := formats[kind]; ok {
		fmt.Fprintln(w, f(a, decode(a, line)))
	}
}

func (w *worker) okPost(ctx context.Context, line []byte) error {
	a := pool.Get()
	defer pool.Put(a)
	r, err := http.NewRequestWithContext(ctx, "POST", "http://localhost/", strings.NewReader("x"))
	if err != nil {
		return err
	}
	r.Header.Set("X-Job", decode(a, line).id)
	resp, err := w.http.Do(r)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func okBatches(lines [][]byte, send func([]*job) error) error {
	a := pool.Get()
	defer pool.Put(a)
	batch := make([]*job, 0, 10)
	for _, l := range lines {
		batch = append(batch, decode(a, l))
		if len(batch) == cap(batch) {
			if err := send(batch); err != nil {
				return err
			}
			batch = batch[:0]
			a.Reset()
		}
	}
	return send(batch)
}

func okPending(lines [][]byte) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	var queue []*job
	for _, l := range lines {
		queue = append(queue, decode(a, l))
	}
	for len(queue) > 0 {
		j := queue[0]
		queue = queue[1:]
		n += len(j.args)
	}
	return n
}

func okSwap(lines [][]byte) (n int) {
	cur, next := pool.Get(), pool.Get()
	defer func() { pool.Put(cur); pool.Put(next) }()
	var last *job
	for _, l := range lines {
		j := decode(next, l)
		if last != nil && last.queue == j.queue {
			n++
		}
		last = j
		cur, next = next, cur
		next.Reset()
	}
	return n
}
