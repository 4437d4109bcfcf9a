package heapdump

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-go/arena/internal/child"
)

type node struct {
	next *node
	data *value
}

var (
	list    *node
	allowed *value
	books   *service
	cached  map[string]*service
)

func addr(v *value) Object {
	return Object{reflect.ValueOf(v).Pointer(), reflect.TypeFor[value]().Size()}
}

// TestAllowed checks that what is allowed, and what is ignored, is not gone through.
func TestAllowed(t *testing.T) {
	c := config(t)
	defer func() { books, allowed, cached = nil, nil, nil }()
	make := func() (o, both, byType, ignored Object, ignore uintptr) {
		v, w, x, y := new(value), new(value), new(value), new(value)
		allowed = v
		both = addr(w)
		cached = map[string]*service{"a": {any: w}, "b": {any: x}}
		books = &service{last: []*value{w, y}}
		return addr(v), both, addr(x), addr(y), reflect.ValueOf(books).Pointer()
	}
	v, w, x, y, ignore := make()
	pkg := reflect.TypeFor[value]().PkgPath()
	names := []string{pkg + ".allowed", "*" + pkg + ".pair", pkg + ".service"}
	c.Allowed = func(name string) bool { return slices.Contains(names, name) }
	found, note, err := Find([]Object{v, w, x, y}, c)
	if err != nil || note != "" {
		t.Fatal(err, note)
	}
	for i, want := range []string{pkg + ".allowed", pkg + ".service", pkg + ".service", pkg + ".service"} {
		if found[i].Path != nil || found[i].Allowed != want {
			t.Errorf("target %d: %+v, and it should be kept by what is allowed: %s", i, found[i], want)
		}
	}
	c.Allowed = nil
	c.Ignore = []uintptr{ignore + 8}
	found, _, err = Find([]Object{v, w, x, y}, c)
	if err != nil {
		t.Fatal(err)
	}
	if found[3].Path != nil || found[3].Allowed != "" {
		t.Errorf("%+v is kept by what is ignored only", found[3])
	}
	matches(t, found[1].Path, []string{"global heapdump.cached (map[string]*heapdump.service)", "value (*heapdump.service)", "field any (*heapdump.value)"})
}

// TestList checks a path of a million steps.
func TestList(t *testing.T) {
	c := config(t)
	steps := 1_000_000
	if testing.Short() {
		steps = 50_000
	}
	last := func() Object {
		v := new(value)
		list = &node{data: v}
		for range steps {
			list = &node{next: list}
		}
		return addr(v)
	}()
	defer func() { list = nil }()
	found, note, err := Find([]Object{last}, c)
	if err != nil || note != "" {
		t.Fatal(err, note)
	}
	path := found[0].Path
	if len(path) != longestPath || path[0] != "global heapdump.list (*heapdump.node)" || path[1] != "field next (*heapdump.node)" ||
		path[longestPath/2] != fmt.Sprintf("… %d more steps …", steps-9) {
		t.Errorf("the path is %q", path)
	}
}

// TestNoNames checks what is said without a symbol table, and that what is said to be added helps.
func TestNoNames(t *testing.T) {
	v := new(value)
	allowed = v
	defer func() { allowed = nil }()
	found, note, err := Find([]Object{addr(v)}, Config{})
	if err != nil || len(found[0].Path) == 0 {
		t.Fatal(found, err)
	}
	if path := found[0].Path[0]; (note == "") != strings.HasPrefix(path, "global heapdump.allowed") {
		t.Errorf("%s, and the note is %q", path, note)
	}
	if note != "" && (!strings.Contains(note, "-ldflags='-s=false -w=false'") || !strings.HasPrefix(note, "heapdump: ")) {
		t.Error(note)
	}
}

// TestBytes checks that a heap that is too large is an error.
func TestBytes(t *testing.T) {
	if _, _, err := Find(nil, Config{Bytes: 1000}); err == nil || !strings.Contains(err.Error(), "dumps of up to 1000 are read") {
		t.Error(err)
	}
}

// TestFiles checks that no temporary file remains.
func TestFiles(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	Find(nil, Config{})
	Find(nil, Config{Bytes: 1})
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Error(left)
	}
	t.Setenv("TMPDIR", os.Getenv("TMPDIR")+"/none")
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	if _, _, err := Find(nil, Config{}); err == nil || !strings.HasPrefix(err.Error(), "heapdump: a dump needs a temporary file") {
		t.Error(err)
	}
}

const busyVar = "HEAPDUMP_TEST_BUSY"

// TestBusy checks that others may run while heaps are dumped: goroutines that allocate, that are in
// system calls, and that block. They run in a process of their own: the runtime ends it if a
// goroutine leaves its call at the moment of the dump.
func TestBusy(t *testing.T) {
	if os.Getenv(busyVar) == "" {
		out, err := child.Command(t.Context(), []string{"-test.run=^TestBusy$"}, busyVar+"=1").CombinedOutput()
		if err != nil && !bytes.Contains(out, []byte("fatal error: dumpgs in STW - bad status")) {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	v := new(value)
	allowed = v
	defer func() { allowed = nil }()
	var wg sync.WaitGroup
	stop := make(chan bool)
	for i := range 8 {
		wg.Go(func() {
			name := t.TempDir() + fmt.Sprint("/", i)
			var kept [][]byte
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				switch i % 4 {
				case 0:
					kept = append(kept[:n%100], make([]byte, n%5000))
				case 1:
					os.WriteFile(name, []byte("x"), 0o666)
				case 2:
					time.Sleep(time.Microsecond)
				case 3:
					os.ReadFile(name)
				}
			}
		})
	}
	for range 8 {
		found, _, err := Find([]Object{addr(v)}, Config{})
		if err != nil || len(found[0].Path) != 1 {
			t.Error(found, err)
		}
	}
	close(stop)
	wg.Wait()
}

// TestDumpsAgain checks that another dump follows a malformed one, and that there are not many.
func TestDumpsAgain(t *testing.T) {
	v := new(value)
	allowed = v
	defer func() { allowed = nil }()
	for _, bad := range []int{1, dumps} {
		n := 0
		found, _, err := Find([]Object{addr(v)}, Config{Readable: func(dump func()) bool {
			dump()
			if n++; n <= bad {
				dump() // two in one file
			}
			return true
		}})
		if bad < dumps && (err != nil || n != bad+1 || len(found[0].Path) == 0) || bad == dumps && (!errors.Is(err, errMalformed) || n != dumps) {
			t.Errorf("of %d dumps, %d are malformed: %v, %v", n, bad, found, err)
		}
	}
}

const leakedVar = "HEAPDUMP_TEST_LEAKED"

// TestLeaked checks that a profile of leaked goroutines, with which a dump would end the process,
// is an error. The state remains, so that it is another process's.
func TestLeaked(t *testing.T) {
	profile := pprof.Lookup("goroutineleak")
	if profile == nil {
		t.Skip("this Go has no profile of leaked goroutines")
	}
	if os.Getenv(leakedVar) == "" {
		if out, err := child.Command(t.Context(), []string{"-test.run=^TestLeaked$"}, leakedVar+"=1").CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	func() { go func() { <-make(chan bool) }() }()
	for !leaked() {
		runtime.Gosched()
		var text strings.Builder
		profile.WriteTo(&text, 0)
	}
	if _, _, err := Find(nil, Config{}); err == nil || !strings.HasPrefix(err.Error(), "heapdump: a profile of leaked goroutines") {
		t.Error(err)
	}
}
