package testpb

import (
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// Messages returns the types of all messages of this package, and of the messages of package
// google.protobuf that it uses, in the order of their names. Entries of maps have no type of their
// own.
var Messages = sync.OnceValue(messages)

func messages() (types []protoreflect.MessageType) {
	var add func(protoreflect.MessageDescriptors)
	add = func(list protoreflect.MessageDescriptors) {
		for i := range list.Len() {
			if m := list.Get(i); !m.IsMapEntry() {
				mt, err := protoregistry.GlobalTypes.FindMessageByName(m.FullName())
				if err != nil {
					panic("testpb: " + err.Error())
				}
				types = append(types, mt)
				add(m.Messages())
			}
		}
	}
	protoregistry.GlobalFiles.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		if f.Package() == "arena.testpb" || strings.HasPrefix(f.Path(), "google/protobuf/") && f.Package() == "google.protobuf" {
			add(f.Messages())
		}
		return true
	})
	slices.SortFunc(types, func(a, b protoreflect.MessageType) int {
		return strings.Compare(string(a.Descriptor().FullName()), string(b.Descriptor().FullName()))
	})
	return types
}
