package offheap_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/offheap"
	"github.com/arena-go/arena/ref"
)

// TestFileCopy copies what a file has into an ordinary arena, changes it there, and copies it into
// another file, without what was deleted.
func TestFileCopy(t *testing.T) {
	type index struct {
		m ref.TextMap[ref.String]
	}
	dir := t.TempDir()
	save := func(name string, fill func(*arena.Arena, *index)) int64 {
		f, err := offheap.Create(filepath.Join(dir, name), offheap.FileOptions{Schema: "index 1"})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		a := arena.NewWith(arena.Options{Memory: f})
		space := ref.In(a)
		defer a.Free()
		root, x := ref.New[index](space)
		fill(a, x)
		size := a.Stats().RefBytes
		if err := offheap.Save(f, space, root); err != nil {
			t.Fatal(err)
		}
		return size
	}
	open := func(name string, use func(*arena.Arena, *index)) {
		f, err := offheap.Open(filepath.Join(dir, name), offheap.FileOptions{Schema: "index 1"})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		a := arena.NewWith(arena.Options{Memory: f})
		spaces := ref.In(a)
		defer a.Free()
		root, err := offheap.Root[index](f, spaces)
		if err != nil {
			t.Fatal(err)
		}
		use(a, root.Get(spaces))
	}
	const n = 1000
	large := save("all", func(a *arena.Arena, x *index) {
		for i := range n {
			x.m.Set(ref.In(a), fmt.Sprint("key ", i), ref.NewString(ref.In(a), fmt.Sprint("value ", i)))
		}
	})
	a, x := arena.NewArena(), new(index)
	spacess := ref.In(a)
	defer a.Free()
	open("all", func(from *arena.Arena, all *index) { ref.Copy(spacess, x, ref.In(from), all) })
	for i := 10; i < n; i++ {
		x.m.Delete(spacess, fmt.Sprint("key ", i))
	}
	small := save("some", func(to *arena.Arena, some *index) { ref.Copy(ref.In(to), some, spacess, x) })
	if small > large/10 {
		t.Errorf("%d bytes of %d are left for 10 of %d entries", small, large, n)
	}
	open("some", func(a *arena.Arena, x *index) {
		for i := range 10 {
			if s, ok := x.m.Get(ref.In(a), fmt.Sprint("key ", i)); !ok || s.Get(ref.In(a)) != fmt.Sprint("value ", i) {
				t.Errorf("entry %d is %q, %t", i, s.Get(ref.In(a)), ok)
			}
		}
		if x.m.Len() != 10 {
			t.Errorf("%d entries", x.m.Len())
		}
	})
}
