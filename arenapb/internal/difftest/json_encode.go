package difftest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// SameJSON encodes m with arenapb, in memory of a, and with protojson. It reports whether both did,
// and how the results differ; a panic of arenapb is a difference, too, unless OnPanic expects it.
func SameJSON(a *arena.Arena, m proto.Message, o arenapb.MarshalJSONOptions) (ok bool, wrong string) {
	var panicked *arenapb.Panic
	if o.OnPanic == nil {
		o.OnPanic = func(p *arenapb.Panic) { panicked = p }
	}
	got, err := o.Marshal(a, m)
	want, theirs := protojson.MarshalOptions{
		Multiline: o.Multiline, Indent: o.Indent, AllowPartial: o.AllowPartial, UseProtoNames: o.UseProtoNames, UseEnumNumbers: o.UseEnumNumbers,
		EmitUnpopulated: o.EmitUnpopulated, EmitDefaultValues: o.EmitDefaultValues, Resolver: o.Resolver,
	}.Marshal(m)
	switch s := SameError(err, theirs); {
	case panicked != nil:
		return false, panicked.Error()
	case s != "":
		return false, s
	case (got == nil) != (want == nil):
		return false, fmt.Sprintf("with the error %v there is %q, want %q", err, got, want)
	case want == nil:
		return false, ""
	case len(got) != cap(got):
		return false, fmt.Sprintf("the result has length %d and capacity %d", len(got), cap(got))
	}
	want = WithoutSpaces(want, o.Multiline || o.Indent != "")
	if !bytes.Equal(got, want) {
		return false, fmt.Sprintf("it is encoded to\n%s\nwant\n%s", got, want)
	}
	before := []byte("before")
	behind, again := o.MarshalAppend(a, before, m)
	if SameError(again, err) != "" || !bytes.Equal(behind, append(before[:6:6], got...)) {
		return false, fmt.Sprintf("appended it is\n%s, %v\nwant\n%s, %v", behind, again, got, err)
	}
	return err == nil, ""
}

// WithoutSpaces takes from what protojson has written the spaces that it puts there at random.
func WithoutSpaces(text []byte, lines bool) []byte {
	if !lines {
		var b bytes.Buffer
		if err := json.Compact(&b, text); err != nil {
			return append([]byte("no JSON: "), text...)
		}
		return b.Bytes()
	}
	all := strings.Split(string(text), "\n")
	for i, line := range all {
		if name := strings.TrimLeft(line, " \t"); strings.HasPrefix(name, `"`) {
			end := 1
			for ; end < len(name) && name[end] != '"'; end++ {
				if name[end] == '\\' {
					end++
				}
			}
			if end < len(name) && strings.HasPrefix(name[end:], `":  `) {
				end += len(line) - len(name)
				all[i] = line[:end] + `": ` + line[end+4:]
			}
		}
	}
	return []byte(strings.Join(all, "\n"))
}

// RandomMarshalJSONOptions returns options of which most are the default.
func RandomMarshalJSONOptions(r *rand.Rand) (o arenapb.MarshalJSONOptions) {
	o.Multiline = r.IntN(6) == 0
	if r.IntN(6) == 0 {
		o.Indent = []string{" ", "\t", "    ", " \t", "x"}[r.IntN(5)]
	}
	o.AllowPartial = r.IntN(3) > 0
	o.UseProtoNames = r.IntN(3) == 0
	o.UseEnumNumbers = r.IntN(3) == 0
	o.EmitUnpopulated = r.IntN(4) == 0
	o.EmitDefaultValues = r.IntN(4) == 0
	if r.IntN(12) == 0 {
		o.Resolver = new(protoregistry.Types)
	}
	return o
}

// Poke changes what package protoreflect cannot, in structs with exported fields: pointers in
// lists, maps and oneofs become nil, texts something that is not UTF-8, floats those that JSON does
// not have, numbers any. It changes about one value of n.
func Poke(r *rand.Rand, m proto.Message, n int) { poke(r, reflect.ValueOf(m), n, 0) }

func poke(r *rand.Rand, v reflect.Value, n, depth int) {
	hit := v.CanSet() && r.IntN(n) == 0
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() || depth > 40 {
			return
		}
		if hit && v.Kind() == reflect.Interface && r.IntN(2) == 0 {
			v.Set(reflect.Zero(v.Elem().Type())) // a wrapper that is nil
			return
		}
		if hit {
			v.SetZero()
			return
		}
		poke(r, v.Elem(), n, depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !strings.HasPrefix(f.Name, "XXX_") {
				poke(r, v.Field(i), n, depth)
			}
		}
	case reflect.Slice:
		if hit && v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([][]byte{nil, {}, {0xff, 0}}[r.IntN(3)])
			return
		}
		for i := range v.Len() {
			poke(r, v.Index(i), n, depth)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			x := reflect.New(v.Type().Elem()).Elem()
			x.Set(v.MapIndex(key))
			poke(r, x, n, depth)
			v.SetMapIndex(key, x)
			if k := reflect.New(v.Type().Key()).Elem(); key.Kind() == reflect.String && r.IntN(n) == 0 {
				k.SetString(strange[r.IntN(len(strange))])
				v.SetMapIndex(k, x)
			}
		}
	case reflect.String:
		if hit {
			v.SetString(strange[r.IntN(len(strange))])
		}
	case reflect.Float32, reflect.Float64:
		if hit {
			v.SetFloat([]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 1e21, 1e-7, 123456789.125, 16777216, 0.1}[r.IntN(10)])
		}
	case reflect.Int32, reflect.Int64:
		if hit {
			v.SetInt([]int64{0, 1, -1, 255, 256, math.MaxInt32, math.MinInt32, int64(r.Uint64()), int64(r.Uint64N(1e6)), 315576000000}[r.IntN(10)])
		}
	case reflect.Uint32, reflect.Uint64:
		if hit {
			v.SetUint(r.Uint64() >> r.IntN(64))
		}
	case reflect.Bool:
		if hit {
			v.SetBool(!v.Bool())
		}
	}
}

var strange = []string{
	"", "\xff", "a\xc3", "\u2028\u2029<>&'", "\x00\x01\x1f\x7f\"\\\b\f\n\r\t/", "\ufffd", "text of some length \U0001f600 and more of it", "1234567\xff", "12345678\"", "1234567\x80",
	"\xed\xa0\x80", "a_b", "aB", "a__b", "a.b_c", "_a", "a_", "type.googleapis.com/google.protobuf.Duration", "é", "12345678é",
}
