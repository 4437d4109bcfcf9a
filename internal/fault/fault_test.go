package fault_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/arena-go/arena/internal/fault"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(childVariable); name != "" {
		children[name]()
		return
	}
	os.Exit(m.Run())
}

// childVariable is the environment variable that makes the test program run a function of
// children instead of the tests: what is caught once is so for good, and some of them crash.
const childVariable = "FAULT_TEST_CHILD"

// children are functions for a process of their own, by name.
var children = map[string]func(){}

// TestArguments checks what is refused.
func TestArguments(t *testing.T) {
	err := fault.Catch(nil)
	switch {
	case !fault.Supported():
		if err != fault.ErrUnsupported {
			t.Errorf("%v, want %v", err, fault.ErrUnsupported)
		}
	case err == nil || !strings.HasPrefix(err.Error(), "fault: the table is empty"):
		t.Error(err)
	}
	if addr := fault.Last(); addr != 0 {
		t.Errorf("a last fault at %#x", addr)
	}
}

// TestRange checks which addresses a range has.
func TestRange(t *testing.T) {
	var r fault.Range
	for _, addr := range []uintptr{0, 1, math.MaxUint} {
		if r.Has(addr) {
			t.Errorf("the zero range has %#x", addr)
		}
	}
	r.Set(10, 12, nil)
	for addr, want := range map[uintptr]bool{0: false, 9: false, 10: true, 11: true, 12: false, math.MaxUint: false} {
		if r.Has(addr) != want {
			t.Errorf("Has(%d) is %t", addr, !want)
		}
	}
	r.Set(0, 0, nil)
	if r.Has(10) || r.Has(0) {
		t.Error("an empty range has addresses")
	}
}
