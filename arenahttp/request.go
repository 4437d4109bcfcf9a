package arenahttp

import (
	"context"
	"iter"
	"net/http"
	"strings"

	"github.com/arena-go/arena/arenascope"
)

// withContext returns the copy of r that the handler gets.
func withContext(r *http.Request, ctx context.Context) *http.Request {
	if r.Trailer == nil && r.ContentLength < 0 && r.ProtoMajor == 1 {
		// The server puts trailers that were not announced into the map of its own request, if there is one.
		r.Trailer = http.Header{}
	}
	return r.WithContext(ctx)
}

// giveBack tells the outer request what a handler has found out about its copy, the inner one. Handlers
// without a Middleware tell it in the same way, by writing to the request.
//
// Fields are written only where they differ: another goroutine, which has given up waiting for the
// handler, may be reading them. Maps and slices are replaced, not written to: copies of the
// request have them in common.
func giveBack(s *arenascope.Scope, outer, inner *http.Request) {
	if !s.Kept() { // else a goroutine may be parsing the form now
		if outer.Form == nil && inner.Form != nil {
			outer.Form = inner.Form
		}
		if outer.PostForm == nil && inner.PostForm != nil {
			outer.PostForm = inner.PostForm
		}
	}
	if form := inner.MultipartForm; form != outer.MultipartForm {
		outer.MultipartForm = form
		if form != nil && len(form.File) > 0 && s.Reason() != ReasonHijacked {
			// Servers remove the files of the request that they have made, when all handlers have returned and the context
			// is done. That of HTTP/2 in Go 1.27 does not, nor does any when a handler outside has made a copy. Files
			// that are gone are none.
			context.AfterFunc(outer.Context(), func() { _ = form.RemoveAll() })
		}
	}
	if outer.Host != inner.Host {
		outer.Host = inner.Host
	}
	if outer.RemoteAddr != inner.RemoteAddr {
		outer.RemoteAddr = inner.RemoteAddr
	}
	if outer.Pattern != inner.Pattern {
		givePathValues(outer, inner)
		outer.Pattern = inner.Pattern
	}
}

// givePathValues sets the path values of outer to those that inner has for the names in its
// pattern.
func givePathValues(outer, inner *http.Request) {
	common := false // whether copies of outer may read its path values: those of its own pattern
	for range names(outer.Pattern) {
		common = true
	}
	for name := range names(inner.Pattern) {
		value := inner.PathValue(name)
		if value == "" || value == outer.PathValue(name) {
			continue
		}
		if common {
			common = false
			copyPathValues(outer)
		}
		outer.SetPathValue(name, value)
	}
}

// names yields the names in a pattern: {id} and {id...} are those of a http.ServeMux, and other
// routers have {id:[0-9]+} and :id.
func names(pattern string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for rest := pattern; ; {
			_, name, ok := strings.Cut(rest, "{")
			if !ok {
				break
			}
			name, rest, _ = strings.Cut(name, "}")
			name, _, _ = strings.Cut(name, ":")
			if !yield(strings.TrimSuffix(name, "...")) {
				return
			}
		}
		for segment := range strings.SplitSeq(pattern, "/") {
			if name, ok := strings.CutPrefix(segment, ":"); ok && !yield(name) {
				return
			}
		}
	}
}

// copyPathValues gives r path values that no copy of it has in common with it. Only Clone can copy
// them.
func copyPathValues(r *http.Request) {
	values := *r
	values.URL, values.Header, values.Trailer = nil, nil, nil
	values.Form, values.PostForm, values.MultipartForm = nil, nil, nil
	c := values.Clone(r.Context())
	c.URL, c.Header, c.Trailer = r.URL, r.Header, r.Trailer
	c.Form, c.PostForm, c.MultipartForm = r.Form, r.PostForm, r.MultipartForm
	*r = *c
}
