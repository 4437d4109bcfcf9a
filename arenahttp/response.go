package arenahttp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"

	"github.com/arena-go/arena/arenascope"
)

// A response is the ResponseWriter of a handler. It finds out whether the arena can be reused, and
// keeps text of the arena out of the header.
//
// Like any ResponseWriter it is used by one goroutine at a time.
type response struct {
	scope  *arenascope.Scope
	inner  http.ResponseWriter
	header http.Header // the last header that the handler got, and may have written to, or nil
	saved  http.Header // the bodyHeaders of the header before the handler saw it
	fixes  bool        // inner is net/http's, and does not read the header after a write
	begun  bool        // the header can be sent, or has been
	hinted bool        // an informational status was sent; see readByServer

	// If inner does not fix the header, the writes after the first look at it only if the handler
	// has asked for it since, or if its number of fields has changed. A handler can still change it
	// unseen, by a map from before.
	clean  bool // the header had no text of the arenas, and the handler has not asked for it since
	fields int  // the number of its fields then
	unseen bool // something was written since
}

// bodyHeaders are the headers that describe a body, and do not suit the body of an error.
var bodyHeaders = []string{"Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Length",
	"Content-Range", "Etag", "Last-Modified"}

func (w *response) Header() http.Header {
	if w.unseen {
		w.detach() // what inner may have seen, before it is gone
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

// detach frees the header of text of the arenas.
func (w *response) detach() {
	if !w.scope.Taken() || w.header == nil || w.hinted {
		return // With hinted the arenas are dropped.
	}
	h := w.inner.Header()
	if detach(w.scope, h) && w.unseen {
		w.scope.Drop(arenascope.ReasonHeader)
	}
	w.clean, w.fields, w.unseen = true, len(h), false
}

// begin is called before inner may send the header. It is inlined.
func (w *response) begin() {
	if !w.begun || !w.fixes {
		w.prepare()
	}
}

// prepare notes that inner may send the header from now on, or has done so already.
func (w *response) prepare() {
	switch {
	case !w.begun:
		w.begun, w.unseen = true, w.sent()
	case w.clean && len(w.header) == w.fields:
		w.unseen = true
		return
	}
	w.detach()
}

// check notes that err, of a write to the client, may have left some of what was
// written with the server: its HTTP/2 does not wait for the writer of frames when a
// stream is reset.
// It is inlined.
func (w *response) check(err error) {
	if err != nil {
		w.failed(err)
	}
}

func (w *response) failed(err error) {
	if !errors.Is(err, http.ErrBodyNotAllowed) {
		w.scope.Drop(ReasonWrite)
	}
}

func (w *response) WriteHeader(status int) {
	if status >= 500 || status == http.StatusRequestTimeout {
		// As http.TimeoutHandler and its like answer, whose handler goes on.
		w.scope.Drop(ReasonStatus)
	}
	if status >= 200 || status == http.StatusSwitchingProtocols {
		w.begin()
	} else {
		w.detach()
	}
	if status < 200 {
		w.scope.Drop(ReasonInformational)
		w.hinted = true
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

// readFrom leaves the work to the inner writer: the writer of HTTP/1 lets the kernel copy a file.
func (w *response) readFrom(src io.Reader) (n int64, err error) {
	var first *firstRead
	if w.begun || !w.fixes || isFile(src) {
		w.begin()
	} else {
		first = &firstRead{w: w, src: src}
		src = first
	}
	n, err = w.inner.(io.ReaderFrom).ReadFrom(src)
	w.unseen = w.unseen || !w.fixes // src may have set headers, and inner may have sent them
	if first == nil || first.failed == nil || !errors.Is(err, first.failed) {
		w.check(err)
	}
	return n, err
}

// isFile reports whether the kernel may copy src. Such a reader does not set headers.
func isFile(src io.Reader) bool {
	if limited, ok := src.(*io.LimitedReader); ok {
		src = limited.R
	}
	_, ok := src.(syscall.Conn)
	return ok
}

// A firstRead is src for the writer of net/http. That writer sends nothing until something is read,
// and src may still set headers then.
type firstRead struct {
	w      *response
	src    io.Reader
	failed error // of src
}

func (r *firstRead) Read(b []byte) (int, error) {
	n, err := r.src.Read(b)
	if n > 0 {
		r.w.begin()
	}
	if err != nil && err != io.EOF {
		r.failed = err
	}
	return n, err
}

// push promises copies: the server uses the target and the header for a request of
// its own, which may outlive this one.
func (w *response) push(target string, o *http.PushOptions) error {
	if o != nil {
		c := http.PushOptions{Method: strings.Clone(o.Method), Header: o.Header.Clone()}
		if w.scope.Taken() {
			detach(w.scope, c.Header)
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
		w.scope.Abandon(ReasonHijacked)
	}
	return conn, buf, err
}

// finish looks at the header when the handler has returned.
func (w *response) finish() {
	if !w.begun {
		// Either nobody has written, or somebody has written to inner: a framework that keeps its
		// own writer, for instance.
		w.unseen = w.around()
		w.header = w.inner.Header()
	}
	w.detach()
}

// A teller is the writer of gin, negroni and other frameworks.
type teller interface{ Written() bool }

// sent reports whether inner says that the response has begun, which can be so if w has not begun
// it.
func (w *response) sent() bool {
	t, ok := w.inner.(teller)
	return ok && t.Written()
}

// around reports whether somebody may have written to inner although w has not.
func (w *response) around() bool {
	if t, ok := w.inner.(teller); ok {
		return t.Written()
	}
	return !w.fixes || w.header == nil
}

// readByServer reports whether the server may be reading the header map on another goroutine, so
// that nobody may write to it. HTTP/2 sends an informational status from the map itself.
// WriteHeader waits until that is done, unless the client resets the stream or goes away: then it
// returns at once, and cannot say so. An outer handler may have sent one as well. If the context is
// not done, the client had not reset the stream when WriteHeader returned.
//
// HTTP/1 writes the header in WriteHeader.
func (w *response) readByServer(r *http.Request) bool {
	return r.ProtoMajor != 1 && (w.hinted || r.Context().Err() != nil)
}

// refuse answers the request r with an error. It returns false if the response has begun, and if
// its header does not suit an error and can no longer be changed.
func (w *response) refuse(r *http.Request, status int) bool {
	const text = "the request needs more memory than it may have"
	if w.begun || w.sent() {
		return false
	}
	h := w.inner.Header()
	if w.readByServer(r) {
		// A writer that is not net/http's may change the header when it is written to.
		if !w.fixes || !w.fits(h) {
			return false
		}
		w.inner.WriteHeader(status)
		io.WriteString(w.inner, text+"\n")
		return true
	}
	if w.header != nil {
		for _, k := range bodyHeaders {
			if v, ok := w.saved[k]; ok {
				h[k] = v
			} else {
				delete(h, k)
			}
		}
	}
	http.Error(w.inner, text, status)
	return true
}

// fits reports whether h can be sent with an error unchanged. What net/http changes when the
// handler has returned counts too: it makes trailers of keys with http.TrailerPrefix.
func (w *response) fits(h http.Header) bool {
	for k, v := range h {
		switch {
		case k == "Content-Type", k == "Content-Length", strings.HasPrefix(k, http.TrailerPrefix):
			return false
		case w.header != nil && slices.Contains(bodyHeaders, k) && !slices.Equal(v, w.saved[k]):
			return false
		}
	}
	return true
}
