package arenapb_test

import (
	"strings"
	"testing"

	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/testpb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// TestOpaqueTried changes plans of opaque messages as if protobuf had other layouts: the samples
// find it out.
func TestOpaqueTried(t *testing.T) {
	tried := 0
	for _, m := range []proto.Message{&testpb.AllOp{}, &testpb.SmallOp{}, &testpb.NeedsOp{}, &testpb.OpaqueMix{}} {
		fds := m.ProtoReflect().Descriptor().Fields()
		for i := range fds.Len() {
			fd := fds.Get(i)
			if s := arenapb.Tries(m, fd.Number(), func(*uintptr, *bool, *uint32) {}); s != "" {
				t.Errorf("%s: nothing was changed, and it is refused: %s", fd.FullName(), s)
			}
			if fd.Message() != nil || fd.IsList() || fd.ContainingOneof() != nil {
				continue
			}
			changes := map[string]func(offset *uintptr, marked *bool, bit *uint32){}
			if fd.HasPresence() {
				changes["another bit"] = func(_ *uintptr, _ *bool, bit *uint32) { *bit ^= 1 }
				changes["no bit"] = func(_ *uintptr, marked *bool, _ *uint32) { *marked = false }
			}
			if fd.Kind() == protoreflect.FloatKind {
				changes["another place"] = func(offset *uintptr, _ *bool, _ *uint32) { *offset += 4 }
			}
			for what, change := range changes {
				tried++
				if arenapb.Tries(m, fd.Number(), change) == "" {
					t.Errorf("%s: %s, and nothing is found", fd.FullName(), what)
				}
			}
		}
	}
	if tried < 50 {
		t.Errorf("only %d changes", tried)
	}
}

// TestOpaqueRefused plans messages that hold a type whose plan is refused: protobuf decodes it, and
// the fields that hold it.
func TestOpaqueRefused(t *testing.T) {
	small := &testpb.SmallOp{}
	if whole, _ := arenapb.Refusing(small, small); whole != "it is refused" {
		t.Errorf("the type itself: %q", whole)
	}
	whole, fields := arenapb.Refusing(&testpb.OpaqueMix{}, small)
	if whole != "" {
		t.Error(whole)
	}
	for _, name := range []protoreflect.Name{"op_rep", "op_map", "op_choice"} {
		if !strings.HasSuffix(fields[name], "SmallOp: it is refused") {
			t.Errorf("%s: %q", name, fields[name])
		}
	}
	for _, name := range []protoreflect.Name{"op", "ed", "s", "opaque"} {
		if fields[name] != "" {
			t.Errorf("%s: %q", name, fields[name])
		}
	}
}
