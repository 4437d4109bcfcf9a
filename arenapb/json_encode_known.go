package arenapb

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/arena-go/arena/internal/jsonwire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// known appends the message at p, which has a form of its own in JSON.
func (e *jsonEncoder) known(b []byte, p pointer, j *jsonPlan) (_ []byte, ok bool) {
	if faulty {
		step()
	}
	f := &j.members[0]
	q := at(p, f.offset)
	switch j.known {
	case knownTimestamp:
		return appendTimestamp(b, int64(load64(q)), int32(load32(at(p, j.members[1].offset))))
	case knownDuration:
		return appendDuration(b, int64(load64(q)), int32(load32(at(p, j.members[1].offset))))
	case knownWrapper:
		return e.value(b, q, &f.jsonType)
	case knownStruct:
		if lenOfMap(q) == 0 {
			return append(b, '{', '}'), true
		}
		return e.mapping(b, q, f)
	case knownList:
		if len(*sliceAt[struct{}](q)) == 0 {
			return append(b, '[', ']'), true
		}
		return e.list(b, q, f)
	case knownMask:
		return appendMask(b, *sliceAt[string](q))
	}
	// A google.protobuf.Value is a oneof.
	face := faceAt(q)
	if face.data == nil {
		return b, false
	}
	for i := range j.members {
		if f := &j.members[i]; f.wrapper == face.word {
			if f.read == readDouble {
				if v := math.Float64frombits(load64(face.data)); math.IsNaN(v) || math.IsInf(v, 0) {
					return b, false
				}
			}
			return e.value(b, face.data, &f.jsonType)
		}
	}
	return b, false
}

const maxNanos = 999_999_999

func appendTimestamp(b []byte, seconds int64, nanos int32) (_ []byte, ok bool) {
	if seconds < minTimestamp || seconds > maxTimestamp || nanos < 0 || nanos > maxNanos {
		return b, false
	}
	b = time.Unix(seconds, 0).UTC().AppendFormat(append(b, '"'), time.RFC3339)
	return append(appendNanos(b[:len(b)-len("Z")], nanos), 'Z', '"'), true
}

func appendDuration(b []byte, seconds int64, nanos int32) (_ []byte, ok bool) {
	if seconds < -maxDuration || seconds > maxDuration || nanos < -maxNanos || nanos > maxNanos || seconds > 0 && nanos < 0 || seconds < 0 && nanos > 0 {
		return b, false
	}
	b = append(b, '"')
	if seconds < 0 || nanos < 0 {
		b = append(b, '-')
		seconds, nanos = -seconds, -nanos
	}
	return append(appendNanos(jsonwire.AppendInt(b, seconds), nanos), 's', '"'), true
}

// appendNanos appends a point and three, six or nine digits, or nothing.
func appendNanos(b []byte, nanos int32) []byte {
	if nanos == 0 {
		return b
	}
	n := len(b)
	b = jsonwire.AppendUint(b, 1_000_000_000+uint64(nanos)) // the first digit makes room for the point
	b[n] = '.'
	for strings.HasSuffix(text(b[n+1:]), "000") {
		b = b[:len(b)-3]
	}
	return b
}

// appendMask appends the paths of a google.protobuf.FieldMask, each in camel case, from which the
// path must come back.
func appendMask(b []byte, paths []string) (_ []byte, ok bool) {
	b = append(b, '"')
	for i, path := range paths {
		if !protoreflect.FullName(path).IsValid() {
			return b, false
		}
		if i > 0 {
			b = append(b, ',')
		}
		for k := 0; k < len(path); k++ {
			c := path[k]
			if c == '_' {
				if k++; k == len(path) || path[k] < 'a' || path[k] > 'z' {
					return b, false
				}
				c = path[k] - 'a' + 'A'
			} else if 'A' <= c && c <= 'Z' {
				return b, false
			}
			b = append(b, c)
		}
	}
	return append(b, '"'), true
}

// hasForm reports whether messages have a form of their own in JSON, which is the value of a field
// in an Any.
func hasForm(md protoreflect.MessageDescriptor) bool {
	name := md.FullName()
	return name.Parent() == "google.protobuf" && slices.Contains(formed, name.Name())
}

// formed are the names of the messages that have a form of their own. Empty has none.
var formed = []protoreflect.Name{
	"Any", "Timestamp", "Duration", "BoolValue", "Int32Value", "Int64Value", "UInt32Value", "UInt64Value", "FloatValue", "DoubleValue", "StringValue",
	"BytesValue", "Struct", "ListValue", "Value", "FieldMask",
}

// any appends the google.protobuf.Any m.
func (e *jsonEncoder) any(b []byte, m protoreflect.Message) (_ []byte, ok bool) {
	if faulty {
		step()
	}
	fds := m.Descriptor().Fields()
	of, in := fds.ByNumber(1), fds.ByNumber(2)
	if of == nil || in == nil || of.Kind() != protoreflect.StringKind || in.Kind() != protoreflect.BytesKind {
		return b, false
	}
	if !m.Has(of) {
		return append(b, '{', '}'), !m.Has(in)
	}
	url := m.Get(of).String()
	mt, err := e.options.Resolver.FindMessageByURL(url)
	if err != nil {
		return b, false
	}
	inner := mt.New()
	if (UnmarshalOptions{AllowPartial: true, Resolver: e.options.Resolver, AliasInput: true, OnPanic: e.options.OnPanic}).Unmarshal(e.a, m.Get(in).Bytes(), inner.Interface()) != nil {
		return b, false
	}
	n := len(b)
	if b, ok = jsonwire.AppendText(append(b, `,"@type":`...), url); !ok {
		return b, false
	}
	if hasForm(inner.Descriptor()) {
		if b, ok = e.foreign(append(b, `,"value":`...), inner); !ok {
			return b, false
		}
		return closed(b, n), true
	}
	x := inner.Interface()
	if plan := planOf(x); plan.reason == "" && plan.json().reason == "" {
		return e.fields(b, n, pointerTo(x), plan, plan.json())
	}
	return e.reflected(b, n, inner)
}
