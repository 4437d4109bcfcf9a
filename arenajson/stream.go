package arenajson

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/arena-go/arena"
)

// A Decoder reads JSON values from a stream, as [json.Decoder] does, into arenas. [NewDecoder] makes it. The methods have the results
// and the errors of json.Decoder's. With the first version of encoding/json, whose offsets leave out white space that More has passed, the offset in a
// SyntaxError may differ by that.
//
// A Decoder itself lies on the heap, and refers to no arena between calls. So each value, or each batch of values, may have an arena
// that is Reset before the next one. A Decoder must not be used by several goroutines at the same time.
type Decoder struct {
	r   io.Reader
	opt UnmarshalOptions

	// buf[pos:] was read and is not decoded yet. Before buf[0] there were offset bytes, counted of which
	// were part of a value, or white space before one that More has not seen.
	buf             []byte
	pos             int
	offset, counted int64

	// From the first error on, from the first call of Token on, and from the first value that is neither an array nor an object, std does the reading.
	std  *json.Decoder
	rest *bytes.Reader // what std has not read of buf
	seen *recorder     // what std reads; only with the first version of encoding/json
}

// NewDecoder returns a Decoder that reads from r. It may read more of r than the values that it returns.
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

// CaseSensitiveNames makes a name of an object mean the field with exactly that name. See [UnmarshalOptions].
func (d *Decoder) CaseSensitiveNames() { d.opt.CaseSensitiveNames = true }

// Decode reads the next value and stores it in what v points at. See [Unmarshal] for where it lies, and what panics. At the end of the stream it returns
// io.EOF.
func (d *Decoder) Decode(a *arena.Arena, v any) error {
	if d.std == nil {
		start, end := d.find()
		if start >= 0 {
			value := d.buf[start:end]
			if keepsInput(v) {
				value = bytes.Clone(value)
			}
			err := d.opt.Unmarshal(a, value, v)
			if _, ok := err.(*json.SyntaxError); !ok || Valid(d.buf[start:end]) {
				d.counted += int64(end - d.pos)
				d.pos = end
				return err
			}
		}
		d.leave(nil)
	}
	counted := d.counted
	if onV2 {
		counted = d.offset
	}
	before := d.std.InputOffset()
	var value json.RawMessage
	if err := d.std.Decode(&value); err != nil {
		switch err.Error() {
		case "expected comma after array element", "expected colon after object key", "not at beginning of value":
			counted = d.offset // these count all bytes
		}
		return movedError(err, counted)
	}
	if !onV2 {
		// The first version counts the white space before a value where it says where an error is, but not a comma or a colon.
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
	offset := d.offset
	if !onV2 {
		d.seen.forget(d.std.InputOffset())
	}
	t, err := d.std.Token()
	if e, ok := err.(*json.UnmarshalTypeError); ok && onV2 {
		e.Offset += offset // of a number; it is another error each time
	} else if err != nil {
		err = movedError(err, offset)
	}
	return t, err
}

// More reports whether there is another element in the array or object that is being read by Token, or another value in the stream.
func (d *Decoder) More() bool {
	for i := d.pos; d.std == nil; {
		if i < len(d.buf) {
			switch d.buf[i] {
			case ' ', '\t', '\n', '\r':
				i++
			case '{', '[':
				d.pos = i
				return true
			default:
				d.leave(nil)
			}
			continue
		}
		i -= d.pos
		if err := d.read(); err != nil {
			d.leave(err)
		}
		i += d.pos
	}
	return d.std.More()
}

// Buffered returns what was read and not decoded yet. It is valid until the next call of Decode, Token or More.
func (d *Decoder) Buffered() io.Reader {
	if d.std == nil {
		return bytes.NewReader(d.buf[d.pos:])
	}
	rest := *d.rest
	return io.MultiReader(d.std.Buffered(), &rest)
}

// InputOffset returns the offset in the stream, in bytes, of the end of the value or token that was returned last.
func (d *Decoder) InputOffset() int64 {
	if d.std == nil {
		return d.offset + int64(d.pos)
	}
	return d.offset + d.std.InputOffset()
}

// leave leaves what follows to encoding/json. err is that of r, if there was one.
func (d *Decoder) leave(err error) {
	if d.std != nil {
		return
	}
	d.rest = bytes.NewReader(d.buf[d.pos:])
	r := io.MultiReader(d.rest, &failing{err}, d.r)
	if d.seen = (&recorder{r: r}); onV2 {
		d.std = json.NewDecoder(r)
	} else {
		d.std = json.NewDecoder(d.seen)
	}
	d.offset += int64(d.pos)
	if d.opt.UseNumber {
		d.std.UseNumber()
	}
	if d.opt.DisallowUnknownFields {
		d.std.DisallowUnknownFields()
	}
}

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

// forget forgets what was read before the offset, when that is more than the rest: so it moves no more bytes than are read.
func (r *recorder) forget(offset int64) {
	if n := int(offset - r.offset); n > len(r.buf)/2 {
		r.buf = r.buf[:copy(r.buf, r.buf[n:])]
		r.offset = offset
	}
}

// until returns what was read from one offset up to another, and may forget what was before. The bytes are valid until the next Read.
func (r *recorder) until(from, to int64) []byte {
	r.forget(from)
	return r.buf[from-r.offset : to-r.offset]
}

// A failing returns its error once, if it has one, and from then on nothing.
type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) {
	err := f.err
	if f.err = io.EOF; err == nil {
		err = io.EOF
	}
	return 0, err
}

// movedError returns err, which says an offset that does not count the n bytes before.
func movedError(err error, n int64) error {
	e, ok := err.(*json.SyntaxError)
	if !ok {
		return err
	}
	moved := *e // which encoding/json returns again
	moved.Offset += n
	return &moved
}

// minRead is how much room there is at least for what is read.
const minRead = 512

// read reads more of the stream. It returns an error if there is no more.
func (d *Decoder) read() error {
	if d.pos > 0 {
		d.offset += int64(d.pos)
		d.buf = d.buf[:copy(d.buf, d.buf[d.pos:])]
		d.pos = 0
	}
	if cap(d.buf)-len(d.buf) < minRead {
		d.buf = append(make([]byte, 0, 2*cap(d.buf)+minRead), d.buf...)
	}
	n, err := d.r.Read(d.buf[len(d.buf):cap(d.buf)])
	d.buf = d.buf[:len(d.buf)+n]
	if n > 0 && err != nil {
		// The bytes come first.
		d.r = io.MultiReader(&failing{err}, d.r)
		return nil
	}
	return err
}

// find returns where the next value is in buf, if it is an array or an object whose brackets match. The first version of encoding/json counts white space before
// the value as a part of it. It returns -1 if encoding/json is to look.
func (d *Decoder) find() (start, end int) {
	depth, inString := 0, false
	for i := d.pos; ; {
		for i < len(d.buf) {
			c := d.buf[i]
			if inString {
				n := bytes.IndexByte(d.buf[i:], '"')
				if n < 0 {
					i = len(d.buf)
					break
				}
				i += n + 1
				// The quote ends the string unless there is an odd number of backslashes before it.
				j := i - 2
				for d.buf[j] == '\\' {
					j--
				}
				inString = (i-2-j)&1 == 1
				continue
			}
			i++
			switch c {
			case '"':
				if depth == 0 {
					return -1, 0
				}
				inString = true
			case '{', '[':
				if depth == 0 {
					start = i - 1
				}
				depth++
			case '}', ']':
				if depth--; depth > 0 {
					continue
				}
				if depth < 0 {
					return -1, 0
				}
				if !onV2 {
					start = d.pos
				}
				return start, i
			case ' ', '\t', '\n', '\r':
			default:
				if depth == 0 {
					return -1, 0
				}
			}
		}
		pos := d.pos
		err := d.read()
		i -= pos - d.pos
		start -= pos - d.pos
		if err != nil {
			d.leave(err)
			return -1, 0
		}
	}
}
