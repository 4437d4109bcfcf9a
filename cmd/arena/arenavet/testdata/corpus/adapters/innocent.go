package adapters

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapgx"
	"github.com/arena-go/arena/arenasql"
	"github.com/arena-go/arena/arenastrings"
)

func numberOfResult(b []byte) (int, error) {
	a := pool.Get()
	defer pool.Put(a)
	var u user
	err := arenajson.Unmarshal(a, b, &u)
	return u.Age, err
}

func copied(b []byte) (*user, error) {
	a := pool.Get()
	defer pool.Put(a)
	u := new(user)
	if err := arenajson.Unmarshal(a, b, u); err != nil {
		return nil, err
	}
	return arena.DeepClone(u), nil
}

func fieldsCopied(b []byte) (u user, err error) {
	a := pool.Get()
	defer pool.Put(a)
	var v user
	if err = arenajson.Unmarshal(a, b, &v); err != nil {
		return u, err
	}
	u.Name = strings.Clone(v.Name)
	u.Age = v.Age
	return u, nil
}

func intoArena(a *arena.Arena, b []byte) (u user, err error) {
	err = arenajson.Unmarshal(a, b, &u)
	return u, err
}

func decodedEach(a *arena.Arena, r io.Reader) (n int) {
	d := arenajson.NewDecoder(r)
	for {
		var u user
		if d.Decode(a, &u) != nil {
			return n
		}
		n += len(u.Tags)
		a.Reset()
	}
}

func decodedAgain(a *arena.Arena, all [][]byte) {
	var u user
	for _, b := range all {
		a.Reset()
		u = user{}
		if arenajson.Unmarshal(a, b, &u) != nil {
			continue
		}
		fmt.Println(u.Name)
	}
}

func written(w io.Writer, v any) error {
	a := pool.Get()
	defer pool.Put(a)
	b, err := arenajson.Marshal(a, v)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

func marshalledText(v any) (string, error) {
	a := pool.Get()
	defer pool.Put(a)
	b, err := arenajson.Marshal(a, v)
	return string(b), err
}

func appendedToHeap(dst []byte, v any) []byte {
	a := pool.Get()
	defer pool.Put(a)
	b, _ := arenajson.Marshal(a, v)
	return append(dst, b...)
}

func encoded(w io.Writer, v any) error {
	a := pool.Get()
	defer pool.Put(a)
	return arenajson.NewEncoder(w).Encode(a, v)
}

func messageCloned(b []byte) (*message, error) {
	a := pool.Get()
	defer pool.Put(a)
	m := arenapb.New[message](a)
	if err := arenapb.Unmarshal(a, b, m); err != nil {
		return nil, err
	}
	return arenapb.Clone(m)
}

func messageOfJSONCloned(b []byte) (*message, error) {
	a := pool.Get()
	defer pool.Put(a)
	m := arenapb.New[message](a)
	if err := arenapb.UnmarshalJSON(a, b, m); err != nil {
		return nil, err
	}
	return arenapb.Clone(m)
}

func textCloned(b []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	m := arenapb.New[message](a)
	arenapb.Unmarshal(a, b, m)
	return strings.Clone(m.GetText())
}

func messageOfCaller(a *arena.Arena, b []byte) *message {
	m := arenapb.New[message](a)
	arenapb.Unmarshal(a, b, m)
	return m
}

func rowsCopied(r arenapgx.Rows) ([]user, error) {
	a := pool.Get()
	defer pool.Put(a)
	all, err := arenapgx.Collect[user](a, r)
	if err != nil {
		return nil, err
	}
	return arena.DeepClone(all), nil
}

func rowsOfCaller(a *arena.Arena, r arenapgx.Rows) ([]*user, error) {
	return arenapgx.CollectPointers[user](a, r)
}

func sumOfRows(r arenapgx.Rows) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	arenapgx.ForEach(a, r, func(u *user) error {
		n += u.Age
		return nil
	})
	return n
}

func longest(r arenapgx.Rows) (s string) {
	a := pool.Get()
	defer pool.Put(a)
	arenapgx.ForEach(a, r, func(u *user) error {
		if len(u.Name) > len(s) {
			s = strings.Clone(u.Name)
		}
		return nil
	})
	return s
}

func scannedNumber(r arenapgx.Rows) (n int, err error) {
	a := pool.Get()
	defer pool.Put(a)
	err = arenapgx.Scan(a, r, &n)
	return n, err
}

func scannedText(a *arena.Arena, r arenapgx.Rows) {
	for r.Next() {
		var name string
		arenapgx.Scan(a, r, &name)
		fmt.Println(name)
		a.Reset()
	}
}

func exactly(r arenasql.Rows) (int, error) {
	a := pool.Get()
	defer pool.Put(a)
	return arenasql.Exactly[int](a, r)
}

func namesCopied(r arenasql.Rows) (names []string) {
	a := pool.Get()
	defer pool.Put(a)
	all, _ := arenasql.CollectPointers[user](a, r)
	for _, u := range all {
		names = append(names, strings.Clone(u.Name))
	}
	return names
}

func lowerCopied(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return strings.Clone(arenastrings.ToLower(a, s))
}

func partsOfHeap(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return arenastrings.Fields(a, s)[0]
}

func handlerWrites(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	b, _ := arena.ReadAll(a, r.Body)
	var u user
	if arenajson.Unmarshal(a, b, &u) == nil {
		names[strings.Clone(u.Name)] = u.Age
	}
	out, _ := arenajson.Marshal(a, u)
	w.Write(out)
}

func sentCopy(out chan []byte, v any) {
	a := pool.Get()
	defer pool.Put(a)
	b, _ := arenajson.Marshal(a, v)
	out <- bytes.Clone(b)
}

func bufferOfCopy(v any) *bytes.Buffer {
	a := pool.Get()
	defer pool.Put(a)
	b, _ := arenajson.Marshal(a, v)
	buf := new(bytes.Buffer)
	buf.Write(b)
	return buf
}

// The error is the callback's, and not a row.
func okRowsFail(r arenapgx.Rows, stop func() error) error {
	a := arena.NewArena()
	defer a.Reset()
	n := 0
	err := arenapgx.ForEach(a, r, func(u *user) error {
		n++
		return stop()
	})
	if err != nil {
		return err
	}
	return nil
}
