package offheap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/child"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/ref"
)

// A fileNode has something of everything that can be in a file.
type fileNode struct {
	key    int64
	shape  [2]struct{ x, y float32 }
	name   ref.String
	values ref.Slice[uint16]
	kids   ref.Slice[ref.Of[fileNode]]
	next   ref.Of[fileNode]
	leaf   ref.Of[fileLeaf]
}

type fileLeaf struct{ weight complex128 }

// A fileModel is what a fileNode is to be.
type fileModel struct {
	key    int64
	shape  [2]struct{ x, y float32 }
	name   string
	values []uint16
	kids   []*fileModel
	next   *fileModel
	leaf   *complex128
}

// newFileModel returns a structure of n nodes. It is always the same for the same rnd.
func newFileModel(rnd *rand.Rand, n int) *fileModel {
	all := make([]*fileModel, n)
	for i := range all {
		m := &fileModel{key: rnd.Int64(), name: strings.Repeat("é", rnd.IntN(9)), values: make([]uint16, rnd.IntN(5)*rnd.IntN(50))}
		m.shape[1].y = rnd.Float32()
		for j := range m.values {
			m.values[j] = uint16(rnd.Uint32())
		}
		if rnd.IntN(3) == 0 {
			m.leaf = new(complex128)
			*m.leaf = complex(rnd.Float64(), 1)
		}
		for i > 0 && rnd.IntN(3) > 0 {
			m.kids = append(m.kids, all[rnd.IntN(i)]) // Shared ones, too.
		}
		all[i] = m
	}
	for i, m := range all[:n-1] {
		m.next = all[i+1]
	}
	return all[0]
}

// write returns a reference to a copy of m in a. refs has what is there already.
func (m *fileModel) write(a *arena.Arena, refs map[*fileModel]ref.Of[fileNode]) ref.Of[fileNode] {
	var list []*fileModel
	for n := m; n != nil; n = n.next {
		refs[n], _ = ref.New[fileNode](ref.In(a))
		list = append(list, n)
	}
	for _, m := range list {
		name := ref.NewString(ref.In(a), m.name)
		values, v := ref.NewSlice[uint16](ref.In(a), len(m.values))
		copy(v, m.values)
		kids, k := ref.NewSlice[ref.Of[fileNode]](ref.In(a), len(m.kids))
		for i := range k {
			k[i] = refs[m.kids[i]]
		}
		var leaf ref.Of[fileLeaf]
		if m.leaf != nil {
			r, p := ref.New[fileLeaf](ref.In(a))
			leaf, p.weight = r, *m.leaf
		}
		*refs[m].Get(ref.In(a)) = fileNode{m.key, m.shape, name, values, kids, refs[m.next], leaf}
	}
	return refs[m]
}

// compare returns an error if what r refers to is not m.
func (m *fileModel) compare(a *arena.Arena, r ref.Of[fileNode]) error {
	refs := map[*fileModel]ref.Of[fileNode]{}
	for n, at := m, r; n != nil; n, at = n.next, at.Get(ref.In(a)).next {
		refs[n] = at
	}
	for ; m != nil; m = m.next {
		n := refs[m].Get(ref.In(a))
		if n.key != m.key || n.shape != m.shape || n.name.Get(ref.In(a)) != m.name || !slices.Equal(n.values.Get(ref.In(a)), m.values) ||
			n.kids.Len() != len(m.kids) || n.next != refs[m.next] || n.leaf.IsNil() != (m.leaf == nil) {
			return fmt.Errorf("node %d is %+v, not %+v", m.key, *n, *m)
		}
		if m.leaf != nil && n.leaf.Get(ref.In(a)).weight != *m.leaf {
			return fmt.Errorf("node %d has the leaf %v, not %v", m.key, n.leaf.Get(ref.In(a)), *m.leaf)
		}
		for i, kid := range n.kids.Get(ref.In(a)) {
			if kid != refs[m.kids[i]] {
				return fmt.Errorf("node %d has another child %d", m.key, i)
			}
		}
	}
	return nil
}

// checkFile opens the file and compares it with m.
func checkFile(path string, m *fileModel) error {
	f, err := Open(path, FileOptions{Schema: "test 1"})
	if err != nil {
		return err
	}
	defer f.Close()
	return errors.Join(f.Verify(), compareFile(f, m))
}

// compareFile compares f, which is read-only, with m, in an arena of its own.
func compareFile(f *File, m *fileModel) error {
	a := arena.NewWith(arena.Options{Memory: f})
	s := ref.In(a)
	defer a.Free()
	root, err := Root[fileNode](f, s)
	if err != nil {
		return err
	}
	return m.compare(a, root)
}

// create returns a new File with an arena, both of which end with the test.
func create(t testing.TB, path string) (*File, *arena.Arena) {
	t.Helper()
	f, err := Create(path, FileOptions{Schema: "test 1"})
	if err != nil {
		t.Fatal(err)
	}
	a := arena.NewWith(arena.Options{Memory: f})
	t.Cleanup(func() {
		a.Free()
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f, a
}

// writeFile saves m at path and returns the bytes of the file.
func writeFile(t testing.TB, path string, m *fileModel) []byte {
	t.Helper()
	f, a := create(t, path)
	s := ref.In(a)
	if err := Save(f, s, m.write(a, map[*fileModel]ref.Of[fileNode]{})); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// small returns a structure of 20 nodes.
func small() *fileModel { return newFileModel(rand.New(rand.NewPCG(1, 2)), 20) }

// noTemp fails the test if there are temporary files in the directory of path.
func noTemp(t *testing.T, path string) {
	t.Helper()
	if left, _ := filepath.Glob(path + ".*"); left != nil {
		t.Errorf("temporary files are left: %q", left)
	}
}

// fileChildren are what TestFileChild does, in another process.
var fileChildren = map[string]func(path string){}

// TestFileChild is not a test, but what fileChild runs.
func TestFileChild(t *testing.T) {
	if name := os.Getenv("OFFHEAP_TEST_CHILD"); name != "" {
		fileChildren[name](os.Getenv("OFFHEAP_TEST_PATH"))
	}
}

// fileChild runs one of fileChildren and returns what it printed.
func fileChild(t *testing.T, name, path string) (string, error) {
	t.Helper()
	cmd := child.Command(t.Context(), []string{"-test.run=^TestFileChild$"}, "OFFHEAP_TEST_CHILD="+name, "OFFHEAP_TEST_PATH="+path)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// TestFileRandom compares random structures with a model: while they are written, after Save,
// opened by several goroutines, and by another process.
func TestFileRandom(t *testing.T) {
	seed := testrun.Seed(t)
	rnd := rand.New(rand.NewPCG(seed, 0))
	path := filepath.Join(t.TempDir(), "file")
	for i := range 20 {
		seed, n := rnd.Uint64(), 1+rnd.IntN(1<<rnd.IntN(13))
		m := newFileModel(rand.New(rand.NewPCG(seed, 0)), n)
		f, err := Create(path, FileOptions{Schema: "test 1"})
		must(err)
		a := arena.NewWith(arena.Options{Memory: f})
		s := ref.In(a)
		root := m.write(a, map[*fileModel]ref.Of[fileNode]{})
		if err := m.compare(a, root); err != nil {
			t.Fatal(err)
		}
		if err := Save(f, s, root); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() != f.Size() || f.Size() != a.Stats().RefBytes {
			t.Fatalf("the file has %v bytes; Size is %d, RefBytes %d", info.Size(), f.Size(), a.Stats().RefBytes)
		}
		if err := errors.Join(m.compare(a, root), f.Verify(), compareFile(f, m), checkFile(path, m)); err != nil {
			t.Fatalf("%d nodes: %v", n, err)
		}
		a.Free()
		if i%5 != 0 {
			must(f.Close())
			continue
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if err := compareFile(f, m); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		must(f.Close())
		t.Setenv("OFFHEAP_TEST_SEED", strconv.FormatUint(seed, 10))
		t.Setenv("OFFHEAP_TEST_NODES", strconv.Itoa(n))
		if out, err := fileChild(t, "compare", path); err != nil {
			t.Fatalf("%d nodes: %v\n%s", n, err, out)
		}
	}
	noTemp(t, path)
}

func init() {
	fileChildren["compare"] = func(path string) {
		seed, err := strconv.ParseUint(os.Getenv("OFFHEAP_TEST_SEED"), 10, 64)
		must(err)
		n, err := strconv.Atoi(os.Getenv("OFFHEAP_TEST_NODES"))
		must(err)
		must(checkFile(path, newFileModel(rand.New(rand.NewPCG(seed, 0)), n)))
	}
}

// TestFileEmpty saves files without values, and roots that are nil.
func TestFileEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, a := create(t, path)
	s := ref.In(a)
	if err := Save(f, s, ref.Of[int64]{}); err != nil {
		t.Fatal(err)
	}
	if f.Size() != headerSize {
		t.Errorf("an empty file has %d bytes", f.Size())
	}
	if root, err := Root[int64](f, s); err != nil || !root.IsNil() {
		t.Errorf("the root is %v, %v", root, err)
	}
}

// TestFileReset writes, resets and writes again: of the first values nothing is left.
func TestFileReset(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, a := create(t, path)
	s := ref.In(a)
	newFileModel(rand.New(rand.NewPCG(3, 4)), 1000).write(a, map[*fileModel]ref.Of[fileNode]{})
	ref.NewString(s, "secret")
	if err := arena.Try(a.Reset); err != nil {
		t.Fatal(err)
	}
	m := small()
	if err := Save(f, s, m.write(a, map[*fileModel]ref.Of[fileNode]{})); err != nil {
		t.Fatal(err)
	}
	if err := checkFile(path, m); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(path); bytes.Contains(b, []byte("secret")) {
		t.Error("the file has what was there before Reset")
	}
}

// TestFileStates tries everything in each state of a File, and with arenas that it is not for.
func TestFileStates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, a := create(t, path)
	s := ref.In(a)
	r, p := ref.New[int64](s)
	*p = 7
	fails := func(want string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "offheap: "+path) || !strings.Contains(err.Error(), want) {
			t.Errorf("got the error %v, not one with %q", err, want)
		}
	}
	var other *arena.Arena
	newArena := func() error { return arena.Try(func() { other = arena.NewWith(arena.Options{Memory: f}) }) }
	heap := arena.NewArena()
	inHeap := ref.In(heap)
	freed := arena.NewArena()
	inFreed := ref.In(freed)
	freed.Free()
	newRef := func(a *arena.Arena) error { return arena.Try(func() { ref.New[int64](ref.In(a)) }) }

	fails("another arena writes", newArena())
	fails("has its references elsewhere", Save(f, inHeap, r))
	fails("its arena was freed", Save(f, ref.Space{}, r))
	fails("its arena was freed", Save(f, inFreed, r))
	_, b := create(t, path+"2")
	inB := ref.In(b)
	ref.NewSlice[int64](inB, 1000)
	outside, _ := ref.New[int64](inB)
	fails("has its references elsewhere", Save(f, inB, r))
	fails("root is not a reference", Save(f, s, outside))
	fails("root is a string", Save(f, s, ref.Of[string]{}))
	fails("a File holds what New, NewSlice and NewString of package ref make", arena.Try(func() { arena.String(a, "text") }))
	_, err := Root[int64](f, s)
	fails("no root before", err)
	fails("no checksum before", f.Verify())

	must(Save(f, s, r))
	if *r.Get(s) != 7 {
		t.Error("after Save the value is another one")
	}
	fails("saved already", Save(f, s, r))
	must(newArena())
	defer other.Free()
	fails("it is read-only", newRef(other))
	if root, err := Root[int64](f, ref.In(other)); err != nil || *root.Get(ref.In(other)) != 7 {
		t.Errorf("after Save, Root returned %v, %v", root, err)
	}
	_, err = Root[int64](f, inHeap)
	fails("has its references elsewhere", err)
	if _, err := f.Grow(int(f.Size()) + 8); err == nil {
		t.Error("a File that was saved grows")
	}
	_, err = Open(path, FileOptions{Schema: "test 2"})
	fails(`schema is "test 1", not "test 2"`, err)
	if !errors.Is(err, ErrVersion) {
		t.Errorf("%v is not ErrVersion", err)
	}

	must(f.Close())
	must(f.Close())
	fails("closed", newArena())
	fails("closed", Save(f, s, r))
	fails("closed", f.Verify())
	_, err = Root[int64](f, s)
	fails("closed", err)
	_, err = f.Grow(0)
	fails("closed", err)
	if !errors.Is(err, os.ErrClosed) {
		t.Errorf("%v is not os.ErrClosed", err)
	}
	func() {
		defer func() {
			if r := recover(); r == nil || !strings.HasPrefix(fmt.Sprint(r), "offheap: ") {
				t.Errorf("Free panics with %v", r)
			}
		}()
		f.Free(nil)
	}()
}

// TestFileLimit fills files to FileOptions.Limit.
func TestFileLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, limit := range []int{headerSize, headerSize + 8, 3 * headerSize, 1 << 20} {
		f, err := Create(path, FileOptions{Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		b, err := f.Grow(limit)
		if err != nil || len(b) < limit {
			t.Fatalf("limit %d: %d bytes, %v", limit, len(b), err)
		}
		clear(b)
		if again, err := f.Grow(8); err != nil || &again[0] != &b[0] {
			t.Errorf("limit %d: the second Grow moved the memory, or failed: %v", limit, err)
		}
		if _, err := f.Grow(limit + 8); err == nil || !strings.Contains(err.Error(), "Limit") {
			t.Errorf("limit %d: more is %v", limit, err)
		}
		must(f.Close())
	}
	for _, limit := range []int{-1, 1, headerSize - 1} {
		if f, err := Create(path, FileOptions{Limit: limit}); err == nil {
			t.Errorf("limit %d is no error", limit)
			f.Close()
		}
	}
	if _, err := Create(path, FileOptions{Schema: strings.Repeat("x", maxSchema+1)}); err == nil {
		t.Error("a schema that is too long is no error")
	}
	noTemp(t, path)
}

// TestFileCut opens files that have lost their end, or have more than that.
func TestFileCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	whole := writeFile(t, path, small())
	for _, n := range []int{0, 1, 7, 8, 9, 63, headerSize - 4, headerSize - 1, headerSize, headerSize + 1, headerSize + 8,
		len(whole) - 4096, len(whole) - 8, len(whole) - 1, len(whole) + 1, len(whole) + 8, len(whole) + 4096} {
		if n < 0 {
			continue
		}
		must(os.WriteFile(path, append(slices.Clone(whole), make([]byte, 4096)...)[:n], 0o666))
		if _, err := Open(path, FileOptions{Schema: "test 1"}); !errors.Is(err, ErrFormat) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
}

// TestFileHeaderBits changes each bit of a header.
func TestFileHeaderBits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	b := writeFile(t, path, small())
	// Another file: the saved file is mapped until the test ends.
	path += "2"
	must(os.WriteFile(path, b, 0o666))
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	must(err)
	defer file.Close()
	step := 1
	if !testrun.Long() {
		step = 37
	}
	for bit := 0; bit < headerSize*8; bit += step {
		i := bit / 8
		_, err := file.WriteAt([]byte{b[i] ^ 1<<(bit%8)}, int64(i))
		must(err)
		if _, err := Open(path, FileOptions{Schema: "test 1"}); !errors.Is(err, ErrFormat) && !errors.Is(err, ErrVersion) {
			t.Errorf("bit %d of byte %d: %v", bit%8, i, err)
		}
		_, err = file.WriteAt(b[i:i+1], int64(i))
		must(err)
	}
	if err := checkFile(path, small()); err != nil {
		t.Error(err)
	}
}

// TestFileHostile changes fields of the header and its checksum.
func TestFileHostile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	whole := writeFile(t, path, small())
	le := binary.LittleEndian
	for _, test := range []struct {
		what   string
		change func(b []byte) []byte
		open   error // of Open, or else of Root
		root   error
		want   string
	}{
		{"format", func(b []byte) []byte { le.PutUint32(b[8:], 2); return b }, ErrVersion, nil, "its format is 2"},
		{"mark", func(b []byte) []byte { slices.Reverse(b[12:16]); return b }, ErrVersion, nil, "order of bytes"},
		{"no mark", func(b []byte) []byte { clear(b[12:16]); return b }, ErrVersion, nil, "order of bytes"},
		{"negative length", func(b []byte) []byte { le.PutUint64(b[16:], 1<<63); return b }, ErrFormat, nil, "length"},
		{"huge length", func(b []byte) []byte { le.PutUint64(b[16:], maxFile+8); return b }, ErrFormat, nil, "length"},
		{"short length", func(b []byte) []byte { le.PutUint64(b[16:], 8); return b[:8] }, ErrFormat, nil, "not an arena file"},
		{"shorter than its header", func(b []byte) []byte { le.PutUint64(b[16:], 8); return b }, ErrFormat, nil, "length"},
		{"odd length", func(b []byte) []byte { le.PutUint64(b[16:], headerSize+1); return b[:headerSize+1] }, ErrFormat, nil, "length"},
		{"schema", func(b []byte) []byte { le.PutUint32(b[48:], 1<<31); return b }, ErrFormat, nil, "schema"},
		{"long layout", func(b []byte) []byte { le.PutUint32(b[52:], 1<<32-1); return b }, nil, nil, ""},
		{"text of the layout", func(b []byte) []byte { clear(b[textStart+6 : textEnd]); return b }, nil, nil, ""},
		{"hash", func(b []byte) []byte { b[32]++; return b }, nil, ErrLayout, "room to tell"},
		{"hash and text", func(b []byte) []byte { b[32]++; b[textStart+6+5]++; return b }, nil, ErrLayout, "the file has"},
		{"root behind the end", func(b []byte) []byte { le.PutUint32(b[24:], uint32(len(b)/8)); return b }, nil, ErrFormat, "root"},
		{"root at the end", func(b []byte) []byte { le.PutUint32(b[24:], uint32(len(b)/8-1)); return b }, nil, ErrFormat, "root"},
		{"root in the header", func(b []byte) []byte { le.PutUint32(b[24:], 1); return b }, nil, ErrFormat, "root"},
		{"greatest root", func(b []byte) []byte { le.PutUint32(b[24:], 1<<32-1); return b }, nil, ErrFormat, "root"},
		{"header only", func(b []byte) []byte { le.PutUint64(b[16:], headerSize); return b[:headerSize] }, nil, ErrFormat, "root"},
		{"nothing", func(b []byte) []byte { return b }, nil, nil, ""},
	} {
		b := test.change(slices.Clone(whole))
		if len(b) >= headerSize {
			le.PutUint32(b[textEnd:], crc32.Checksum(b[:textEnd], castagnoli))
		}
		must(os.WriteFile(path, b, 0o666))
		kind := test.open
		f, err := Open(path, FileOptions{Schema: "test 1"})
		if err == nil && kind == nil {
			kind = test.root
			a := arena.NewWith(arena.Options{Memory: f})
			s := ref.In(a)
			_, err = Root[fileNode](f, s)
			a.Free()
			must(f.Close())
		}
		if !errors.Is(err, kind) || kind != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.what, err)
		}
	}
}

// walk follows what it finds, without a model, and returns the number of nodes.
func walk(a *arena.Arena, r ref.Of[fileNode]) (nodes int) {
	seen := map[ref.Of[fileNode]]bool{}
	todo := []ref.Of[fileNode]{r}
	sum := 0
	for len(todo) > 0 && nodes < 1000 {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if r.IsNil() || seen[r] {
			continue
		}
		seen[r] = true
		nodes++
		n := r.Get(ref.In(a))
		for _, c := range []byte(n.name.Get(ref.In(a))) {
			sum += int(c)
		}
		for _, v := range n.values.Get(ref.In(a)) {
			sum += int(v)
		}
		if !n.leaf.IsNil() && n.leaf.Get(ref.In(a)).weight == 0 {
			sum++
		}
		todo = append(append(todo, n.kids.Get(ref.In(a))...), n.next)
	}
	return nodes
}

// tryWalk walks through f, where anything may be but in the header. Only a panic of Get may end it.
func tryWalk(t *testing.T, f *File) {
	a := arena.NewWith(arena.Options{Memory: f})
	s := ref.In(a)
	defer a.Free()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil && !ours(fmt.Sprint(r)) {
			t.Errorf("a damaged file panics with %v", r)
		}
	}()
	root, err := Root[fileNode](f, s)
	if err != nil {
		if !errors.Is(err, ErrLayout) && !errors.Is(err, ErrFormat) {
			t.Error(err)
		}
		return
	}
	walk(a, root)
}

// TestFileDataBits changes values: Verify finds each bit, and reading them harms nobody.
func TestFileDataBits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	whole := writeFile(t, path, small())
	seed := testrun.Seed(t)
	rnd := rand.New(rand.NewPCG(seed, 0))
	for i := range 1000 {
		b := slices.Clone(whole)
		n := 1
		if i%2 == 0 {
			n = 50
		}
		for range n {
			b[headerSize+rnd.IntN(len(b)-headerSize)] ^= 1 << rnd.IntN(8)
		}
		if bytes.Equal(b, whole) {
			continue
		}
		// Another file each time, as Save does it.
		must(os.Remove(path))
		must(os.WriteFile(path, b, 0o666))
		f, err := Open(path, FileOptions{Schema: "test 1"})
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Verify(); !errors.Is(err, ErrChecksum) {
			t.Errorf("Verify of a damaged file: %v", err)
		}
		tryWalk(t, f)
		must(f.Close())
	}
}

// FuzzOpen opens any bytes, with the checksum of the header made right if repair is set.
func FuzzOpen(f *testing.F) {
	whole := writeFile(f, filepath.Join(f.TempDir(), "file"), small())
	f.Add([]byte{}, false)
	f.Add(whole, false)
	f.Add(whole[:headerSize], true)
	f.Add(append([]byte(nil), whole[:len(whole)-8]...), true)
	path := filepath.Join(f.TempDir(), "file")
	f.Fuzz(func(t *testing.T, b []byte, repair bool) {
		if repair && len(b) >= headerSize {
			b = slices.Clone(b)
			copy(b, whole[:24])
			binary.LittleEndian.PutUint64(b[16:], uint64(len(b)))
			binary.LittleEndian.PutUint32(b[textEnd:], crc32.Checksum(b[:textEnd], castagnoli))
		}
		os.Remove(path)
		must(os.WriteFile(path, b, 0o666))
		f, err := Open(path, FileOptions{Schema: "test 1"})
		if err != nil {
			if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrVersion) {
				t.Error(err)
			}
			return
		}
		defer f.Close()
		if err := f.Verify(); err != nil && !errors.Is(err, ErrChecksum) {
			t.Error(err)
		}
		tryWalk(t, f)
	})
}

// TestFilePlaces has paths at which no file can be.
func TestFilePlaces(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	must(os.WriteFile(file, []byte("text"), 0o666))
	for _, path := range []string{dir, filepath.Join(dir, "missing", "x"), filepath.Join(file, "x"), ""} {
		if f, err := Create(path, FileOptions{}); err == nil {
			t.Errorf("Create(%q) is no error", path)
			f.Close()
		} else if !strings.HasPrefix(err.Error(), "offheap: ") {
			t.Errorf("Create(%q): %v", path, err)
		}
		if _, err := Open(path, FileOptions{}); err == nil || !strings.HasPrefix(err.Error(), "offheap: ") {
			t.Errorf("Open(%q): %v", path, err)
		}
	}
	if _, err := Open(filepath.Join(dir, "missing"), FileOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of no file: %v", err)
	}
	if _, err := Open(file, FileOptions{}); !errors.Is(err, ErrFormat) {
		t.Errorf("Open of a text: %v", err)
	}
	if os.Getuid() > 0 { // Root may write anywhere, and elsewhere there are no such permissions.
		must(os.Chmod(dir, 0o500))
		if _, err := Create(file, FileOptions{}); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("Create in a read-only directory: %v", err)
		}
		must(os.Chmod(dir, 0o700))
	}
	if all, _ := os.ReadDir(dir); len(all) != 1 {
		t.Errorf("there are %v", all)
	}
}

// TestFileSaveFails takes away the place that the file is to be put at.
func TestFileSaveFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, a := create(t, path)
	s := ref.In(a)
	m := small()
	root := m.write(a, map[*fileModel]ref.Of[fileNode]{})
	must(os.Mkdir(path, 0o777))
	must(os.WriteFile(filepath.Join(path, "x"), nil, 0o666))
	if err := Save(f, s, root); err == nil || !strings.HasPrefix(err.Error(), "offheap: "+path) {
		t.Fatalf("Save over a directory: %v", err)
	}
	noTemp(t, path)
	if err := m.compare(a, root); err != nil {
		t.Error(err)
	}
	if err := Save(f, s, root); err == nil || !strings.Contains(err.Error(), "has failed") {
		t.Errorf("a second Save: %v", err)
	}
	if _, err := f.Grow(int(f.Size()) + 8); err == nil {
		t.Error("it grows after a Save that failed")
	}
	if _, err := Root[fileNode](f, s); err == nil {
		t.Error("it has a root after a Save that failed")
	}
}

// TestFileLeftBehind has Save fail, and then what it wants to remove stay: the error names both.
func TestFileLeftBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, a := create(t, path)
	s := ref.In(a)
	root, _ := ref.New[int64](s)
	must(f.file.Close())
	must(os.Remove(f.temp))
	left := filepath.Join(f.temp, "x")
	must(os.Mkdir(f.temp, 0o777))
	must(os.WriteFile(left, nil, 0o666))
	var err error
	f.file, err = os.Open(left) // which cannot be written
	must(err)
	temp := f.temp
	err = Save(f, s, root)
	for _, want := range []string{"offheap: " + path + ": save: ", "write ", "remove " + temp} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Save says %v, without %q", err, want)
		}
	}
}

// TestFileEnd saves where a former round has used more of the arena. Each reference of that round
// leads to what was saved, or panics, in the arena that has written it and in one that reads. So it
// is when a step of Save fails, too.
func TestFileEnd(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	type value [4]int64
	for name, fail := range map[string]func(f *File){
		"saved": nil,
		"the header cannot be written": func(f *File) {
			must(f.file.Close())
			var err error
			f.file, err = os.Open(f.temp)
			must(err)
		},
		"the place is taken": func(f *File) {
			must(os.Mkdir(f.path, 0o777))
			must(os.WriteFile(filepath.Join(f.path, "x"), nil, 0o666))
		},
	} {
		f, a := create(t, filepath.Join(t.TempDir(), "file"))
		s := ref.In(a)
		var old ref.Map[uint64, uint64]
		for i := range uint64(5000) {
			old.Set(s, i, i)
		}
		first, _ := ref.NewSlice[int64](s, 1)
		limit := uint32(f.Size() / 8)
		var refs []ref.Of[value]
		for off := uint32(1); off < limit; off++ {
			if r, err := ref.At[value](s, off); err == nil {
				refs = append(refs, r)
			}
		}
		ref.NewSlice[byte](s, int(f.Size()-a.Stats().RefBytes)) // all of it
		for off := refs[len(refs)-1].Offset(); off < limit; off++ {
			if r, err := ref.At[value](s, off); err == nil {
				refs = append(refs, r)
			}
		}
		a.Reset()
		root, p := ref.New[int64](s)
		*p = 7
		if fail != nil {
			fail(f)
		}
		if err := Save(f, s, root); (err == nil) != (fail == nil) {
			t.Fatalf("%s: %v", name, err)
		}
		if f.Size() != a.Stats().RefBytes {
			t.Errorf("%s: it has %d bytes, of which %d are in use", name, f.Size(), a.Stats().RefBytes)
		}
		b := arena.NewWith(arena.Options{Memory: f})
		inB := ref.In(b)
		if r, err := ref.At[int64](inB, root.Offset()); err != nil || *r.Get(inB) != 7 || *root.Get(s) != 7 {
			t.Errorf("%s: the root is not there any more: %v", name, err)
		}
		for _, a := range []*arena.Arena{a, b} {
			use := func(what string, off uint32, f func()) {
				defer func() {
					if v := recover(); v != nil && !ours(fmt.Sprint(v)) {
						t.Fatalf("%s: %s at %d of %d: panic %v", name, what, off, limit, v)
					}
				}()
				f()
			}
			for _, r := range refs {
				use("a value", r.Offset(), func() { _ = *r.Get(ref.In(a)) })
			}
			use("a map", 0, func() { old.Get(ref.In(a), 7) })
			use("a slice", 0, func() { _ = first.Get(ref.In(a))[0] })
		}
		b.Free()
	}
}

// TestFileAbandoned writes to a File that is never saved, in this process and in one that dies.
func TestFileAbandoned(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	m := small()
	writeFile(t, path, m)
	f, err := Create(path, FileOptions{})
	must(err)
	a := arena.NewWith(arena.Options{Memory: f})
	s := ref.In(a)
	ref.NewSlice[int64](s, 10000)
	a.Free()
	must(f.Close())
	noTemp(t, path)

	if out, err := fileChild(t, "die", path); err == nil {
		t.Fatalf("the child did not die:\n%s", out)
	}
	left, err := filepath.Glob(path + ".[0-9]*.tmp")
	if err != nil || len(left) != 1 {
		t.Errorf("after a crash there are %q, %v", left, err)
	}
	if err := checkFile(path, m); err != nil {
		t.Error(err)
	}
}

func init() {
	fileChildren["die"] = func(path string) {
		f, err := Create(path, FileOptions{})
		must(err)
		a := arena.NewWith(arena.Options{Memory: f})
		s := ref.In(a)
		ref.NewSlice[int64](s, 100000)
		os.Exit(3)
	}
}

// TestFileReplaced opens a file again and again while it is replaced by others: each is whole.
func TestFileReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	save := func(version int) error {
		f, err := Create(path, FileOptions{})
		if err != nil {
			return err
		}
		defer f.Close()
		a := arena.NewWith(arena.Options{Memory: f})
		space := ref.In(a)
		defer a.Free()
		r, p := ref.New[ref.Slice[int64]](space)
		s, v := ref.NewSlice[int64](space, version*100)
		for i := range v {
			v[i] = int64(version)
		}
		*p = s
		return Save(f, space, r)
	}
	read := func() error {
		f, err := Open(path, FileOptions{})
		if err != nil {
			return err
		}
		defer f.Close()
		a := arena.NewWith(arena.Options{Memory: f})
		spaces := ref.In(a)
		defer a.Free()
		root, err := Root[ref.Slice[int64]](f, spaces)
		if err != nil {
			return err
		}
		v := root.Get(spaces).Get(spaces)
		for i := range v {
			if int(v[i])*100 != len(v) {
				return fmt.Errorf("a file of %d values has a %d", len(v), v[i])
			}
		}
		return f.Verify()
	}
	must(save(1))
	done := make(chan bool)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				if err := read(); err != nil {
					t.Error(err)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for i := range 50 {
		if err := save(1 + i%7); err != nil {
			t.Error(err)
		}
	}
	close(done)
	wg.Wait()
	noTemp(t, path)
}

// TestFileRanges takes and returns addresses at random: those that were returned come back when
// they are out of quarantine, and not before, and there is an end to new ones.
func TestFileRanges(t *testing.T) {
	seed := testrun.Seed(t)
	rnd := rand.New(rand.NewPCG(seed, 0))
	var inUse [][]byte
	returned := map[int]int{}          // how many of a size, ever
	there := map[int]map[uintptr]int{} // of a size: all ranges, and what returned was when they were
	address := func(b []byte) uintptr { return reflect.ValueOf(b).Pointer() }
	put := func(i int) {
		b := inUse[i]
		inUse = slices.Delete(inUse, i, i+1)
		putRange(b)
		n := cap(b)
		returned[n]++
		there[n][address(b)] = returned[n]
	}
	page := os.Getpagesize()
	pages := []int{1 << 10, 1 << 11} // not what Files in other tests have
	if is64bit == 1 {
		pages = append(pages, quarantineBytes/page/4)
	}
	for range 5000 {
		if len(inUse) > 0 && (len(inUse) == 5 || rnd.IntN(2) == 0) {
			put(rnd.IntN(len(inUse)))
			continue
		}
		n := pages[rnd.IntN(len(pages))]*page - rnd.IntN(page)
		b, err := takeRange(n)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) < n || len(b) >= n+page || cap(b) >= 2*n {
			t.Fatalf("%d bytes are %d of %d", n, len(b), cap(b))
		}
		at, n := address(b), cap(b)
		for _, other := range inUse {
			if at < address(other)+uintptr(cap(other)) && address(other) < at+uintptr(n) {
				t.Fatal("addresses overlap")
			}
		}
		for size, ranges := range there {
			if _, ok := ranges[at]; ok && size != n {
				t.Fatal("a range has changed its size")
			}
		}
		if there[n] == nil {
			there[n] = map[uintptr]int{}
		}
		most := min(quarantine, quarantineBytes/n)
		if before, ok := there[n][at]; ok && returned[n]-before < most {
			t.Fatalf("%#x comes back after %d others, not %d", at, returned[n]-before, most)
		}
		there[n][at] = 0
		inUse = append(inUse, b)
		if len(there[n]) > most+5 {
			t.Fatalf("there are %d ranges of %d bytes, which is more than %d", len(there[n]), n, most+5)
		}
	}
	for len(inUse) > 0 {
		put(0)
	}
}

// TestFileAddressesReturn creates, opens and closes many Files: there is an end to the addresses
// they take.
func TestFileAddressesReturn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	writeFile(t, path, small())
	all := map[uintptr]bool{}
	const limit = 1 << 18 // not what other tests have
	for range 2 * quarantine {
		f, err := Create(path+"2", FileOptions{Limit: limit})
		must(err)
		all[reflect.ValueOf(f.mem).Pointer()] = true
		must(f.Close())
		f, err = Open(path, FileOptions{Schema: "test 1"})
		must(err)
		all[reflect.ValueOf(f.mem).Pointer()] = true
		must(f.Close())
	}
	if len(all) > 3*quarantine { // the last tests have left some
		t.Errorf("%d Files had %d addresses", 4*quarantine, len(all))
	}
}

// BenchmarkFileOpen opens files of two sizes, of which the greater one is all holes, and reads the
// root.
func BenchmarkFileOpen(b *testing.B) {
	for _, size := range []int64{1 << 20, 1 << 30} {
		b.Run("bytes="+strconv.FormatInt(size, 10), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "file")
			l, err := layoutOf(reflect.TypeFor[int64]())
			must(err)
			h := header{layout: l, length: size, root: headerSize / 8}
			must(os.WriteFile(path, h.encode(), 0o666))
			must(os.Truncate(path, size))
			b.ReportAllocs()
			for b.Loop() {
				f, err := Open(path, FileOptions{})
				must(err)
				a := arena.NewWith(arena.Options{Memory: f})
				s := ref.In(a)
				r, err := Root[int64](f, s)
				must(err)
				if *r.Get(s) != 0 {
					b.Fatal("it is not 0")
				}
				a.Free()
				must(f.Close())
			}
		})
	}
}

// BenchmarkFileSave writes 64 MiB, and brings them to the disk; and Verify reads them.
func BenchmarkFileSave(b *testing.B) {
	const size = 64 << 20
	path := filepath.Join(b.TempDir(), "file")
	write := func() *File {
		f, err := Create(path, FileOptions{})
		must(err)
		a := arena.NewWith(arena.Options{Memory: f})
		space := ref.In(a)
		r, p := ref.New[ref.Slice[int64]](space)
		s, v := ref.NewSlice[int64](space, size/8)
		for i := range v {
			v[i] = int64(i)
		}
		*p = s
		must(Save(f, space, r))
		a.Free()
		return f
	}
	b.Run("op=save", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			must(write().Close())
		}
	})
	b.Run("op=verify", func(b *testing.B) {
		f := write()
		defer f.Close()
		b.SetBytes(size)
		for b.Loop() {
			must(f.Verify())
		}
	})
}

// TestFileAfterSave checks that an arena that goes on after Save fails with an error: its File is
// read-only by then.
func TestFileAfterSave(t *testing.T) {
	for _, size := range []int{8, 4096 - 16, 5000} {
		f, err := Create(filepath.Join(t.TempDir(), "f"), FileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		a := arena.NewWith(arena.Options{Memory: f})
		s := ref.In(a)
		r, p := ref.New[int64](s)
		*p = 7
		ref.NewSlice[byte](s, size)
		if err := Save(f, s, r); err != nil {
			t.Fatal(err)
		}
		for round := range 2 {
			for name, use := range map[string]func(){
				"New":       func() { ref.New[int32](s) },
				"NewSlice":  func() { ref.NewSlice[byte](s, 20_000) },
				"NewString": func() { ref.NewString(s, "text") },
			} {
				var e *arena.MemoryError
				if err := arena.Try(use); !errors.As(err, &e) || !strings.Contains(err.Error(), "read-only") {
					t.Errorf("%s after Save, round %d: %v", name, round, err)
				}
			}
			if round == 0 && *r.Get(s) != 7 {
				t.Error("what was saved is not there any more")
			}
			a.Reset()
		}
		a.Free()
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// ours reports whether text is the text of a panic of package arena or ref.
func ours(text string) bool {
	return strings.HasPrefix(text, "arena: ") || strings.HasPrefix(text, "ref: ")
}
