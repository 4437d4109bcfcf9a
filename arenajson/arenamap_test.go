package arenajson_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/arenatest"
	"github.com/arena-go/arena/internal/testrun"
)

// plain returns what v points at, for reflect.DeepEqual: where the type has arena.Maps in it, they
// are maps of Go.
func plain(v reflect.Value) any {
	if !hasMaps(v.Type(), map[reflect.Type]bool{}) {
		return v.Interface()
	}
	return plainValue(v)
}

// hasMaps tells whether there are arena.Maps in values of type t.
func hasMaps(t reflect.Type, seen map[reflect.Type]bool) bool {
	return leadsTo(t, func(t reflect.Type) bool {
		_, ok := arenajson.GoMapOf(t)
		return ok
	}, seen)
}

// leadsTo tells whether t is such a type, or leads to one that is not in seen.
func leadsTo(t reflect.Type, is func(reflect.Type) bool, seen map[reflect.Type]bool) bool {
	if is(t) {
		return true
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return leadsTo(t.Elem(), is, seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if leadsTo(t.Field(i).Type, is, seen) {
				return true
			}
		}
	}
	return false
}

func plainValue(v reflect.Value) any {
	if goMap, ok := arenajson.GoMapOf(v.Type()); ok {
		m := reflect.New(goMap)
		m.Elem().Set(reflect.MakeMap(goMap))
		v.Addr().Interface().(interface{ CopyTo(any) }).CopyTo(m.Interface())
		return plainValue(m.Elem())
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return []any{plainValue(v.Elem())}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			return nil
		}
		all := []any{}
		for i := range v.Len() {
			all = append(all, plainValue(v.Index(i)))
		}
		return all
	case reflect.Map:
		if v.IsNil() {
			return nil
		}
		all := map[any]any{}
		for it := v.MapRange(); it.Next(); {
			value := reflect.New(it.Value().Type()).Elem()
			value.Set(it.Value())
			all[it.Key().Interface()] = plainValue(value)
		}
		return all
	case reflect.Struct:
		if !hasMaps(v.Type(), map[reflect.Type]bool{}) {
			break
		}
		all := map[string]any{}
		for i := range v.NumField() {
			all[v.Type().Field(i).Name] = plainValue(v.Field(i))
		}
		return all
	}
	return v.Interface()
}

// TestArenaMapsText encodes what random documents are decoded into.
func TestArenaMapsText(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	rounds := 2000
	if !testrun.Long() {
		rounds = 200
	}
	a := arena.NewArena()
	for range rounds {
		v := new(arenaMaps)
		arenajson.Unmarshal(a, document(r, reflect.TypeFor[arenaMaps]()), v)
		for _, o := range []arenajson.MarshalOptions{{}, {NoEscapeHTML: true}} {
			got, gotErr := o.Marshal(a, v)
			want, wantErr := json.Marshal(v)
			if o.NoEscapeHTML && wantErr == nil {
				want, wantErr = json.Marshal(json.RawMessage(want))
				got, gotErr = json.Marshal(json.RawMessage(got))
			}
			if !sameError(gotErr, wantErr) || string(got) != string(want) {
				t.Fatalf("%s, %v\nwant %s, %v", got, gotErr, want, wantErr)
			}
		}
		a.Reset()
	}
}

// TestArenaMapsPlace: what is decoded into zero Maps lies in the arena, Maps and all.
func TestArenaMapsPlace(t *testing.T) {
	type values struct {
		M arena.Map[string, *base]
		P *arena.Map[int, []string]
	}
	in := []byte(`{"M": {"a": {"ID": 1, "name": "x"}, "\u0062": {"ID": 2}}, "P": {"7": ["one", "two"], "8": []}}`)
	decode := func(a *arena.Arena) {
		v := arena.New[values](a)
		if err := arenajson.Unmarshal(a, in, v); err != nil {
			t.Fatal(err)
		}
		if b, _ := v.M.Get("b"); v.M.Len() != 2 || b.ID != 2 || v.P.Len() != 2 {
			t.Errorf("%v", v)
		}
	}
	decode(arenatest.New(t))
	if !watched { // the maps of Go that are used again are made more often there
		arenatest.NoHeap(t, decode)
	}
}
