package arenajson

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/ref"
)

// An inArena says where it was encoded.
type inArena struct{ fail bool }

func (v inArena) MarshalJSON() ([]byte, error) { return []byte(`"std"`), nil }
func (v inArena) MarshalJSONArena(a *arena.Arena) ([]byte, error) {
	if v.fail {
		return nil, errors.New("no")
	}
	if a == nil {
		return []byte(` "heap" `), nil
	}
	return arena.Bytes(a, ` [ "arena" ] `), nil
}

// TestMarshalArena has what encoding/json does not know.
func TestMarshalArena(t *testing.T) {
	a := arena.NewArena()
	s := ref.In(a)
	defer a.Free()
	v := struct {
		V inArena
		P *inArena
		R ref.String
		L []ref.String
	}{P: &inArena{}, R: ref.NewString(s, "<ref>"), L: []ref.String{{}, ref.NewString(s, "x")}}
	b, err := Marshal(a, &v)
	if want := `{"V":["arena"],"P":["arena"],"R":"\u003cref\u003e","L":["","x"]}`; err != nil || string(b) != want {
		t.Errorf("%s %v, want %s", b, err, want)
	}
	if _, err := Marshal(nil, &v); err == nil {
		t.Error("a ref.String without an arena is no error")
	}
	b, err = Marshal(nil, v.V)
	if string(b) != `"heap"` || err != nil {
		t.Errorf("%s %v", b, err)
	}
	b, err = Marshal(a, inArena{fail: true})
	if m, ok := err.(*json.MarshalerError); !ok || m.Err.Error() != "no" {
		t.Errorf("%s %v, want the error of the method", b, err)
	}
}

// TestMarshalPlace checks where the result is, and that it is nobody else's.
func TestMarshalPlace(t *testing.T) {
	a := arena.NewArena()
	defer a.Free()
	first, err := Marshal(a, strings.Repeat("x", 100))
	if err != nil || a.Stats().InUse != 102 {
		t.Errorf("%d bytes in the arena, want 102: %v", a.Stats().InUse, err)
	}
	second, _ := Marshal(a, strings.Repeat("y", 100))
	heap, _ := Marshal(nil, strings.Repeat("z", 100))
	if string(first) != `"`+strings.Repeat("x", 100)+`"` || string(second) != `"`+strings.Repeat("y", 100)+`"` || string(heap) != `"`+strings.Repeat("z", 100)+`"` {
		t.Errorf("%s %s %s", first, second, heap)
	}
	before := []byte("before")
	if b, err := Append(a, before, math.NaN()); err == nil || !bytes.Equal(b, before) {
		t.Errorf("after an error: %s %v", b, err)
	}
	if b, err := Append(a, nil, 1); err != nil || string(b) != "1" {
		t.Errorf("%s %v", b, err)
	}
}

func TestUnsortedMaps(t *testing.T) {
	f := &filler{Rand: seeded(t)}
	o := MarshalOptions{UnsortedMaps: true}
	for range rounds(300) {
		v := struct {
			A map[string]string
			B map[string]any
			C map[int]map[string][]string
		}{map[string]string{}, map[string]any{}, map[int]map[string][]string{}}
		for range f.IntN(20) {
			v.A[f.text()] = f.text()
			v.B[f.text()] = map[string]any{"x": f.text(), "y": 1.5, "z": nil}
			v.C[f.IntN(100)] = map[string][]string{f.text(): {"a"}, f.text(): nil}
		}
		want, _ := json.Marshal(v)
		got, err := o.Marshal(nil, v)
		if err != nil || !json.Valid(got) || len(got) != len(want) {
			t.Fatalf("%v\n%s\nwant\n%s", err, got, want)
		}
		x, y := slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
		if !bytes.Equal(x, y) {
			t.Fatalf("%s\nwant\n%s", got, want)
		}
	}
}

// TestMarshalKeepsNothing checks that an encoder which waits for its next use refers to no value.
func TestMarshalKeepsNothing(t *testing.T) {
	f := &filler{Rand: seeded(t)}
	for range rounds(300) {
		v := reflect.New(encodeTypes[f.IntN(len(encodeTypes))])
		f.fails = f.oneIn(4)
		f.fill(v.Elem())
		e := getEncoder()
		e.encode(nil, v.Interface(), MarshalOptions{UnsortedMaps: f.oneIn(4)})
		e.put()
		if e.root != nil || e.arena != nil || e.err != nil || e.depth != 0 || e.levels != 0 || len(e.visited) > 0 || len(e.texts)+len(e.strings)+len(e.anys)+len(e.keys)+len(e.order) > 0 {
			t.Fatalf("%T: %+v", v.Interface(), e)
		}
		for _, p := range e.strings[:cap(e.strings)] {
			if p != (pair[string]{}) {
				t.Fatal("a string is left")
			}
		}
		for _, p := range e.keys[:cap(e.keys)] {
			if p != (pair[struct{}]{}) {
				t.Fatal("a key is left")
			}
		}
		for _, p := range e.anys[:cap(e.anys)] {
			if p != (pair[any]{}) {
				t.Fatal("a value is left")
			}
		}
		for m := range maps.Values(e.values) {
			if m.used != 0 || !m.key.IsZero() {
				t.Fatal("a map is left")
			}
			for i := range m.slice.Len() {
				if !m.slice.Index(i).IsZero() {
					t.Fatal("a value of a map is left")
				}
			}
		}
	}
}

// FuzzMarshal makes values of the seed, and encodes the text in all ways.
func FuzzMarshal(f *testing.F) {
	for i, text := range append(append(someTexts, rawTexts...), badTexts[:len(badTexts)-1]...) {
		f.Add(uint64(i), text)
	}
	f.Fuzz(func(t *testing.T, seed uint64, text string) {
		r := &filler{Rand: rand.New(rand.NewPCG(seed, 1)), fails: seed%2 == 0}
		v := reflect.New(encodeTypes[seed/2%uint64(len(encodeTypes))])
		r.fill(v.Elem())
		checkMarshal(t, nil, v.Interface())
		checkMarshal(t, nil, text)
		checkMarshal(t, nil, json.RawMessage(text))
		checkMarshal(t, nil, json.Number(text))
		var x any
		if json.Unmarshal([]byte(text), &x) == nil {
			checkMarshal(t, nil, x)
		}
	})
}

// TestSortPairs compares the order of keys with package slices'.
func TestSortPairs(t *testing.T) {
	f := &filler{Rand: seeded(t)}
	for range rounds(3000) {
		var pairs []pair[int]
		var want []string
		for i := range f.IntN(40) {
			key := strings.Repeat("ab", f.IntN(4)) + string([]byte{0, 'a', 'b', 0xff}[:f.IntN(5)]) + strings.Repeat("c", f.IntN(9))
			if !slices.Contains(want, key) {
				pairs = append(pairs, pair[int]{key, i})
				want = append(want, key)
			}
		}
		slices.Sort(want)
		order := sortPairs(make([]place, 1), pairs)[1:]
		for i, x := range order {
			if pairs[x.i].key != want[i] {
				t.Fatalf("%q at %d, want %q", pairs[x.i].key, i, want[i])
			}
		}
	}
}
