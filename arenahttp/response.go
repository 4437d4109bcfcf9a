package arenahttp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
)

// A response is the ResponseWriter of a handler. It finds out whether the arena
// can be used again, and keeps text of the arena out of the header.
//
// Like any ResponseWriter it is used by one goroutine at a time.
type response struct {
	scope  *scope
	inner  http.ResponseWriter
	header http.Header // what the handler has last been given, and may have written to, or nil
	saved  http.Header // what the header had of bodyHeaders before the handler saw it
	fixes  bool        // inner does not read the header after a write
	begun  bool        // the header can be sent, or has been
	shared bool        // net/http may be reading the header map: it must not be written to

	// Where inner does not fix the header, the writes after the first one look at it only if the handler has asked for it since, or
	// if it has more or fewer fields. A handler can change it unseen all the same, by a map from before.
	clean  bool // the header had no text of the arenas, and the handler has not asked for it since
	fields int  // that it had then
	unseen bool // something was written since
}

// bodyHeaders are those that describe a body, and not the one of an error.
var bodyHeaders = []string{"Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Length",
	"Content-Range", "Etag", "Last-Modified"}

func (w *response) Header() http.Header {
	if w.unseen {
		w.detach(w.scope.arenas()) // what inner may have seen, before it is gone
	}
	h := w.inner.Header()
	if w.header == nil && len(h) > 0 {
		w.save(h)
	}
	w.header, w.clean = h, false
	return h
}

func (w *response) save(h http.Header) {
	for _, k := range bodyHeaders {
		if v, ok := h[k]; ok {
			if w.saved == nil {
				w.saved = http.Header{}
			}
			w.saved[k] = v
		}
	}
}

// detach frees the header of text of the arenas that were taken.
func (w *response) detach(taken *fork) {
	if taken == nil || w.header == nil || w.shared {
		return
	}
	h := w.inner.Header()
	if taken.detach(h) && w.unseen {
		w.scope.drop(ReasonHeader)
	}
	w.clean, w.fields, w.unseen = true, len(h), false
}

// begin is called before inner may send the header.
func (w *response) begin() {
	switch {
	case !w.begun:
		w.begun = true
	case w.fixes:
		return
	case w.clean && len(w.header) == w.fields:
		w.unseen = true
		return
	}
	w.detach(w.scope.arenas())
}

// check notes that err, of a write to the client, may have left some of what was
// written with the server: its HTTP/2 does not wait for the writer of frames when a
// stream is reset.
func (w *response) check(err error) {
	if err != nil && !errors.Is(err, http.ErrBodyNotAllowed) {
		w.scope.drop(ReasonWrite)
	}
}

func (w *response) WriteHeader(status int) {
	if status >= 500 || status == http.StatusRequestTimeout {
		// As http.TimeoutHandler and its like answer, whose handler goes on.
		w.scope.drop(ReasonStatus)
	}
	if status >= 200 || status == http.StatusSwitchingProtocols {
		w.begin()
	} else {
		w.detach(w.scope.arenas())
	}
	if status < 200 {
		// HTTP/2 reads the header map itself then, perhaps after the return, and
		// there is no error to tell.
		w.scope.drop(ReasonInformational)
		w.shared = true
	}
	w.inner.WriteHeader(status)
}

func (w *response) Write(b []byte) (int, error) {
	w.begin()
	n, err := w.inner.Write(b)
	w.check(err)
	return n, err
}

// WriteString makes no copy of s where the inner writer has the method too.
func (w *response) WriteString(s string) (int, error) {
	w.begin()
	n, err := io.WriteString(w.inner, s)
	w.check(err)
	return n, err
}

// readFrom leaves the work to the inner writer, of which that of HTTP/1 lets the kernel copy a file.
func (w *response) readFrom(src io.Reader) (n int64, err error) {
	if !w.begun {
		// Until something is read there is nothing to send, and src may set
		// headers yet. 512 bytes are what net/http looks at for the Content-Type.
		n, err = io.CopyN(writeOnly{w}, src, 512)
		if err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
	}
	w.begin()
	m, err := w.inner.(io.ReaderFrom).ReadFrom(src)
	w.check(err)
	return n + m, err
}

// writeOnly hides ReadFrom from io.Copy.
type writeOnly struct{ io.Writer }

// push promises copies: the server uses the target and the header for a request of
// its own, which may outlive this one.
func (w *response) push(target string, o *http.PushOptions) error {
	if o != nil {
		c := http.PushOptions{Method: strings.Clone(o.Method), Header: o.Header.Clone()}
		if taken := w.scope.arenas(); taken != nil {
			taken.detach(c.Header)
		}
		o = &c
	}
	return w.inner.(http.Pusher).Push(strings.Clone(target), o)
}

// CloseNotify implements the deprecated http.CloseNotifier, which some frameworks
// take for granted.
func (w *response) CloseNotify() <-chan bool {
	gone := make(chan bool, 1)
	context.AfterFunc(w.scope.Context, func() { gone <- true })
	return gone
}

func (w *response) flush() error {
	w.begin()
	err := http.NewResponseController(w.inner).Flush()
	w.check(err)
	return err
}

func (w *response) hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buf, err := http.NewResponseController(w.inner).Hijack()
	if err == nil {
		w.begun = true
		w.scope.hijack()
	}
	return conn, buf, err
}

// refuse answers the request with an error. It reports false if the response has begun.
func (w *response) refuse(status int) bool {
	if w.begun {
		return false
	}
	h := w.inner.Header()
	if w.header != nil {
		for _, k := range bodyHeaders {
			if v, ok := w.saved[k]; ok {
				h[k] = v
			} else {
				delete(h, k)
			}
		}
	}
	http.Error(w.inner, "the request needs more memory than it may have", status)
	return true
}
