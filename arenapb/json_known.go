package arenapb

import (
	"bytes"
	"strconv"
	"time"

	"github.com/arena-go/arena/internal/jsonwire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// known is message for those that have a form of their own in JSON. depth is what it is for the
// messages in it.
func (d *jsonDecoder) known(p pointer, j *jsonPlan, i, depth int) int {
	if faulty {
		step()
	}
	switch j.known {
	case knownWrapper:
		f := &j.fields[0]
		return d.set(at(p, f.offset), &f.val, i, depth)
	case knownStruct:
		f := &j.fields[0]
		return d.mapping(at(p, f.offset), f, i, depth)
	case knownList:
		f := &j.fields[0]
		return d.list(at(p, f.offset), f, i, depth)
	case knownValue:
		return d.anyValue(p, j, i, depth)
	case knownEmpty:
		return d.empty(i, depth)
	}
	s, end := d.raw(i)
	if end < 0 {
		return -1
	}
	var ok bool
	switch j.known {
	case knownTimestamp, knownDuration:
		var seconds int64
		var nanos int32
		if j.known == knownTimestamp {
			seconds, nanos, ok = timestamp(s)
		} else {
			seconds, nanos, ok = duration(s)
		}
		store64(at(p, j.fields[0].offset), uint64(seconds))
		store32(at(p, j.fields[1].offset), uint32(nanos))
	case knownMask:
		ok = d.mask(p, &j.fields[0], s)
	}
	if !ok {
		return -1
	}
	return end
}

// anyValue decodes the google.protobuf.Value at i into the one at p. The Struct or the ListValue in
// it does not count as nested.
func (d *jsonDecoder) anyValue(p pointer, j *jsonPlan, i, depth int) int {
	var f *jsonField
	b := d.text
	switch jsonwire.Char(b, i) {
	case 'n':
		f = &j.fields[0]
	case '"':
		f = &j.fields[2]
	case 't', 'f':
		f = &j.fields[3]
	case '{':
		f = &j.fields[4]
	case '[':
		f = &j.fields[5]
	default:
		f = &j.fields[1]
	}
	x := d.value(f.slab)
	*faceAt(at(p, f.offset)) = face{f.wrapper, x}
	switch f.index {
	case 0:
		return jsonwire.Word(b, i, "null")
	case 4, 5:
		sub := d.value(f.sub.slab)
		storePointer(x, sub)
		in := f.sub.json()
		if in.reason != "" {
			return d.whole(sub, f.sub, i, depth)
		}
		return d.known(sub, in, i, depth)
	}
	return d.set(x, &f.val, i, depth)
}

// empty looks through the object at i, which may have unknown fields only.
func (d *jsonDecoder) empty(i, depth int) int {
	b := d.text
	if jsonwire.Char(b, i) != '{' {
		return -1
	}
	if i = jsonwire.Space(b, i+1); jsonwire.Char(b, i) == '}' {
		return i + 1
	}
	if !d.options.DiscardUnknown {
		return -1
	}
	for again := true; again; {
		if _, i = d.name(i); i < 0 {
			return -1
		}
		if i = d.skip(i, depth); i < 0 {
			return -1
		}
		if i, again = jsonwire.Comma(b, i, '}'); i < 0 {
			return -1
		}
	}
	return i
}

// mask decodes s, paths with commas, into the field f of the FieldMask at p.
func (d *jsonDecoder) mask(p pointer, f *jsonField, s []byte) bool {
	s = bytes.TrimSpace(s)
	if len(s) == 0 {
		return true
	}
	base := len(d.strings)
	for more := true; more; {
		var path []byte
		path, s, more = bytes.Cut(s, []byte(","))
		var snake []byte
		for _, c := range path {
			if 'A' <= c && c <= 'Z' {
				snake = append(snake, '_')
				c += 'a' - 'A'
			}
			snake = append(snake, c)
		}
		if bytes.IndexByte(path, '_') >= 0 || !protoreflect.FullName(snake).IsValid() {
			return false
		}
		d.strings = append(d.strings, text(d.letters.copy(d.a, snake)))
	}
	settle(d, sliceAt[string](at(p, f.offset)), f, &d.strings, base)
	return true
}

const (
	minTimestamp = -62135596800 // 0001-01-01T00:00:00Z
	maxTimestamp = 253402300799 // 9999-12-31T23:59:59Z
	maxDuration  = 315576000000
)

// timestamp returns the time that s says, and whether protojson accepts it.
func timestamp(s []byte) (seconds int64, nanos int32, ok bool) {
	if seconds, nanos, ok = plainTimestamp(s); ok {
		return seconds, nanos, true
	}
	t, err := time.Parse(time.RFC3339Nano, string(s))
	seconds, nanos = t.Unix(), int32(t.Nanosecond())
	if err != nil || seconds < minTimestamp || seconds > maxTimestamp {
		return 0, 0, false
	}
	point, zone := bytes.LastIndexByte(s, '.'), bytes.LastIndexAny(s, "Z-+")
	return seconds, nanos, point < 0 || zone < point || zone-point <= len(".999999999")
}

// plainTimestamp is timestamp for what encoders write, such as 2026-11-23T17:18:00.123Z.
func plainTimestamp(s []byte) (seconds int64, nanos int32, ok bool) {
	const layout = "0000-00-00T00:00:00"
	n := len(s) - 1
	if n < len(layout) || s[n] != 'Z' || n > len(layout) && s[len(layout)] != '.' || n == len(layout)+1 || n > len(layout)+10 {
		return 0, 0, false
	}
	for i := range len(layout) {
		if c := s[i]; layout[i] == '0' && !jsonwire.IsDigit(c) || layout[i] != '0' && layout[i] != c {
			return 0, 0, false
		}
	}
	two := func(i int) int { return int(s[i]-'0')*10 + int(s[i+1]-'0') }
	year, month, day := two(0)*100+two(2), two(5), two(8)
	hour, minute, second := two(11), two(14), two(17)
	if year == 0 || month-1 > 11 || month == 0 || day == 0 || day > 28 && day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59 {
		return 0, 0, false
	}
	scale := int32(100_000_000)
	for _, c := range s[min(len(layout)+1, n):n] {
		if !jsonwire.IsDigit(c) {
			return 0, 0, false
		}
		nanos += int32(c-'0') * scale
		scale /= 10
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC).Unix(), nanos, true
}

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// duration returns the duration that s says, and whether protojson accepts it: digits, a point and
// up to nine digits, of all of which some may be missing, and an s.
func duration(s []byte) (seconds int64, nanos int32, ok bool) {
	number, ok := bytes.CutSuffix(s, []byte("s"))
	if !ok || len(number) == 0 {
		return 0, 0, false
	}
	negative := number[0] == '-'
	if negative || number[0] == '+' {
		number = number[1:]
	}
	whole, fraction, point := bytes.Cut(number, []byte("."))
	if len(number) == 0 || len(fraction) > 9 || jsonwire.Digits(whole, 0) != len(whole) || jsonwire.Digits(fraction, 0) != len(fraction) || len(whole) > 1 && whole[0] == '0' || len(whole) == 0 && !point {
		return 0, 0, false
	}
	if len(whole) > 0 {
		var err error
		if seconds, err = strconv.ParseInt(string(whole), 10, 64); err != nil || seconds > maxDuration {
			return 0, 0, false
		}
	}
	for i := range 9 {
		nanos *= 10
		if i < len(fraction) {
			nanos += int32(fraction[i] - '0')
		}
	}
	if negative {
		return -seconds, -nanos, true
	}
	return seconds, nanos, true
}
