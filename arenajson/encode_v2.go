package arenajson

import (
	"errors"
	"reflect"

	"github.com/arena-go/arena/internal/jsonwire"
)

// begin prepares e for a value that is encoded with the option V2, or without it after one with it.
func (e *encoder) begin(v2 bool) error {
	if e.v2 != v2 {
		e.v2 = v2
		clear(e.seen[:]) // with plans
	}
	if v2 {
		if !hasV2 {
			return errNoV2
		}
		e.style, e.names = jsonwire.Plain, 1
	}
	return nil
}

// stdV2 is std with the option V2. After an error encoding/json/v2 encodes the whole value anew.
func (e *encoder) stdV2(b []byte, v any) []byte {
	text, err := marshalV2(v)
	if err == nil && len(text)+e.depth > jsonwire.MaxNesting && jsonwire.EndOfValue(text, 0, jsonwire.MaxNesting-e.depth) < 0 {
		err = errors.ErrUnsupported // nested too deeply; the error of the whole value says so
	}
	if err != nil {
		e.err = err
		return b
	}
	return append(b, text...)
}

// methodV2 makes p if its type has a method, which encoding/json/v2 calls with the option V2.
func (m planMaker) methodV2(p *encodePlan) bool {
	t := p.typ
	switch {
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface:
	case p.has(implementing[MarshalerArena]) && !p.has(marshalerTo):
		p.op = opArenaMarshaler
	case t == durationType || hasMarshalers(reflect.PointerTo(t)):
		p.op = opStd
	}
	return p.op != opNone
}

// omitEmptyV2 says when a field of type t is empty, and whether its text may show that, too.
func omitEmptyV2(t reflect.Type) (op omitOp, clear bool) {
	if t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface && hasMarshalers(reflect.PointerTo(t)) {
		return omitNever, true
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface:
		return omitPointer, true
	case reflect.String, reflect.Slice, reflect.Map, reflect.Array:
		return omitEmptyOf(t), false
	case reflect.Struct:
		return omitNever, true
	}
	return omitNever, false
}

// clear appends the value at p of a field, or removes the key that it has appended if the value is
// empty.
func (e *encoder) clear(b []byte, f *encodeField, p pointer) []byte {
	start := len(b)
	b = e.value(b, f.plan, p)
	switch string(b[start:]) {
	case "null", `""`, "{}", "[]":
		b = b[:start-int(f.length)]
	}
	return b
}
