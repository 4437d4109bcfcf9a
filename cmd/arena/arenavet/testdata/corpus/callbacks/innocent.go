package callbacks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/arena-go/arena"

	"example.com/corpus/events"
	"example.com/corpus/lru"
)

func okCompile(pattern []byte) {
	a := pool.Get()
	defer pool.Put(a)
	p := strings.Clone(strings.TrimSpace(arena.String(a, pattern)))
	addRule("prefix", func(path string) bool { return strings.HasPrefix(path, p) })
}

func okCleanup(dir []byte) {
	a := pool.Get()
	defer pool.Put(a)
	d := fmt.Sprintf("%s/%s", os.TempDir(), arena.String(a, dir))
	atExit(func() { os.RemoveAll(d) })
}

func okSubscribe(name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	who := arena.String(a, name)
	var local events.Bus
	local.On("saved", func(_ context.Context, payload any) { fmt.Println(who, payload) })
	local.Emit(context.Background(), "saved", who)
}

func okSubscribeArena(name []byte) {
	bus.On("saved", func(_ context.Context, payload any) {
		a := pool.Get()
		defer pool.Put(a)
		fmt.Println(arena.String(a, name), payload)
	})
}

func okOnClose() {
	a := pool.Get()
	bus.OnClose(func() error { pool.Put(a); return nil })
}

func okRoute(prefix []byte) {
	a := pool.Get()
	defer pool.Put(a)
	p := string(arena.Bytes(a, prefix))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, p+r.URL.Path, http.StatusFound)
	})
}

func okClient(name []byte) error {
	a := pool.Get()
	defer pool.Put(a)
	c := events.NewClient(events.WithName(arena.String(a, name)), events.WithHeader("A", "b"))
	return c.Send(arena.Concat(a, "hello ", c.Name()))
}

func okNewClient(name []byte) *events.Client {
	a := pool.Get()
	defer pool.Put(a)
	return events.NewClient(events.WithName(strings.Clone(arena.String(a, name))))
}

func okRetrying(host []byte) *events.Client {
	a := pool.Get()
	defer pool.Put(a)
	n := len(arena.String(a, host))
	return events.NewClient(events.WithRetry(func(i int) bool { return i < n }))
}

func okListen(host []byte) int {
	a := pool.Get()
	defer pool.Put(a)
	c := build(addrSetting(arena.Concat(a, string(host), ":80")), labelSetting{arena.SliceOf(a, "x")})
	return len(c.addr) + len(c.labels)
}

func okExpire(cache *sync.Map, key []byte, ttl time.Duration) {
	a := pool.Get()
	defer pool.Put(a)
	k := strings.Clone(arena.String(a, key))
	cache.Store(k, true)
	time.AfterFunc(ttl, func() { cache.Delete(k) })
}

func okTimer(b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	s := arena.String(a, b)
	done := make(chan bool)
	time.AfterFunc(time.Millisecond, func() { fmt.Println(s); close(done) })
	<-done
}

func okSortBy(a *arena.Arena, order []string, all []string) {
	rank := arena.NewMap[string, int](a, len(order))
	for i, s := range order {
		rank.Set(s, i)
	}
	sort.Slice(all, func(i, j int) bool {
		x, _ := rank.Get(all[i])
		y, _ := rank.Get(all[j])
		return x < y
	})
	a.Reset()
}

func okSortRecords(a *arena.Arena, lines [][]byte) []string {
	keys := arena.MakeSlice[string](a, 0, len(lines))
	for _, l := range lines {
		keys = arena.Push(a, keys, arena.String(a, l))
	}
	slices.SortFunc(keys, func(x, y string) int { return cmp.Compare(len(x), len(y)) })
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = strings.Clone(k)
	}
	a.Reset()
	return out
}

func okFind(a *arena.Arena, all []string, b []byte) int {
	s := arena.String(a, b)
	n := slices.IndexFunc(all, func(x string) bool { return strings.EqualFold(x, s) })
	a.Reset()
	return n
}

func okSearch(a *arena.Arena, sorted []string, b []byte) bool {
	defer a.Reset()
	s := arena.String(a, b)
	i := sort.Search(len(sorted), func(i int) bool { return sorted[i] >= s })
	return i < len(sorted) && sorted[i] == s
}

func okLengths(lines [][]byte) []int {
	a := pool.Get()
	defer pool.Put(a)
	names := lru.Map(lines, func(b []byte) string { return arena.String(a, b) })
	return lru.Map(names, func(s string) int { return len(s) })
}

func okUpper(lines [][]byte) []string {
	a := pool.Get()
	defer pool.Put(a)
	names := lru.Map(lines, func(b []byte) string { return arena.String(a, b) })
	return lru.Map(names, func(s string) string { return strings.Clone(s) })
}

func okFilter(lines []string, b []byte) []string {
	a := pool.Get()
	defer pool.Put(a)
	prefix := arena.String(a, b)
	return lru.Filter(lines, func(s string) bool { return strings.HasPrefix(s, prefix) })
}

func okIndex(line []byte) map[string]int {
	a := pool.Get()
	defer pool.Put(a)
	m := map[string]int{}
	visit(strings.Fields(arena.String(a, line)), func(name, value string) { m[strings.Clone(name)] = len(value) })
	return m
}

func okTitle(b []byte) (string, error) {
	var t string
	err := scratch(func(a *arena.Arena) error {
		t = strings.Clone(strings.TrimSpace(arena.String(a, b)))
		return nil
	})
	return t, err
}

func okScratch(b []byte) (n int, err error) {
	err = scratch(func(a *arena.Arena) error {
		s := arena.String(a, b)
		if s == "" {
			return errors.New("empty")
		}
		n = len(s)
		return nil
	})
	return n, err
}

func okOnce(b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	once.Do(func() { current = strings.Clone(arena.String(a, b)) })
}

func okLazily(b []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	s := arena.String(a, b)
	f := sync.OnceValue(func() int { return len(strings.ToUpper(s)) })
	return fmt.Sprint(f())
}

func withAnew[T any](s *notepad, f func(*arena.Arena) T) T {
	s.a.Reset()
	return f(s.a)
}

func okAnew(s *notepad, host []byte) string {
	return withAnew(s, func(a *arena.Arena) string { return arena.Concat(a, string(host), ":80") })
}

func okInScratch(s *notepad, host []byte) int {
	return withScratch(s, func(a *arena.Arena) int { return len(arena.Concat(a, string(host), ":80")) })
}

func okCopied(s *notepad, host []byte) string {
	return s.with(func(a *arena.Arena) string { return strings.Clone(arena.Concat(a, string(host), ":80")) })
}

func okWidest(text []byte) (longest string) {
	a := pool.Get()
	defer pool.Put(a)
	words := strings.Split(arena.String(a, text), ",")
	slices.SortFunc(words, func(x, y string) int {
		longest = strings.Clone(max(x, y))
		return cmp.Compare(x, y)
	})
	return longest
}

func okTarget(text []byte, target string) (seen string, n int) {
	a := pool.Get()
	defer pool.Put(a)
	words := strings.Split(arena.String(a, text), ",")
	n, _ = slices.BinarySearchFunc(words, len(target), func(w string, n int) int {
		seen = target
		return len(w) - n
	})
	return seen, n
}

func okFirst(words []string, text []byte) (first string) {
	a := pool.Get()
	defer pool.Put(a)
	limit := arena.String(a, text)
	_ = slices.IndexFunc(words, func(w string) bool {
		first = w
		return w > limit
	})
	return first
}

func okOtherSide(text []byte) (last string) {
	a := pool.Get()
	defer pool.Put(a)
	words := strings.Split(arena.String(a, text), ",")
	_ = slices.EqualFunc([]string{"a", "b"}, words, func(x, y string) bool {
		last = x
		return x == y
	})
	return last
}
