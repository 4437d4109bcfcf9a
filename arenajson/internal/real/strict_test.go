package real

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	sigs "sigs.k8s.io/json"
)

// spoiled returns a document with names that are there twice, that no field has, or that are in
// another case.
func spoiled(r *rand.Rand, b *strings.Builder, v any) {
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		sep := ""
		for _, name := range slices.Sorted(maps.Keys(v)) {
			times := 1
			switch r.IntN(30) {
			case 0:
				times = 2
			case 1:
				name, v[strings.ToUpper(name)] = strings.ToUpper(name), v[name]
			case 2:
				fmt.Fprintf(b, `%s"unknown%d":{"x":%d}`, sep, r.IntN(3), r.Uint64())
				sep = ","
			}
			for range times {
				text, _ := json.Marshal(name)
				b.WriteString(sep)
				b.Write(text)
				b.WriteByte(':')
				spoiled(r, b, v[name])
				sep = ","
			}
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			spoiled(r, b, e)
		}
		b.WriteByte(']')
	default:
		text, _ := json.Marshal(v)
		b.Write(text)
	}
}

// TestStrict compares UnmarshalStrict with sigs.k8s.io/json's, for the types of Kubernetes.
func TestStrict(t *testing.T) {
	r := random(t)
	f := &filler{Rand: r}
	a := arena.NewArena()
	o := arenajson.UnmarshalOptions{CaseSensitiveNames: true, PreserveInts: true}
	right, faults := 0, 0
	for _, p := range Types {
		typ := reflect.TypeOf(p).Elem()
		if !strings.HasPrefix(typ.PkgPath(), "k8s.io/") {
			continue
		}
		for range 3 {
			var doc []byte
			var v any
			if run(nil, func() (err error) { doc, err = json.Marshal(f.of(typ).Interface()); return err }) != (result{}) || json.Unmarshal(doc, &v) != nil {
				continue
			}
			var b strings.Builder
			spoiled(r, &b, v)
			in := b.String()
			for _, to := range []reflect.Type{typ, reflect.TypeFor[any](), reflect.TypeFor[map[string]any]()} {
				want, got := reflect.New(to), reflect.New(to)
				wantStrict, wantErr := sigs.UnmarshalStrict([]byte(in), want.Interface())
				gotStrict, gotErr := o.UnmarshalStrict(a, []byte(in), got.Interface())
				if (wantErr == nil) != (gotErr == nil) {
					t.Fatalf("%v: %v, want %v: %.2000s", to, gotErr, wantErr, in)
				}
				if wantErr != nil {
					continue
				}
				right++
				faults += len(wantStrict)
				if fmt.Sprint(gotStrict) != fmt.Sprint(wantStrict) || !reflect.DeepEqual(got.Elem().Interface(), want.Elem().Interface()) {
					t.Fatalf("%v: %.3000s\n got %v\nwant %v\n%#v\n%#v", to, in, gotStrict, wantStrict, got.Elem(), want.Elem())
				}
				for _, e := range gotStrict {
					if _, ok := e.(sigs.FieldError); !ok {
						t.Fatalf("%T is no FieldError", e)
					}
				}
			}
			a.Reset()
		}
	}
	if t.Logf("%d documents with %d faults", right, faults); right < 100 || faults < 100 {
		t.Error("too few")
	}
}
