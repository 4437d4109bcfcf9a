package ways

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
)

type conn struct {
	a    *arena.Arena
	name string
	next *conn
}

func resetEach() {
	var all []*conn
	for range 3 {
		c := &conn{a: arena.NewArena()}
		c.name = arena.Concat(c.a, "x", "y")
		all = append(all, c)
	}
	for _, c := range all {
		fmt.Println(c.name)
		c.a.Reset()
	}
}

func putEach() {
	var all []*conn
	for range 3 {
		all = append(all, &conn{a: pool.Get()})
	}
	for _, c := range all {
		pool.Put(c.a)
	}
}

func putEachOfMap(in [][]byte) {
	all := map[string]*conn{}
	for _, b := range in {
		c := &conn{a: arena.NewArena()}
		c.name = arena.String(c.a, b)
		all[string(b)] = c
	}
	for k, c := range all {
		fmt.Println(k, c.name)
		c.a.Reset()
	}
}

func putList() {
	var head *conn
	for range 3 {
		head = &conn{a: pool.Get(), next: head}
	}
	for c := head; c != nil; c = c.next {
		pool.Put(c.a)
	}
}

func resetOldest(in [][]byte) {
	var all []*conn
	for _, b := range in {
		c := &conn{a: arena.NewArena()}
		c.name = arena.String(c.a, b)
		all = append(all, c)
		if len(all) > 10 {
			all[0].a.Reset()
			all = all[1:]
		}
		fmt.Println(all[len(all)-1].name)
	}
}

func putStack(n int, b []byte) {
	var stack []*conn
	for range n {
		c := &conn{a: pool.Get()}
		c.name = arena.String(c.a, b)
		stack = append(stack, c)
	}
	for len(stack) > 0 {
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		fmt.Println(c.name)
		pool.Put(c.a)
	}
}

func callEach(in [][]byte) {
	var all []func()
	for _, b := range in {
		a := pool.Get()
		s := arena.String(a, b)
		all = append(all, func() { fmt.Println(s); pool.Put(a) })
	}
	for _, f := range all {
		f()
	}
}

func fillEach(in [][]byte) {
	a, b := arena.NewArena(), arena.NewArena()
	var all []*conn
	for range in {
		all = append(all, &conn{})
	}
	all[0].name = arena.String(a, in[0])
	all[1].name = arena.String(b, in[1])
	b.Reset()
	fmt.Println(all[0].name)
}

func cleanedUp(t testing.TB) *arena.Arena {
	a := pool.Get()
	t.Cleanup(func() { pool.Put(a) })
	return a
}

func freedInCleanup(t testing.TB, m arena.Memory) *arena.Arena {
	a := arena.NewWith(arena.Options{Memory: m})
	t.Cleanup(a.Free)
	return a
}

func useCleanedUp(t testing.TB, m arena.Memory) {
	fmt.Println(arena.New[int](cleanedUp(t)))
	a := freedInCleanup(t, m)
	fmt.Println(arena.New[int](a))
}

type owner struct{ all []*arena.Arena }

func (o *owner) get() *arena.Arena {
	a := pool.Get()
	o.all = append(o.all, a)
	return a
}

func (o *owner) close() {
	for _, a := range o.all {
		pool.Put(a)
	}
}

func useOwned() {
	o := &owner{}
	defer o.close()
	a := o.get()
	fmt.Println(arena.New[int](a))
}

func putDeferred() {
	all := make([]*arena.Arena, 0, 3)
	defer func() {
		for _, a := range all {
			pool.Put(a)
		}
	}()
	for range 3 {
		a := pool.Get()
		all = append(all, a)
		fmt.Println(arena.New[int](a))
	}
}

func putArray() {
	var all [2]*arena.Arena
	for i := range all {
		all[i] = pool.Get()
	}
	for _, a := range all {
		pool.Put(a)
	}
}

func putByHelper() {
	all := make([]*arena.Arena, 3)
	for i := range all {
		all[i] = pool.Get()
	}
	putAll(all)
}

func putAll(all []*arena.Arena) {
	for _, a := range all {
		pool.Put(a)
	}
}

func putUnlessReturned(b []byte) (*arena.Arena, error) {
	a := pool.Get()
	if len(b) == 0 {
		pool.Put(a)
		return nil, errors.New("empty")
	}
	return a, nil
}

func returnedWithError(check func() error) (a *arena.Arena, err error) {
	a = pool.Get()
	if err := check(); err != nil {
		pool.Put(a)
		return a, err
	}
	return a, nil
}

func closedField(b []byte) *conn {
	c := &conn{a: pool.Get(), name: "x"}
	pool.Put(c.a)
	return c
}

func resetAndReturned(a *arena.Arena) *arena.Arena {
	a.Reset()
	return a
}

func constantReturned(n int) string {
	a := pool.Get()
	defer pool.Put(a)
	s := "zero"
	if n != 0 {
		s = arena.Sprintf(a, "%d", n)
	}
	if n == 0 {
		return s
	}
	return strings.Clone(s)
}

func nilReturned(b []byte) (*conn, error) {
	a := pool.Get()
	defer pool.Put(a)
	var c *conn
	var err error
	if len(b) == 0 {
		err = errors.New("empty")
	} else {
		c = arena.New[conn](a)
	}
	if err != nil {
		return c, err
	}
	return arena.DeepClone(c), nil
}

func nilBeforePut(b []byte) (*conn, error) {
	a := pool.Get()
	var c *conn
	if len(b) > 0 {
		c = arena.New[conn](a)
	}
	if len(b) == 0 {
		pool.Put(a)
		return c, errors.New("empty")
	}
	c = arena.DeepClone(c)
	pool.Put(a)
	return c, nil
}

func heapReturned(n int) *conn {
	a := pool.Get()
	defer pool.Put(a)
	c := new(conn)
	if n != 0 {
		c = arena.New[conn](a)
	}
	if n == 0 {
		return c
	}
	return arena.DeepClone(c)
}

type frame struct {
	a    *arena.Arena
	vals []string
}

func (f *frame) reset() { f.a.Reset(); f.vals = f.vals[:0] }

func (f *frame) add(s string) { f.vals = append(f.vals, arena.String(f.a, s)) }

func truncated(f *frame, all []string) {
	for _, s := range all {
		f.add(s)
		fmt.Println(f.vals)
		f.reset()
		f.vals = append(f.vals, "header")
	}
	fmt.Println(f.vals)
}

func copiesKept(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	paths = append(paths, strings.Clone(arena.String(a, r.URL.Path)))
	byName["x"] = &conn{name: strings.Clone(arena.String(a, r.URL.Path))}
	local := append([]string(nil), arena.String(a, r.URL.Path))
	fmt.Println(local)
}

func waitedFor(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	done := make(chan bool)
	go func() { fmt.Println(arena.Concat(a, "x", r.URL.Path)); close(done) }()
	<-done
}

func waitedInDefer(b []byte, c bool) {
	a := pool.Get()
	defer pool.Put(a)
	s := arena.String(a, b)
	var wg sync.WaitGroup
	defer wg.Wait()
	if c {
		wg.Go(func() { fmt.Println(s) })
	}
}

func literalCopies(b []byte) (s string, n int) {
	var t string
	func() {
		a := pool.Get()
		defer pool.Put(a)
		s = strings.Clone(arena.String(a, b))
		t = arena.String(a, b)
		n = len(t)
		t = ""
	}()
	fmt.Println(t)
	return s, n
}
