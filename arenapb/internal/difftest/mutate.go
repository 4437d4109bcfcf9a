package difftest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Mutate changes a message at random, as a program does that owns it: with values on the heap.
// Equal messages and equal seeds make equal messages.
func Mutate(r *rand.Rand, m protoreflect.Message, depth int) {
	fields := extensionsOf(m.Descriptor())
	for i := range m.Descriptor().Fields().Len() {
		fields = append(fields, m.Descriptor().Fields().Get(i))
	}
	for range 1 + r.IntN(6) {
		if len(fields) == 0 || r.IntN(12) == 0 {
			w := Wire{R: r}
			m.SetUnknown(append(m.GetUnknown(), w.any(nil, protowire.Number(100000+r.IntN(5)), nil, 4)...))
			continue
		}
		f := fields[r.IntN(len(fields))]
		if r.IntN(6) == 0 {
			m.Clear(f)
			continue
		}
		switch {
		case f.IsMap():
			mutateMap(r, f, m.Mutable(f).Map(), depth)
		case f.IsList():
			mutateList(r, f, m.Mutable(f).List(), depth)
		case f.Kind() == protoreflect.BytesKind && m.Has(f) && r.IntN(2) == 0:
			m.Set(f, protoreflect.ValueOfBytes(append(m.Get(f).Bytes(), "appended"...)))
		case f.Message() == nil:
			m.Set(f, scalar(r, f))
		case depth > 4:
		case r.IntN(4) == 0:
			v := m.NewField(f)
			Mutate(r, v.Message(), depth+1)
			m.Set(f, v)
		default:
			Mutate(r, m.Mutable(f).Message(), depth+1)
		}
	}
}

func mutateList(r *rand.Rand, f protoreflect.FieldDescriptor, l protoreflect.List, depth int) {
	for range 1 + r.IntN(4) {
		n := l.Len()
		switch op := r.IntN(6); {
		case op == 0 && n > 0:
			l.Truncate(r.IntN(n))
		case op == 1 && n > 0 && f.Kind() == protoreflect.BytesKind:
			i := r.IntN(n)
			l.Set(i, protoreflect.ValueOfBytes(append(l.Get(i).Bytes(), "appended"...)))
		case op == 1 && n > 0 && f.Message() == nil:
			l.Set(r.IntN(n), scalar(r, f))
		case op == 2 && n > 0 && f.Message() != nil && depth < 4:
			Mutate(r, l.Get(r.IntN(n)).Message(), depth+1)
		case f.Message() == nil:
			for range 1 + r.IntN(10) {
				l.Append(scalar(r, f))
			}
		default:
			m := l.AppendMutable().Message()
			if depth < 4 {
				Mutate(r, m, depth+1)
			}
		}
	}
}

func mutateMap(r *rand.Rand, f protoreflect.FieldDescriptor, mp protoreflect.Map, depth int) {
	var keys []protoreflect.MapKey
	mp.Range(func(k protoreflect.MapKey, _ protoreflect.Value) bool {
		keys = append(keys, k)
		return true
	})
	slices.SortFunc(keys, func(a, b protoreflect.MapKey) int { return strings.Compare(a.String(), b.String()) })
	for range 1 + r.IntN(4) {
		key := scalar(r, f.MapKey()).MapKey()
		if len(keys) > 0 && r.IntN(2) == 0 {
			key = keys[r.IntN(len(keys))]
		}
		switch op := r.IntN(4); {
		case op == 0:
			mp.Clear(key)
		case f.MapValue().Message() == nil:
			mp.Set(key, scalar(r, f.MapValue()))
		default:
			m := mp.Mutable(key).Message()
			if depth < 4 {
				Mutate(r, m, depth+1)
			}
		}
	}
}

// scalar returns a random value for a field that is no message.
func scalar(r *rand.Rand, f protoreflect.FieldDescriptor) protoreflect.Value {
	w := Wire{R: r}
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(r.IntN(2) == 0)
	case protoreflect.EnumKind:
		values := f.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(r.IntN(values.Len())).Number())
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(w.number()))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(int64(w.number()))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(w.number()))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(w.number())
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(math.Float32frombits(uint32(w.number())))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(math.Float64frombits(w.number()))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(w.text())
	}
	return protoreflect.ValueOfBytes([]byte(w.text()))
}
