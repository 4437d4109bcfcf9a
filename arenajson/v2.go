//go:build go1.27 && (goexperiment.jsonv2 || go1.29)

package arenajson

import (
	stdjson "encoding/json"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"reflect"
	"strconv"
)

// hasV2 says whether the option V2 can be had.
const hasV2 = true

// stdV2 is what encoding/json/v2 makes of data.
func (o UnmarshalOptions) stdV2(data []byte, v any) error {
	if o == (UnmarshalOptions{V2: true, CaseSensitiveNames: true}) {
		return json.Unmarshal(data, v)
	}
	options := []json.Options{json.RejectUnknownMembers(o.DisallowUnknownFields)}
	if o.UseNumber || o.PreserveInts {
		options = append(options, json.WithUnmarshalers(json.UnmarshalFromFunc(o.number)))
	}
	return json.Unmarshal(data, v, options...)
}

// number decodes a number into an interface, as UseNumber and PreserveInts say.
func (o UnmarshalOptions) number(d *jsontext.Decoder, v *any) error {
	if *v != nil || d.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	text, err := d.ReadValue()
	if err != nil {
		return err
	}
	if o.UseNumber {
		*v = stdjson.Number(text)
		return nil
	}
	if i, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		*v = i
		return nil
	}
	var f float64
	err = json.Unmarshal(text, &f)
	*v = f
	return err
}

// marshalV2 returns what encoding/json/v2 makes of v.
func marshalV2(v any) ([]byte, error) { return json.Marshal(v, json.Deterministic(true)) }

// takesV2 tells whether encoding/json/v2 takes the struct type t, as far as that can be asked
// without calling a method of it.
func takesV2(t reflect.Type) bool {
	for _, has := range decodeMethods {
		if has(reflect.PointerTo(t)) {
			return false
		}
	}
	return json.Unmarshal([]byte("{}"), reflect.New(t).Interface()) == nil
}

// isSyntaxV2 tells whether err says that a document is no JSON, or has an object with the same name
// twice.
func isSyntaxV2(err error) bool {
	_, ok := errors.AsType[*jsontext.SyntacticError](err)
	return ok
}
