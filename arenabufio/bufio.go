// Package arenabufio has counterparts of functions of package bufio. What they make belongs to an
// arena. The arena is the first argument, and nil is the heap.
//
// The buffer of a Reader is often larger than what a program reads with it. So an arena uses its
// Readers again, after Reset. The buffer of a Scanner lies in the arena.
//
// The results stay valid as a value of [arena.New] does. One goroutine at a time may use an arena.
// The functions panic when the arena has been freed, or may not grow.
package arenabufio

import (
	"bufio"
	"errors"
	"io"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
	"github.com/arena-go/arena/internal/share"
)

// NewReader returns a Reader that reads from r, as [bufio.NewReader] does: see [NewReaderSize].
func NewReader(a *arena.Arena, r io.Reader) *bufio.Reader { return NewReaderSize(a, r, bufferSize) }

// NewReaderSize returns a Reader that reads from r, with a buffer of size bytes or more, as
// [bufio.NewReaderSize] does. If r is a Reader with a buffer that is large enough, the result is r.
//
// After Reset of the arena the Reader is stale: it returns an error, or reads what somebody else
// reads. After Free it stays valid, and is nobody else's.
func NewReaderSize(a *arena.Arena, r io.Reader, size int) *bufio.Reader {
	if a == nil {
		return bufio.NewReaderSize(r, size)
	}
	if b, ok := r.(*bufio.Reader); ok && b.Size() >= size {
		return b
	}
	all, _ := arenakit.Local[readers](a)
	b := all.spares.Next()
	if *b == nil || (*b).Size() != max(size, leastSize) {
		*b = bufio.NewReaderSize(r, size)
	} else {
		(*b).Reset(r)
	}
	return *b
}

// bufferSize is the size that package bufio chooses, and leastSize is the least one.
const bufferSize, leastSize = 4096, 16

// readers are the Readers of an arena.
type readers struct{ spares share.Spares[*bufio.Reader] }

// ArenaReset has the Readers in use read no more. They are dropped if again is false.
func (r *readers) ArenaReset(again bool) {
	r.spares.Reset(again, func(b **bufio.Reader) { (*b).Reset(ended{}) })
}

// ArenaRetain keeps Readers of at most so many bytes, and returns how many that are.
func (r *readers) ArenaRetain(most int64) int64 {
	return r.spares.Retain(most, func(b *bufio.Reader) int64 { return int64(b.Size()) + 128 })
}

// ArenaIdle leaves the Readers in use to those who have them. Others may get the rest.
func (r *readers) ArenaIdle() bool {
	r.spares.Leave()
	return true
}

// ended is what a stale Reader reads.
type ended struct{}

var errEnded = errors.New("arenabufio: the Reader is used after Reset of its arena")

func (ended) Read([]byte) (int, error) { return 0, errEnded }

// NewScanner returns a Scanner that reads from r, as [bufio.NewScanner] does. Its buffer lies in
// the arena until a token is longer than 4096 bytes.
func NewScanner(a *arena.Arena, r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	if a != nil {
		s.Buffer(arena.MakeSlice[byte](a, 0, bufferSize), bufio.MaxScanTokenSize)
	}
	return s
}

// Text returns the token that s has found as a string in a, as [bufio.Scanner.Text] does on the
// heap.
func Text(a *arena.Arena, s *bufio.Scanner) string {
	if a == nil {
		return s.Text()
	}
	return arena.String(a, s.Bytes())
}

// ReadString reads until delim and returns a string in a, as [bufio.Reader.ReadString] does on the
// heap.
func ReadString(a *arena.Arena, r *bufio.Reader, delim byte) (string, error) {
	if a == nil {
		return r.ReadString(delim)
	}
	part, err := r.ReadSlice(delim)
	if err != bufio.ErrBufferFull {
		return arena.String(a, part), err
	}
	b, err := readLong(a, r, delim, part)
	return b.String(), err
}

// ReadBytes reads until delim and returns a slice in a, as [bufio.Reader.ReadBytes] does on the
// heap.
func ReadBytes(a *arena.Arena, r *bufio.Reader, delim byte) ([]byte, error) {
	if a == nil {
		return r.ReadBytes(delim)
	}
	part, err := r.ReadSlice(delim)
	if err != bufio.ErrBufferFull {
		return append(arena.MakeSlice[byte](a, 0, len(part)), part...), err
	}
	b, err := readLong(a, r, delim, part)
	return b.Bytes(), err
}

// readLong reads more than a buffer, of which part was read.
func readLong(a *arena.Arena, r *bufio.Reader, delim byte, part []byte) (b *arena.Builder, err error) {
	b = arena.NewBuilder(a)
	for err = bufio.ErrBufferFull; err == bufio.ErrBufferFull; part, err = r.ReadSlice(delim) {
		b.Write(part)
	}
	b.Write(part)
	return b, err
}
