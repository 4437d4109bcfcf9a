package library

import (
	"bufio"
	"bytes"
	"container/list"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

var counts = map[string]int{}

func atomicOfOwn(b []byte) {
	a := arena.NewArena()
	current.Store(arena.Ptr(a, node{name: arena.String(a, b)}))
}

func atomicTakenBack(b []byte) {
	a := pool.Get()
	current.Store(arena.Ptr(a, node{name: arena.String(a, b)}))
	fmt.Println(current.Load().name)
	current.Store(nil)
	pool.Put(a)
}

func atomicNotSwapped(b []byte) *node {
	a := pool.Get()
	n := arena.Ptr(a, node{name: arena.String(a, b)})
	if !current.CompareAndSwap(nil, n) {
		pool.Put(a)
		return current.Load()
	}
	return n
}

func atomicSwapped(a *arena.Arena, b []byte) {
	var p atomic.Pointer[node]
	n := arena.Ptr(a, node{name: arena.String(a, b)})
	p.Store(n)
	p.CompareAndSwap(n, &node{name: "heap"})
	a.Reset()
	fmt.Println(p.Load().name)
}

func stopped(b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	s := arena.String(a, b)
	t := time.AfterFunc(time.Second, func() { fmt.Println("slow:", s) })
	defer t.Stop()
	fmt.Println(s)
}

func stoppedContext(ctx context.Context, b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	s := arena.String(a, b)
	stop := context.AfterFunc(ctx, func() { fmt.Println("gone:", s) })
	defer stop()
	fmt.Println(s)
}

func hookOfNumber(b []byte) {
	a := pool.Get()
	n := len(arena.String(a, b))
	pool.Put(a)
	hooks = append(hooks, func() { fmt.Println(n) })
}

func hookOfCopy(b []byte) {
	a := pool.Get()
	s := strings.Clone(arena.String(a, b))
	pool.Put(a)
	hooks = append(hooks, func() { fmt.Println(s) })
}

func handled(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	slog.LogAttrs(r.Context(), slog.LevelInfo, "x", slog.String("path", arena.String(a, r.URL.Path)), slog.Group("g", "k", arena.Sprintf(a, "%d", 3)))
	var rec slog.Record
	rec.AddAttrs(slog.String("path", arena.String(a, r.URL.Path)))
	slog.Default().Handler().Handle(r.Context(), rec)
}

func hijacked(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	conn, rw, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	s := arena.String(a, r.URL.Path)
	go func() {
		defer conn.Close()
		fmt.Fprint(rw, s, arena.Concat(a, s, "!"))
	}()
}

func hijackedByController(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "it cannot be taken over", http.StatusInternalServerError)
		return
	}
	list := arena.SliceOf(a, 1, 2, 3)
	go func(c net.Conn) {
		defer c.Close()
		fmt.Fprint(c, list)
	}(conn)
}

func asked(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	request, err := http.NewRequestWithContext(r.Context(), "POST", arena.Concat(a, "http://localhost/", r.URL.Path), strings.NewReader(arena.Sprintf(a, "%d", 1)))
	if err != nil {
		return
	}
	if response, err := http.DefaultClient.Do(request); err == nil {
		response.Body.Close()
	}
}

func lineOfText(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	line, err := bufio.NewReader(strings.NewReader(arena.String(a, r.URL.Path))).ReadString('\n')
	if err == nil {
		counts[line]++
	}
}

func scanned(r io.Reader) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	for s := bufio.NewScanner(r); s.Scan(); {
		n += len(arena.String(a, s.Bytes()))
		a.Reset()
	}
	return n
}

func sortedKeys(m map[string]int) []string {
	a := pool.Get()
	defer pool.Put(a)
	n := arena.NewMap[string, int](a, 0)
	for k, v := range m {
		n.Set(k, v)
	}
	return slices.Sorted(n.Keys())
}

func collectedCopies(b []byte) map[string]bool {
	a := pool.Get()
	defer pool.Put(a)
	m := map[string]bool{}
	for w := range strings.FieldsSeq(arena.String(a, b)) {
		m[strings.Clone(w)] = true
	}
	return maps.Collect(maps.All(m))
}

func listOfOwn(b []byte) {
	l := list.New()
	a := pool.Get()
	l.PushBack(arena.String(a, b))
	for e := l.Front(); e != nil; e = e.Next() {
		fmt.Println(e.Value)
	}
	pool.Put(a)
}

func unsafeCopy(a *arena.Arena, b []byte) string {
	x := arena.Bytes(a, b)
	s := strings.Clone(unsafe.String(unsafe.SliceData(x), len(x)))
	a.Reset()
	return s
}

func poppedNumber(a *arena.Arena) int {
	s := stack[int]{a: a}
	s.push(1)
	v := s.pop()
	a.Reset()
	return v
}

var total int

func count(a *arena.Arena, b []byte, n *int) { arenajson.Unmarshal(a, b, n) }

func countedInto(b []byte) {
	a := arena.NewArena()
	count(a, b, &total)
	a.Reset()
}

func repeatedText(a *arena.Arena, b []byte) string {
	s := strings.Repeat(arena.String(a, b), 3)
	a.Reset()
	return s
}

func runesOf(a *arena.Arena, b []byte) string {
	runes := bytes.Runes(arena.Bytes(a, b))
	a.Reset()
	return string(runes)
}
