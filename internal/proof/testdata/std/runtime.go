// Package std gives the standard library's tests of its arenas, which are part
// of the runtime's, what they use of the runtime: our package under the names of
// the runtime's export_test.go.
package std

import (
	"reflect"
	"runtime"
	"time"
	"unsafe"

	"github.com/arena-go/arena"
)

type UserArena struct{ arena *arena.Arena }

func NewUserArena() *UserArena { return &UserArena{arena.NewArena()} }

// New sets *out, which holds a nil *T, to a new *T.
func (a *UserArena) New(out *any) {
	*out = arena.NewValue(a.arena, reflect.TypeOf(*out).Elem()).Interface()
}

// Slice sets *sl, which is a slice, to a new one of length and capacity n.
func (a *UserArena) Slice(sl any, n int) {
	s := reflect.ValueOf(sl).Elem()
	s.Set(arena.MakeSliceValue(a.arena, s.Type(), n, n))
}

func (a *UserArena) Free() { a.arena.Free() }

func UserArenaClone[T any](v T) T { return arena.Clone(v) }

// UserArenaChunkBytes is the size of the runtime's chunks; the tests allocate
// objects that are larger, and more than fit.
const UserArenaChunkBytes uintptr = 4 << 20 << (^uintptr(0) >> 63)

// GlobalWaitingArenaChunks: no chunk waits for the collector.
func GlobalWaitingArenaChunks() int { return 0 }

// Clobberfree: the tests are skipped under GODEBUG=clobberfree=1 for a bug of the runtime.
func Clobberfree() bool { return false }

// ZeroBase is the address of all values of no size on the heap.
var ZeroBase = unsafe.Pointer(unsafe.SliceData(make([]struct{}, len(runtime.Version()))))

var sink any

func Escape[T any](v T) T {
	sink = v
	return v
}

// BlockUntilEmptyFinalizerQueue waits until the finalizers that are due have run.
func BlockUntilEmptyFinalizerQueue(timeout int64) bool {
	done := make(chan bool)
	runtime.SetFinalizer(new(*int), func(**int) { close(done) })
	runtime.GC() // finds that one due; finalizers run in turn
	select {
	case <-done:
		return true
	case <-time.After(time.Duration(timeout)):
		return false
	}
}
