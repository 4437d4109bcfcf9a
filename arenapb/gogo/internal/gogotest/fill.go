// Package gogotest has what the tests of package gogo share: random messages, and comparisons.
package gogotest

import (
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"
)

// A Filler makes random messages and random input.
type Filler struct {
	R      *rand.Rand
	budget int // of values that a message may still have
}

// message fills the struct v, at random.
func (f *Filler) message(v reflect.Value, depth int) {
	wrappers := map[int][]reflect.Type{}
	if m, ok := v.Addr().Interface().(interface{ XXX_OneofWrappers() []interface{} }); ok {
		for _, w := range m.XXX_OneofWrappers() {
			for i := range v.NumField() {
				if t := v.Type().Field(i).Type; t.Kind() == reflect.Interface && reflect.TypeOf(w).Implements(t) {
					wrappers[i] = append(wrappers[i], reflect.TypeOf(w))
				}
			}
		}
	}
	chance := 1 + f.R.IntN(4)
	for i := range v.NumField() {
		sf := v.Type().Field(i)
		required := strings.Contains(sf.Tag.Get("protobuf"), ",req,")
		if !sf.IsExported() || strings.HasPrefix(sf.Name, "XXX_") || f.R.IntN(chance) > 0 && !required || f.budget <= 0 && !required {
			continue
		}
		f.budget--
		if list := wrappers[i]; len(list) > 0 {
			w := reflect.New(list[f.R.IntN(len(list))].Elem())
			f.value(w.Elem().Field(0), depth)
			v.Field(i).Set(w)
			continue
		}
		f.value(v.Field(i), depth)
	}
}

// value sets v to something.
func (f *Filler) value(v reflect.Value, depth int) {
	if depth > 6 {
		return
	}
	r := f.R
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = time.Unix(r.Int64N(1<<33), r.Int64N(1e9)).UTC()
		return
	case *time.Duration:
		*x = time.Duration(r.Int64N(1<<50) - 1<<49)
		return
	}
	bits := r.Uint64() >> r.IntN(64)
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(bits) * int64(1-r.IntN(2)*2))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(bits)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(r.NormFloat64())
	case reflect.String:
		v.SetString(string(f.bytes(r.IntN(1 << r.IntN(7)))))
	case reflect.Slice:
		n := r.IntN(1 << r.IntN(4))
		if v.Type().Elem().Kind() == reflect.Uint8 {
			n = r.IntN(1 << r.IntN(7))
		}
		if n = min(n, max(f.budget, 1)); depth > 3 {
			n = min(n, 1)
		}
		f.budget -= n / 2
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			f.value(v.Index(i), depth+1)
		}
	case reflect.Array:
		for i := range v.Len() {
			f.value(v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.IntN(4) {
			key, val := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.value(key, depth+1)
			f.value(val, depth+1)
			v.SetMapIndex(key, val)
		}
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		f.value(p.Elem(), depth+1)
		v.Set(p)
	case reflect.Struct:
		f.message(v, depth+1)
	}
}

func (f *Filler) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + f.R.IntN(26))
	}
	return b
}

// Input returns a random message of m's type as its Marshal writes it, or nil where it cannot.
func (f *Filler) Input(m any) (b []byte) {
	defer func() {
		if recover() != nil {
			b = nil // Marshal panics where what is nullable is nil
		}
	}()
	enc, ok := reflect.New(reflect.TypeOf(m).Elem()).Interface().(interface{ Marshal() ([]byte, error) })
	if !ok {
		return nil
	}
	f.budget = 1 + f.R.IntN(1<<f.R.IntN(9))
	if v := reflect.ValueOf(enc).Elem(); v.Kind() == reflect.Struct {
		f.message(v, 0)
	} else {
		f.value(v, 0)
	}
	b, err := enc.Marshal()
	if err != nil {
		return nil
	}
	return b
}

// fields cuts b where its fields begin. The rest that is no field is the last piece.
func fields(b []byte) (list [][]byte) {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			break
		}
		switch tag & 7 {
		case 0:
			_, k := binary.Uvarint(b[n:])
			if k <= 0 {
				return append(list, b)
			}
			n += k
		case 1:
			n += 8
		case 2:
			size, k := binary.Uvarint(b[n:])
			if k <= 0 || size > uint64(len(b)) {
				return append(list, b)
			}
			n += k + int(size)
		case 5:
			n += 4
		default:
			return append(list, b)
		}
		if n > len(b) {
			break
		}
		list = append(list, b[:n])
		b = b[n:]
	}
	if len(b) > 0 {
		list = append(list, b)
	}
	return list
}

// Reorder exchanges, repeats and drops fields of b, and of messages in it, and adds unknown ones.
// Lengths stay right.
func (f *Filler) Reorder(b []byte, depth int) []byte {
	r := f.R
	list := fields(b)
	for i, s := range list {
		tag, n := binary.Uvarint(s)
		if n <= 0 || tag&7 != 2 || r.IntN(2) == 0 || depth > 5 {
			continue
		}
		size, k := binary.Uvarint(s[n:])
		if k <= 0 || size != uint64(len(s)-n-k) {
			continue
		}
		inner := f.Reorder(s[n+k:], depth+1)
		list[i] = append(binary.AppendUvarint(slices.Clone(s[:n]), uint64(len(inner))), inner...)
	}
	for range r.IntN(3) {
		if len(list) == 0 {
			break
		}
		i, j := r.IntN(len(list)), r.IntN(len(list))
		switch r.IntN(8) {
		case 0, 1, 2:
			list[i], list[j] = list[j], list[i]
		case 3, 4:
			list = slices.Insert(list, i, list[j])
		case 5:
			list = slices.Delete(list, i, i+1)
		default:
			number := uint64(1 + r.IntN(1<<r.IntN(12)))
			list = slices.Insert(list, i, [][]byte{
				append(binary.AppendUvarint(nil, number<<3), 7),
				append(binary.AppendUvarint(nil, number<<3|2), 3, 'x', 'y', 'z'),
				append(binary.AppendUvarint(nil, number<<3|5), 1, 2, 3, 4),
				append(binary.AppendUvarint(nil, number<<3|1), 1, 2, 3, 4, 5, 6, 7, 8),
				append(binary.AppendUvarint(binary.AppendUvarint(nil, number<<3|3), 8), append([]byte{5}, binary.AppendUvarint(nil, number<<3|4)...)...),
				{0x80 | byte(r.IntN(16)<<3), 0x80, 0x00, byte(r.IntN(256))}, // a tag that is longer than it need be
			}[r.IntN(6)])
		}
	}
	return slices.Concat(list...)
}

// Damage changes bytes of b, wherever they are.
func (f *Filler) Damage(b []byte) []byte {
	r := f.R
	b = slices.Clone(b)
	for range 1 + r.IntN(4) {
		if len(b) == 0 {
			return append(b, byte(r.IntN(256)))
		}
		i := r.IntN(len(b))
		switch r.IntN(6) {
		case 0:
			b[i] = byte(r.IntN(256))
		case 1:
			b[i] ^= 1 << r.IntN(8)
		case 2:
			b = b[:i]
		case 3:
			b = slices.Delete(b, i, min(len(b), i+1+r.IntN(3)))
		case 4:
			b = slices.Insert(b, i, byte(r.IntN(256)))
		case 5:
			b = slices.Insert(b, i, slices.Repeat([]byte{0x80 | byte(r.IntN(128))}, r.IntN(12))...)
		}
	}
	return b
}
