package schemas

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
)

func TestMain(m *testing.M) {
	Child()
	m.Run()
}

// TestFails proves that a process that cannot do its task is a difference, and that one that can
// does it.
func TestFails(t *testing.T) {
	if r := (task{First: "no.such.Type", Messages: 1}).run(); len(r.Differences) != 1 || !strings.Contains(r.Report(), "not found") {
		t.Errorf("of a type that does not exist: %v", r)
	}
	name := string((&structpb.Struct{}).ProtoReflect().Descriptor().FullName())
	if r := (task{First: name, Messages: 20}).run(); r.Types != 1 || r.Messages < 20 || r.Accepted == 0 || len(r.Differences) > 0 {
		t.Errorf("of %s: %v\n%s", name, r, r.Report())
	}
}

// TestPanic proves that a panic is noted, with where it was.
func TestPanic(t *testing.T) {
	if s := catch(func() { panic("arena: of a test") }); !strings.Contains(s, "arena: of a test") || !strings.Contains(s, "TestPanic") {
		t.Errorf("caught %q", s)
	}
	if s := catch(func() {}); s != "" {
		t.Errorf("caught %q, of nothing", s)
	}
}
