package arenajson

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/jsonwire"
)

// A Decoder reads JSON values from a stream, as [json.Decoder] does, into arenas. [NewDecoder]
// makes it. The methods have the results and the errors of json.Decoder's, and read no further than
// these before an error is returned.
//
// A Decoder itself lies on the heap, and refers to no arena between calls. So each value, or each
// batch of values, may have an arena that is Reset before the next one. A Decoder must not be used
// by several goroutines at the same time.
type Decoder struct {
	r   io.Reader
	opt UnmarshalOptions

	// buf[pos:] was read and is not decoded yet. Behind buf there is room for pad bytes, which are
	// zero. Before buf[0] there were offset bytes, counted of which were part of a value, or white
	// space before one that More has not seen.
	buf             []byte
	pos             int
	offset, counted int64
	scan            jsonwire.Scanner

	// From the first error in a value or of r on, from the first call of Token on, and from the
	// first value that is neither an array nor an object, std does the reading.
	std  *json.Decoder
	rest *replay // what std reads
	// These are only for the first version of encoding/json.
	seen   *recorder         // what std has read
	failed *json.SyntaxError // which std returns again, see moved
}

// NewDecoder returns a Decoder that reads from r. It may read more of r than the values that it
// returns.
func NewDecoder(r io.Reader) *Decoder { return &Decoder{r: r} }

// UseNumber makes a number in an interface a [json.Number] instead of a float64.
func (d *Decoder) UseNumber() {
	if d.opt.UseNumber = true; d.std != nil {
		d.std.UseNumber()
	}
}

// DisallowUnknownFields makes it an error if an object has a name that the struct has no field for.
func (d *Decoder) DisallowUnknownFields() {
	if d.opt.DisallowUnknownFields = true; d.std != nil {
		d.std.DisallowUnknownFields()
	}
}

// CaseSensitiveNames makes a name of an object mean the field with exactly that name. See
// [UnmarshalOptions].
func (d *Decoder) CaseSensitiveNames() { d.opt.CaseSensitiveNames = true }

// Decode reads the next value and stores it in what v points at. See [Unmarshal] for where it lies,
// and what panics. At the end of the stream it returns io.EOF.
func (d *Decoder) Decode(a *arena.Arena, v any) error {
	if d.std == nil {
		if start, end := d.find(); start >= 0 {
			value := d.buf[start:end]
			d.counted += int64(end - d.pos)
			d.pos = end
			if keepsInput(v) {
				value = bytes.Clone(value)
			}
			return d.opt.Unmarshal(a, value, v)
		}
	}
	defer d.rest.forget()
	before := d.std.InputOffset()
	var value json.RawMessage
	if err := d.std.Decode(&value); err != nil {
		return d.moved(err, false)
	}
	if !onV2 {
		// The first version counts the white space before a value where it says where an error is,
		// but not a comma or a colon.
		all := d.seen.until(before, d.std.InputOffset())
		value = all[bytes.LastIndexAny(all[:len(all)-len(value)], ",:")+1:]
	}
	if keepsInput(v) {
		value = bytes.Clone(value)
	}
	return d.opt.Unmarshal(a, value, v)
}

// Token returns the next token of the stream. See [json.Decoder.Token]. Strings lie on the heap.
func (d *Decoder) Token() (json.Token, error) {
	d.leave(nil)
	defer d.rest.forget()
	if !onV2 {
		d.seen.forget(d.std.InputOffset())
	}
	t, err := d.std.Token()
	if e, ok := err.(*json.UnmarshalTypeError); ok && onV2 {
		e.Offset += d.offset // of a number; it is another error each time
	}
	return t, d.moved(err, true)
}

// More reports whether there is another element in the array or object that is being read by Token,
// or another value in the stream.
func (d *Decoder) More() bool {
	if d.std == nil {
		switch c, err := d.peek(); {
		case c == '{' || c == '[':
			return true
		case !onV2:
			return err == nil && c != '}' && c != ']'
		default:
			d.leave(err)
		}
	}
	defer d.rest.forget()
	return d.std.More()
}

// peek returns the next byte that is no white space, and makes pos its position, or returns an
// error of r.
func (d *Decoder) peek() (byte, error) {
	var err error
	for i := d.pos; ; {
		for ; i < len(d.buf); i++ {
			switch c := d.buf[i]; c {
			case ' ', '\t', '\n', '\r':
			default:
				d.pos = i
				return c, nil
			}
		}
		if err != nil {
			return 0, err
		}
		i -= d.pos
		err = d.read()
		i += d.pos
	}
}

// Buffered returns what was read and not decoded yet. It is valid until the next call of Decode,
// Token or More.
func (d *Decoder) Buffered() io.Reader {
	if d.std == nil {
		return bytes.NewReader(d.buf[d.pos:])
	}
	return io.MultiReader(d.std.Buffered(), bytes.NewReader(d.rest.buf))
}

// InputOffset returns the offset in the stream, in bytes, of the end of the value or token that was
// returned last.
func (d *Decoder) InputOffset() int64 {
	if d.std == nil {
		return d.offset + int64(d.pos)
	}
	return d.offset + d.std.InputOffset()
}

// leave leaves what follows to encoding/json. err is the error of r, if there was one.
func (d *Decoder) leave(err error) {
	if d.std != nil {
		return
	}
	d.rest = &replay{d.buf[d.pos:], err, d.r}
	d.offset += int64(d.pos)
	d.buf, d.pos = nil, 0
	if onV2 {
		d.std = json.NewDecoder(d.rest)
	} else {
		d.seen = &recorder{r: d.rest}
		d.std = json.NewDecoder(d.seen)
	}
	if d.opt.UseNumber {
		d.std.UseNumber()
	}
	if d.opt.DisallowUnknownFields {
		d.std.DisallowUnknownFields()
	}
}

// A replay reads again what was read before, with the error that ended it, and then from r.
type replay struct {
	buf []byte
	err error
	r   io.Reader
}

func (r *replay) Read(b []byte) (int, error) {
	n := copy(b, r.buf)
	if r.buf = r.buf[n:]; len(r.buf) > 0 {
		return n, nil
	}
	r.buf = nil
	if n > 0 && (onV2 || r.err == nil) { // the second version of encoding/json does not look at an error that comes with bytes
		return n, nil
	}
	if err := r.err; err != nil {
		r.err = nil
		return n, err
	}
	return r.r.Read(b)
}

// forget is for the end of the call in which there was an error. If it had no need of that,
// encoding/json forgets it.
func (r *replay) forget() { r.err = nil }

// A recorder remembers what was read from its reader.
type recorder struct {
	r      io.Reader
	buf    []byte
	offset int64 // of buf[0]
}

func (r *recorder) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	r.buf = append(r.buf, b[:n]...)
	return n, err
}

// forget forgets what was read before the offset, when that is more than the rest: so it moves no
// more bytes than are read.
func (r *recorder) forget(offset int64) {
	if n := int(offset - r.offset); n > len(r.buf)/2 {
		r.buf = r.buf[:copy(r.buf, r.buf[n:])]
		r.offset = offset
	}
}

// until returns what was read from one offset up to another, and may forget what was before. The
// bytes are valid until the next Read.
func (r *recorder) until(from, to int64) []byte {
	r.forget(from)
	return r.buf[from-r.offset : to-r.offset]
}

// moved returns an error of std, or of its Token, with the offset in the stream. The second version
// of encoding/json counts all bytes. The first one counts those that were part of a value, in an
// error in the text of one, which it returns again from then on.
func (d *Decoder) moved(err error, token bool) error {
	e, ok := err.(*json.SyntaxError)
	if !ok {
		return err
	}
	moved := *e
	switch text := e.Error(); {
	case onV2:
		moved.Offset += d.offset
		return &moved
	case e == d.failed:
	case token:
		// Token finds a delimiter in the wrong place itself, and decodes all else.
		at, isStart := strings.CutSuffix(text, " looking for beginning of value")
		if !strings.Contains(text, " in ") && (!isStart || strings.ContainsAny(at[len(at)-2:len(at)-1], ",:]}")) {
			moved.Offset += d.offset
			return &moved
		}
	case text == "expected comma after array element", text == "expected colon after object key", text == "not at beginning of value":
		moved.Offset += d.offset
		return &moved
	}
	d.failed = e
	moved.Offset += d.counted
	return &moved
}

// minRead is how much room there is at least for what is read.
const minRead = 512

// read reads more of the stream, and returns the error of r. With the first version of
// encoding/json one may come with what was read.
func (d *Decoder) read() error {
	if d.pos > 0 {
		d.offset += int64(d.pos)
		d.buf = d.buf[:copy(d.buf, d.buf[d.pos:])]
		d.pos = 0
	}
	n, room := len(d.buf), max(cap(d.buf)-jsonwire.Pad, 0)
	if room-n < minRead {
		room = 2*room + minRead
		d.buf = append(make([]byte, 0, room+jsonwire.Pad), d.buf...)
	}
	free := d.buf[n:room:room] // a reader may write to all of it
	defer func() { clear(d.buf[len(d.buf) : len(d.buf)+jsonwire.Pad]) }() // also if it panics
	read, err := d.r.Read(free)
	d.buf = d.buf[:n+len(free[:read])]
	if onV2 && read > 0 {
		return nil // the second version does not look at it
	}
	return err
}

// find returns where the next value is in buf, if it is an array or an object without an error. The
// first version of encoding/json counts white space before the value as a part of it. It returns -1
// where encoding/json is to look. Then it has read nothing that encoding/json would not have read.
func (d *Decoder) find() (start, end int) {
	var err error
	d.scan.Begin()
	for i := d.pos; ; {
		if i < len(d.buf) {
			var is jsonwire.Verdict
			switch i, is = d.scan.Scan(jsonwire.TextOf(d.buf), i, len(d.buf)); is {
			case jsonwire.IsWhole:
				if start = d.pos; onV2 {
					start = jsonwire.TextOf(d.buf).Space(start)
				}
				return start, i
			case jsonwire.IsWrong:
				d.leave(err)
				return -1, 0
			}
		}
		if err != nil {
			d.leave(err)
			return -1, 0
		}
		i -= d.pos
		err = d.read()
		i += d.pos
	}
}
