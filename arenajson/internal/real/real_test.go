package real

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/internal/testrun"
)

func random(t *testing.T) *rand.Rand {
	return rand.New(rand.NewPCG(testrun.Seed(t), 0))
}

// A comparer compares arenajson with encoding/json. What it has decoded into the arena is looked at
// again before Reset.
type comparer struct {
	t    *testing.T
	r    *rand.Rand
	a    *arena.Arena
	kept []pair

	documents, right, encodings, unstable, failures int
}

type pair struct{ got, want any }

// A result is a value, and the error or the panic that there was.
type result struct {
	value any
	err   error
	panic any
}

func run(value any, f func() error) (r result) {
	defer func() {
		r.panic = recover()
	}()
	r.value = value
	r.err = f()
	return r
}

// equal tells whether two results are the same. What is in a value after a panic is not said.
func (r result) equal(s result) bool {
	if r.panic != nil || s.panic != nil {
		return fmt.Sprint(r.panic) == fmt.Sprint(s.panic)
	}
	if (r.err == nil) != (s.err == nil) || r.err != nil && (reflect.TypeOf(r.err) != reflect.TypeOf(s.err) || r.err.Error() != s.err.Error()) {
		return false
	}
	return reflect.DeepEqual(r.value, s.value)
}

func (r result) String() string {
	var b []byte
	var err error
	run(nil, func() error { b, err = json.Marshal(r.value); return nil })
	return fmt.Sprintf("%.2000s (%v), error: %v, panic: %v", b, err, r.err, r.panic)
}

// check reports a difference. Methods of the types may range over maps, and have a result of many:
// encoding/json is asked again then.
func (c *comparer) check(got, want result, again func() result, about func() string) {
	c.t.Helper()
	if got.equal(want) {
		return
	}
	for range 400 { // of two entries of a map, one comes first in one of eight loops
		if !again().equal(want) {
			c.unstable++
			return
		}
	}
	c.t.Errorf("%s\n got %v\nwant %v", about(), got, want)
	if c.failures++; c.failures == 20 {
		c.t.FailNow()
	}
}

// decode compares what is made of the document in a new value, which has been decoded from before
// unless that is empty or a method panics with it.
func (c *comparer) decode(t reflect.Type, before, doc string) {
	c.t.Helper()
	a := c.a
	if c.r.IntN(4) == 0 {
		a = nil
	}
	if v := reflect.New(t).Interface(); before != "" && run(nil, func() error { return json.Unmarshal([]byte(before), v) }).panic != nil {
		before = ""
	}
	std := func() result {
		v := reflect.New(t).Interface()
		if before != "" {
			json.Unmarshal([]byte(before), v)
		}
		return run(v, func() error { return json.Unmarshal([]byte(doc), v) })
	}
	v := reflect.New(t).Interface()
	if before != "" {
		json.Unmarshal([]byte(before), v) // arenajson makes slices of other capacities, which shows after some errors
	}
	in := []byte(doc)
	got, want := run(v, func() error { return arenajson.Unmarshal(a, in, v) }), std()
	c.documents++
	right := want.err == nil && want.panic == nil
	if right {
		c.right++
	}
	c.check(got, want, std, func() string { return fmt.Sprintf("%v, before: %.2000s\ndocument: %.4000s", t, before, doc) })
	if string(in) != doc {
		c.t.Errorf("%v: the input has changed: %.4000s", t, doc)
	}
	clear(in) // nothing of the value may lie there
	switch {
	case c.r.IntN(4) == 0:
		c.encode(v) // a method may change it
	case right && got.equal(want):
		c.kept = append(c.kept, pair{v, want.value})
	}
	if len(c.kept) == 16 {
		c.reset()
	}
}

// reset looks at what has been decoded again, and gives it up.
func (c *comparer) reset() {
	c.t.Helper()
	if c.r.IntN(200) == 0 {
		runtime.GC()
	}
	for _, p := range c.kept {
		if !reflect.DeepEqual(p.got, p.want) && reflect.DeepEqual(p.want, p.want) {
			c.t.Errorf("%T has changed: %v, want %v", p.got, result{value: p.got}, result{value: p.want})
		}
	}
	clear(c.kept)
	c.kept = c.kept[:0]
	c.a.Reset()
}

// encode compares the text of v.
func (c *comparer) encode(v any) {
	c.t.Helper()
	a := c.a
	if c.r.IntN(4) == 0 {
		a = nil
	}
	text := func(marshal func() ([]byte, error)) result {
		var b []byte
		r := run(nil, func() (err error) { b, err = marshal(); return err })
		r.value = string(b)
		return r
	}
	std := func() result { return text(func() ([]byte, error) { return json.Marshal(v) }) }
	c.encodings++
	c.check(text(func() ([]byte, error) { return arenajson.Marshal(a, v) }), std(), std, func() string { return fmt.Sprintf("encoding of %T", v) })
}

// end says what has been compared.
func (c *comparer) end() {
	c.reset()
	c.a.Free()
	c.t.Logf("%d documents, of which %d were right, and %d encodings; %d had results that change", c.documents, c.right, c.encodings, c.unstable)
}

// TestRandom decodes and encodes values of all types that are filled at random.
func TestRandom(t *testing.T) {
	c := &comparer{t: t, r: random(t), a: arena.NewArena()}
	f := &filler{Rand: c.r}
	rounds := 3
	if !testrun.Long() {
		rounds = 1
	}
	for _, n := range c.r.Perm(len(Types)) {
		typ := reflect.TypeOf(Types[n]).Elem()
		before := ""
		for range rounds {
			v := f.of(typ).Interface()
			c.encode(v)
			var doc []byte
			if run(nil, func() (err error) { doc, err = json.Marshal(v); return err }) != (result{}) {
				continue
			}
			c.decode(typ, "", string(doc))
			c.decode(typ, "", damaged(c.r, string(doc)))
			c.decode(typ, before, damaged(c.r, string(doc)))
			before = string(doc)
		}
	}
	c.end()
	if c.right < len(Types) || c.right == c.documents {
		t.Errorf("%d documents of %d were right, of %d types", c.right, c.documents, len(Types))
	}
}

// TestReal decodes the documents that the modules of the types have in their tests, and the objects
// in them, into the types whose members they have.
func TestReal(t *testing.T) {
	c := &comparer{t: t, r: random(t), a: arena.NewArena()}
	dirs := moduleDirs(t)
	limit := 300 // objects of a module
	if !testrun.Long() {
		limit = 60
	}
	for _, path := range slices.Sorted(maps.Keys(dirs)) {
		x := index{}
		for _, p := range Types {
			if typ := reflect.TypeOf(p).Elem(); strings.HasPrefix(typ.PkgPath()+"/", path+"/") {
				x.add(typ)
			}
		}
		docs := documents(t, dirs[path])
		var parts []string
		for _, doc := range docs {
			parts = append(parts, objects(doc)...)
		}
		all := len(parts)
		if all > limit {
			c.r.Shuffle(all, func(i, k int) { parts[i], parts[k] = parts[k], parts[i] })
			parts = parts[:limit]
		}
		before, compared := c.right, c.documents
		for _, doc := range parts {
			for _, typ := range x.types(doc, 4) {
				c.decode(typ, "", doc)
				c.decode(reflect.PointerTo(typ), "", damaged(c.r, doc))
				c.decode(typ, doc, damaged(c.r, doc))
				c.decode(reflect.SliceOf(typ), "", "["+doc+" , "+parts[c.r.IntN(len(parts))]+"]")
			}
			c.decode(reflect.TypeFor[any](), "", doc)
		}
		t.Logf("%s: %d documents with %d objects: %d comparisons, %d of them without error", path, len(docs), all, c.documents-compared, c.right-before)
	}
	c.end()
	if len(dirs) < 20 || c.right < 3000 || c.right == c.documents {
		t.Errorf("%d documents of %d were right, of %d modules", c.right, c.documents, len(dirs))
	}
}
