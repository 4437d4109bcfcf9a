package arenapb

import (
	"reflect"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoimpl"
)

// A layout says where the fields of a message are.
type layout struct {
	descriptor protoreflect.MessageDescriptor

	unknown    uintptr
	extensions uintptr                        // 0 if there are none
	fields     map[int]reflect.StructField    // by number
	oneofs     map[string]reflect.StructField // by name
	wrappers   map[int]reflect.Type           // by number, of fields in oneofs: pointers to structs with one field

	opaque   bool                // the API, which has a bit for each field that may be set or not
	presence reflect.StructField // these bits
}

// layoutOf finds out whether t is laid out as protoc-gen-go does it. If not it returns the reason.
func layoutOf(t reflect.Type) (l layout, reason string) {
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return l, "its Go type is not a pointer to a struct"
	}
	zero, ok := reflect.Zero(t).Interface().(proto.Message)
	if !ok {
		return l, "its Go type is not a proto.Message"
	}
	info, ok := typeOf(zero).(*protoimpl.MessageInfo)
	if !ok || info.GoReflectType != t {
		return l, "it is not a message that protoc-gen-go has generated"
	}
	if set, ok := info.Desc.(interface{ IsMessageSet() bool }); ok && set.IsMessageSet() {
		return l, "it is a message set"
	}
	l = layout{descriptor: info.Desc, fields: map[int]reflect.StructField{}, oneofs: map[string]reflect.StructField{}, wrappers: map[int]reflect.Type{}}
	unknown, state := false, false
	var race reflect.StructField
	for i := range t.Elem().NumField() {
		f := t.Elem().Field(i)
		oneof := f.Tag.Get("protobuf_oneof")
		number, isField := numberOf(f)
		switch {
		case f.Name == "state" && f.Type == reflect.TypeFor[protoimpl.MessageState]():
			state = true
			switch api := f.Tag.Get("protogen"); api {
			case "", "open.v1", "hybrid.v1":
			case "opaque.v1":
				l.opaque = true
			default:
				return l, "its Go API is " + api
			}
		case f.Name == "unknownFields" && f.Type == reflect.TypeFor[protoimpl.UnknownFields]():
			unknown = true
			l.unknown = f.Offset
		case f.Name == "sizeCache" && f.Type == reflect.TypeFor[protoimpl.SizeCache]():
		case f.Name == "extensionFields" && f.Type == reflect.TypeFor[protoimpl.ExtensionFields]():
			l.extensions = f.Offset
		case f.Name == "XXX_lazyUnmarshalInfo" && f.Type == reflect.TypeFor[protoimpl.LazyUnmarshalInfo]():
			return l, "it has lazy fields"
		case f.Name == "XXX_raceDetectHookData" && f.Type == reflect.TypeFor[protoimpl.RaceDetectHookData]():
			race = f
		case f.Name == "XXX_presence" && f.Type.Kind() == reflect.Array && f.Type.Elem().Kind() == reflect.Uint32:
			l.presence = f
		case oneof != "" && f.Type.Kind() == reflect.Interface:
			l.oneofs[oneof] = f
		case isField && l.fields[number].Type == nil:
			l.fields[number] = f
		default:
			return l, "its struct has a field that protoc-gen-go does not make, " + f.Name
		}
	}
	if !state || !unknown {
		return l, "its struct is older than protoc-gen-go 1.20"
	}
	if l.presence.Type != nil && (!l.opaque || race.Type == nil || race.Offset+race.Type.Size() != l.presence.Offset) {
		return l, "its bits of presence are not where they were"
	}
	for _, w := range info.OneofWrappers {
		if t := reflect.TypeOf(w); t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct && t.Elem().NumField() == 1 {
			if number, ok := numberOf(t.Elem().Field(0)); ok {
				l.wrappers[number] = t
			}
		}
	}
	return l, ""
}

// numberOf returns the number that the tag of a struct's field has.
func numberOf(f reflect.StructField) (int, bool) {
	tag := strings.SplitN(f.Tag.Get("protobuf"), ",", 3)
	if len(tag) < 2 {
		return 0, false
	}
	number, err := strconv.Atoi(tag[1])
	return number, err == nil
}

// typeOf returns the type of a message of which there is no value.
func typeOf(zero proto.Message) (t protoreflect.MessageType) {
	defer func() {
		if recover() != nil {
			t = nil // methods of types that others have made may want one
		}
	}()
	return zero.ProtoReflect().Type()
}
