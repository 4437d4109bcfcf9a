package build

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/float16"
)

// A ReadError says what is wrong in a text that a [JSONReader] or a [CSVReader] reads, and where.
type ReadError struct {
	Line, Column int    // Where the value begins, in lines and bytes, from 1 on.
	Name         string // The column of the batch, or the path to a value in it; empty where it is not about one.
	Err          error
}

func (e *ReadError) Error() string {
	name := ""
	if e.Name != "" {
		name = ": the column " + e.Name
	}
	return fmt.Sprintf("build: line %d, column %d%s: %v", e.Line, e.Column, name, e.Err)
}

func (e *ReadError) Unwrap() error { return e.Err }

// A parser appends the value that a text is. It keeps no part of the text, but in an error.
type parser func(s string) error

// parse appends the value that b is, which no object is made of. Only an error may keep the text, so that is made of a copy.
func (p parser) parse(b []byte) error {
	if p(view(b)) == nil {
		return nil
	}
	return p(string(b))
}

// parserOf returns that for a builder of a type that has no parts, or nil. Texts in JSON may also be numbers where a number is meant that has
// another form in CSV: that is what Arrow's readers do.
func parserOf(b Builder, json bool) parser {
	dtype := storage(b.DataType())
	if d, ok := dtype.(*arrow.DictionaryType); ok {
		dtype = storage(d.ValueType)
	}
	switch b := b.(type) {
	case *Bools:
		return func(s string) error {
			v, err := strconv.ParseBool(s)
			if err != nil {
				return reason(err)
			}
			b.Append(v)
			return nil
		}
	case *Text:
		return textParser(dtype, b.Append, b.AppendBytes)
	case *TextDictionary:
		return textParser(dtype, b.Append, b.AppendBytes)
	case numbers:
		return numberParser(dtype, b, json)
	}
	return nil
}

func textParser(dtype arrow.DataType, text func(string), bytes func([]byte)) parser {
	width := -1
	switch t := dtype.(type) {
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return func(s string) error {
			text(s)
			return nil
		}
	case *arrow.FixedSizeBinaryType:
		width = t.ByteWidth
	}
	var all []byte
	return func(s string) (err error) {
		if all, err = base64.StdEncoding.AppendDecode(all[:0], []byte(s)); err != nil {
			return err
		}
		if width >= 0 && len(all) != width {
			return fmt.Errorf("%d bytes, where values have %d", len(all), width)
		}
		bytes(all)
		return nil
	}
}

// reason returns err without the name of the function, and the text, which strconv puts before it.
func reason(err error) error {
	if e := (*strconv.NumError)(nil); errors.As(err, &e) {
		return fmt.Errorf("%q: %w", e.Num, e.Err)
	}
	return err
}

// parses returns what appends the results of parse.
func parses[T arrow.FixedWidthType](b Builder, parse func(s string) (T, error)) parser {
	to := b.(interface{ Append(T) })
	return func(s string) error {
		v, err := parse(s)
		if err != nil {
			return reason(err) // It allocates.
		}
		to.Append(v)
		return nil
	}
}

func signed[T int8 | int16 | int32 | int64](b Builder, bits int, json bool) parser {
	return parses(b, func(s string) (T, error) {
		v, err := strconv.ParseInt(s, 10, bits)
		if err != nil && json { // 1e3 and 2.0 are whole numbers.
			most := math.Ldexp(1, bits-1)
			if f, ok := wholeFloat(s); ok && f >= -most && f < most {
				return T(f), nil
			}
		}
		return T(v), err
	})
}

func unsigned[T uint8 | uint16 | uint32 | uint64](b Builder, bits int, json bool) parser {
	return parses(b, func(s string) (T, error) {
		v, err := strconv.ParseUint(s, 10, bits)
		if err != nil && json {
			if f, ok := wholeFloat(s); ok && f >= 0 && f < math.Ldexp(1, bits) {
				return T(f), nil
			}
		}
		return T(v), err
	})
}

// wholeFloat returns a whole number that s is in another form, such as 1e3. Beyond 2^53 each float64 is a whole number, whatever the text was, so that is not one.
func wholeFloat(s string) (f float64, ok bool) {
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53
}

// whole returns parse, or in JSON what takes a whole number as it is stored, too.
func whole[T ~int32 | ~int64](bits int, json bool, parse func(s string) (T, error)) func(s string) (T, error) {
	if !json {
		return parse
	}
	return func(s string) (T, error) {
		if isWhole(s) {
			if v, err := strconv.ParseInt(s, 10, bits); err == nil {
				return T(v), nil
			}
		}
		return parse(s)
	}
}

// isWhole tells whether s has the form that strconv.ParseInt takes, whose error is two objects.
func isWhole(s string) bool {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	return isDigits(s)
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// exponents are what an exponent of big.ParseFloat begins with.
const exponents = "eEpP"

// isDecimal tells whether s has the form of a number that big.ParseFloat takes. These are more than JSON has: +.5 and 007. are some.
func isDecimal(s string) bool {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	if i := strings.IndexAny(s, exponents); i >= 0 {
		if !isWhole(s[i+1:]) {
			return false
		}
		s = s[:i]
	}
	left, right, _ := strings.Cut(s, ".")
	return (left == "" || isDigits(left)) && (right == "" || isDigits(right)) && len(left)+len(right) > 0
}

// decimals is parses for the functions of arrow-go, which panic for what is no number, and take gigabytes for large exponents.
func decimals[T arrow.FixedWidthType](b Builder, precision, scale int32, parse func(string, int32, int32) (T, error)) parser {
	return parses(b, func(s string) (v T, err error) {
		if !isDecimal(s) {
			return v, &strconv.NumError{Num: s, Err: strconv.ErrSyntax}
		}
		if i := strings.IndexAny(s, exponents); i >= 0 {
			if n, err := strconv.Atoi(s[i+1:]); err != nil || max(n, -n) > 1000 {
				return v, &strconv.NumError{Num: s, Err: strconv.ErrRange}
			}
		}
		return parse(s, precision, scale)
	})
}

// duration takes a number of units, with their name behind it or not, and durations as Go writes them.
func duration(s string, unit arrow.TimeUnit) (arrow.Duration, error) {
	n, err := strconv.ParseInt(strings.TrimSuffix(s, unit.String()), 10, 64)
	if err == nil {
		return arrow.Duration(n), nil
	}
	d, err := time.ParseDuration(s)
	return arrow.Duration(d / unit.Multiplier()), err
}

// timestamp is arrow.TimestampFromStringInLocation, which makes two objects for a layout. The usual forms have layouts that are there.
func timestamp(s string, unit arrow.TimeUnit, zone *time.Location) (v arrow.Timestamp, has bool, err error) {
	n := len(s)
	if has = n > 0 && s[n-1] == 'Z'; has {
		n--
	}
	if n == len("2006-01-02T15:04:05") || n > 20 && n <= 20+3*int(unit) && s[19] == '.' { // Units are thousandths of the ones before.
		layout := ""
		switch sep := s[10]; {
		case sep == 'T' && has:
			layout = time.RFC3339Nano
		case sep == 'T':
			layout = "2006-01-02T15:04:05.999999999"
		case sep == ' ' && has:
			layout = "2006-01-02 15:04:05.999999999Z"
		case sep == ' ':
			layout = "2006-01-02 15:04:05.999999999"
		}
		if at, err := time.Parse(layout, s); err == nil {
			v, err = arrow.TimestampFromTime(at, unit)
			return v, has, err
		}
	}
	return arrow.TimestampFromStringInLocation(s, unit, zone)
}

func day(s string) (time.Time, error) { return time.Parse("2006-01-02", s) }

// numberParser returns the parser for one of the types of a Column or a Dictionary, or nil.
func numberParser(dtype arrow.DataType, b Builder, json bool) parser {
	switch t := dtype.(type) {
	case *arrow.Int8Type:
		return signed[int8](b, 8, json)
	case *arrow.Int16Type:
		return signed[int16](b, 16, json)
	case *arrow.Int32Type:
		return signed[int32](b, 32, json)
	case *arrow.Int64Type:
		return signed[int64](b, 64, json)
	case *arrow.DurationType:
		return parses(b, func(s string) (arrow.Duration, error) { return duration(s, t.Unit) })
	case *arrow.Uint8Type:
		return unsigned[uint8](b, 8, json)
	case *arrow.Uint16Type:
		return unsigned[uint16](b, 16, json)
	case *arrow.Uint32Type:
		return unsigned[uint32](b, 32, json)
	case *arrow.Uint64Type:
		return unsigned[uint64](b, 64, json)
	case *arrow.Float16Type:
		return parses(b, func(s string) (float16.Num, error) {
			v, err := strconv.ParseFloat(s, 32)
			return float16.New(float32(v)), err
		})
	case *arrow.Float32Type:
		return parses(b, func(s string) (float32, error) {
			v, err := strconv.ParseFloat(s, 32)
			return float32(v), err
		})
	case *arrow.Float64Type:
		return parses(b, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
	case *arrow.Date32Type:
		return parses(b, whole(32, json, func(s string) (arrow.Date32, error) {
			v, err := day(s)
			return arrow.Date32FromTime(v), err
		}))
	case *arrow.Date64Type:
		return parses(b, whole(64, json, func(s string) (arrow.Date64, error) {
			v, err := day(s)
			return arrow.Date64FromTime(v), err
		}))
	case *arrow.Time32Type:
		return parses(b, whole(32, json, func(s string) (arrow.Time32, error) { return arrow.Time32FromString(s, t.Unit) }))
	case *arrow.Time64Type:
		return parses(b, whole(64, json, func(s string) (arrow.Time64, error) { return arrow.Time64FromString(s, t.Unit) }))
	case *arrow.TimestampType:
		zone, err := t.GetZone()
		return parses(b, whole(64, true, func(s string) (arrow.Timestamp, error) { // Arrow takes whole numbers in CSV, too.
			if err != nil {
				return 0, err
			}
			v, has, err := timestamp(s, t.Unit, zone)
			if err == nil && has != (t.TimeZone != "") {
				err = fmt.Errorf("%q has a zone, or has none, other than %v", s, t)
			}
			return v, err
		}))
	case *arrow.Decimal32Type:
		return decimals(b, t.Precision, t.Scale, decimal.Decimal32FromString)
	case *arrow.Decimal64Type:
		return decimals(b, t.Precision, t.Scale, decimal.Decimal64FromString)
	case *arrow.Decimal128Type:
		return decimals(b, t.Precision, t.Scale, decimal128.FromString)
	case *arrow.Decimal256Type:
		return decimals(b, t.Precision, t.Scale, decimal256.FromString)
	}
	return nil
}
