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
		// The server puts trailers that were not announced into the map of its own request, if
		// there is one.
		r.Trailer = http.Header{}
	}
	return r.WithContext(ctx)
}

// giveBack copies to the outer request the fields that a handler has set in its copy, the inner
// request. A handler without a Middleware writes to the request itself.
//
// Fields are written only if they differ: another goroutine, which has given up waiting for the
// handler, may be reading them. Maps and slices are replaced, not written to: copies of the request
// share them.
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
			// A server removes the files of the request that it has made, when all handlers have
			// returned and the context is done. The HTTP/2 server of Go 1.27 does not, nor does any
			// server if an outer handler has made a copy. RemoveAll does nothing for files that are
			// gone.
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

// givePathValues sets the path values of outer to the values of inner for the names in the pattern
// of inner.
func givePathValues(outer, inner *http.Request) {
	common := false // whether copies of outer may read its path values, which its own pattern has set
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

// names yields the names in a pattern. A http.ServeMux has {id} and {id...}; other routers have
// {id:[0-9]+} and :id.
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

// copyPathValues gives r path values of its own, which no copy of r shares. Only Clone can copy
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
