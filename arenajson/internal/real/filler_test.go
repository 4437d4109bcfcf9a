package real

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// A filler makes random values, of which encoding/json makes documents.
type filler struct {
	*rand.Rand
	left  int // how many more values there may be
	depth int
}

var texts = []string{"", "a", "name", "2024-05-06T07:08:09Z", "10Gi", "1.5", "-3", "true", "null", "https://example.com/a?b=c&d=<e>", "日本語", "é\u2028", "\"quoted\" \\ \n\t\x00", "😀", "\xff", "string", "object", strings.Repeat("long text ", 20)}

// of returns a pointer to a value of the type.
func (f *filler) of(t reflect.Type) reflect.Value {
	f.left, f.depth = 20+f.IntN(400), 0
	v := reflect.New(t)
	f.fill(v.Elem())
	return v
}

func (f *filler) fill(v reflect.Value) {
	if f.left--; f.left < 0 || f.IntN(6) == 0 && f.depth > 0 {
		return
	}
	f.depth++
	defer func() { f.depth-- }()
	t := v.Type()
	switch t {
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(f.Int64N(1e11), f.Int64N(1e9)*int64(f.IntN(2))).UTC()))
		return
	case reflect.TypeFor[json.Number]():
		v.SetString([]string{"", "1", "-2.5e3", "x"}[f.IntN(4)])
		return
	case reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte([]string{"null", ` {"a" : [1, "<"]}`, `"text"`, "12", "[]", "{"}[f.IntN(6)]))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(f.Int64() >> f.IntN(64))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(f.Uint64() >> f.IntN(64))
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, 1.5, -3, 1e21, 1e-7, f.NormFloat64()}[f.IntN(6)])
	case reflect.String:
		v.SetString(texts[f.IntN(len(texts))])
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		f.fill(v.Elem())
	case reflect.Struct:
		for _, i := range f.Perm(v.NumField()) {
			if w := v.Field(i); w.CanSet() {
				f.fill(w)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(t, f.IntN(4), 4))
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		for i := range f.IntN(4) {
			k, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			if k.Kind() == reflect.String {
				k.SetString([]string{"x-", "200", "/a<b>", "é"}[i] + strconv.Itoa(f.IntN(9)))
			} else {
				f.fill(k)
			}
			f.fill(e)
			if k.Comparable() {
				v.SetMapIndex(k, e)
			}
		}
	case reflect.Interface:
		if t.NumMethod() == 0 {
			v.Set(reflect.ValueOf([]any{1.5, "text", true, []any{"a", nil}, map[string]any{"k": -1.0}}[f.IntN(5)]))
		}
	}
}
