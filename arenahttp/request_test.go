package arenahttp_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena/arenahttp"
)

// without is h without a middleware, to compare with.
func without(h http.Handler) http.Handler { return h }

func within(h http.Handler) http.Handler { return arenahttp.Middleware(h, arenahttp.Options{}) }

// TestForms proves that the files of forms are removed, however the handler ends, also where
// a handler outside has made a copy of the request, and not before handlers outside are done.
func TestForms(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	files := func() []string {
		names, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Error(err)
		}
		return names
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("f", "f")
	if err != nil {
		t.Fatal(err)
	}
	part.Write(make([]byte, 100<<10))
	form.Close()
	for _, proto := range []int{1, 2} {
		for _, path := range []string{"/return", "/panic", "/exit", "/copy"} {
			h := arenahttp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if err := r.ParseMultipartForm(1); err != nil {
					t.Error(err)
				}
				if n := len(files()); n != 1 {
					t.Errorf("%s, http=%d: there are %d files, want one", path, proto, n)
				}
				switch path {
				case "/panic":
					panic(http.ErrAbortHandler)
				case "/exit":
					runtime.Goexit()
				}
			}), arenahttp.Options{})
			outer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer func() {
					if r.MultipartForm == nil {
						t.Errorf("%s, http=%d: no form outside", path, proto)
					} else if f, err := r.MultipartForm.File["f"][0].Open(); err != nil {
						t.Errorf("%s, http=%d: outside: %v", path, proto, err)
					} else {
						f.Close()
					}
				}()
				h.ServeHTTP(w, r)
			})
			srv := newServer(t, proto, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if path == "/copy" {
					r = r.WithContext(r.Context())
				}
				outer.ServeHTTP(w, r)
			}))
			resp, err := srv.Client().Post(srv.URL+path, form.FormDataContentType(), bytes.NewReader(body.Bytes()))
			if (err == nil) != (path == "/return" || path == "/copy") {
				t.Fatal(path, err)
			}
			if err == nil {
				resp.Body.Close()
			}
			srv.Close()
			for len(files()) > 0 { // forever, if they are left behind
				runtime.Gosched()
			}
		}
	}
}

// TestRequest proves that handlers outside see of the request what they see without a middleware,
// and that the handler sees trailers that were not announced.
func TestRequest(t *testing.T) {
	for _, proto := range []int{1, 2} {
		var want []string
		for _, wrap := range []func(http.Handler) http.Handler{without, within, func(h http.Handler) http.Handler { return within(within(h)) }} {
			var got []string
			mux := http.NewServeMux()
			mux.HandleFunc("POST /form/{id}/{rest...}", func(w http.ResponseWriter, r *http.Request) {
				r.ParseForm()
				r.Host = "other"
				r.RemoteAddr = "192.0.2.1:1"
				r.Header.Set("X-Inner", "inner")
			})
			mux.HandleFunc("POST /body", func(w http.ResponseWriter, r *http.Request) {
				b, err := io.ReadAll(r.Body)
				got = append(got, fmt.Sprintf("inside: %q %v, trailer %v", b, err, r.Trailer))
			})
			mux.HandleFunc("POST /none/{$}", func(w http.ResponseWriter, r *http.Request) {})
			h := wrap(mux)
			srv := newServer(t, proto, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				h.ServeHTTP(w, r)
				got = append(got, fmt.Sprintf("outside: %q %q %q %v %v %q %t %q, trailer %v", r.Pattern, r.PathValue("id"), r.PathValue("rest"), r.Form, r.PostForm,
					r.Host, strings.HasPrefix(r.RemoteAddr, "192."), r.Header.Get("X-Inner"), r.Trailer))
				got = append(got, fmt.Sprint(r.PathValue("$"), r.PathValue("")))
			}))
			do := func(path, contentType string, trailer http.Header) {
				req, err := http.NewRequest("POST", srv.URL+path, io.MultiReader(strings.NewReader("a=1&"), strings.NewReader("b=2")))
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Content-Type", contentType)
				req.Host = "host"
				req.Trailer = trailer
				resp, err := srv.Client().Do(req)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
			}
			do("/form/7/a/b?c=3", "application/x-www-form-urlencoded", nil)
			do("/none/", "", nil)
			do("/body", "", http.Header{"X-Announced": {"announced"}})
			srv.Close()
			if want == nil {
				want = got
			}
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("http=%d:\n%s\nwant\n%s", proto, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// TestPathValues proves that outer handlers also get the path values of routers whose patterns
// differ from the patterns of a http.ServeMux.
func TestPathValues(t *testing.T) {
	for pattern, names := range map[string][]string{
		"/u/{id}":                         {"id"},
		"GET /u/{id:[0-9]+}":              {"id"},
		"/u/{id:[0-9]{3}}/{x}/{rest...}":  {"id", "x", "rest"},
		"/u/{id:[0-9]{3}-[a-z]{2}}/x-{x}": {"id", "x"},
		"/u/:id":                          {"id"},
		"/u/:id/{x}/:rest/more":           {"id", "x", "rest"},
	} {
		r := httptest.NewRequest("GET", "/u/123", nil)
		within(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Pattern = pattern
			for _, name := range names {
				r.SetPathValue(name, "value of "+name)
			}
		})).ServeHTTP(httptest.NewRecorder(), r)
		for _, name := range names {
			if got, want := r.PathValue(name), "value of "+name; r.Pattern != pattern || got != want {
				t.Errorf("%s outside: %s has the value %q, want %q", r.Pattern, name, got, want)
			}
		}
	}
}

// TestPathValuesInCommon proves that path values of a handler inside do not reach copies of the
// request, which have the path values of a router outside in common with it, and that goroutines
// may read these at any time.
func TestPathValuesInCommon(t *testing.T) {
	var running sync.WaitGroup
	release := make(chan bool)
	read := func(r *http.Request, want string) {
		if got := r.PathValue("id") + " " + r.PathValue("other"); got != want {
			t.Errorf("the path values are %q, want %q", got, want)
		}
	}
	inner := http.NewServeMux()
	inner.HandleFunc("/{name}/{id}", func(w http.ResponseWriter, r *http.Request) {
		r.SetPathValue("id", "inner")
		running.Go(func() { read(r, "inner other") }) // while the middleware tells the request outside
	})
	outer := http.NewServeMux()
	outer.HandleFunc("/{id}/{rest...}", func(w http.ResponseWriter, r *http.Request) {
		r.SetPathValue("other", "other")
		c := r.WithContext(r.Context())
		running.Go(func() { <-release; read(r, "a other") })
		within(inner).ServeHTTP(w, c)
		close(release)
		read(r, "a other")
		read(c, "inner other")
		if got := c.PathValue("name") + " " + c.PathValue("rest"); got != "a b" || c.Pattern != "/{name}/{id}" || c.URL != r.URL || len(c.Header) != len(r.Header) {
			t.Errorf("outside: %q %v", got, c)
		}
	})
	r := httptest.NewRequest("GET", "/a/b", nil)
	r.Header.Set("X-Key", "value")
	outer.ServeHTTP(httptest.NewRecorder(), r)
	running.Wait()
}

// TestServer proves that what goes over a connection of HTTP/1, and when it is closed, is the same
// with and without a middleware: after a handler, the server looks at the request that it has made.
func TestServer(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/none", func(w http.ResponseWriter, r *http.Request) {})
	mux.HandleFunc("/text", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "text") })
	mux.HandleFunc("/read", func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%q %v %v", b, err, r.Trailer)
	})
	mux.HandleFunc("/some", func(w http.ResponseWriter, r *http.Request) { r.Body.Read(make([]byte, 1)) })
	mux.HandleFunc("/close", func(w http.ResponseWriter, r *http.Request) { r.Body.Close() })
	mux.HandleFunc("/abort", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/last", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Connection", "close") })
	mux.HandleFunc("/duplex", func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex()
		io.WriteString(w, "text")
		w.(http.Flusher).Flush()
		io.Copy(w, r.Body)
	})
	mux.HandleFunc("/early", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "x")
		w.WriteHeader(103)
		io.WriteString(w, "text")
	})
	mux.HandleFunc("/trailer", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Announced")
		w.(http.Flusher).Flush()
		w.Header().Set("X-Announced", "a")
		w.Header().Set(http.TrailerPrefix+"X-Other", "o")
	})
	const large = 300 << 10 // more than a server reads of a body that the handler has not
	bodies := map[string]string{
		"none":      "\r\n",
		"small":     "Content-Length: 5\r\n\r\nhello",
		"large":     fmt.Sprintf("Content-Length: %d\r\n\r\n%s", large, strings.Repeat("x", large)),
		"chunked":   "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
		"trailer":   "Transfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n5\r\nhello\r\n0\r\nX-T: t\r\n\r\n",
		"unknown":   "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-U: u\r\n\r\n",
		"malformed": "Transfer-Encoding: chunked\r\n\r\nfive\r\nhello\r\n0\r\n\r\n",
		"expected":  "Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello",
		"last":      "Connection: close\r\n\r\n",
	}
	plain, wrapped := httptest.NewServer(mux), httptest.NewServer(within(mux))
	defer plain.Close()
	defer wrapped.Close()
	date := regexp.MustCompile("Date: [^\r]*\r\n")
	talk := func(srv *httptest.Server, text string) string {
		conn, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		wrote := make(chan bool)
		go func() {
			defer close(wrote)
			// The server closes the connection after the second request at the latest, perhaps
			// before it has read all.
			io.WriteString(conn, text)
		}()
		b, _ := io.ReadAll(bufio.NewReader(conn))
		conn.Close()
		<-wrote
		return date.ReplaceAllString(string(b), "")
	}
	for _, path := range []string{"/none", "/text", "/read", "/some", "/close", "/abort", "/last", "/duplex", "/early", "/trailer", "/missing"} {
		for name, body := range bodies {
			for _, method := range []string{"POST", "GET", "HEAD"} {
				text := method + " " + path + " HTTP/1.1\r\nHost: host\r\n" + body + "GET /none HTTP/1.1\r\nHost: host\r\nConnection: close\r\n\r\n"
				want, got := talk(plain, text), talk(wrapped, text)
				if name == "large" || name == "malformed" {
					// If a server closes a connection on which there is more to read, the client
					// may be told of that before it has read the answer, or all of it.
					if want, got = head(want), head(got); want == "" || got == "" {
						continue
					}
				}
				if got != want {
					t.Errorf("%s %s, body %s:\n%q\nwant\n%q", method, path, name, got, want)
				}
			}
		}
	}
}

// head returns the first line.
func head(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
