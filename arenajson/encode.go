package arenajson

import (
	"bytes"
	"encoding/json"
	"math"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/jsonwire"
)

// Marshal returns what json.Marshal returns for v, byte for byte, in a. The bytes are valid until a
// is Reset, and nothing is behind them. Marshal(nil, v) has them on the heap.
//
// Rules and errors are encoding/json's, of the Go that the program is built with. Two things are
// added: an [ref.String] is encoded as the text that it refers to in a, and a [MarshalerArena] is
// asked instead of its MarshalJSON. What encoding/json does with a value without methods, Marshal
// does by itself. It leaves to encoding/json what is rare, and what is an error. Methods are called
// as often as encoding/json calls them, with an error, too. An error of MarshalJSONArena is
// reported as MarshalJSON's.
//
// Any number of goroutines may call Marshal at the same time, with arenas of their own, while
// nobody changes v. It panics where a method panics, and as [arena.MakeSlice] does.
func Marshal(a *arena.Arena, v any) ([]byte, error) { return MarshalOptions{}.Marshal(a, v) }

// Append is Marshal that appends to dst, which may be nil, or a slice of a that is to grow. The
// result is in a unless dst has room for it. After an error, dst is returned as it was.
func Append(a *arena.Arena, dst []byte, v any) ([]byte, error) {
	return MarshalOptions{}.Append(a, dst, v)
}

// A MarshalerArena is a json.Marshaler that can use the arena which Marshal was given. If a type
// has both methods, Marshal calls MarshalJSONArena, with the arena, or with nil for the heap. What
// it returns is used as the result of MarshalJSON would be. encoding/json does not know the method:
// the two should return the same.
type MarshalerArena interface {
	json.Marshaler
	MarshalJSONArena(a *arena.Arena) ([]byte, error)
}

// MarshalOptions say how values are encoded. The zero value is for what json.Marshal does.
type MarshalOptions struct {
	// NoEscapeHTML leaves <, > and & in strings unescaped, as Encoder.SetEscapeHTML(false) does.
	NoEscapeHTML bool

	// UnsortedMaps leaves the entries of maps in the order in which Go iterates over them, which
	// differs from time to time. Sorting takes about half of the time that a map takes. Types that
	// have methods or that are left to encoding/json are not affected.
	UnsortedMaps bool

	// If Prefix or Indent is not empty, each element begins on a new line, as with
	// json.MarshalIndent.
	Prefix, Indent string

	// V2 encodes as Marshal of package encoding/json/v2 does with its option Deterministic, with
	// its bytes and its errors. It sorts maps, unless UnsortedMaps is set. NoEscapeHTML has no
	// effect.
	//
	// encoding/json/v2 itself encodes values with methods: MarshalJSONTo gets an encoder of its
	// value alone. If the value has an error, encoding/json/v2 encodes all of it once more: methods
	// are called twice then.
	//
	// V2 needs Go 1.27 or later, and no GOEXPERIMENT=nojsonv2. Otherwise each call returns an
	// error.
	V2 bool
}

// Marshal is the function [Marshal] with options.
func (o MarshalOptions) Marshal(a *arena.Arena, v any) ([]byte, error) {
	e := getEncoder()
	b, err := e.encode(a, v, o)
	if err == nil {
		if a == nil {
			out := make([]byte, len(b))
			copy(out, b)
			b = out
		} else {
			b = arena.Bytes(a, b)
		}
	}
	e.put()
	return b, err
}

// Append is the function [Append] with options.
func (o MarshalOptions) Append(a *arena.Arena, dst []byte, v any) ([]byte, error) {
	e := getEncoder()
	b, err := e.encode(a, v, o)
	if err == nil {
		dst = arena.Append(a, dst, b...)
	}
	e.put()
	return dst, err
}

// encode returns v in JSON, in memory of e or of the heap.
func (e *encoder) encode(a *arena.Arena, v any, o MarshalOptions) ([]byte, error) {
	e.arena, e.style, e.unsorted = a, styleOf(!o.NoEscapeHTML), o.UnsortedMaps
	e.names, e.calls = 0, 0
	if o.NoEscapeHTML {
		e.names = 1
	}
	if o.V2 || e.v2 {
		if err := e.begin(o.V2); err != nil {
			return nil, err
		}
	}
	e.root = v
	if longTexts.Load() && v != nil {
		e.expect()
	}
	b := e.any(e.buf[:0], &e.root)
	e.buf = b
	if e.err == nil && v != nil && (len(b) >= longText || longTexts.Load()) {
		e.note(len(b))
	}
	err := e.err
	switch {
	case o.V2:
		if err != nil || !utf8.Valid(b) {
			b, err = marshalV2(v)
		}
	case err != nil && e.calls == 0:
		b, err = marshalStd(v, e.style&jsonwire.HTML != 0)
	}
	if err != nil {
		return nil, err
	}
	if o.Prefix == "" && o.Indent == "" {
		return b, nil
	}
	if c, ok := jsonwire.AppendIndent(nil, b, o.Prefix, o.Indent, jsonwire.MaxNesting); ok {
		return c, nil
	}
	return nil, json.Indent(new(bytes.Buffer), b, o.Prefix, o.Indent) // which has the error
}

// styleOf returns how encoding/json writes strings.
func styleOf(escapeHTML bool) (style jsonwire.Style) {
	if escapeHTML {
		style |= jsonwire.HTML
	}
	if onV2 {
		style |= jsonwire.V2
	}
	return style
}

// marshalStd returns what encoding/json makes of v.
func marshalStd(v any, escapeHTML bool) ([]byte, error) {
	if escapeHTML {
		return json.Marshal(v)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

var encoders sync.Pool // of *encoder

func getEncoder() *encoder {
	if e, ok := encoders.Get().(*encoder); ok {
		return e
	}
	return &encoder{buf: make([]byte, 0, 512)}
}

// longTexts says that a text of at least longText bytes was encoded.
var longTexts atomic.Bool

// expect gives e as much room as the last two values of the type of root both needed, if that is
// long. A buffer that grows takes up to five times as much memory, and the collector empties the
// pool of encoders again and again. A short text after long ones pays for their room once.
func (e *encoder) expect() {
	last := e.planOf(&e.root).lengths.Load()
	if n := int(min(last>>32, last&math.MaxUint32)); n >= longText && n > cap(e.buf) {
		e.buf = make([]byte, 0, n+n/8)
	}
}

// note notes how long the text of root is, unless it is short and follows short ones.
func (e *encoder) note(n int) {
	p := &e.planOf(&e.root).lengths
	last := p.Load()
	if n < longText && last == 0 {
		return
	}
	if n < longText {
		n = 0
	}
	p.Store(last<<32 | uint64(min(n, math.MaxInt32)))
	if !longTexts.Load() {
		longTexts.Store(true)
	}
}

const (
	// maxIdle is how large a buffer may be that is hardly used, and stays.
	maxIdle = 64 << 10

	// maxPairs is for how many entries of maps there is room that stays.
	maxPairs = 1 << 12
)

// put gives e to the next caller. It must not be called when a method has panicked: e is left to
// the collector then.
func (e *encoder) put() {
	if e.err != nil {
		*e = encoder{buf: e.buf} // where it stopped is not known
	}
	if cap(e.buf) > maxIdle && len(e.buf) < cap(e.buf)/4 {
		if e.few++; e.few == 8 {
			e.buf = nil
			e.few = 0
		}
	} else {
		e.few = 0
	}
	if cap(e.strings) > maxPairs || cap(e.anys) > maxPairs || cap(e.keys) > maxPairs || cap(e.order) > maxPairs {
		e.strings, e.anys, e.keys, e.order, e.values = nil, nil, nil, nil, nil
	}
	e.arena, e.root = nil, nil
	encoders.Put(e)
}
