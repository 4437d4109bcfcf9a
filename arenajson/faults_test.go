package arenajson_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/internal/testrun"
)

// A tight arena has a limit that is met soon, and room once more makes some. Or it has a Memory
// that panics until then.
type tight struct {
	group  arena.Group
	mark   arena.Mark // of an arena of the group, which has the ballast
	memory *broken    // or nil
	*arena.Arena
}

// A broken Memory panics when it is asked for more than it has.
type broken struct{ left int }

func (m *broken) Alloc(size int) ([]byte, error) {
	if m.left -= size; m.left < 0 {
		panic(m)
	}
	return make([]byte, size), nil
}

func (m *broken) Free([]byte) {}

// ballast is how many bytes more there are. With asan it takes up to 64 of the room, too.
const ballast = 1 << 20

func newTight(room int64, panics bool) *tight {
	if panics {
		t := &tight{memory: &broken{int(room)}}
		t.group.Options.Memory = t.memory
		t.Arena = t.group.Arena()
		return t
	}
	t := &tight{group: arena.Group{Options: arena.Options{Limit: ballast + room}}}
	t.group.Do(func(a *arena.Arena) {
		t.mark = a.Mark()
		arena.MakeSlice[byte](a, ballast, ballast)
	})
	t.Arena = t.group.Arena()
	return t
}

// more makes room.
func (t *tight) more() {
	if t.memory != nil {
		t.memory.left = math.MaxInt
		return
	}
	t.group.Do(func(a *arena.Arena) { a.Rewind(t.mark) })
}

// A made is a value that was decoded, and what encoding/json makes of its document.
type made struct {
	doc       []byte
	got, want reflect.Value
	err       error
}

// make decodes a document for a value of a type. If the arena has no room it returns false.
func (t *tight) make(o arenajson.UnmarshalOptions, typ reflect.Type, doc []byte) (m made, ok bool) {
	m = made{doc, reflect.New(typ), reflect.New(typ), nil}
	defer func() {
		if v := recover(); v != nil && v != t.memory {
			panic(v)
		}
	}()
	ok = arena.Try(func() { m.err = o.Unmarshal(t.Arena, doc, m.got.Interface()) }) == nil
	return m, ok
}

func (m *made) check(t *testing.T, o arenajson.UnmarshalOptions, what string) {
	t.Helper()
	was := hook
	hook = nil
	err := stdUnmarshal(o, m.doc, m.want.Interface())
	hook = was
	if !sameError(m.err, err) || !reflect.DeepEqual(plain(m.got), plain(m.want)) {
		t.Fatalf("%s: %v\ninput: %s\n got %#v (%v)\nwant %#v (%v)", what, m.got.Type(), m.doc, show(m.got), m.err, show(m.want), err)
	}
	m.want.Elem().SetZero()
}

// TestFaults has the arena refuse memory at each allocation in turn, or its Memory panic, to a
// document or to what a method decodes meanwhile. The caller, or the method, decodes again when
// there is room, in the same arena. All values are as they should be, those from before included.
func TestFaults(t *testing.T) {
	defer func() { hook = nil }()
	r := rand.New(rand.NewPCG(testrun.Seed(t), 0))
	types := append(writtenTypes(), randomTypes(r, 20)...)
	outer := reflect.TypeFor[struct {
		Before any
		In     hooked
		List   []hooked
		Map    map[string]hooked
		After  any
	}]()
	inner, again := 0, 0
	for round := 0; round < testrun.Few(100) || inner < 10 || again < 10; round++ {
		o := arenajson.UnmarshalOptions{UseNumber: r.IntN(4) == 0, AliasInput: r.IntN(4) == 0}
		var docs [][]byte
		var typs []reflect.Type
		for i := range 5 {
			if i%2 == 1 {
				typs = append(typs, types[r.IntN(len(types))])
				docs = append(docs, document(r, typs[i]))
				continue
			}
			w := writer{r: r}
			w.value(outer, 4)
			typs, docs = append(typs, outer), append(docs, w.b)
		}
		for room := int64(64); ; room += 1 + room/int64(5+r.IntN(20)) {
			a := newTight(room, round%2 == 1)
			var all []made
			failed, busy, calls := false, 0, 0
			decode := func(i int) {
				m, ok := a.make(o, typs[i], docs[i])
				if !ok {
					if failed {
						t.Fatalf("no room for %s", docs[i])
					}
					failed = true
					if busy > 0 {
						inner++
					} else {
						again++
					}
					a.more()
					m, _ = a.make(o, typs[i], docs[i])
				}
				all = append(all, m)
			}
			hook = func([]byte) {
				if calls++; calls%4 != 1 || calls > 30 {
					return // each document has many
				}
				busy++
				decode((busy + calls) % len(docs))
				busy--
			}
			for i := range docs {
				decode(i)
			}
			for i := range all {
				all[i].check(t, o, "before Reset")
			}
			all = nil
			a.group.Reset()
			a.Arena = a.group.Arena()
			for i := range docs {
				decode(i)
			}
			for i := range all {
				all[i].check(t, o, "after Reset")
			}
			a.group.Free()
			if !failed {
				break
			}
		}
	}
	t.Logf("%d times memory was refused to what a method decodes, and %d times otherwise", inner, again)
}

// TestRefused has an arena refuse memory to a decoder, which learns nothing of it.
func TestRefused(t *testing.T) {
	arenajson.Unmarshal(nil, []byte("[]"), new(any)) // so that there are plans
	values, letters, keeps := arenajson.Refused(arena.NewWith(arena.Options{Limit: 4 << 10}))
	if values != 0 || letters != 0 || keeps {
		t.Errorf("%d values, %d letters, the document is kept: %t", values, letters, keeps)
	}
}
