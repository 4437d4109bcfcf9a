// Package library has mistakes with values of arenas that go through the standard library.
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
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/arena-go/arena"
)

var (
	pool    arena.Pool
	current atomic.Pointer[node]
	last    atomic.Value
	hooks   []func()
	records []slog.Record
	attr    slog.Attr
	queue   = list.New()
)

type node struct {
	name string
	next *node
}

func atomicPointer(b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	current.Store(arena.Ptr(a, node{name: arena.String(a, b)})) // want `outlives: .* is stored in current`
}

func atomicValue(b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	last.Store(arena.String(a, b)) // want `outlives: `
}

func atomicLoad(a *arena.Arena, b []byte) {
	var p atomic.Pointer[node]
	p.Store(arena.Ptr(a, node{name: arena.String(a, b)}))
	n := p.Load()
	a.Reset()
	fmt.Println(n.name) // want `stale: the result of arena.Ptr` `stale: the result of arena.String`
}

func afterFunc(b []byte) {
	a := pool.Get()
	s := arena.String(a, b)
	time.AfterFunc(time.Second, func() { fmt.Println(s) }) // want `outlives: a goroutine`
	pool.Put(a)
}

func afterContext(ctx context.Context, b []byte) {
	a := pool.Get()
	s := arena.String(a, b)
	context.AfterFunc(ctx, func() { fmt.Println(s) }) // want `outlives: a goroutine`
	pool.Put(a)
}

func hook(b []byte) {
	a := pool.Get()
	s := arena.String(a, b)
	hooks = append(hooks, func() { fmt.Println(s) }) // want `outlives: .* is stored in the elements of hooks`
	pool.Put(a)
}

func record(b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	var r slog.Record
	r.AddAttrs(slog.String("name", arena.String(a, b)))
	records = append(records, r) // want `outlives: .* is stored in the elements of records`
}

func attribute(b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	attr = slog.Any("name", arena.String(a, b)) // want `outlives: .* is stored in attr`
}

func queued(b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	queue.PushBack(arena.String(a, b)) // want `outlives: .* is stored in the elements of queue`
}

func values(b []byte) url.Values {
	a := pool.Get()
	defer pool.Put(a)
	v := url.Values{}
	v.Set("name", arena.String(a, b))
	return v // want `outlives: `
}

func request(a *arena.Arena, b []byte) (*http.Response, error) {
	r, err := http.NewRequest("POST", "http://localhost/", strings.NewReader(arena.String(a, b)))
	if err != nil {
		return nil, err
	}
	a.Reset()
	return http.DefaultClient.Do(r) // want `stale: `
}

func buffered(b []byte) string {
	a := pool.Get()
	r := bufio.NewReader(strings.NewReader(arena.String(a, b)))
	pool.Put(a)
	line, _ := r.ReadString('\n') // want `stale: `
	return line
}

func collected(b []byte) []string {
	a := pool.Get()
	defer pool.Put(a)
	m := map[string]int{arena.String(a, b): 1}
	return slices.Collect(maps.Keys(m)) // want `outlives: `
}

func sorted(b []byte) []string {
	a := pool.Get()
	defer pool.Put(a)
	m := map[string]int{arena.String(a, b): 1}
	return slices.Sorted(maps.Keys(m)) // want `outlives: `
}

func collectedMap(b []byte) map[string]int {
	a := pool.Get()
	defer pool.Put(a)
	m := map[string]int{arena.String(a, b): 1}
	return maps.Collect(maps.All(m)) // want `outlives: `
}

func unsafeText(a *arena.Arena, b []byte) {
	x := arena.Bytes(a, b)
	s := unsafe.String(&x[0], len(x))
	a.Reset()
	fmt.Println(s) // want `stale: `
}

func unsafeSlice(a *arena.Arena, b []byte) byte {
	s := arena.String(a, b)
	x := unsafe.Slice(unsafe.StringData(s), len(s))
	a.Reset()
	return x[0] // want `stale: `
}

type stack[T any] struct {
	a     *arena.Arena
	items []T
}

func (s *stack[T]) push(v T) { s.items = arena.Append(s.a, s.items, v) }

func (s *stack[T]) pop() T {
	v := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return v
}

func popped(a *arena.Arena, b []byte) {
	s := stack[string]{a: a}
	s.push(arena.String(a, b))
	v := s.pop()
	a.Reset()
	fmt.Println(v) // want `stale: `
}

func deletedFrom(a *arena.Arena, b []byte) string {
	list := slices.Delete([]string{arena.String(a, b), arena.String(a, b)}, 0, 1)
	a.Reset()
	return list[0] + "!" // want `stale: the result of arena.String`
}

func compactedFrom(a *arena.Arena, b []byte) string {
	list := slices.Compact([]string{arena.String(a, b), arena.String(a, b)})
	a.Reset()
	return list[0] + "!" // want `stale: the result of arena.String`
}

func appendedInt(a *arena.Arena, b []byte) string {
	text := strconv.AppendInt(arena.Bytes(a, b), 3, 10)
	a.Reset()
	return string(text) // want `stale: the result of arena.Bytes`
}

func amongOthers(a *arena.Arena, b []byte) {
	list := []string{arena.String(a, b), strconv.Itoa(len(b))}
	a.Reset()
	for _, s := range list {
		fmt.Println(s + "!") // want `stale: the result of arena.String`
	}
}

func bufferOfText(a *arena.Arena, b []byte) string {
	text := bytes.NewBufferString(arena.String(a, b))
	a.Reset()
	return text.String() // want `stale: the result of arena.String`
}

func oneOfReaders(a *arena.Arena, b []byte, r io.Reader) {
	all := io.MultiReader(strings.NewReader(arena.String(a, b)), r)
	a.Reset()
	io.ReadAll(all) // want `stale: the result of arena.String`
}
