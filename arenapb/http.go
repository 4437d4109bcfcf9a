package arenapb

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/arena-go/arena"
	"google.golang.org/protobuf/proto"
)

// Read decodes the body of r, which is one message of up to 4 MiB, into m, in the arena of r's
// context (see [arena.FromContext]; package arenahttp puts one there). Without an arena the result
// is on the heap. A body with the Content-Encoding gzip is decompressed. An empty body is an empty
// message.
//
// The body is read into memory that is reused, so the arena contains it once, however long it is. m
// is the result of [Unmarshal], and is stale when the arena is Reset.
//
// If the client caused the error, it is a [*RequestError], which contains the status of the answer.
// Read panics like [Unmarshal], for instance with an [*arena.LimitError].
func Read(r *http.Request, m proto.Message) error { return ReadOptions{}.Read(r, m) }

// ReadOptions are options of [Read]. The zero value is what Read uses.
type ReadOptions struct {
	// MaxBytes is the maximum length of the decompressed body. 0 means 4 MiB, and a negative number
	// any length.
	MaxBytes int64

	// AnyContentType accepts all requests. Otherwise the header Content-Type must be there and say
	// application/protobuf, application/x-protobuf or application/vnd.google.protobuf. A browser
	// sends such a request to another site only after that site has agreed.
	AnyContentType bool

	// Unmarshal contains the options for decoding. AliasInput is ignored: the body is read into
	// memory that is reused.
	Unmarshal UnmarshalOptions

	// JSON, unless nil, makes Read accept a body with the Content-Type application/json, and
	// contains the options for decoding it. AliasInput is ignored. If JSON is nil, such a body is
	// refused, or with AnyContentType decoded from the wire format. A browser also asks the other
	// site before such a request. An empty body is no message in JSON.
	JSON *UnmarshalJSONOptions
}

// A RequestError says what is wrong with a request.
type RequestError struct {
	// Status is the status to answer with:
	//
	//	400 Bad Request             the body is no such message, or not gzip, or ends too early
	//	408 Request Timeout         the body did not come in time
	//	413 Content Too Large       the body is longer than allowed
	//	415 Unsupported Media Type  the headers say that the body is something else
	Status int

	// Err is the reason. It is or wraps an error of [Unmarshal], of [UnmarshalJSON] or of the body.
	Err error
}

// Error returns the text of Err.
func (e *RequestError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *RequestError) Unwrap() error { return e.Err }

func requestError(status int, format string, args ...any) error {
	return &RequestError{status, fmt.Errorf("arenapb: "+format, args...)}
}

const (
	defaultMaxBytes = 4 << 20 // as gRPC has it
	maxIdle         = 2 << 20 // the largest buffer that is used again
)

// Read is the function [Read] with options.
func (o ReadOptions) Read(r *http.Request, m proto.Message) error {
	kind := r.Header.Get("Content-Type")
	json := o.JSON != nil && isJSON(kind)
	if !json && !o.AnyContentType && !isProtobuf(kind) {
		want := "application/x-protobuf"
		if o.JSON != nil {
			want += " or application/json"
		}
		return requestError(http.StatusUnsupportedMediaType, "the Content-Type is %q, and must be %s", kind, want)
	}
	limit := o.MaxBytes
	switch {
	case limit == 0:
		limit = defaultMaxBytes
	case limit < 0 || limit == math.MaxInt64:
		limit = math.MaxInt64 - 1 // one byte more is read
	}
	var body io.Reader = http.NoBody
	if r.Body != nil {
		body = r.Body
	}
	hint := r.ContentLength
	switch encoding := r.Header.Get("Content-Encoding"); {
	case encoding == "" || strings.EqualFold(encoding, "identity"):
		if hint > limit {
			return tooLarge(limit)
		}
	case strings.EqualFold(encoding, "gzip"):
		z := inflaters.Get().(*gzip.Reader)
		from := &source{body}
		defer func() {
			from.Reader = nil // so that the pool does not keep the body
			inflaters.Put(z)
		}()
		if err := z.Reset(from); err != nil {
			return bodyError(err)
		}
		body, hint = z, -1
	default:
		return requestError(http.StatusUnsupportedMediaType, "the Content-Encoding is %q, and must be gzip", encoding)
	}
	buf := bodies.Get().(*bytes.Buffer)
	defer func() {
		if buf.Cap() <= maxIdle {
			buf.Reset()
			bodies.Put(buf)
		}
	}()
	if n, err := readBody(buf, io.LimitReader(body, limit+1), hint); n > limit {
		return tooLarge(limit)
	} else if err != nil {
		return bodyError(err)
	}
	if err := o.unmarshal(arena.FromContext(r.Context()), buf.Bytes(), m, json); err != nil {
		return &RequestError{http.StatusBadRequest, err}
	}
	return nil
}

// readBody reads body into buf. hint is how long the client says that it is, or less than 0.
func readBody(buf *bytes.Buffer, body io.Reader, hint int64) (n int64, err error) {
	const alone = 64 << 10 // what a header alone gets: its body may never come
	hint = min(max(0, hint), maxIdle/2)
	buf.Grow(int(min(hint, alone)) + bytes.MinRead)
	n, err = buf.ReadFrom(io.LimitReader(body, alone))
	if n < alone || err != nil {
		return n, err
	}
	buf.Grow(int(max(0, hint-alone)) + bytes.MinRead)
	rest, err := buf.ReadFrom(body)
	return n + rest, err
}

// unmarshal decodes a body.
func (o *ReadOptions) unmarshal(a *arena.Arena, b []byte, m proto.Message, json bool) error {
	if json {
		options := *o.JSON
		options.AliasInput = false
		return options.Unmarshal(a, b, m)
	}
	o.Unmarshal.AliasInput = false
	return o.Unmarshal.Unmarshal(a, b, m)
}

var (
	bodies    = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	inflaters = sync.Pool{New: func() any { return new(gzip.Reader) }}
)

// A source is what a gzip.Reader reads from. That keeps its source until it has read the header of
// another one.
type source struct{ io.Reader }

// bodyError returns the status for an error of a body.
func bodyError(err error) error {
	var tooMuch *http.MaxBytesError
	switch {
	case errors.As(err, &tooMuch):
		return tooLarge(tooMuch.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return requestError(http.StatusRequestTimeout, "reading the body: %w", err)
	}
	return requestError(http.StatusBadRequest, "reading the body: %w", err)
}

func tooLarge(limit int64) error {
	return requestError(http.StatusRequestEntityTooLarge, "the body is longer than %d bytes", limit)
}

// isProtobuf reports whether a Content-Type says that the body is one message.
func isProtobuf(header string) bool {
	kind, params, err := mime.ParseMediaType(header)
	if err != nil || params["encoding"] == "delimited" {
		return false
	}
	return kind == "application/x-protobuf" || kind == "application/protobuf" || kind == "application/vnd.google.protobuf"
}

// isJSON reports whether a Content-Type says that the body is JSON, which is UTF-8 unless it says
// otherwise.
func isJSON(header string) bool {
	kind, params, err := mime.ParseMediaType(header)
	charset := params["charset"]
	if errors.Is(err, mime.ErrInvalidMediaParameter) { // such as "application/json; utf-8"
		_, charset, _ = strings.Cut(header, ";")
	} else if err != nil {
		return false
	}
	return kind == "application/json" && (charset == "" || namesUTF8(charset))
}

// namesUTF8 reports whether a charset is UTF-8, or ASCII, which is a part of it. Clients write the
// name in many ways.
func namesUTF8(charset string) bool {
	switch charsetMarks.Replace(strings.ToLower(charset)) {
	case "utf8", "ascii", "usascii":
		return true
	}
	return false
}

var charsetMarks = strings.NewReplacer("-", "", "_", "", "'", "", " ", "", "\t", "")
