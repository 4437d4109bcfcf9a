package gogo_test

import (
	"testing"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb/gogo"
)

// pointing has tags at what they do not fit.
type pointing struct {
	Pointer unsafe.Pointer `protobuf:"bytes,1,opt,name=pointer"`
	input   string
}

func (p *pointing) Unmarshal(b []byte) error { p.input = string(b); return nil }

// TestUnsafePointer leaves a type with a field of the last of Go's kinds to its own Unmarshal.
func TestUnsafePointer(t *testing.T) {
	gogo.Trust[pointing]()
	m := new(pointing)
	if err := gogo.Unmarshal(arena.NewArena(), []byte("anything"), m); err != nil || m.input != "anything" {
		t.Errorf("%+v, %v", m, err)
	}
	if got := gogo.Fallbacks(m); len(got) != 1 || got[0] != "gogo_test.pointing: Pointer: its Go type is unsafe.Pointer" {
		t.Errorf("%q", got)
	}
}
