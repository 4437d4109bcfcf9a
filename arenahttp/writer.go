package arenahttp

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"reflect"
	"sync/atomic"
)

// Optional methods of a ResponseWriter, as bits of a set.
const (
	canFlush      = 1 << iota // http.Flusher
	canFlushError             // the same with an error, for http.ResponseController
	canHijack                 // http.Hijacker
	canPush                   // http.Pusher
	canReadFrom               // io.ReaderFrom
)

// abilities describe a type of ResponseWriter.
type abilities struct {
	typ   reflect.Type
	set   int
	fixes bool // it does not read its header after a write
}

// known are the abilities of the last type that was looked up. Servers have one type, or two.
var known [2]atomic.Pointer[abilities]

func abilitiesOf(w http.ResponseWriter) *abilities {
	t := reflect.TypeOf(w)
	for i := range known {
		if k := known[i].Load(); k != nil && k.typ == t {
			return k
		}
	}
	k := &abilities{typ: t, fixes: fixesHeader(t)}
	if _, ok := w.(http.Flusher); ok {
		k.set |= canFlush
	}
	if _, ok := w.(interface{ FlushError() error }); ok {
		k.set |= canFlushError
	}
	if _, ok := w.(http.Hijacker); ok {
		k.set |= canHijack
	}
	if _, ok := w.(http.Pusher); ok {
		k.set |= canPush
	}
	if _, ok := w.(io.ReaderFrom); ok {
		k.set |= canReadFrom
	}
	known[1].Store(known[0].Swap(k))
	return k
}

// fixesHeader reports whether a writer is net/http's. Such a writer does not read its header after
// the first write, except trailers when the handler has returned. Others may hold back written
// bytes, and with them the header.
func fixesHeader(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() == "net/http"
}

// Unwrap is for http.ResponseController and others that look for the abilities of inner writers.
// The methods that they find must not bypass the response.
func (w *response) Unwrap() http.ResponseWriter {
	flush, hijack := false, false
	for in := w.inner; in != nil; {
		switch in.(type) {
		case http.Flusher, interface{ FlushError() error }:
			flush = true
		}
		if _, ok := in.(http.Hijacker); ok {
			hijack = true
		}
		u, ok := in.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			break
		}
		in = u.Unwrap()
	}
	switch {
	case flush && hijack:
		return flushHijackFinder{flushFinder{finder{w}}}
	case flush:
		return flushFinder{finder{w}}
	case hijack:
		return hijackFinder{finder{w}}
	}
	return finder{w}
}

// Unwrap returns a finder: the response, with the abilities of all writers inside it.
type (
	finder            struct{ *response }
	flushFinder       struct{ finder }
	hijackFinder      struct{ finder }
	flushHijackFinder struct{ flushFinder }
)

func (w finder) Unwrap() http.ResponseWriter { return w.inner }
func (w flushFinder) Flush()                 { _ = w.flush() }
func (w flushFinder) FlushError() error      { return w.flush() }

func (w hijackFinder) Hijack() (net.Conn, *bufio.ReadWriter, error)      { return w.hijack() }
func (w flushHijackFinder) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.hijack() }

// writer returns w for the handler, with inner inside, and with just the optional methods that
// inner has.
func (w *response) writer(inner http.ResponseWriter) http.ResponseWriter {
	k := abilitiesOf(inner)
	w.inner, w.fixes = inner, k.fixes
	switch k.set {
	case 1:
		return response1{w}
	case 2:
		return response2{w}
	case 3:
		return response3{response1{w}}
	case 4:
		return response4{w}
	case 5:
		return response5{response1{w}}
	case 6:
		return response6{response2{w}}
	case 7:
		return response7{response3{response1{w}}}
	case 8:
		return response8{w}
	case 9:
		return response9{response1{w}}
	case 10:
		return response10{response2{w}}
	case 11:
		return response11{response3{response1{w}}}
	case 12:
		return response12{response4{w}}
	case 13:
		return response13{response5{response1{w}}}
	case 14:
		return response14{response6{response2{w}}}
	case 15:
		return response15{response7{response3{response1{w}}}}
	case 16:
		return response16{w}
	case 17:
		return response17{response1{w}}
	case 18:
		return response18{response2{w}}
	case 19:
		return response19{response3{response1{w}}}
	case 20:
		return response20{response4{w}}
	case 21:
		return response21{response5{response1{w}}}
	case 22:
		return response22{response6{response2{w}}}
	case 23:
		return response23{response7{response3{response1{w}}}}
	case 24:
		return response24{response8{w}}
	case 25:
		return response25{response9{response1{w}}}
	case 26:
		return response26{response10{response2{w}}}
	case 27:
		return response27{response11{response3{response1{w}}}}
	case 28:
		return response28{response12{response4{w}}}
	case 29:
		return response29{response13{response5{response1{w}}}}
	case 30:
		return response30{response14{response6{response2{w}}}}
	case 31:
		return response31{response15{response7{response3{response1{w}}}}}
	}
	return w
}

// The number of each type is its set of optional methods. The type adds the method of the highest
// bit to the methods of the type that it embeds. All are a pointer to the response, so that none is
// allocated.
type (
	response1  struct{ *response }
	response2  struct{ *response }
	response3  struct{ response1 }
	response4  struct{ *response }
	response5  struct{ response1 }
	response6  struct{ response2 }
	response7  struct{ response3 }
	response8  struct{ *response }
	response9  struct{ response1 }
	response10 struct{ response2 }
	response11 struct{ response3 }
	response12 struct{ response4 }
	response13 struct{ response5 }
	response14 struct{ response6 }
	response15 struct{ response7 }
	response16 struct{ *response }
	response17 struct{ response1 }
	response18 struct{ response2 }
	response19 struct{ response3 }
	response20 struct{ response4 }
	response21 struct{ response5 }
	response22 struct{ response6 }
	response23 struct{ response7 }
	response24 struct{ response8 }
	response25 struct{ response9 }
	response26 struct{ response10 }
	response27 struct{ response11 }
	response28 struct{ response12 }
	response29 struct{ response13 }
	response30 struct{ response14 }
	response31 struct{ response15 }
)

func (w response1) Flush() { _ = w.flush() }

func (w response2) FlushError() error { return w.flush() }
func (w response3) FlushError() error { return w.flush() }

func (w response4) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.hijack() }
func (w response5) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.hijack() }
func (w response6) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.hijack() }
func (w response7) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.hijack() }

func (w response8) Push(target string, o *http.PushOptions) error  { return w.push(target, o) }
func (w response9) Push(target string, o *http.PushOptions) error  { return w.push(target, o) }
func (w response10) Push(target string, o *http.PushOptions) error { return w.push(target, o) }
func (w response11) Push(target string, o *http.PushOptions) error { return w.push(target, o) }
func (w response12) Push(target string, o *http.PushOptions) error { return w.push(target, o) }
func (w response13) Push(target string, o *http.PushOptions) error { return w.push(target, o) }
func (w response14) Push(target string, o *http.PushOptions) error { return w.push(target, o) }
func (w response15) Push(target string, o *http.PushOptions) error { return w.push(target, o) }

func (w response16) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }
func (w response17) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }
func (w response18) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }
func (w response19) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }
func (w response20) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }
func (w response21) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }
func (w response22) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }
func (w response23) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }
func (w response24) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }
func (w response25) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }
func (w response26) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }
func (w response27) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }
func (w response28) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }
func (w response29) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }
func (w response30) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }
func (w response31) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }
