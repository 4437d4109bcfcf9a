package build

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/float16"
)

// A tag is what one says about a field.
type tag struct {
	name             string
	skip, dict       bool
	view, large      bool
	temporal         string
	decimal          bool
	precision, scale int32
}

func parseTag(text string) (t tag, err error) {
	if text == "-" {
		return tag{skip: true}, nil
	}
	name, rest, _ := strings.Cut(text, ",")
	t.name = name
	for rest != "" {
		var option string
		if end := strings.IndexByte(rest, ')'); strings.HasPrefix(strings.TrimSpace(rest), "decimal(") && end >= 0 {
			option, rest = rest[:end+1], strings.TrimPrefix(rest[end+1:], ",")
		} else {
			option, rest, _ = strings.Cut(rest, ",")
		}
		switch option = strings.TrimSpace(option); option {
		case "dict":
			t.dict = true
		case "view":
			t.view = true
		case "large":
			t.large = true
		case "timestamp", "date32", "date64", "time32", "time64":
			t.temporal = option
		default:
			args, ok := strings.CutPrefix(option, "decimal(")
			p, s, comma := strings.Cut(strings.TrimSuffix(args, ")"), ",")
			precision, err1 := strconv.ParseInt(strings.TrimSpace(p), 10, 16)
			scale, err2 := strconv.ParseInt(strings.TrimSpace(s), 10, 16)
			if !ok || !comma || err1 != nil || err2 != nil {
				return t, fmt.Errorf("a tag with the option %q; there are dict, view, large, timestamp, date32, date64, time32, time64, decimal(precision,scale)", option)
			}
			t.decimal, t.precision, t.scale = true, int32(precision), int32(scale)
		}
	}
	if t.dict && t.view {
		return t, fmt.Errorf("a tag with both dict and view")
	}
	return t, nil
}

// A step leads from a value to a field of it.
type step struct {
	offset uintptr
	typ    reflect.Type // of the field
}

// A member is a column of a struct: a field, or one of an embedded struct.
type member struct {
	name   string
	path   []step
	tag    tag
	tagged bool
}

// members returns the members of a struct. Of members with the same name it returns the least
// deeply embedded member, or the member with a tag, or none.
func members(t reflect.Type) (all []member, err error) {
	if all, err = candidates(t, nil, nil); err != nil {
		return nil, err
	}
	best := func(m member) bool {
		for _, o := range all {
			if o.name != m.name || len(o.path) > len(m.path) || slices.Equal(o.path, m.path) {
				continue
			}
			if len(o.path) < len(m.path) || o.tagged || !m.tagged {
				return false
			}
		}
		return true
	}
	var chosen []member
	for _, m := range all {
		if best(m) {
			chosen = append(chosen, m)
		}
	}
	slices.SortStableFunc(chosen, func(a, b member) int { return len(a.path) - len(b.path) }) // as arreflect has them
	return chosen, nil
}

func candidates(t reflect.Type, path []step, within []reflect.Type) (all []member, err error) {
	for i := range t.NumField() {
		f := t.Field(i)
		text, has := f.Tag.Lookup("arrow")
		options, err := parseTag(text)
		if options.skip || !f.IsExported() && !f.Anonymous {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf(".%s: %w", f.Name, err)
		}
		next := append(slices.Clone(path), step{f.Offset, f.Type})
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if f.Anonymous && !has && inner.Kind() == reflect.Struct && scalarOf(inner, tag{}) == nil {
			if inner == t || slices.Contains(within, inner) {
				continue // Its fields are there already, less deeply.
			}
			embedded, err := candidates(inner, next, append(within, t))
			if err != nil {
				return nil, fmt.Errorf(".%s%w", f.Name, err)
			}
			all = append(all, embedded...)
		} else if f.IsExported() {
			m := member{name: options.name, path: next, tag: options, tagged: options.name != ""}
			if m.name == "" {
				m.name = f.Name
			}
			all = append(all, m)
		}
	}
	return all, nil
}

var errWithin = errors.New(" is within itself, for which Arrow has no type")

// structOf returns the fields of a struct in Arrow, and the members that they are.
func structOf(t reflect.Type, outer tag, within []reflect.Type) (fields []arrow.Field, all []member, err error) {
	if slices.Contains(within, t) {
		return nil, nil, errWithin
	}
	if all, err = members(t); err != nil {
		return nil, nil, err
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf(" has no exported fields")
	}
	for _, m := range all {
		m.tag.view, m.tag.large = m.tag.view || outer.view, m.tag.large || outer.large
		last := m.path[len(m.path)-1].typ
		dtype, err := typeOf(last, m.tag, append(within, t))
		if err != nil {
			return nil, nil, fmt.Errorf(".%s%w", m.name, err)
		}
		nullable := false
		for i, s := range m.path {
			kind := s.typ.Kind()
			nullable = nullable || kind == reflect.Pointer || i == len(m.path)-1 && (kind == reflect.Slice || kind == reflect.Map)
		}
		fields = append(fields, arrow.Field{Name: m.name, Type: dtype, Nullable: nullable})
	}
	return fields, all, nil
}

// typeOf returns the type in Arrow of a type in Go.
func typeOf(t reflect.Type, g tag, within []reflect.Type) (dtype arrow.DataType, err error) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map: // structOf does it for structs.
		if slices.Contains(within, t) {
			return nil, errWithin
		}
		within = append(within, t)
	}
	if t.Kind() == reflect.Pointer {
		return typeOf(t.Elem(), g, within)
	}
	if g.temporal != "" && t != reflect.TypeFor[time.Time]() {
		return nil, fmt.Errorf(": the option %s is for time.Time, and not for %v", g.temporal, t)
	}
	elem := g
	elem.dict = false
	if dtype = scalarOf(t, g); dtype != nil {
		if d, ok := dtype.(arrow.DecimalType); ok {
			for _, digits := range []int32{d.GetPrecision(), max(d.GetScale(), -d.GetScale(), 1)} { // arrow-go cannot write larger scales.
				if _, err := arrow.NewDecimalType(d.ID(), digits, d.GetScale()); err != nil {
					return nil, fmt.Errorf(": the type %v: %w", d, err)
				}
			}
		}
		if !g.dict {
			return dtype, nil
		}
		switch dtype.ID() {
		case arrow.BOOL, arrow.DECIMAL32, arrow.DECIMAL64:
			return nil, fmt.Errorf(": Arrow has no dictionaries of %v", dtype)
		}
		return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: dtype}, nil
	}
	if g.dict {
		return nil, fmt.Errorf(": the option dict is not for %v", t)
	}
	switch t.Kind() {
	case reflect.Struct:
		fields, _, err := structOf(t, g, within)
		if err != nil {
			return nil, err
		}
		return arrow.StructOf(fields...), nil
	case reflect.Slice, reflect.Array:
		of, err := typeOf(t.Elem(), elem, within)
		switch {
		case err != nil:
			return nil, fmt.Errorf("[]%w", err)
		case t.Kind() == reflect.Array && t.Len() == 0:
			return nil, fmt.Errorf(": Arrow has no lists of fixed size 0, which %v is", t)
		case t.Kind() == reflect.Array:
			return arrow.FixedSizeListOf(int32(t.Len()), of), nil
		case g.large && g.view:
			return arrow.LargeListViewOf(of), nil
		case g.large:
			return arrow.LargeListOf(of), nil
		case g.view:
			return arrow.ListViewOf(of), nil
		}
		return arrow.ListOf(of), nil
	case reflect.Map:
		key, err := typeOf(t.Key(), elem, within)
		if err != nil {
			return nil, fmt.Errorf("[key]%w", err)
		}
		item, err := typeOf(t.Elem(), elem, within)
		if err != nil {
			return nil, fmt.Errorf("[item]%w", err)
		}
		return arrow.MapOf(key, item), nil
	}
	return nil, fmt.Errorf(": there is no type in Arrow for %v", t)
}

// scalarOf returns the type in Arrow of what has no fields and no elements, or nil.
func scalarOf(t reflect.Type, g tag) arrow.DataType {
	precision := func(p int32) (int32, int32) {
		if g.decimal {
			return g.precision, g.scale
		}
		return p, 0
	}
	switch t {
	case reflect.TypeFor[time.Time]():
		switch g.temporal {
		case "date32":
			return arrow.FixedWidthTypes.Date32
		case "date64":
			return arrow.FixedWidthTypes.Date64
		case "time32":
			return arrow.FixedWidthTypes.Time32ms
		case "time64":
			return arrow.FixedWidthTypes.Time64ns
		}
		return arrow.FixedWidthTypes.Timestamp_ns
	case reflect.TypeFor[time.Duration]():
		return arrow.FixedWidthTypes.Duration_ns
	case reflect.TypeFor[decimal.Decimal32]():
		p, s := precision(9)
		return &arrow.Decimal32Type{Precision: p, Scale: s}
	case reflect.TypeFor[decimal.Decimal64]():
		p, s := precision(18)
		return &arrow.Decimal64Type{Precision: p, Scale: s}
	case reflect.TypeFor[decimal128.Num]():
		p, s := precision(38)
		return &arrow.Decimal128Type{Precision: p, Scale: s}
	case reflect.TypeFor[decimal256.Num]():
		p, s := precision(76)
		return &arrow.Decimal256Type{Precision: p, Scale: s}
	case reflect.TypeFor[float16.Num]():
		return arrow.FixedWidthTypes.Float16
	case reflect.TypeFor[arrow.Date32]():
		return arrow.FixedWidthTypes.Date32
	case reflect.TypeFor[arrow.Date64]():
		return arrow.FixedWidthTypes.Date64
	case reflect.TypeFor[arrow.MonthInterval]():
		return arrow.FixedWidthTypes.MonthInterval
	case reflect.TypeFor[arrow.DayTimeInterval]():
		return arrow.FixedWidthTypes.DayTimeInterval
	case reflect.TypeFor[arrow.MonthDayNanoInterval]():
		return arrow.FixedWidthTypes.MonthDayNanoInterval
	}
	switch t.Kind() {
	case reflect.Bool:
		return arrow.FixedWidthTypes.Boolean
	case reflect.Int8:
		return arrow.PrimitiveTypes.Int8
	case reflect.Int16:
		return arrow.PrimitiveTypes.Int16
	case reflect.Int32:
		return arrow.PrimitiveTypes.Int32
	case reflect.Int64, reflect.Int:
		return arrow.PrimitiveTypes.Int64
	case reflect.Uint8:
		return arrow.PrimitiveTypes.Uint8
	case reflect.Uint16:
		return arrow.PrimitiveTypes.Uint16
	case reflect.Uint32:
		return arrow.PrimitiveTypes.Uint32
	case reflect.Uint64, reflect.Uint:
		return arrow.PrimitiveTypes.Uint64
	case reflect.Float32:
		return arrow.PrimitiveTypes.Float32
	case reflect.Float64:
		return arrow.PrimitiveTypes.Float64
	case reflect.String:
		switch {
		case g.view:
			return arrow.BinaryTypes.StringView
		case g.large:
			return arrow.BinaryTypes.LargeString
		}
		return arrow.BinaryTypes.String
	case reflect.Slice:
		if t.Elem() != reflect.TypeFor[byte]() {
			return nil
		}
		switch {
		case g.view:
			return arrow.BinaryTypes.BinaryView
		case g.large:
			return arrow.BinaryTypes.LargeBinary
		}
		return arrow.BinaryTypes.Binary
	}
	return nil
}
