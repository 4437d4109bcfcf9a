package offheap_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/offheap"
	"github.com/arena-go/arena/ref"
)

// A person is a node of a search tree that is in a file.
type person struct {
	name   ref.String
	born   int64
	lower  ref.Of[person]
	higher ref.Of[person]
}

// A file is written once, and then read by any number of programs, where it lies.
func ExampleFile() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "people")

	if err := write(path); err != nil {
		log.Fatal(err)
	}
	if err := read(path, "Emmy"); err != nil {
		log.Fatal(err)
	}
	// Output: Emmy 1882
}

func write(path string) error {
	f, err := offheap.Create(path, offheap.FileOptions{Schema: "people 1"})
	if err != nil {
		return err
	}
	defer f.Close()
	a := arena.NewWith(arena.Options{Memory: f})
	s := ref.In(a)
	defer a.Free()

	var root ref.Of[person]
	for _, p := range []struct {
		name string
		born int64
	}{{"Ida", 1896}, {"Emmy", 1882}, {"Max", 1858}} {
		r, node := ref.New[person](s)
		node.name, node.born = ref.NewString(s, p.name), p.born
		at := &root
		for !at.IsNil() {
			if n := at.Get(s); p.name < n.name.Get(s) {
				at = &n.lower
			} else {
				at = &n.higher
			}
		}
		*at = r
	}
	return offheap.Save(f, s, root)
}

func read(path, name string) error {
	f, err := offheap.Open(path, offheap.FileOptions{Schema: "people 1"})
	if err != nil {
		return err
	}
	defer f.Close()
	a := arena.NewWith(arena.Options{Memory: f})
	s := ref.In(a)
	defer a.Free()

	r, err := offheap.Root[person](f, s)
	if err != nil {
		return err
	}
	for !r.IsNil() {
		p := r.Get(s)
		switch at := p.name.Get(s); {
		case name == at:
			fmt.Println(at, p.born)
			return nil
		case name < at:
			r = p.lower
		default:
			r = p.higher
		}
	}
	return fmt.Errorf("there is no %s", name)
}
