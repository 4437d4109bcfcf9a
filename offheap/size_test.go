package offheap

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/vm"
	"github.com/arena-go/arena/ref"
)

// sizes returns sizes around all powers of two, with what pages and references add to them, up to
// the largest int.
func sizes() (all []int) {
	seen := map[int]bool{}
	for b := range bits.UintSize - 1 {
		for _, by := range []int{0, 1, 7, 8, 9, 4095, 4096, 4097, 8192, 1 << 16, 2<<20 - 1, 2 << 20, 4 << 20} {
			for _, n := range []int{1<<b - by, 1<<b + by, math.MaxInt - by} {
				if n > 0 && !seen[n] { // 1<<b + by may be too large
					seen[n] = true
					all = append(all, n)
				}
			}
		}
	}
	return all
}

// TestSizes rounds sizes up, and compares with numbers that hold any.
func TestSizes(t *testing.T) {
	for _, n := range sizes() {
		for b := range 30 {
			unit := uint64(1) << b
			want := (uint64(n) + unit - 1) / unit * unit
			if want > math.MaxInt {
				want = 0
			}
			if got := roundUp(n, 1<<b); uint64(got) != want {
				t.Errorf("roundUp(%d, %d) is %d", n, unit, got)
			}
		}
		want := uint64(1)
		for want < uint64(n) {
			want *= 2
		}
		if want > math.MaxInt {
			want = 0
		}
		if got := powerOfTwo(n); uint64(got) != want {
			t.Errorf("powerOfTwo(%d) is %d", n, got)
		}
	}
}

// tooLarge reports whether a test must not ask memory for n bytes: a C library may write zeros to
// all that the system lets it have.
func tooLarge(memory arena.Memory, n int) bool {
	_, ok := memory.(*Malloc)
	return ok && n > 16<<20 && n <= maxBlock
}

// conformSizes asks a Memory for all sizes: the answer is as many bytes or an error, and then it
// works as before.
func conformSizes(t *testing.T, name string, memory arena.Memory, check func() error) {
	t.Helper()
	before, err := memory.Alloc(5000)
	if err != nil {
		t.Fatal(err)
	}
	before[0], before[4999] = 1, 2
	granted := 0
	for _, n := range sizes() {
		if tooLarge(memory, n) {
			continue
		}
		b, err := memory.Alloc(n)
		switch {
		case err != nil:
			if b != nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("offheap: %s.Alloc of %d bytes: ", name, n)) {
				t.Errorf("Alloc(%d): %d bytes, %v", n, len(b), err)
			}
		case len(b) != n || cap(b) != n:
			t.Fatalf("Alloc(%d): %d bytes, with a capacity of %d", n, len(b), cap(b))
		default:
			granted++
			if n <= 8<<20 {
				b[0], b[n-1] = 3, 4
			}
			memory.Free(b)
		}
		small, err := memory.Alloc(100)
		if err != nil {
			t.Fatalf("Alloc(100) after Alloc(%d): %v", n, err)
		}
		small[99] = 1
		memory.Free(small)
		if check != nil {
			if err := check(); err != nil {
				t.Fatalf("after Alloc(%d): %v", n, err)
			}
		}
	}
	if before[0] != 1 || before[4999] != 2 || granted == 0 {
		t.Errorf("%d blocks were granted, and another one has %d and %d", granted, before[0], before[4999])
	}
	memory.Free(before)
}

func TestMmapSizes(t *testing.T) {
	mmapSupported(t)
	for name, m := range map[string]*Mmap{
		"default":       {},
		"transparent":   {HugePages: TransparentHugePages},
		"explicit":      {HugePages: ExplicitHugePages},
		"no quarantine": {Quarantine: -1},
	} {
		t.Run(name, func(t *testing.T) {
			if m.HugePages != DefaultPages && vm.HugePageSize() == 0 {
				t.Skip(errPages)
			}
			conformSizes(t, "Mmap", m, m.check)
			sizesOfArena(t, m)
			mmapClose(t, m)
		})
	}
}

func TestFixedSizes(t *testing.T) {
	f := fixedNew(t, 2<<20)
	conformSizes(t, "Fixed", f, f.check)
	sizesOfArena(t, f)
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	for _, n := range sizes() {
		if n > 1<<16 && n <= maxBlock-4095*(1-is64bit) {
			continue // The system might have that much, and all of it would be written to.
		}
		f, err := NewFixed(n)
		switch {
		case err != nil:
			if f != nil || n <= 1<<16 || !strings.HasPrefix(err.Error(), fmt.Sprintf("offheap: NewFixed of %d bytes: ", n)) {
				t.Errorf("NewFixed(%d): %v", n, err)
			}
		case f.Stats().Size < int64(n):
			t.Errorf("NewFixed(%d) has %d bytes", n, f.Stats().Size)
		default:
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// A sizedMemory has no large blocks, so that nobody writes to all of one, and checks those it is
// asked for all the same.
type sizedMemory struct {
	arena.Memory
	t *testing.T
}

var errSized = errors.New("too large for a test")

func (m sizedMemory) Alloc(n int) ([]byte, error) {
	if tooLarge(m.Memory, n) {
		return nil, errSized
	}
	b, err := m.Memory.Alloc(n)
	if err == nil && len(b) != n {
		m.t.Errorf("Alloc(%d) has %d bytes", n, len(b))
	}
	if err == nil && n > 1<<20 {
		m.Free(b)
		return nil, errSized
	}
	return b, err
}

// sizesOfArena makes slices of all sizes in an arena: Try catches what does not fit, and what is
// larger than memory can be is a panic of the package; the arena works afterwards, and frees all
// its memory.
func sizesOfArena(t *testing.T, memory arena.Memory) {
	t.Helper()
	a := arena.NewWith(arena.Options{Memory: sizedMemory{memory, t}})
	defer a.Free()
	sizesOfSlices[byte](t, a)
	sizesOfSlices[int64](t, a)
	sizesOfSlices[[3]uint32](t, a)
	sizesOfSlices[[1 << 20]uint16](t, a)
}

func sizesOfSlices[T any](t *testing.T, a *arena.Arena) {
	for _, n := range sizes() {
		for what, f := range map[string]func() int{
			"MakeSlice":    func() int { return cap(arena.MakeSlice[T](a, 0, n)) },
			"MakeSlice+":   func() int { return cap(arena.MakeSliceAligned[T](a, 0, n, 4096)) },
			"NewSlice":     func() int { _, s := ref.NewSlice[T](ref.In(a), n); return len(s) },
			"Builder.Grow": func() int { b := *arena.NewBuilder(a); b.Grow(n); return min(b.Cap(), n) },
		} {
			got := 0
			text, err := trySize(func() { got = f() })
			switch {
			case text != "" && !strings.HasPrefix(text, "arena: ") && !strings.HasPrefix(text, "ref: ") || text == "" && err == nil && got != n:
				t.Errorf("%s of %d %T: %d, %v, %s", what, n, *new(T), got, err, text)
			case err != nil && !errors.As(err, new(*arena.MemoryError)):
				t.Errorf("%s of %d %T: %v", what, n, *new(T), err)
			}
			if s := a.Stats(); s.Reserved < 0 || s.Reserved > 1<<30 {
				t.Fatalf("after %s of %d %T: %+v", what, n, *new(T), s)
			}
		}
		a.Reset()
	}
}

// trySize returns the text of a panic, or else what Try does.
func trySize(f func()) (text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	return "", arena.Try(f)
}

// TestFileSizes grows a File to all sizes, creates some with all limits, and opens files of all
// lengths, which are all holes.
func TestFileSizes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, a := create(t, path)
	s := ref.In(a)
	f.opt.Limit = 1 << 20
	for _, n := range append(sizes(), 0, -1, -8, -4096, math.MinInt) {
		b, err := f.Grow(n)
		if err != nil && !strings.HasPrefix(err.Error(), "offheap: ") || err == nil && (len(b) < n || n < 0 || n%8 != 0 || int64(len(b)) != f.Size()) {
			t.Errorf("Grow(%d): %d bytes, %v", n, len(b), err)
		}
	}
	sizesOfFile(t, a)
	r, p := ref.New[int64](s)
	*p = 7
	must(Save(f, s, r))
	must(f.Verify())

	for _, n := range sizes() {
		f, err := Create(path, FileOptions{Limit: n})
		if err == nil {
			err = f.Close()
		}
		if err != nil && !strings.HasPrefix(err.Error(), "offheap: ") {
			t.Errorf("FileOptions.Limit of %d: %v", n, err)
		}
	}
	noTemp(t, path)

	l, err := layoutOf(reflect.TypeFor[int64]())
	must(err)
	mapped := is64bit == 1 && slices.Contains([]string{"linux", "darwin", "freebsd"}, runtime.GOOS)
	for b := range 63 {
		for _, by := range []int64{-8, 0, 8} {
			length := int64(1)<<b + by
			if length < headerSize || !mapped && length > 4<<20 && length < math.MaxInt-1<<16 {
				continue // If a file is not mapped all of it is read.
			}
			h := header{layout: l, length: length}
			must(os.WriteFile(path, h.encode(), 0o666))
			if os.Truncate(path, length) != nil {
				continue // Not on this file system.
			}
			f, err := Open(path, FileOptions{})
			if err == nil {
				if f.Size() != length {
					t.Errorf("a file of %d bytes has %d", length, f.Size())
				}
				err = f.Close()
			}
			if err != nil && !strings.HasPrefix(err.Error(), "offheap: ") {
				t.Errorf("a file of %d bytes: %v", length, err)
			}
		}
	}
}

// sizesOfFile makes slices of references.
func sizesOfFile(t *testing.T, a *arena.Arena) {
	for _, n := range sizes() {
		text, err := trySize(func() { ref.NewSlice[byte](ref.In(a), n) })
		if text != "" && !(strings.HasPrefix(text, "ref: NewSlice: ") && n > maxBlock) || err != nil && !errors.As(err, new(*arena.MemoryError)) {
			t.Errorf("NewSlice of %d bytes: %v, %s", n, err, text)
		}
	}
}
