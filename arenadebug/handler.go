package arenadebug

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/arena-go/arena/internal/kept"
)

// Options configure a Handler. The zero value shows and changes nothing.
type Options struct {
	// AllowTrack lets a POST request with the parameter every call [Track], and gives the page a
	// form for that.
	AllowTrack bool
}

// Handler returns a handler for the page, at any path. Any number of goroutines may use it.
//
// GET and HEAD change nothing. With Options.AllowTrack POST is also allowed. Other methods are
// answered with 405, unknown parameters with 400, and a POST request from another origin with 403.
func Handler(o Options) http.Handler { return &handler{o, http.NewCrossOriginProtection()} }

type handler struct {
	Options
	origin *http.CrossOriginProtection
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Cache-Control", "no-store")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	switch {
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		h.show(w, r)
	case r.Method == http.MethodPost && h.AllowTrack:
		h.track(w, r)
	default:
		allow := "GET, HEAD"
		if h.AllowTrack {
			allow += ", POST"
		}
		head.Set("Allow", allow)
		fail(w, http.StatusMethodNotAllowed, "method %s is not for this page, which knows %s", r.Method, allow)
	}
}

// show answers with the page.
func (h *handler) show(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	order := query.Get("sort")
	if order == "" {
		order = "size"
	}
	if orders[order] == nil {
		fail(w, http.StatusBadRequest, "sort is %q; it must be size, age or count", order)
		return
	}
	format := formatOf(r)
	if format == nil {
		fail(w, http.StatusBadRequest, "format is %q; it must be html, text or json", query.Get("format"))
		return
	}
	var b bytes.Buffer
	page := newPage(time.Now(), Live(), order)
	page.Sampled, page.Kept = kept.Counts()
	if err := format.write(&b, &view{page, order, h.AllowTrack}); err != nil {
		fail(w, http.StatusInternalServerError, "the page cannot be written: %v", err)
		return
	}
	w.Header().Set("Content-Type", format.contentType)
	w.Header().Set("Vary", "Accept")
	w.Write(b.Bytes()) // a client that is gone does not need it
}

// track makes the form's fraction of arenas tracked.
func (h *handler) track(w http.ResponseWriter, r *http.Request) {
	if err := h.origin.Check(r); err != nil {
		fail(w, http.StatusForbidden, "%v", err)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	if err := r.ParseForm(); err != nil {
		fail(w, http.StatusBadRequest, "%v", err)
		return
	}
	every, err := strconv.Atoi(r.PostForm.Get("every"))
	if err != nil || every < 0 {
		fail(w, http.StatusBadRequest, "every is %q; it must be 0 for none, 1 for all arenas, or n for one in n", r.PostForm.Get("every"))
		return
	}
	Track(every)
	// The path may have lost its beginning on the way here; this is relative to the client's path.
	w.Header().Set("Location", "?"+r.URL.RawQuery)
	w.WriteHeader(http.StatusSeeOther)
}

func fail(w http.ResponseWriter, status int, text string, args ...any) {
	http.Error(w, "arenadebug: "+fmt.Sprintf(text, args...), status)
}

// A format is one in which the page can be written.
type format struct {
	contentType string
	write       func(b *bytes.Buffer, v *view) error
}

var (
	asHTML = &format{"text/html; charset=utf-8", writeHTML}
	asText = &format{"text/plain; charset=utf-8", writeText}
	asJSON = &format{"application/json", writeJSON}
)

// formatOf returns the format that was asked for, or nil if there is no such format.
func formatOf(r *http.Request) *format {
	query := r.URL.Query()
	accepts := func(t string) bool { return strings.Contains(strings.Join(r.Header.Values("Accept"), ","), t) }
	switch f := query.Get("format"); {
	case f == "json":
		return asJSON
	case f == "text":
		return asText
	case f == "html":
		return asHTML
	case f != "":
		return nil
	case query.Get("debug") != "" && query.Get("debug") != "0":
		return asText
	case accepts("text/html"):
		return asHTML
	case accepts("text/plain"):
		return asText
	case accepts("application/json"):
		return asJSON
	}
	return asHTML
}

func writeJSON(b *bytes.Buffer, v *view) error {
	e := json.NewEncoder(b)
	e.SetIndent("", "\t")
	return e.Encode(v.Page)
}
