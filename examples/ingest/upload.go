package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"
)

// An upload reads the body of a request into memory of its own, which is used again for others. All
// of it is there before an arena is taken: a slow client holds a buffer, and no more.
type upload struct {
	raw, inflated bytes.Buffer
	source        bytes.Reader
	gz            gzip.Reader
}

// keepUpload is how large the buffers of an upload may be for it to be used again.
const keepUpload = 8 << 20

func (u *upload) reusable() bool { return u.raw.Cap() <= keepUpload && u.inflated.Cap() <= keepUpload }

// A tooLargeError says that a profile is larger than an upload may be.
type tooLargeError struct{ limit int64 }

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("the profile is larger than %d bytes; send a part of it at a time", e.limit)
}

// read returns the profile that a request has in its body, or in the field "profile" of a form,
// inflated. Neither what is sent nor what it inflates to may have more than limit bytes. The result
// is valid until the next call.
func (u *upload) read(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	const overhead = 64 << 10 // of a form, for its other fields
	body := http.MaxBytesReader(w, r.Body, limit+overhead)
	u.raw.Reset()
	u.inflated.Reset()
	if n := r.ContentLength; n > 0 { // which says only what the client means to send
		u.raw.Grow(int(min(n, limit, 64<<10)) + bytes.MinRead)
	}
	if _, err := u.raw.ReadFrom(body); err != nil {
		if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
			return nil, &tooLargeError{limit}
		}
		return nil, err
	}
	data := u.raw.Bytes()
	var err error
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
	case "gzip":
		if data, err = u.inflate(data, limit+overhead); err != nil {
			return nil, err
		}
	default:
		return nil, badUpload("the Content-Encoding is %q; use gzip or none", encoding)
	}
	if kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "multipart/form-data" {
		if data, err = field(data, params["boundary"]); err != nil {
			return nil, err
		}
	}
	return u.inflateAny(data, limit)
}

// inflateAny returns the data of a file, inflated if it is compressed. It may be a part of
// u.inflated.
func (u *upload) inflateAny(data []byte, limit int64) ([]byte, error) {
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		var err error
		if data, err = u.inflate(data, limit); err != nil {
			return nil, err
		}
	}
	if int64(len(data)) > limit {
		return nil, &tooLargeError{limit}
	}
	return data, nil
}

// inflate returns the contents of a gzip stream, which may be in u.inflated.
func (u *upload) inflate(data []byte, limit int64) ([]byte, error) {
	if held := u.inflated.Bytes(); len(held) > 0 { // it was compressed twice: what it is inflated from must stay
		u.raw, u.inflated = u.inflated, u.raw
	}
	u.inflated.Reset()
	u.source.Reset(data)
	err := u.gz.Reset(&u.source)
	if err == nil {
		_, err = u.inflated.ReadFrom(io.LimitReader(&u.gz, limit+1))
	}
	if err != nil {
		return nil, badUpload("the gzip stream is damaged: %v", err)
	}
	if int64(u.inflated.Len()) > limit {
		return nil, &tooLargeError{limit}
	}
	return u.inflated.Bytes(), nil
}

// field returns the profile that is in a form.
func field(data []byte, boundary string) ([]byte, error) {
	if boundary == "" {
		return nil, badUpload("the Content-Type multipart/form-data has no boundary")
	}
	form := multipart.NewReader(bytes.NewReader(data), boundary)
	for {
		part, err := form.NextRawPart()
		if err == io.EOF {
			return nil, badUpload(`the form has no field "profile"`)
		}
		if err != nil {
			return nil, badUpload("the form is damaged: %v", err)
		}
		if part.FormName() != "profile" {
			continue
		}
		profile, err := io.ReadAll(part)
		if err != nil {
			return nil, badUpload("the form is damaged: %v", err)
		}
		return profile, nil
	}
}

// A badUploadError says what is wrong with a request.
type badUploadError struct{ text string }

func (e *badUploadError) Error() string { return e.text }

func badUpload(format string, args ...any) error {
	return &badUploadError{fmt.Sprintf(format, args...)}
}

// parseTime parses a time as clients of the push API send it: seconds, milliseconds, microseconds
// or nanoseconds since the epoch, which their size tells apart. Without a text it is now.
func parseTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return now, nil
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v <= 0 {
		return now, badUpload("%q is not a time; use seconds since the epoch", text)
	}
	for limit, unit := int64(1e11), int64(time.Second); unit > 1; limit, unit = limit*1000, unit/1000 {
		if v < limit {
			return time.Unix(0, min(v, math.MaxInt64/unit)*unit), nil
		}
	}
	return time.Unix(0, v), nil
}
