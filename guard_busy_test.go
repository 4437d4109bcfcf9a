package arena

import (
	"strings"
	"testing"
)

// TestGuardBusy proves that an arena in guard mode finds a second goroutine that allocates while one is inside, and
// goes on when that has left.
func TestGuardBusy(t *testing.T) {
	a := NewWith(Options{Guard: true, Name: "busy"})
	String(a, "first")
	g := a.stores.guard.(*arenaGuard)
	g.busy.Store(true) // as if the other one were there
	func() {
		defer func() {
			if p, _ := recover().(string); !strings.HasPrefix(p, "arena: arena busy is used by two goroutines") || !strings.Contains(p, "Fork") {
				t.Errorf("the panic is %q", p)
			}
		}()
		String(a, "second")
	}()
	g.busy.Store(false)
	if checking {
		return // What the second one did not get is counted: its arena has been in a data race, and is not right any more.
	}
	if String(a, "third") != "third" || MakeSlice[int](a, 3, 3)[2] != 0 {
		t.Error("it does not go on")
	}
	a.Free()
}
