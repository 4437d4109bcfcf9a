package arenaconnect

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// TestRefused checks that the mark of a refused message is not taken for a field that a client sends.
func TestRefused(t *testing.T) {
	m := new(wrapperspb.StringValue)
	if err := proto.Unmarshal(refused, m); err != nil {
		t.Fatal(err)
	}
	if len(m.ProtoReflect().GetUnknown()) != len(refused) || isRefused(m) {
		t.Errorf("a message that has such a field is refused")
	}
	m.ProtoReflect().SetUnknown(refused)
	if !isRefused(m) {
		t.Errorf("the mark is not found")
	}
}
