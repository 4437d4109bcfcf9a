package arenapb

import (
	"github.com/arena-go/arena"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Reasons returns why protobuf decodes messages of m's type, if it does, and else the
// reasons why it decodes some of their fields.
func Reasons(m proto.Message) (whole string, fields map[protoreflect.Name]string) {
	p := planOf(m)
	fields = map[protoreflect.Name]string{}
	fds := m.ProtoReflect().Descriptor().Fields()
	for i := range fds.Len() {
		if reason := p.field(uint64(fds.Get(i).Number())).reason; reason != "" {
			fields[fds.Get(i).Name()] = reason
		}
	}
	return p.reason, fields
}

// Scratch returns how much room an arena's decoder keeps for what it notes while it decodes.
func Scratch(a *arena.Arena) int {
	d, _ := arena.Local[decoder](a)
	return cap(d.counts) + cap(d.left)
}
