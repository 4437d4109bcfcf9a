package arena_test

import (
	"errors"
	"fmt"

	"github.com/arena-go/arena"
)

// A page is a Region of so many bytes, for references and nothing else. Those of package offheap are files, which grow.
type page struct {
	bytes []byte
	user  arena.RegionUser
}

var (
	errPlain  = errors.New("a page is for references")
	errSealed = errors.New("the page is being sent")
	errClosed = errors.New("the page is gone")
	errFull   = errors.New("the page is full")
)

func newPage(size int) *page { return &page{bytes: make([]byte, size)[:8]} } // the first 8 bytes are those of the Region

func (p *page) Alloc(int) ([]byte, error) { return nil, errPlain }
func (p *page) Free([]byte)               {}

func (p *page) Grow(size int) ([]byte, error) {
	if size > cap(p.bytes) {
		return nil, errFull
	}
	p.bytes = p.bytes[:max(size, len(p.bytes))] // at the same address
	return p.bytes, nil
}

// Attach is called by the arena.
func (p *page) Attach(u arena.RegionUser) {
	p.user = u
	u.RefsOnly(errPlain)
}

// send ends writing, and after that the page. The arena is told, so that a use that comes too late is an error.
func (p *page) send(to func([]byte)) {
	p.user.Seal(errSealed)
	to(p.bytes)
	p.user.Close(errClosed)
	p.bytes = nil
}

// A Region tells its arena what it can no longer do.
func ExampleRegionUser() {
	p := newPage(64 << 10)
	a := arena.NewWith(arena.Options{Name: "page", Memory: p})
	r, v := arena.NewRef[int64](a)
	*v = 7
	fmt.Println(arena.Try(func() { arena.String(a, "text") }))

	p.send(func([]byte) {
		fmt.Println(*r.Get(a), "can be read")
		fmt.Println(arena.Try(func() { arena.NewRef[int64](a) }))
	})
	func() {
		defer func() { fmt.Println(recover()) }()
		r.Get(a)
	}()
	a.Free()
	fmt.Println("in use:", p.user.InUse())
	// Output:
	// arena: no memory for arena page: 4 bytes: a page is for references
	// 7 can be read
	// arena: arena page cannot write to its Memory: the page is being sent
	// arena: a reference is used whose memory is gone: the page is gone
	// in use: false
}
