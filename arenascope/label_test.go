package arenascope_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenascope"
	"github.com/arena-go/arena/internal/guard"
	"github.com/arena-go/arena/internal/kept"
)

// A label counts how often it is asked.
type label struct{ asked int }

func (l *label) String() string {
	l.asked++
	return "work"
}

// TestLabel checks that reports of kept values name the unit of work, also for values of a Fork,
// and that no other arenas ask for the name.
func TestLabel(t *testing.T) {
	for _, guarded := range []bool{false, true} {
		options := arenascope.Options{Pool: &arena.Pool{Options: arena.Options{Name: t.Name(), Guard: guarded}}}
		var s arenascope.Scope
		var l label
		s.Start(t.Context(), &options)
		s.Label(&l)
		var held []*int
		s.Run(&s, func() error {
			held = append(held, arena.New[int](arena.FromContext(&s)), arena.New[int](arena.FromContext(arena.Fork(context.Context(&s)))))
			return nil
		})
		s.End(nil)
		guard.LetGo(t.Name())
		found := kept.Check(func(name string) bool { return name == t.Name() })
		if want := map[bool]int{true: 2}[guarded]; l.asked != want || len(found) != want {
			t.Errorf("guard mode %t: asked %d times, found %v", guarded, l.asked, found)
		}
		for _, s := range found {
			if s.Unit.Label != "work" {
				t.Errorf("the report is %v", s.Error())
			}
		}
		runtime.KeepAlive(held)
	}
}
