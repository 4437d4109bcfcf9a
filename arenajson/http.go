package arenajson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/arena-go/arena"
)

// Read decodes the body of r, which is one JSON value of up to 1 MiB, into v, in the arena of r's
// context (see [arena.FromContext]; package arenahttp puts one there). Without an arena the result
// is on the heap. v is as [Unmarshal] leaves it.
//
// If the client is to blame the error is a [*RequestError], which says with which status to answer.
func Read(r *http.Request, v any) error { return ReadOptions{}.Read(r, v) }

// ReadOptions are options of [Read]. The zero value is what Read uses.
type ReadOptions struct {
	// MaxBytes is how long the body may be. 0 stands for 1 MiB, and a negative number for any
	// length.
	MaxBytes int64

	// AnyContentType accepts all requests. Otherwise the header Content-Type must be there and say
	// application/json, text/json, or a type that ends with +json. If it names a charset, that must
	// be UTF-8 or ASCII; other parameters are ignored. A browser sends such a request to another
	// site only after that site has agreed.
	AnyContentType bool

	// Unmarshal has options for decoding. AliasInput is ignored: the body is read into memory that
	// is used again.
	Unmarshal UnmarshalOptions
}

// A RequestError says what is wrong with a request.
type RequestError struct {
	// Status is the status to answer with:
	//
	//	400 Bad Request             the body is empty, or not JSON, or has more behind the value, or ends too early
	//	408 Request Timeout         the body did not come in time
	//	413 Content Too Large       the body is longer than allowed
	//	415 Unsupported Media Type  the header says that the body is something else
	//	422 Unprocessable Content   the body is JSON, but not what v is for
	Status int

	// Err is the reason. It comes from [Unmarshal] with 400 and 422, and its text may contain parts
	// of the body.
	Err error
}

// Error returns the text of Err.
func (e *RequestError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *RequestError) Unwrap() error { return e.Err }

func requestError(status int, format string, args ...any) error {
	return &RequestError{status, fmt.Errorf("arenajson: "+format, args...)}
}

const defaultMaxBytes = 1 << 20

// Read is the function [Read] with options.
func (o ReadOptions) Read(r *http.Request, v any) error {
	if !o.AnyContentType && !isJSON(r.Header.Get("Content-Type")) {
		return requestError(http.StatusUnsupportedMediaType, "the Content-Type is %q, and must be application/json", r.Header.Get("Content-Type"))
	}
	limit := o.MaxBytes
	if limit == 0 {
		limit = defaultMaxBytes
	}
	if r.ContentLength > limit && limit > 0 {
		return tooLarge(limit)
	}
	buf := bodies.Get().(*bytes.Buffer)
	reuse := !keepsInput(v)
	defer func() {
		if reuse && buf.Cap() <= maxIdle {
			buf.Reset()
			bodies.Put(buf)
		}
	}()
	if err := readBody(buf, r, limit); err != nil {
		return err
	}
	o.Unmarshal.AliasInput = false
	err := o.Unmarshal.Unmarshal(arena.FromContext(r.Context()), buf.Bytes(), v)
	return statusOf(err)
}

var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// readBody reads the body of r into buf.
func readBody(buf *bytes.Buffer, r *http.Request, limit int64) error {
	if r.Body == nil {
		return requestError(http.StatusBadRequest, "the body is empty")
	}
	var body io.Reader = r.Body
	if limit > 0 {
		body = io.LimitReader(body, min(limit, math.MaxInt64-1)+1)
	}
	const alone = 64 << 10 // what a header alone gets: its body may never come
	hint := min(max(0, r.ContentLength), defaultMaxBytes)
	buf.Grow(int(min(hint, alone)) + bytes.MinRead)
	n, err := buf.ReadFrom(io.LimitReader(body, alone))
	if n == alone && err == nil {
		buf.Grow(int(max(0, hint-alone)) + bytes.MinRead)
		var rest int64
		rest, err = buf.ReadFrom(body)
		n += rest
	}
	var tooMuch *http.MaxBytesError
	switch {
	case limit > 0 && n > limit:
		return tooLarge(limit)
	case errors.As(err, &tooMuch):
		return tooLarge(tooMuch.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return requestError(http.StatusRequestTimeout, "reading the body: %w", err)
	case err != nil:
		return requestError(http.StatusBadRequest, "reading the body: %w", err)
	case n == 0:
		return requestError(http.StatusBadRequest, "the body is empty")
	}
	return nil
}

func tooLarge(limit int64) error {
	return requestError(http.StatusRequestEntityTooLarge, "the body is longer than %d bytes", limit)
}

// statusOf returns err of Unmarshal as a RequestError, unless the caller's value is to blame.
func statusOf(err error) error {
	var (
		invalid   *json.InvalidUnmarshalError
		syntax    *json.SyntaxError
		duplicate *DuplicateNameError
		text      *InvalidUTF8Error
		refused   *refusal
	)
	switch {
	case err == nil || errors.As(err, &invalid) || errors.As(err, &refused) || err == errNoV2:
		return err
	case errors.As(err, &syntax) || errors.As(err, &duplicate) || errors.As(err, &text) || errors.Is(err, io.ErrUnexpectedEOF) || isSyntaxV2(err):
		return &RequestError{http.StatusBadRequest, err}
	}
	return &RequestError{http.StatusUnprocessableEntity, err}
}

// isJSON tells whether a Content-Type says JSON, and no charset but UTF-8.
func isJSON(header string) bool {
	if header == "application/json" {
		return true
	}
	kind, params, err := mime.ParseMediaType(header)
	charset := params["charset"]
	if errors.Is(err, mime.ErrInvalidMediaParameter) { // such as "application/json; utf-8"
		_, charset, _ = strings.Cut(header, ";")
	} else if err != nil {
		return false
	}
	isKind := kind == "application/json" || kind == "text/json" || strings.Contains(kind, "/") && strings.HasSuffix(kind, "+json")
	return isKind && (charset == "" || namesUTF8(charset))
}

// namesUTF8 tells whether a charset is UTF-8, or ASCII, which is a part of it. Clients write the
// name in many ways.
func namesUTF8(charset string) bool {
	switch charsetMarks.Replace(strings.ToLower(charset)) {
	case "utf8", "ascii", "usascii":
		return true
	}
	return false
}

var charsetMarks = strings.NewReplacer("-", "", "_", "", "'", "", " ", "", "\t", "")

// Write answers with status and v in JSON. It sets the headers Content-Type, unless it is set, and
// Content-Length. If v cannot be encoded Write returns the error of json.Marshal, and has not
// touched w: the caller can still answer with something else. Other errors come from w: the status
// is sent by then, so the client cannot be told of them.
//
// The text is in memory that is used again. w must not keep it, as no io.Writer may. A status that
// has no body, such as 204, is an error.
func Write(w http.ResponseWriter, status int, v any) error {
	return MarshalOptions{}.Write(nil, w, status, v)
}

// Write is the function [Write] with options. a is for what [Marshal] needs it for: an
// [ref.String], and a [MarshalerArena]; it may be nil.
func (o MarshalOptions) Write(a *arena.Arena, w http.ResponseWriter, status int, v any) error {
	if status < 200 || status == http.StatusNoContent || status == http.StatusNotModified {
		return fmt.Errorf("arenajson: a response with status %d has no body; call WriteHeader", status)
	}
	e := getEncoder()
	b, err := e.encode(a, v, o)
	if err == nil {
		h := w.Header()
		if h.Get("Content-Type") == "" {
			h.Set("Content-Type", "application/json")
		}
		h.Set("Content-Length", strconv.Itoa(len(b)))
		w.WriteHeader(status)
		_, err = w.Write(b)
	}
	e.put()
	return err
}
