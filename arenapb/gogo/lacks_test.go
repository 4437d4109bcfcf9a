package gogo_test

import (
	"errors"
	"io"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb/gogo"
	"github.com/arena-go/arena/arenapb/gogo/internal/testpb"
	"google.golang.org/protobuf/encoding/protowire"
)

// A dict is as gogo/protobuf generates it for map<string, string> texts = 1 and map<string, bytes>
// bytes = 2. Its Unmarshal takes a value that is not there for lack. A strict dict refuses entries
// that lack something.
type dict[S any] struct {
	Texts map[string]string `protobuf:"bytes,1,rep,name=texts,proto3" protobuf_key:"bytes,1,opt,name=key,proto3" protobuf_val:"bytes,2,opt,name=value,proto3"`
	Bytes map[string][]byte `protobuf:"bytes,2,rep,name=bytes,proto3" protobuf_key:"bytes,1,opt,name=key,proto3" protobuf_val:"bytes,2,opt,name=value,proto3"`
}

type (
	lax    = dict[int]
	strict = dict[string]
)

func init() {
	gogo.Trust[lax]()
	gogo.Trust[strict]()
}

func (m *dict[S]) Unmarshal(b []byte) error {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return io.ErrUnexpectedEOF
		}
		if num > 2 {
			k := protowire.ConsumeFieldValue(num, typ, b[n:])
			if k < 0 {
				return io.ErrUnexpectedEOF
			}
			b = b[n+k:]
			continue
		}
		e, k := protowire.ConsumeBytes(b[n:])
		if typ != protowire.BytesType || k < 0 {
			return io.ErrUnexpectedEOF
		}
		b = b[n+k:]
		var parts [2][]byte
		for len(e) > 0 {
			num, typ, n := protowire.ConsumeTag(e)
			if n < 0 || typ != protowire.BytesType || num > 2 {
				return io.ErrUnexpectedEOF
			}
			s, k := protowire.ConsumeBytes(e[n:])
			if k < 0 {
				return io.ErrUnexpectedEOF
			}
			e = e[n+k:]
			parts[num-1] = append([]byte{}, s...)
		}
		if reflect.TypeFor[S]() == reflect.TypeFor[string]() && (parts[0] == nil || parts[1] == nil) {
			return errors.New("an entry lacks something")
		}
		if num == 1 {
			if m.Texts == nil {
				m.Texts = map[string]string{}
			}
			m.Texts[string(parts[0])] = string(parts[1])
		} else {
			if m.Bytes == nil {
				m.Bytes = map[string][]byte{}
			}
			m.Bytes[string(parts[0])] = append([]byte{}, parts[1]...)
		}
	}
	return nil
}

// lacking returns a message of dict or Series whose field has an entry without what is named, after
// one with all.
func lacking(field protowire.Number, key, value bool) (b []byte) {
	text := func(b []byte, field protowire.Number, s string) []byte {
		return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
	}
	b = text(b, field, string(text(text(nil, 1, "whole"), 2, "all of it")))
	var e []byte
	if key {
		e = text(e, 1, "key")
	}
	if value {
		e = text(e, 2, "value")
	}
	return text(b, field, string(e))
}

// TestMapsLack decodes entries without a key or a value, as writers of other languages leave out
// what is zero: the message is decoded here, with its text in the input, and is what its Unmarshal
// makes of it. Entries that its Unmarshal refuses are errors.
func TestMapsLack(t *testing.T) {
	a := arena.NewArena()
	for _, key := range []bool{true, false} {
		for _, value := range []bool{true, false} {
			for _, c := range []struct {
				got, want gogo.Message
				field     protowire.Number
				texts     func(gogo.Message) map[string]string
			}{
				{new(testpb.Series), new(testpb.Series), 6, func(m gogo.Message) map[string]string { return m.(*testpb.Series).Attrs }},
				{new(lax), new(lax), 1, func(m gogo.Message) map[string]string { return m.(*lax).Texts }},
				{new(lax), new(lax), 2, nil},
				{new(strict), new(strict), 1, nil},
			} {
				b := lacking(c.field, key, value)
				err := gogo.UnmarshalOptions{AliasInput: true}.Unmarshal(a, b, c.got)
				if want := c.want.Unmarshal(slices.Clone(b)); (err == nil) != (want == nil) || err == nil && !reflect.DeepEqual(c.got, c.want) {
					t.Fatalf("%T, key %v, value %v: %v %v, want %v %v", c.got, key, value, c.got, err, c.want, want)
				}
				if c.texts == nil {
					continue
				}
				s := c.texts(c.got)["whole"]
				at, from := uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
				if at < from || at >= from+uintptr(len(b)) {
					t.Errorf("%T, key %v, value %v: it was left to its Unmarshal", c.got, key, value)
				}
			}
		}
	}
}
