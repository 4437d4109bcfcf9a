package difftest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// SameError says how two errors of decoding differ, or nothing.
func SameError(got, want error) string {
	if (got == nil) != (want == nil) || got != nil && (plainText(got) != plainText(want) || errors.Is(got, proto.Error) != errors.Is(want, proto.Error)) {
		return fmt.Sprintf("error is %v (a proto.Error: %t), want %v (%t)", got, errors.Is(got, proto.Error), want, errors.Is(want, proto.Error))
	}
	return ""
}

// plainText undoes what package protobuf does so that nobody compares the texts of its errors, and
// leaves out which of several required fields it missed: that is up to the order of a map.
func plainText(err error) string {
	return missing.ReplaceAllString(plainSpaces(err), "required field not set")
}

// isMissing reports whether err says that a required field is missing.
func isMissing(err error) bool { return missing.MatchString(plainSpaces(err)) }

func plainSpaces(err error) string { return strings.ReplaceAll(err.Error(), "\u00a0", " ") }

var missing = regexp.MustCompile(`required field \S+ not set`)

// SameMessage says how two messages differ, or nothing: in what they mean and how they print,
// in the bytes they are encoded to, and in the state of each Go value but for caches.
func SameMessage(got, want proto.Message) string {
	if g, w := proto.Size(got), proto.Size(want); g != w {
		return fmt.Sprintf("the size is %d, want %d", g, w)
	}
	if !proto.Equal(got, want) || !proto.Equal(want, got) {
		return fmt.Sprintf("the message is\n%v\nwant\n%v", prototext.Format(got), prototext.Format(want))
	}
	g, gerr := proto.MarshalOptions{Deterministic: true}.Marshal(got)
	w, werr := proto.MarshalOptions{Deterministic: true}.Marshal(want)
	if s := SameError(gerr, werr); s != "" {
		return "marshalled: " + s
	}
	if !bytes.Equal(g, w) {
		return fmt.Sprintf("marshalled it is\n%x\nwant\n%x", g, w)
	}
	text := prototext.MarshalOptions{EmitUnknown: true}
	if g, w := text.Format(got), text.Format(want); g != w {
		return fmt.Sprintf("printed it is\n%s\nwant\n%s", g, w)
	}
	if s := SameError(proto.CheckInitialized(got), proto.CheckInitialized(want)); s != "" {
		return "initialized: " + s
	}
	if s := sameState(reflect.ValueOf(got), reflect.ValueOf(want)); s != "" {
		return string(got.ProtoReflect().Descriptor().Name()) + s
	}
	return ""
}

// messageType is implemented by all messages.
var messageType = reflect.TypeFor[proto.Message]()

// sameState compares what can be told apart in Go, such as a nil slice and an empty one. Extensions
// are compared through reflection, because of their own late decoding. What it returns begins with
// the way to the difference.
func sameState(got, want reflect.Value) string {
	if got.Type() != want.Type() {
		return fmt.Sprintf(" is a %v, want a %v", got.Type(), want.Type())
	}
	switch got.Kind() {
	case reflect.Pointer, reflect.Interface:
		if got.IsNil() || want.IsNil() {
			if got.IsNil() != want.IsNil() {
				return fmt.Sprintf(" is %v, want %v", got, want)
			}
			return ""
		}
		if got.Type() == reflect.TypeFor[*dynamicpb.Message]() {
			return "" // has no fields in Go
		}
		if got.Kind() == reflect.Pointer && got.CanInterface() && got.Type().Implements(messageType) {
			g, w := got.Interface().(proto.Message).ProtoReflect(), want.Interface().(proto.Message).ProtoReflect()
			if s := sameExtensions(g, w); s != "" {
				return s
			}
		}
		return sameState(got.Elem(), want.Elem())
	case reflect.Struct:
		for i := range got.NumField() {
			switch name := got.Type().Field(i).Name; name {
			case "state", "sizeCache", "extensionFields", "XXX_lazyUnmarshalInfo", "XXX_raceDetectHookData":
			default:
				if s := sameState(got.Field(i), want.Field(i)); s != "" {
					return "." + name + s
				}
			}
		}
		return ""
	case reflect.Slice:
		if got.IsNil() != want.IsNil() {
			return fmt.Sprintf(" is nil: %t, want %t", got.IsNil(), want.IsNil())
		}
		fallthrough
	case reflect.Array:
		if got.Len() != want.Len() {
			return fmt.Sprintf(" has length %d, want %d", got.Len(), want.Len())
		}
		for i := range got.Len() {
			if s := sameState(got.Index(i), want.Index(i)); s != "" {
				return fmt.Sprintf("[%d]%s", i, s)
			}
		}
		return ""
	case reflect.Map:
		// Package proto makes an empty map when it finds its field with another type of value.
		if got.Len() != want.Len() {
			return fmt.Sprintf(" has %d entries, want %d", got.Len(), want.Len())
		}
		for entries := want.MapRange(); entries.Next(); {
			g := got.MapIndex(entries.Key())
			if !g.IsValid() {
				return fmt.Sprintf(" has no %v", entries.Key())
			}
			if s := sameState(g, entries.Value()); s != "" {
				return fmt.Sprintf("[%v]%s", entries.Key(), s)
			}
		}
		return ""
	case reflect.Float32, reflect.Float64:
		if math.Float64bits(got.Float()) == math.Float64bits(want.Float()) {
			return ""
		}
	default:
		if got.Equal(want) {
			return ""
		}
	}
	return fmt.Sprintf(" is %v, want %v", got, want)
}

func sameExtensions(got, want protoreflect.Message) (s string) {
	if want.Descriptor().ExtensionRanges().Len() == 0 {
		return ""
	}
	want.Range(func(f protoreflect.FieldDescriptor, w protoreflect.Value) bool {
		if !f.IsExtension() {
			return true
		}
		g := got.Get(f)
		same := func(way string, g, w protoreflect.Value) {
			if t := sameState(reflect.ValueOf(g.Message().Interface()), reflect.ValueOf(w.Message().Interface())); t != "" && s == "" {
				s = fmt.Sprintf(".%s%s%s", f.FullName(), way, t)
			}
		}
		switch {
		case f.Message() == nil:
		case f.IsList():
			for i := range w.List().Len() {
				same(fmt.Sprintf("[%d]", i), g.List().Get(i), w.List().Get(i))
			}
		default:
			same("", g, w)
		}
		return s == ""
	})
	return s
}
