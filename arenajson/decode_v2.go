package arenajson

import (
	"bytes"
	"encoding/base64"
	"errors"
	"reflect"
	"strings"
	"time"

	"github.com/arena-go/arena/internal/jsonwire"
)

// The option V2 has plans of its own. What a plan decodes is what encoding/json/v2 makes of a
// document without errors in a value that is zero. All else is left to it: a value of a type that
// the plans do not know, and a document that has an error, or whose value is not zero.

// errNoV2 is what the option V2 comes to where it cannot be had.
var errNoV2 = errors.New("arenajson: V2 needs encoding/json/v2; build the program with Go 1.27 or later, and without GOEXPERIMENT=nojsonv2")

var (
	uint8Type    = reflect.TypeFor[uint8]()
	durationType = reflect.TypeFor[time.Duration]()
)

// decodeV2 is decode with the option V2. Names that an object has twice are an error. For that maps
// are counted, and the fields of a struct are expected in their order: only where that does not
// hold, and where something is not decoded here, each name is looked at.
func (d *decoder) decodeV2(p *rootPlan, rv reflect.Value, v any, fresh bool) error {
	to := addressOf(rv)
	d.opt.CaseSensitiveNames = true // where nothing else is said
	if fresh {
		d.begin(p)
		if d.first && !d.limited {
			p.learned.expect(d)
		}
		if invalidUTF8(d.text, d.input) < 0 && d.isEnd(d.value(p.plan, to, d.text.Space(0))) && d.err == nil && !(d.doubt && hasNamesakes(d.input)) {
			return nil
		}
		rv.Elem().SetZero()
	} else {
		d.maps.forget()
	}
	d.root = nil // nothing is learned of the document
	d.lend(d.size)
	return d.opt.stdV2(d.input, v)
}

// hasNamesakes tells whether an object of a document has a name twice.
func hasNamesakes(data []byte) bool {
	text := takeText(len(data) + jsonwire.Pad)
	defer giveText(text)
	clear(text[copy(text, data) : len(data)+jsonwire.Pad])
	n := namesakes{text: jsonwire.TextOf(text[:len(data)+jsonwire.Pad])}
	return n.value(n.text.Space(0)) < 0
}

// doubtful notes that nobody looks at the names of objects in the value from i to end.
func (d *decoder) doubtful(i, end int) {
	if end >= 0 && bytes.IndexByte(d.text.Bytes(i, end), '{') >= 0 {
		d.doubt = true
	}
}

// follows tells whether f is behind the field before, or the first one, in the order of the
// declaration. No name of no field is.
func (f *fieldPlan) follows(before *fieldPlan) bool {
	return f.name != nil && (before.name == nil || f.name.rank > before.name.rank)
}

// kindV2 makes p the plan of a type that the option V2 has another one for, or reports false.
func (pl planner) kindV2(p *plan) bool {
	t := p.typ
	if !pl.v2 {
		return false
	}
	switch {
	case t == durationType:
		return true
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && t.Elem() != uint8Type:
		p.op, p.elem, p.slab, p.learned = intoSlice, pl.plan(t.Elem()), slabFor(t.Elem()), new(learnedSlice)
		return true
	case t.Kind() == reflect.Array && t.Elem() == uint8Type:
		p.op, p.len = intoBase64, t.Len()
		return true
	}
	return false
}

// base64Array decodes a string with as many bytes as an array has.
func (d *decoder) base64Array(p *plan, to pointer, i int) int {
	if d.text.Char(i) != '"' {
		return -1
	}
	b, end := d.base64Text(p, i+1)
	if end < 0 || len(b) != base64.StdEncoding.EncodedLen(p.len) {
		return -1
	}
	var few [64]byte
	b, err := base64.StdEncoding.AppendDecode(few[:0], b)
	if err != nil || len(b) != p.len {
		return -1
	}
	copy(valueAt(p.typ, to).Bytes(), b)
	return end
}

// isStrictTime tells whether b, which is null or a string that package time takes for a time, is
// one by RFC 3339: that package also takes hours of one digit, a comma before the fraction, and
// zones that there are not.
func isStrictTime(b []byte) bool {
	if b[0] != '"' {
		return b[0] == 'n'
	}
	if b = b[1 : len(b)-1]; len(b) < len("2006-01-02T15:04:05Z") || b[len("2006-01-02T1")] == ':' || b[len("2006-01-02T15:04:05")] == ',' {
		return false
	}
	zone := b[len(b)-len("+07:00"):]
	return b[len(b)-1] == 'Z' || string(zone[1:3]) <= "23" && string(zone[4:]) <= "59"
}

// parseTagV2 splits a tag of a struct type that encoding/json/v2 takes.
func parseTagV2(tag string) (name string, opts tagOptions, odd bool) {
	name, options, _ := strings.Cut(tag, ",")
	return name, tagOptions(options), false
}

// isNumeric tells whether t is a number without methods, or an unnamed pointer to one.
func isNumeric(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	return t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64 && t != durationType && !hasMethods(t)
}
