package offheap

import (
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/arena-go/arena/ref"
)

// A File is a file, and at the same time the memory to which the references of an arena lead: see
// [ref.Of]. One arena writes it and Saves it. Other programs open it and read its values in place:
// nothing is decoded.
//
//	// One program writes it:                                    // Others read it:
//	f, err := offheap.Create("index", offheap.FileOptions{})     f, err := offheap.Open("index", offheap.FileOptions{})
//	a := arena.NewWith(arena.Options{Memory: f})                 a := arena.NewWith(arena.Options{Memory: f})
//	s := ref.In(a)                                               s := ref.In(a)
//	root, p := ref.New[Node](s) ...                              root, err := offheap.Root[Node](f, s)
//	err = offheap.Save(f, s, root)                               root.Get(s) ...
//
// A File holds only values that New, NewSlice and NewString of package ref make, and containers
// that consist of references. Save would lose everything else in its arena: text, slices, an
// arena.Map, values with pointers. Making such a value fails with an [arena.MemoryError] that says
// so. Two mistakes go undetected. Nobody will find a container or a reference to which the root
// does not lead, such as one in a variable of the program. And a number may mean something only to
// this process, such as an address in a uintptr, or a reference into another arena.
//
// Writer: one arena, in one goroutine. It writes the values directly to the file's pages, so an
// allocation fails if the disk is full. Until Save the file has a temporary name in the same
// directory. Save moves it to its name at once: nobody ever sees a part of it, and programs that
// have the previous file open keep that file. A program that dies before Save leaves the temporary
// file. Its name is the name of the file followed by a number and ".tmp". Remove it when no other
// program is writing there.
//
// Readers: any number of arenas, goroutines and processes. The memory is read-only: a write through
// a pointer or slice of an opened or saved File is a fault, which ends the program. Nobody may
// change the file. Readers see a write to it at once, which does no more harm than wrong values.
// But if the file is cut, reading the lost part is a fault. So replace it with another file, as
// Save and rename do. A change that the arena detects is an error and not a fault: [ref.New] and
// its like, and the methods of containers that change something, including Entry, panic with an
// [arena.MemoryError] and change nothing.
//
// Close invalidates everything from the File. After Close, ref.New panics, and so does the use of a
// reference or of a container with the Space; the text names File.Close. The use of a pointer,
// slice or text from a closed File is a fault. So are the methods of a container that do not get
// the Space, such as Len, and taking the address of a field through such a pointer. A fault ends
// the program, or is a panic after [runtime/debug.SetPanicOnFault].
//
// Such uses are faults until 256 other Files of its size have been closed, or a terabyte of them
// (64 MiB on 32-bit systems). The size of a created File is FileOptions.Limit. After that, such a
// use may see values of another File, and never anything else. Free the arenas before Close.
//
// On 64-bit Linux, macOS and FreeBSD the file is mapped into memory, so Open takes the same time
// for any size. On other systems Open reads it, Save writes it, and it is not protected from writes
// while it is in memory.
//
// Several goroutines may call the methods at the same time, except Close: call it when nobody uses
// the File or an arena with it.
type File struct {
	path string // absolute
	temp string // where it is until Save
	opt  FileOptions

	mu    sync.Mutex
	state fileState
	taken bool // an arena writes to it
	users []ref.RegionUser
	file  *os.File // at temp, while stateWriting
	mem   []byte   // all of its addresses
	used  int      // mem[:used] is the file and can be read: all of it, once it is stateReadOnly, and what was handed out, once it is stateFailed
	head  header   // once it is stateReadOnly
}

type fileState uint8

const (
	stateWriting fileState = iota
	stateFailed            // Save has failed: mem[:used] can be read
	stateReadOnly
	stateClosed
)

// FileOptions are for [Create] and [Open]. The zero value is the default.
type FileOptions struct {
	// Schema describes the contents of the file, in up to 256 bytes: "people 3". Create stores it,
	// and Open fails with ErrVersion if its Schema differs.
	Schema string

	// Limit is the maximum size of a created file in bytes. The default is 32 GiB, the range of
	// references, or 64 MiB on 32-bit systems. It costs only address space: set it if that is
	// limited. Open ignores it.
	Limit int

	// Perm are the permissions of a created file, before the umask. The default is 0o666.
	Perm os.FileMode
}

// The errors of damaged or unsuitable files, for [errors.Is]. The message says more.
var (
	ErrFormat   = errors.New("offheap: not an arena file, or a damaged one")        // of Open
	ErrVersion  = errors.New("offheap: an arena file of another version or system") // of Open
	ErrLayout   = errors.New("offheap: an arena file with values of other types")   // of Root
	ErrChecksum = errors.New("offheap: an arena file with damaged values")          // of File.Verify
)

// fail returns an error that wraps kind and begins with the path.
func (f *File) fail(kind error, format string, args ...any) error {
	return &fileError{kind, "offheap: " + f.path + ": " + fmt.Sprintf(format, args...)}
}

type fileError struct {
	kind error
	text string
}

func (e *fileError) Error() string { return e.text }
func (e *fileError) Unwrap() error { return e.kind }

// wrap adds the path to an error of the system.
func (f *File) wrap(what string, err error) error {
	return fmt.Errorf("offheap: %s: %s: %w", f.path, what, err)
}

const maxFile = 1 << 35 // what references reach

// Create returns a new, empty File for one arena. A file that is already at path stays there until
// Save. Close the File, whether saved or not.
func Create(path string, o FileOptions) (*File, error) {
	f, err := newFile(path, o)
	if err != nil {
		return nil, err
	}
	if f.opt.Limit == 0 {
		f.opt.Limit = defaultLimit
	}
	if f.opt.Perm == 0 {
		f.opt.Perm = 0o666
	}
	if f.opt.Limit < headerSize || int64(f.opt.Limit) > maxFile {
		return nil, f.fail(nil, "FileOptions.Limit is %d, not between %d and %d", o.Limit, headerSize, int64(maxFile))
	}
	if info, err := os.Stat(f.path); err == nil && !info.Mode().IsRegular() {
		return nil, f.fail(nil, "there is something already that is not a file; choose another path")
	}
	for {
		f.temp = f.path + "." + strconv.FormatUint(rand.Uint64(), 10) + ".tmp"
		f.file, err = os.OpenFile(f.temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, f.opt.Perm)
		if err == nil {
			break
		}
		if !os.IsExist(err) {
			return nil, f.wrap("create", err)
		}
	}
	f.mem, err = mapNew(f.file, f.opt.Limit)
	if err != nil {
		err = f.wrap("get addresses, for FileOptions.Limit bytes", err)
	} else {
		err = f.extend(headerSize)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func newFile(path string, o FileOptions) (*File, error) {
	f := &File{path: path, opt: o}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, f.wrap("find it", err)
	}
	f.path = abs
	if len(o.Schema) > maxSchema {
		return nil, f.fail(nil, "FileOptions.Schema has %d bytes, which is more than %d", len(o.Schema), maxSchema)
	}
	return f, nil
}

// Open returns the File at path, read-only. It reads and checks only the header, and not the
// values: Root checks their types, and Verify reads all of them. The error is ErrFormat or
// ErrVersion if the file is there but cannot be used.
//
// A file need not be trusted. Its maker, by accident or on purpose, controls only its values:
//
//   - Numbers, text and lengths may be any.
//   - A reference may lead to anything in the file. References may form circles, and two may lead
//     to the same value. Get of a reference that leads outside panics.
//   - A map may not find what it iterates over. A container whose parts contradict each other
//     panics.
//
// A file cannot make a program read or write other memory. It bounds the steps of a container's
// methods by the size of the file. Iterating yields at most Len entries, and no more entries or
// text of keys than fit into the file. The program's own steps have no such bound: it must not
// follow references without a limit of its own, nor reserve memory for a Len. A [ref.Slice] of
// elements of size 0 may have any Len up to 1<<32-1. Call Verify first for a file from elsewhere.
// It finds damage but not intent: the checksum is no signature.
func Open(path string, o FileOptions) (*File, error) {
	f, err := newFile(path, o)
	if err != nil {
		return nil, err
	}
	// Before it is opened, because opening a pipe may block forever.
	if info, err := os.Stat(f.path); err == nil && !info.Mode().IsRegular() {
		return nil, f.fail(ErrFormat, "not a regular file")
	}
	file, err := openFile(f.path)
	if err != nil {
		return nil, f.wrap("open", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, f.wrap("open", err)
	}
	if err := f.readHeader(file, info.Size()); err != nil {
		return nil, err
	}
	f.state, f.used = stateReadOnly, int(f.head.length)
	if f.mem, err = mapOld(file, f.used); err != nil {
		return nil, f.wrap("read", err)
	}
	return f, nil
}

// Grow gives an arena memory for references; see [ref.Region]. It fails when the disk is full, at
// Limit, and if the File is read-only.
func (f *File) Grow(size int) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.state == stateClosed:
		return nil, f.gone()
	case size < 0 || size%8 != 0:
		return nil, f.fail(nil, "Grow to %d bytes, which is no multiple of 8", size)
	case size == 0 && f.state != stateWriting:
	case f.state == stateReadOnly, f.state == stateFailed:
		return nil, f.readOnly()
	case size == 0 && f.taken:
		return nil, f.fail(nil, "another arena writes to it; a File is for one")
	case size > f.opt.Limit:
		return nil, f.fail(nil, "%d bytes are more than FileOptions.Limit, which is %d", size, f.opt.Limit)
	default:
		f.taken = true
		if size > f.used {
			if err := f.extend(size); err != nil {
				return nil, err
			}
		}
	}
	return f.mem[:f.used:f.used], nil
}

// Attach registers an arena that uses the File; see [ref.RegionUser].
func (f *File) Attach(u ref.RegionUser) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.users) == cap(f.users) { // There is room for as many again as are left.
		f.users = slices.DeleteFunc(f.users, func(u ref.RegionUser) bool { return !u.InUse() })
		f.users = slices.Grow(f.users, len(f.users)+4)
	}
	f.users = append(f.users, u)
	u.RefsOnly(f.refsOnly())
	switch f.state {
	case stateFailed, stateReadOnly:
		u.Seal(f.readOnly())
	case stateClosed:
		u.Close(f.gone())
	}
}

// The errors of operations of arenas that a File does not support.

func (f *File) refsOnly() error {
	return f.fail(nil, "a File holds what New, NewSlice and NewString of package ref make, and no pointers, maps, slices and text of other kinds, "+
		"which would not be saved; use another arena for the rest")
}

func (f *File) readOnly() error {
	if f.state == stateFailed {
		return f.fail(nil, "it cannot grow, nor be written to, because Save has failed")
	}
	return f.fail(nil, "it is read-only; a file that was saved cannot grow, nor be written to, Create another one")
}

func (f *File) gone() error {
	return f.fail(os.ErrClosed, "it is closed; File.Close comes when nobody uses what is in it any more")
}

// extend makes mem[:size] usable.
func (f *File) extend(size int) error {
	if err := extend(f.file, f.mem, f.used, size); err != nil {
		return f.wrap("grow to "+strconv.Itoa(size)+" bytes", err)
	}
	f.used = size
	return nil
}

// Alloc fails. Arenas call it for values that are not made with New, NewSlice or NewString of
// package ref, and a File holds no such values.
func (f *File) Alloc(size int) ([]byte, error) {
	return nil, f.refsOnly()
}

// Free panics, because Alloc returns nothing.
func (f *File) Free([]byte) {
	panic("offheap: Free of memory that is not from " + f.path + ", whose Alloc returns none; give it back to where it is from")
}

// Save completes f, which the arena of s has written, and moves it to its path. The reader begins
// at root, which may be nil. T must be plain, and the reader must use the same type. When Save
// returns, the file is on the disk. Other goroutines must not use the arena of s meanwhile.
//
// The File is read-only then, as if it had been Opened. This and other arenas can still read the
// values. Nothing can be added.
//
// If Save fails, the previous file is still at path. The values can be read until Close, and there
// is no second try. Only an error of the last step, which writes the name to the disk, leaves the
// new file at path.
func Save[T any](f *File, s ref.Space, root ref.Of[T]) error {
	l, err := layoutOf(reflect.TypeFor[T]())
	if err != nil {
		return f.fail(nil, "%v", err)
	}
	if err := f.serves(s); err != nil {
		return err
	}
	h := header{schema: f.opt.Schema, layout: l, root: root.Offset(), length: s.Bytes()}
	if !h.contains(h.root, reflect.TypeFor[T]().Size()) {
		return f.fail(nil, "the root is not a reference into its arena")
	}
	return f.save(h)
}

// serves returns an error if the references of s are not in f.
func (f *File) serves(s ref.Space) error {
	f.mu.Lock()
	state, mem := f.state, f.mem
	f.mu.Unlock()
	if state == stateClosed {
		return f.fail(os.ErrClosed, "it is closed")
	}
	// The word that reference number 1 refers to is part of the header.
	var word *uint64
	r, err := ref.At[uint64](s, 1)
	if err == nil {
		word = r.Get(s)
	}
	if reflect.ValueOf(word).Pointer() != reflect.ValueOf(&mem[8]).Pointer() {
		return f.fail(nil, "the Space is zero, or its arena was freed, or has its references elsewhere; make the arena with Options{Memory: f}, and not in guard mode")
	}
	return nil
}

func (f *File) save(h header) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state != stateWriting {
		return f.fail(nil, "it was saved already, or opened, or Save has failed")
	}
	f.state = stateFailed
	defer func() {
		f.used = int(h.length) // whichever step has failed: the file may be no longer than that
		for _, u := range f.users {
			u.Seal(f.readOnly())
		}
		if err != nil {
			err = f.wrap("save", errors.Join(err, f.discard()))
		}
	}()
	// From here on nothing can change the bytes of the checksum.
	if err := seal(f.mem[:f.used]); err != nil {
		return err
	}
	h.sum = crc32.Checksum(f.mem[headerSize:h.length], castagnoli)
	if err := store(f.file, f.mem[:h.length]); err != nil {
		return err
	}
	if _, err := f.file.WriteAt(h.encode(), 0); err != nil {
		return err
	}
	if err := f.file.Truncate(h.length); err != nil {
		return err
	}
	if err := f.file.Sync(); err != nil {
		return err
	}
	file := f.file
	f.file = nil
	if err := file.Close(); err != nil {
		return err
	}
	if err := place(f.temp, f.path); err != nil {
		return err
	}
	f.temp = ""
	f.state, f.head = stateReadOnly, h
	return syncDir(filepath.Dir(f.path))
}

// Root returns the root that Save stored, for s, whose arena must have f as its Memory. It fails
// with ErrLayout if the types of the file's values differ from T and the types to which T refers.
// The kinds, names, order and offsets of fields count; the names of types do not. The error names
// the first difference. Save and Root also fail if T, or a type to which it refers, is derived from
// a type of references, as by type link ref.Of[node]: such a type hides its target.
func Root[T any](f *File, s ref.Space) (ref.Of[T], error) {
	var none ref.Of[T]
	l, err := layoutOf(reflect.TypeFor[T]())
	if err != nil {
		return none, f.fail(nil, "%v", err)
	}
	f.mu.Lock()
	state, h := f.state, f.head
	f.mu.Unlock()
	if state == stateWriting || state == stateFailed {
		return none, f.fail(nil, "it has no root before it is saved")
	}
	if err := f.serves(s); err != nil {
		return none, err
	}
	if !h.layout.equal(l) {
		return none, f.fail(ErrLayout, "it was saved with another type than %v: %s", reflect.TypeFor[T](), h.layout.difference(l))
	}
	if h.root == 0 {
		return none, nil
	}
	if !h.contains(h.root, reflect.TypeFor[T]().Size()) {
		return none, f.fail(ErrFormat, "its root lies outside of it")
	}
	return ref.At[T](s, h.root)
}

// Verify reads the whole File, which must be read-only. It returns ErrChecksum if a bit has changed
// since Save.
func (f *File) Verify() error {
	f.mu.Lock()
	state, b, want := f.state, f.mem[:f.used], f.head.sum
	f.mu.Unlock()
	switch state {
	case stateClosed:
		return f.fail(os.ErrClosed, "it is closed")
	case stateWriting, stateFailed:
		return f.fail(nil, "it has no checksum before it is saved")
	}
	if sum := crc32.Checksum(b[headerSize:], castagnoli); sum != want {
		return f.fail(ErrChecksum, "the checksum of its values is %08x, not %08x as in its header", sum, want)
	}
	return nil
}

// Size returns the size of the file in bytes: after Save the bytes in use, before Save the reserved
// bytes.
func (f *File) Size() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return int64(f.used)
}

// Close closes the File and invalidates all references, pointers, slices and text from it. It
// removes the temporary file if the File was not saved. A second Close does nothing.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state == stateClosed {
		return nil
	}
	f.state = stateClosed
	for _, u := range f.users {
		u.Close(f.gone())
	}
	f.users = nil
	var err error
	if f.mem != nil {
		err = unmap(f.mem)
	}
	f.mem, f.used = nil, 0
	if err = errors.Join(err, f.discard()); err != nil {
		return f.wrap("close", err)
	}
	return nil
}

// discard removes the temporary file.
func (f *File) discard() error {
	var err error
	if f.file != nil {
		err = f.file.Close()
		f.file = nil
	}
	if f.temp != "" {
		err = errors.Join(err, os.Remove(f.temp))
		f.temp = ""
	}
	return err
}
