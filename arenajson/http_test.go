package arenajson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
)

type httpBody struct {
	A int      `json:"a"`
	B []string `json:"b"`
}

// A badReader is a body that ends with an error.
type badReader struct {
	io.Reader
	err error
}

func (r badReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err == io.EOF {
		err = r.err
	}
	return n, err
}

func TestReadStatus(t *testing.T) {
	const good = `{"a":1,"b":["x"]}`
	long := fmt.Sprintf(`{"b":[%q]}`, strings.Repeat("x", 1<<20))
	for _, test := range []struct {
		name, contentType, body string
		options                 ReadOptions
		status                  int
	}{
		{"good", "application/json", good, ReadOptions{}, 0},
		{"charset", "application/json; charset=UTF-8", good, ReadOptions{}, 0},
		{"suffix", "application/vnd.api+json", good, ReadOptions{}, 0},
		{"utf8", "application/json; charset=utf8", good, ReadOptions{}, 0},
		{"UTF8", "application/json;charset=UTF8", good, ReadOptions{}, 0},
		{"quoted", `application/json; charset="utf-8"`, good, ReadOptions{}, 0},
		{"single quotes", "application/json; charset='UTF-8'", good, ReadOptions{}, 0},
		{"underscore", "application/json; charset=utf_8", good, ReadOptions{}, 0},
		{"no charset", `application/json; charset=""`, good, ReadOptions{}, 0},
		{"ascii", "application/json; charset=us-ascii", good, ReadOptions{}, 0},
		{"charset only", "application/json; utf-8", good, ReadOptions{}, 0},
		{"semicolon", "application/json; charset=utf-8;", good, ReadOptions{}, 0},
		{"parameter", "application/json; odata.metadata=minimal; IEEE754Compatible=true; charset=utf-8", good, ReadOptions{}, 0},
		{"profile", `application/ld+json; profile="https://a.example/b;c"`, good, ReadOptions{}, 0},
		{"problem", "application/problem+json; charset=utf8", good, ReadOptions{}, 0},
		{"text", "text/json", good, ReadOptions{}, 0},
		{"utf-16", "application/json; charset=utf-16", good, ReadOptions{}, 415},
		{"utf-7", "application/json; charset=utf-7", good, ReadOptions{}, 415},
		{"windows", "text/json; charset=windows-1252", good, ReadOptions{}, 415},
		{"latin only", "application/json; latin1", good, ReadOptions{}, 415},
		{"two charsets", "application/json; charset=utf-8; charset=latin1", good, ReadOptions{}, 415},
		{"parameter of text", "text/plain; application/json", good, ReadOptions{}, 415},
		{"parameter of a form", "application/x-www-form-urlencoded; a+json", good, ReadOptions{}, 415},
		{"lines", "application/jsonlines", good, ReadOptions{}, 415},
		{"list", "text/plain, application/json", good, ReadOptions{}, 415},
		{"capitals", "Application/JSON", good, ReadOptions{}, 0},
		{"blanks", "application/json", " " + good + "\n", ReadOptions{}, 0},
		{"no type", "", good, ReadOptions{}, 415},
		{"form", "application/x-www-form-urlencoded", good, ReadOptions{}, 415},
		{"suffix only", "+json", good, ReadOptions{}, 415},
		{"latin", "application/json; charset=latin1", good, ReadOptions{}, 415},
		{"malformed", "application/json; charset", good, ReadOptions{}, 415},
		{"any type", "text/plain", good, ReadOptions{AnyContentType: true}, 0},
		{"empty", "application/json", "", ReadOptions{}, 400},
		{"blank", "application/json", " ", ReadOptions{}, 400},
		{"syntax", "application/json", `{"a":}`, ReadOptions{}, 400},
		{"cut", "application/json", `{"a":1`, ReadOptions{}, 400},
		{"trailing", "application/json", good + "1", ReadOptions{}, 400},
		{"two", "application/json", good + good, ReadOptions{}, 400},
		{"type", "application/json", `{"a":"1"}`, ReadOptions{}, 422},
		{"large number", "application/json", `{"a":1e100}`, ReadOptions{}, 422},
		{"unknown", "application/json", `{"c":1}`, ReadOptions{}, 0},
		{"unknown field", "application/json", `{"c":1}`, ReadOptions{Unmarshal: UnmarshalOptions{DisallowUnknownFields: true}}, 422},
		{"case", "application/json", `{"A":1}`, ReadOptions{Unmarshal: UnmarshalOptions{CaseSensitiveNames: true, DisallowUnknownFields: true}}, 422},
		{"duplicate", "application/json", `{"a":1,"a":1}`, ReadOptions{Unmarshal: UnmarshalOptions{RejectDuplicateNames: true}}, 400},
		{"utf-8", "application/json", "{\"b\":[\"\xff\"]}", ReadOptions{Unmarshal: UnmarshalOptions{RejectInvalidUTF8: true}}, 400},
		{"long", "application/json", long, ReadOptions{}, 413},
		{"longer allowed", "application/json", long, ReadOptions{MaxBytes: int64(len(long))}, 0},
		{"one too long", "application/json", long, ReadOptions{MaxBytes: int64(len(long)) - 1}, 413},
		{"no limit", "application/json", long, ReadOptions{MaxBytes: -1}, 0},
		{"largest limit", "application/json", long, ReadOptions{MaxBytes: math.MaxInt64}, 0},
		{"alias", "application/json", good, ReadOptions{Unmarshal: UnmarshalOptions{AliasInput: true}}, 0},
	} {
		for _, chunked := range []bool{false, true} {
			a := arena.NewArena()
			r := httptest.NewRequest("POST", "/", strings.NewReader(test.body))
			r.Header.Set("Content-Type", test.contentType)
			if chunked {
				r.ContentLength = -1
			}
			r = r.WithContext(arena.NewContext(r.Context(), a))
			var v httpBody
			err := test.options.Read(r, &v)
			var e *RequestError
			errors.As(err, &e)
			switch {
			case test.status == 0 && err != nil || test.status != 0 && (e == nil || e.Status != test.status || e.Error() == ""):
				t.Errorf("%s: %v, want status %d", test.name, err, test.status)
			case test.status == 0 && strings.HasPrefix(test.body, good) && (v.A != 1 || v.B[0] != "x"):
				t.Errorf("%s: %v", test.name, v)
			case test.status == 0 && strings.HasPrefix(test.body, good) && a.Stats().InUse == 0:
				t.Errorf("%s: nothing is in the arena", test.name)
			}
			a.Free()
		}
	}
}

func TestReadErrors(t *testing.T) {
	request := func(body io.Reader) *http.Request {
		r := httptest.NewRequest("POST", "/", body)
		r.Header.Set("Content-Type", "application/json")
		return r
	}
	for _, test := range []struct {
		err    error
		status int
	}{{io.ErrUnexpectedEOF, 400}, {fmt.Errorf("x %w", os.ErrDeadlineExceeded), 408}, {&http.MaxBytesError{Limit: 3}, 413}, {errors.New("reset"), 400}} {
		err := Read(request(badReader{strings.NewReader(`{"a":1}`), test.err}), &httpBody{})
		var e *RequestError
		if !errors.As(err, &e) || e.Status != test.status {
			t.Errorf("%v: %v", test.err, err)
		}
	}
	for _, v := range []any{nil, httpBody{}, (*httpBody)(nil)} {
		var e *RequestError
		if err := Read(request(strings.NewReader(`{"a":1}`)), v); err == nil || errors.As(err, &e) {
			t.Errorf("into %T: %v", v, err)
		}
	}
	var holds any = &httpBody{}
	var e *RequestError
	if err := (ReadOptions{Unmarshal: UnmarshalOptions{CaseSensitiveNames: true}}).Read(request(strings.NewReader(`{"A":1}`)), &holds); err == nil || errors.As(err, &e) {
		t.Errorf("into a value that an interface points at: %v", err)
	}
	r := request(nil)
	r.Body = nil
	if err := Read(r, new(int)); err == nil {
		t.Error("no error without a body")
	}
}

func TestWrite(t *testing.T) {
	w := httptest.NewRecorder()
	if err := Write(w, 201, httpBody{1, []string{"<"}}); err != nil {
		t.Fatal(err)
	}
	const want = `{"a":1,"b":["\u003c"]}`
	if h := w.Header(); w.Code != 201 || w.Body.String() != want || h.Get("Content-Type") != "application/json" || h.Get("Content-Length") != fmt.Sprint(len(want)) {
		t.Errorf("%d %v %s", w.Code, h, w.Body)
	}

	w = httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/problem+json")
	if err := (MarshalOptions{NoEscapeHTML: true}).Write(nil, w, 400, []string{"<"}); err != nil || w.Body.String() != `["<"]` || w.Header().Get("Content-Type") != "application/problem+json" {
		t.Error(err, w.Header(), w.Body)
	}

	for _, test := range []struct {
		status int
		v      any
	}{{200, math.NaN()}, {200, func() {}}, {204, 1}, {304, 1}, {103, 1}, {0, 1}} {
		w = httptest.NewRecorder()
		wrote := &writeCounter{ResponseWriter: w}
		if err := Write(wrote, test.status, test.v); err == nil || wrote.calls > 0 || len(w.Header()) > 0 {
			t.Errorf("%d %T: %v, %d calls, header %v", test.status, test.v, err, wrote.calls, w.Header())
		}
	}
}

type writeCounter struct {
	http.ResponseWriter
	calls int
}

func (w *writeCounter) WriteHeader(status int)      { w.calls++; w.ResponseWriter.WriteHeader(status) }
func (w *writeCounter) Write(b []byte) (int, error) { w.calls++; return w.ResponseWriter.Write(b) }

// TestHTTP has requests at the same time, whose arenas are used again.
func TestHTTP(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var v httpBody
		if err := Read(r, &v); err != nil {
			var e *RequestError
			if !errors.As(err, &e) {
				t.Error(err)
				return
			}
			Write(w, e.Status, map[string]string{"error": e.Error()})
			return
		}
		v.B = arena.Append(arena.FromContext(r.Context()), v.B, "more")
		if err := Write(w, 200, &v); err != nil {
			t.Error(err)
		}
	})
	server := httptest.NewServer(arenahttp.Middleware(handler, arenahttp.Options{}))
	defer server.Close()
	done := make(chan error)
	const clients = 4
	for c := range clients {
		go func() {
			for i := range rounds(200) {
				body, want, status := fmt.Sprintf(`{"a":%d,"b":["text %d"]}`, i, c), fmt.Sprintf(`{"a":%d,"b":["text %d","more"]}`, i, c), 200
				if i%10 == 9 {
					body, want, status = `{"a":`, `{"error":"unexpected end of JSON input"}`, 400
				}
				resp, err := http.Post(server.URL, "application/json", strings.NewReader(body))
				if err != nil {
					done <- err
					return
				}
				got, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || resp.StatusCode != status || !bytes.Equal(got, []byte(want)) {
					done <- fmt.Errorf("%d %s %v, want %d %s", resp.StatusCode, got, err, status, want)
					return
				}
			}
			done <- nil
		}()
	}
	for range clients {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// A slowBody has a byte for each Read, and notes how much room the Reads had.
type slowBody struct{ left, room int }

func (s *slowBody) Read(b []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	s.left--
	s.room = max(s.room, len(b))
	b[0] = ' '
	return 1, nil
}

// TestReadHeaderAlone has a header promise a large body, most of which does not come: a client
// could have a server hold memory for each of its connections.
func TestReadHeaderAlone(t *testing.T) {
	body := &slowBody{left: 1000}
	r := httptest.NewRequest("POST", "/", body)
	r.Header.Set("Content-Type", "application/json")
	r.ContentLength = 1 << 20
	if err := Read(r, &httpBody{}); err == nil {
		t.Error("no error")
	}
	if body.room > 128<<10 {
		t.Errorf("a header gets %d bytes", body.room)
	}
}
