// Package callbacks has mistakes in functions that others call: handlers, options, timers, comparisons.
package callbacks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/arena-go/arena"

	"example.com/corpus/events"
	"example.com/corpus/lru"
)

var (
	pool   arena.Pool
	bus    events.Bus
	client *events.Client
	mux    = http.NewServeMux()
	rules  []rule
	onExit []func()
)

type rule struct {
	name  string
	match func(path string) bool
}

func addRule(name string, match func(string) bool) { rules = append(rules, rule{name, match}) }

func atExit(f func()) { onExit = append(onExit, f) }

// compile registers a rule whose pattern lies in an arena that ends.
func compile(pattern []byte) {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.String(a, pattern)
	addRule("prefix", func(path string) bool { return strings.HasPrefix(path, p) }) // want `outlives: `
}

func cleanup(dir []byte) {
	a := pool.Get()
	d := arena.Concat(a, os.TempDir(), "/", string(dir))
	atExit(func() { os.RemoveAll(d) }) // want `outlives: `
	pool.Put(a)
}

func subscribe(name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	who := arena.String(a, name)
	bus.On("saved", func(_ context.Context, payload any) { fmt.Println(who, payload) }) // want `outlives: `
}

func subscribeDefault(name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	who := arena.String(a, name)
	events.On("saved", func(_ context.Context, payload any) { fmt.Println(who, payload) }) // want `outlives: `
}

func onClose(name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	msg := arena.Concat(a, "closing ", string(name))
	bus.OnClose(func() error { return errors.New(msg) }) // want `outlives: `
}

func route(prefix []byte) {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.String(a, prefix)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { // want `outlives: `
		http.Redirect(w, r, p+r.URL.Path, http.StatusFound)
	})
}

func newClient(name []byte) *events.Client {
	a := pool.Get()
	defer pool.Put(a)
	return events.NewClient(events.WithName(arena.String(a, name))) // want `outlives: `
}

func connect(name, token []byte) {
	a := pool.Get()
	defer pool.Put(a)
	opts := []events.Option{events.WithName(string(name))}
	if len(token) > 0 {
		opts = append(opts, events.WithHeader("Authorization", arena.Concat(a, "Bearer ", string(token))))
	}
	client = events.NewClient(opts...) // want `outlives: `
}

func sendAfter(a *arena.Arena, name []byte) string {
	c := events.NewClient(events.WithName(arena.String(a, name)))
	a.Reset()
	return c.Name() // want `outlives: `
}

func retrying(host []byte) *events.Client {
	a := pool.Get()
	defer pool.Put(a)
	h := arena.String(a, host)
	return events.NewClient(events.WithRetry(func(n int) bool { return n < len(h) && h[n] != 0 })) // want `outlives: `
}

type config struct {
	addr   string
	labels []string
}

type setting interface{ apply(*config) }

type addrSetting string

func (s addrSetting) apply(c *config) { c.addr = string(s) }

type labelSetting struct{ labels []string }

func (s labelSetting) apply(c *config) { c.labels = append(c.labels, s.labels...) }

func build(all ...setting) *config {
	c := &config{}
	for _, s := range all {
		s.apply(c)
	}
	return c
}

func listen(host []byte) *config {
	a := pool.Get()
	defer pool.Put(a)
	return build(addrSetting(arena.Concat(a, string(host), ":80"))) // a mistake that is not found
}

func expire(cache *sync.Map, key []byte, ttl time.Duration) {
	a := pool.Get()
	defer pool.Put(a)
	k := arena.String(a, key)
	time.AfterFunc(ttl, func() { cache.Delete(k) }) // want `outlives: `
}

type session struct {
	id    string
	timer *time.Timer
}

func (s *session) arm(a *arena.Arena, id []byte, drop func(string)) {
	name := arena.String(a, id)
	s.timer = time.AfterFunc(time.Minute, func() { drop(name) }) // want `outlives: `
	a.Reset()
}

func onSignal(name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	msg := arena.Concat(a, "stopping ", string(name))
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, os.Interrupt)
	go func() { // want `outlives: `
		<-ch
		fmt.Println(msg)
	}()
}

func sortBy(a *arena.Arena, order []string, all []string) {
	rank := arena.NewMap[string, int](a, len(order))
	for i, s := range order {
		rank.Set(s, i)
	}
	a.Reset()
	sort.Slice(all, func(i, j int) bool { // want `stale: `
		x, _ := rank.Get(all[i])
		y, _ := rank.Get(all[j])
		return x < y
	})
}

func sortRecords(a *arena.Arena, lines [][]byte) []string {
	keys := make([]string, 0, len(lines))
	for _, l := range lines {
		keys = append(keys, arena.String(a, l))
	}
	a.Reset()
	slices.SortFunc(keys, func(x, y string) int { return cmp.Compare(len(x), len(y)) })
	slices.Sort(keys)
	return keys // want `outlives: `
}

func find(a *arena.Arena, all []string, b []byte) int {
	s := arena.String(a, b)
	a.Reset()
	return slices.IndexFunc(all, func(x string) bool { return strings.EqualFold(x, s) }) // want `stale: `
}

func search(a *arena.Arena, sorted []string, b []byte) int {
	s := arena.String(a, b)
	a.Reset()
	return sort.Search(len(sorted), func(i int) bool { return sorted[i] >= s }) // want `stale: `
}

func longest(lines [][]byte) (best string) {
	a := pool.Get()
	defer pool.Put(a)
	names := lru.Map(lines, func(b []byte) string { return arena.String(a, b) })
	slices.SortFunc(names, func(x, y string) int { return cmp.Compare(len(y), len(x)) })
	return names[0] // want `outlives: `
}

func upper(lines [][]byte) []string {
	a := pool.Get()
	defer pool.Put(a)
	return lru.Map(lines, func(b []byte) string { return arena.String(a, b) }) // want `outlives: `
}

func visit(fields []string, f func(name, value string)) {
	for _, s := range fields {
		name, value, _ := strings.Cut(s, "=")
		f(name, value)
	}
}

func index(line []byte) map[string]string {
	a := pool.Get()
	defer pool.Put(a)
	m := map[string]string{}
	visit(strings.Fields(arena.String(a, line)), func(name, value string) { m[name] = value })
	return m // want `outlives: `
}

// scratch calls f with an arena that ends when f returns.
func scratch(f func(a *arena.Arena) error) error {
	a := pool.Get()
	defer pool.Put(a)
	return f(a)
}

func title(b []byte) (string, error) {
	var t string
	err := scratch(func(a *arena.Arena) error {
		t = strings.TrimSpace(arena.String(a, b))
		return nil
	})
	return t, err // want `outlives: `
}

var once sync.Once

func initialize(b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	once.Do(func() { current = arena.String(a, b) }) // want `outlives: `
}

var current string

func lazily(b []byte) func() string {
	a := pool.Get()
	defer pool.Put(a)
	s := arena.String(a, b)
	return sync.OnceValue(func() string { return strings.ToUpper(s) }) // want `outlives: `
}

// Functions that end the arena of a field when the function that they call has returned.

type notepad struct{ a *arena.Arena }

func (s *notepad) with(f func(*arena.Arena) string) string {
	defer s.a.Reset()
	return f(s.a)
}

func withScratch[T any](s *notepad, f func(*arena.Arena) T) T {
	t := f(s.a)
	s.a.Reset()
	return t
}

func inScratch(s *notepad, host []byte) string {
	return s.with(func(a *arena.Arena) string { return arena.Concat(a, string(host), ":80") }) // want `outlives: `
}

func alsoInScratch(s *notepad, host []byte) *string {
	p := withScratch(s, func(a *arena.Arena) *string { return arena.Ptr(a, string(host)) })
	fmt.Println(*p) // want `stale: `
	return nil
}

func widest(text []byte) (longest string) {
	a := pool.Get()
	defer pool.Put(a)
	words := strings.Split(arena.String(a, text), ",")
	slices.SortFunc(words, func(x, y string) int {
		if len(x) > len(longest) {
			longest = x
		}
		return cmp.Compare(x, y)
	})
	return longest // want `outlives: `
}

func hit(text []byte) (found string) {
	a := pool.Get()
	defer pool.Put(a)
	words := strings.Split(arena.String(a, text), ",")
	_ = slices.ContainsFunc(words, func(w string) bool { found = w; return w != "" })
	return found // want `outlives: `
}

func searched(text []byte) (seen string) {
	a := pool.Get()
	defer pool.Put(a)
	words := strings.Split(arena.String(a, text), ",")
	_, _ = slices.BinarySearchFunc(words, "x", func(w, x string) int { seen = w; return cmp.Compare(w, x) })
	return seen // want `outlives: `
}

var worst string

func worstOf(text []byte) {
	a := pool.Get()
	defer pool.Put(a)
	words := strings.Split(arena.String(a, text), ",")
	slices.SortStableFunc(words, func(x, y string) int {
		worst = y // want `outlives: `
		return cmp.Compare(x, y)
	})
}

func otherSide(text []byte) (last string) {
	a := pool.Get()
	defer pool.Put(a)
	words := strings.Split(arena.String(a, text), ",")
	_ = slices.EqualFunc([]string{"a", "b"}, words, func(x, y string) bool {
		last = y
		return x == y
	})
	return last // want `outlives: `
}
