//go:build (linux || darwin || freebsd) && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package offheap

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/ref"
)

// TestFileFaults uses Files in ways that end the program, in others.
func TestFileFaults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	writeFile(t, path, small())
	for _, name := range []string{"write after Open", "write after Save", "read after Close", "text after Close"} {
		out, err := fileChild(t, name, path)
		if err == nil || !strings.Contains(out, "ready") || !strings.Contains(out, "unexpected fault address") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

func init() {
	open := func(path string) (*File, *arena.Arena, ref.Of[fileNode]) {
		f, err := Open(path, FileOptions{Schema: "test 1"})
		must(err)
		a := arena.NewWith(arena.Options{Memory: f})
		space := ref.In(a)
		root, err := Root[fileNode](f, space)
		must(err)
		return f, a, root
	}
	fileChildren["write after Open"] = func(path string) {
		_, a, root := open(path)
		spaces := ref.In(a)
		p := root.Get(spaces)
		fmt.Println("ready", p.key)
		p.key++
	}
	fileChildren["write after Save"] = func(path string) {
		f, err := Create(path+"2", FileOptions{})
		must(err)
		a := arena.NewWith(arena.Options{Memory: f})
		spacess := ref.In(a)
		r, p := ref.New[int64](spacess)
		must(Save(f, spacess, r))
		fmt.Println("ready", *p)
		*p++
	}
	fileChildren["read after Close"] = func(path string) {
		f, a, root := open(path)
		spacesss := ref.In(a)
		p := root.Get(spacesss)
		fmt.Println("ready", p.key)
		must(f.Close())
		fmt.Println("not ended by", p.key)
	}
	fileChildren["text after Close"] = func(path string) {
		f, err := Create(path+"2", FileOptions{})
		must(err)
		a := arena.NewWith(arena.Options{Memory: f})
		spacessss := ref.In(a)
		s := ref.NewString(spacessss, "text").Get(spacessss)
		fmt.Println("ready", s)
		must(f.Close())
		fmt.Println("not ended by", []byte(s))
	}
}

// TestFileLarge needs more than the largest step in which an arena grows.
func TestFileLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, a := create(t, path)
	s := ref.In(a)
	type block struct{ words [1024]uint64 }
	const blocks = 1500 // 12 MiB
	var list [blocks]ref.Of[block]
	for i := range list {
		r, p := ref.New[block](s)
		list[i] = r
		p.words[1023] = uint64(i)
	}
	for i, r := range list {
		if r.Get(s).words[1023] != uint64(i) {
			t.Fatalf("block %d has changed", i)
		}
	}
	must(Save(f, s, list[0]))
	must(f.Verify())
}

// TestFileFull lets a child write until its files may not become larger.
func TestFileFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	m := small()
	writeFile(t, path, m)
	out, err := fileChild(t, "full", path)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	noTemp(t, path)
	if err := checkFile(path, m); err != nil {
		t.Error(err)
	}
}

func init() {
	fileChildren["full"] = func(path string) {
		const most = 1<<20 + 4096
		must(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: most}))
		f, err := Create(path, FileOptions{})
		must(err)
		a := arena.NewWith(arena.Options{Memory: f})
		var list []ref.Of[int64]
		fill := func() (err error) {
			for err == nil {
				err = arena.Try(func() {
					r, p := ref.New[int64](ref.In(a))
					*p = int64(len(list))
					list = append(list, r)
				})
			}
			return err
		}
		err = fill()
		if !errors.Is(err, syscall.EFBIG) || !errors.As(err, new(*arena.MemoryError)) || len(list) < most/16 {
			panic(fmt.Sprintf("after %d values: %v", len(list), err))
		}
		for i, r := range list {
			if *r.Get(ref.In(a)) != int64(i) {
				panic("a value has changed")
			}
		}
		info, err := os.Stat(f.temp)
		must(err)
		if info.Size() != f.Size() {
			panic(fmt.Sprintf("the file has %d bytes, of which %d are known", info.Size(), f.Size()))
		}
		must(f.Close())

		// What fits can be saved.
		f, err = Create(path+"2", FileOptions{})
		must(err)
		a = arena.NewWith(arena.Options{Memory: f})
		list = nil
		fill()
		must(Save(f, ref.In(a), list[0]))
		must(f.Verify())
		must(f.Close())
	}
}
