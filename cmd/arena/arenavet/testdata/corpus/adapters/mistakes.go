// Package adapters has mistakes with what the adapters make in arenas.
package adapters

import (
	"bytes"
	"fmt"
	"io"
	"net/http"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapgx"
	"github.com/arena-go/arena/arenasql"
	"github.com/arena-go/arena/arenastrings"
)

type user struct {
	Name string
	Tags []string
	Age  int
}

type message struct{ Text string }

func (m *message) Reset()          {}
func (m *message) ProtoReflect()   {}
func (m *message) GetText() string { return m.Text }

var pool arena.Pool

func unmarshalled(a *arena.Arena, b []byte) {
	var u user
	arenajson.Unmarshal(a, b, &u)
	a.Reset()
	fmt.Println(u.Name) // want `stale: `
}

func unmarshalledResult(b []byte) (u user, err error) {
	a := pool.Get()
	defer pool.Put(a)
	err = arenajson.Unmarshal(a, b, &u)
	return u, err // want `outlives: `
}

func unmarshalledPointer(b []byte) (*user, error) {
	a := pool.Get()
	defer pool.Put(a)
	u := new(user)
	if err := arenajson.Unmarshal(a, b, u); err != nil {
		return nil, err
	}
	return u, nil // want `outlives: `
}

func withOptions(a *arena.Arena, b []byte) {
	var u user
	arenajson.UnmarshalOptions{}.Unmarshal(a, b, &u)
	a.Reset()
	fmt.Println(u.Tags[0]) // want `stale: `
}

func marshalled(v any) ([]byte, error) {
	a := pool.Get()
	defer pool.Put(a)
	return arenajson.Marshal(a, v) // want `outlives: `
}

func marshalledWith(o arenajson.MarshalOptions, v any) ([]byte, error) {
	a := pool.Get()
	defer pool.Put(a)
	return o.Marshal(a, v) // want `outlives: `
}

func marshalledThen(a *arena.Arena, w io.Writer, v any) {
	b, err := arenajson.Marshal(a, v)
	if err != nil {
		return
	}
	a.Reset()
	w.Write(b) // want `stale: `
}

func appended(a *arena.Arena, w io.Writer, v any) {
	b, _ := arenajson.Append(a, nil, v)
	a.Reset()
	w.Write(b) // want `stale: `
}

func decoded(a *arena.Arena, r io.Reader) {
	var u user
	arenajson.NewDecoder(r).Decode(a, &u)
	a.Reset()
	fmt.Println(u.Name) // want `stale: `
}

func decodedLoop(a *arena.Arena, r io.Reader) (all []user) {
	d := arenajson.NewDecoder(r)
	for {
		var u user
		if d.Decode(a, &u) != nil {
			return all // want `outlives: `
		}
		all = append(all, u)
		a.Reset()
	}
}

func message1(b []byte) *message {
	a := pool.Get()
	defer pool.Put(a)
	m := arenapb.New[message](a)
	arenapb.Unmarshal(a, b, m)
	return m // want `outlives: `
}

func messageAndError(b []byte) (*message, error) {
	a := pool.Get()
	defer pool.Put(a)
	m := arenapb.New[message](a)
	if err := arenapb.Unmarshal(a, b, m); err != nil {
		return nil, err
	}
	return m, nil // want `outlives: `
}

func getter(a *arena.Arena, b []byte) {
	m := arenapb.New[message](a)
	arenapb.Unmarshal(a, b, m)
	text := m.GetText()
	a.Reset()
	fmt.Println(text) // want `stale: `
}

func messageOfJSON(a *arena.Arena, b []byte) {
	m := new(message)
	arenapb.UnmarshalJSON(a, b, m)
	text := m.GetText()
	a.Reset()
	fmt.Println(text) // want `stale: `
}

func messageOfJSONOptions(a *arena.Arena, b []byte) *message {
	m := new(message)
	arenapb.UnmarshalJSONOptions{}.Unmarshal(a, b, m)
	a.Reset()
	return m // want `outlives: `
}

func messageOfHeap(a *arena.Arena, b []byte) {
	m := new(message)
	arenapb.Unmarshal(a, b, m)
	a.Reset()
	fmt.Println(m.GetText()) // want `stale: `
}

func rows(r arenapgx.Rows) ([]user, error) {
	a := pool.Get()
	defer pool.Put(a)
	return arenapgx.Collect[user](a, r) // want `outlives: `
}

func oneRow(a *arena.Arena, r arenapgx.Rows) {
	u, err := arenapgx.One[user](a, r)
	if err != nil {
		return
	}
	a.Reset()
	fmt.Println(u.Name) // want `stale: `
}

func eachRow(a *arena.Arena, r arenapgx.Rows) {
	var last string
	arenapgx.ForEach(a, r, func(u *user) error {
		last = u.Name
		return nil
	})
	a.Reset()
	fmt.Println(last) // want `stale: `
}

func longestRow(r arenapgx.Rows) (s string) {
	a := pool.Get()
	defer pool.Put(a)
	arenapgx.ForEach(a, r, func(u *user) error {
		if len(u.Name) > len(s) {
			s = u.Name
		}
		return nil
	})
	return s // want `outlives: `
}

func scanned(a *arena.Arena, r arenapgx.Rows) {
	var name string
	arenapgx.Scan(a, r, &name)
	a.Reset()
	fmt.Println(name) // want `stale: `
}

func pointers(r arenasql.Rows) (names []string) {
	a := pool.Get()
	defer pool.Put(a)
	all, _ := arenasql.CollectPointers[user](a, r)
	for _, u := range all {
		names = append(names, u.Name)
	}
	return names // want `outlives: `
}

func lower(a *arena.Arena, s string) string {
	t := arenastrings.ReplaceAll(a, s, "x", "y")
	u := arena.Concat(a, t, "!")
	a.Reset()
	return "x" + u // want `stale: `
}

func split(a *arena.Arena, s string) {
	all := arenastrings.Split(a, s, ",")
	a.Reset()
	fmt.Println(all[0]) // want `stale: `
}

var last []string

func handler(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	last = arenastrings.Fields(a, r.URL.Path) // want `outlives: `
}

func handlerJSON(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	b, _ := arena.ReadAll(a, r.Body)
	var u user
	if arenajson.Unmarshal(a, b, &u) == nil {
		names[u.Name] = u.Age // want `outlives: `
	}
}

var names = map[string]int{}

func encodedTo(out chan []byte, v any) {
	a := pool.Get()
	b, _ := arenajson.Marshal(a, v)
	out <- b // want `outlives: `
	pool.Put(a)
}

func bufferOf(v any) *bytes.Buffer {
	a := pool.Get()
	defer pool.Put(a)
	b, _ := arenajson.Marshal(a, v)
	return bytes.NewBuffer(b) // want `outlives: `
}

func messageEncoded(m *message) []byte {
	a := pool.Get()
	defer pool.Put(a)
	b, _ := arenapb.Marshal(a, m)
	return b // want `outlives: `
}

func messageEncodedAsJSON(m *message) []byte {
	a := pool.Get()
	defer pool.Put(a)
	b, _ := arenapb.MarshalJSON(a, m)
	return b // want `outlives: `
}

func messageAppendedAsJSON(a *arena.Arena, b []byte, m *message) {
	b, _ = arenapb.MarshalJSONOptions{}.MarshalAppend(a, b, m)
	a.Reset()
	fmt.Println(b) // want `stale: `
}

func messageAppended(a *arena.Arena, b []byte, m *message) {
	b, _ = arenapb.MarshalAppend(a, b, m)
	a.Reset()
	fmt.Println(b) // want `stale: `
}
