package arenapb_test

import (
	"strings"
	"testing"

	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/testpb"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// TestCoverage says which messages and fields of the tests are left to package proto, so that it is
// known what the other tests have tested. Only messages with lazy fields may be, and fields that
// hold them.
func TestCoverage(t *testing.T) {
	lazy := map[protoreflect.FullName]bool{}
	for _, mt := range testpb.Messages() {
		switch whole, _ := arenapb.Reasons(mt.New().Interface()); whole {
		case "":
		case "it has lazy fields":
			lazy[mt.Descriptor().FullName()] = true
		default:
			t.Errorf("%s is left to package proto: %s", mt.Descriptor().FullName(), whole)
		}
	}
	fields, left := 0, 0
	for _, mt := range testpb.Messages() {
		list := mt.Descriptor().Fields()
		fields += list.Len()
		if lazy[mt.Descriptor().FullName()] {
			left += list.Len()
			continue
		}
		_, reasons := arenapb.Reasons(mt.New().Interface())
		left += len(reasons)
		for name, reason := range reasons {
			if f := list.ByName(name); !holds(f, lazy) {
				t.Errorf("%s is left to package proto: %s", f.FullName(), reason)
			}
		}
	}
	protoregistry.GlobalTypes.RangeExtensions(func(xt protoreflect.ExtensionType) bool {
		xd := xt.TypeDescriptor()
		if reason := arenapb.ExtensionReason(xt); reason != "" && !strings.HasSuffix(reason, "when it is first read") && (xd.Message() == nil || !lazy[xd.Message().FullName()]) {
			t.Errorf("%s is left to package proto: %s", xd.FullName(), reason)
		}
		return true
	})
	t.Logf("%d of %d types of messages and %d of %d fields are left to package proto", len(lazy), len(testpb.Messages()), left, fields)
}

// holds reports whether a field, or another one of its oneof, has a message with one of the names.
func holds(f protoreflect.FieldDescriptor, names map[protoreflect.FullName]bool) bool {
	if f.IsMap() {
		f = f.MapValue()
	}
	if f.Message() != nil && names[f.Message().FullName()] {
		return true
	}
	if oneof := f.ContainingOneof(); oneof != nil {
		for i := range oneof.Fields().Len() {
			if f := oneof.Fields().Get(i); f.Message() != nil && names[f.Message().FullName()] {
				return true
			}
		}
	}
	return false
}
