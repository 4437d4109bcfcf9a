package arena_test

import (
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-go/arena"
)

// A heapMemory is a Memory that takes from the heap.
type heapMemory struct{}

func (heapMemory) Alloc(size int) ([]byte, error) { return make([]byte, size), nil }
func (heapMemory) Free([]byte)                    {}

// eachArena calls f with arenas of all kinds: a nil one, a new one, one with memory that was used before, and with
// each option that changes where values lie.
func eachArena(f func(name string, a *arena.Arena)) {
	f("nil", nil)
	f("new", arena.NewArena())
	used := arena.NewArena()
	for range 2 {
		for range 100 {
			arena.String(used, strings.Repeat("\xff", 100))
			arena.Put(used, "\xff")
		}
		used.Reset()
	}
	f("used", used)
	for name, o := range map[string]arena.Options{
		"Limit": {Limit: 1 << 20}, "Guard": {Guard: true}, "Memory": {Memory: heapMemory{}},
	} {
		a := arena.NewWith(o)
		f(name, a)
		a.Free()
	}
}

// recovered returns what f panics with, or nil.
func recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// text returns a fresh string, the i-th.
func text(i int) string { return "text " + strconv.Itoa(i) }

// builtWith tells whether this test was built with a flag.
func builtWith(flag string) bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
		return s.Key == flag && s.Value == "true"
	})
}
