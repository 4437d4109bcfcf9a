package arenatest

import (
	"flag"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/guard"
	"github.com/arena-go/arena/internal/heapdump"
	"github.com/arena-go/arena/internal/kept"
)

// The bounds of what a test looks for.
const (
	maxKept = 20        // values that fail a test one by one
	maxDump = 256 << 20 // bytes of a heap in which paths are looked for
)

// Keeps allows a name to keep values of the arenas of t after their end. It is the name of a
// function, a global variable or a type, with the path of its package, or the beginning of such a
// name, as "net/http.(*Server).". A value is allowed if each path to it goes through such a name.
// The reason is for the reader. Package testing may always keep values. Without symbols of the
// program, types and global variables have no names: see the package comment. Call Keeps on the
// goroutine of t.
func Keeps(t testing.TB, name, reason string) {
	t.Helper()
	if name == "" || reason == "" {
		panic("arenatest: Keeps: the name or the reason is empty; say what may keep values, and why that is right")
	}
	s := of(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keeps = append(s.keeps, name)
}

// mayKeep reports whether what has a name may keep values.
func (s *test) mayKeep(name string) bool {
	name = strings.TrimLeft(name, "*[]") // of a type
	if strings.HasPrefix(name, "testing.") {
		return true
	}
	for _, allowed := range s.keeps {
		if strings.HasPrefix(name, allowed) {
			return true
		}
	}
	return false
}

// reportKept reports the values that are reachable although their arenas have ended. What only a
// sync.Pool, a finalizer or a cleanup has had is none.
func (s *test) reportKept(t testing.TB) {
	defer kept.Release(s.name)
	if fuzzing() {
		kept.Forget(s.name)
		return
	}
	guard.LetGo(s.name)
	var found []kept.Survivor
	for _, v := range kept.Check(func(name string) bool { return name == s.name }) {
		if !v.Passing {
			found = append(found, v)
		}
	}
	if len(found) == 0 {
		return
	}
	paths, note := s.paths(t, found)
	n := 0
	for i, v := range found {
		r := v.Error().(*arena.Report)
		if paths != nil {
			if r.Path = paths[i].Path; r.Path == nil {
				continue // only what is allowed keeps it
			}
			if what, rest, ok := kept.HeldBy(r.Path); ok {
				r.Path = append([]string{"the handler of the test (" + what + ")"}, rest...)
			}
		}
		if note != "" {
			r.Path = append(r.Path, "("+note+")")
		}
		if n++; n <= maxKept {
			s.report(r)
		}
	}
	if n > maxKept {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.t.Errorf("arenatest: %d more values are kept after the end of their arenas", n-maxKept)
	}
}

// fuzzing reports whether go test generates inputs. A collection for each of them would be most of
// the time, and one for some of them would be taken for what the input has covered.
func fuzzing() bool {
	f := flag.Lookup("test.fuzz")
	return f != nil && f.Value.String() != ""
}

// paths returns by what the values are kept, or nil if that cannot be found out. The note says what
// is missing, and why.
func (s *test) paths(t testing.TB, found []kept.Survivor) (results []heapdump.Result, note string) {
	objects := make([]heapdump.Object, len(found))
	for i, v := range found {
		objects[i] = heapdump.Object{Addr: v.Addr, Size: uintptr(v.Size)}
	}
	c := heapdump.Config{
		Ignore: []uintptr{addressOf(t), addressOf(s)}, Allowed: s.mayKeep, Bytes: maxDump, Go: true, Readable: guard.Readable,
	}
	if testing.CoverMode() != "" {
		c.Flags = append(c.Flags, "-covermode="+testing.CoverMode())
	}
	results, note, err := heapdump.Find(objects, c)
	if err != nil {
		return nil, err.Error()
	}
	return results, note
}

// addressOf returns the address of what v points at, or 0.
func addressOf(v any) uintptr {
	if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer {
		return p.Pointer()
	}
	return 0
}
