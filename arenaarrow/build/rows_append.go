package build

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
)

// through returns what appends a member to b. The appender is called with the place of the first
// field of the path.
func (e *problem) through(path []step, b Builder, name string) appender {
	first := path[0].typ
	if len(path) == 1 {
		return e.appender(first, b, name)
	}
	rest := e.through(path[1:], b, name)
	offset := path[1].offset
	if first.Kind() != reflect.Pointer {
		return func(p pointer, stride uintptr, n int) { rest(at(p, offset), stride, n) }
	}
	return pointers(b, func(p pointer, stride uintptr, n int) { rest(at(p, offset), stride, n) })
}

// pointers returns what appends nulls for nil, and otherwise what they lead to.
func pointers(b Builder, to appender) appender {
	return func(p pointer, stride uintptr, n int) {
		for i := range n {
			if q := load[pointer](at(p, uintptr(i)*stride)); q != nil {
				to(q, 0, 1)
			} else {
				b.AppendNull()
			}
		}
	}
}

// appender returns what appends values of a type to the builder of its type in Arrow.
func (e *problem) appender(t reflect.Type, b Builder, name string) appender {
	if t.Kind() == reflect.Pointer {
		return pointers(b, e.appender(t.Elem(), b, name))
	}
	switch b := b.(type) {
	case *Bools:
		return func(p pointer, stride uintptr, n int) {
			b.Reserve(n)
			for i := range n {
				b.Append(load[bool](at(p, uintptr(i)*stride)))
			}
		}
	case *Text:
		return text(t, b, b.Append, b.AppendBytes)
	case *TextDictionary:
		return text(t, b, b.Append, b.AppendBytes)
	case *Struct:
		return e.structs(t, b, name)
	case *List:
		return e.lists(t, b, name)
	case *Map:
		return e.maps(t, b, name)
	case numbers:
		switch {
		case t == reflect.TypeFor[time.Time]():
			return e.times(b, name)
		case t.Kind() == reflect.Int:
			return converted(b, func(n int) int64 { return int64(n) })
		case t.Kind() == reflect.Uint:
			return converted(b, func(n uint) uint64 { return uint64(n) })
		}
		switch d := valuesOf(b).(type) {
		case *arrow.Decimal32Type:
			return fitting[decimal.Decimal32](e, b, d, name)
		case *arrow.Decimal64Type:
			return fitting[decimal.Decimal64](e, b, d, name)
		case *arrow.Decimal128Type:
			return fitting[decimal128.Num](e, b, d, name)
		case *arrow.Decimal256Type:
			return fitting[decimal256.Num](e, b, d, name)
		}
		return b.same()
	}
	panic(fmt.Sprintf("build: %v in the column %s has no appender", t, name)) // typeOf has an error for it.
}

// valuesOf returns the type of the values of b, which are in a dictionary or not.
func valuesOf(b Builder) arrow.DataType {
	dtype := storage(b.DataType())
	if d, ok := dtype.(*arrow.DictionaryType); ok {
		return d.ValueType
	}
	return dtype
}

// fitting returns an appender of decimals. It reports a problem for decimals with more digits than
// the type has.
func fitting[T interface {
	decimal.Decimal32 | decimal.Decimal64 | decimal128.Num | decimal256.Num
	FitsInPrecision(int32) bool
	Abs() T
	Sign() int
	ToString(int32) string
}](e *problem, b Builder, of arrow.DecimalType, name string) appender {
	digits := of.GetPrecision()
	return converted(b, func(v T) T {
		if !v.FitsInPrecision(digits) || v.Abs().Sign() < 0 { // The least number has no absolute value, so it seems to fit.
			e.is(name, fmt.Errorf("%s does not fit into %v", v.ToString(of.GetScale()), of))
		}
		return v
	})
}

// numbers is a Column or a Dictionary.
type numbers interface {
	Builder
	same() appender
}

// same returns what appends values that are in rows what they are in Arrow.
func (c *Column[T]) same() appender {
	return func(p pointer, stride uintptr, n int) {
		c.Reserve(n)
		values := c.values
		for i := range n {
			values = append(values, load[T](at(p, uintptr(i)*stride)))
		}
		c.values = values
	}
}

// same is same of a Column.
func (d *Dictionary[T]) same() appender { return each(d.Append) }

// converted returns what appends values that are something else in rows.
func converted[V any, T arrow.FixedWidthType](b Builder, convert func(V) T) appender {
	one := b.(interface{ Append(T) })
	return each(func(v V) { one.Append(convert(v)) })
}

// each returns what appends values one by one.
func each[V any](one func(V)) appender {
	return func(p pointer, stride uintptr, n int) {
		for i := range n {
			one(load[V](at(p, uintptr(i)*stride)))
		}
	}
}

func text(t reflect.Type, b Builder, one func(string), bytes func([]byte)) appender {
	if t.Kind() == reflect.String {
		return func(p pointer, stride uintptr, n int) {
			b.Reserve(n)
			for i := range n {
				one(load[string](at(p, uintptr(i)*stride)))
			}
		}
	}
	return each(func(v []byte) {
		if v == nil {
			b.AppendNull()
		} else {
			bytes(v)
		}
	})
}

func (e *problem) times(b Builder, name string) appender {
	switch valuesOf(b).ID() {
	case arrow.DATE32:
		return converted(b, arrow.Date32FromTime)
	case arrow.DATE64:
		return converted(b, arrow.Date64FromTime)
	case arrow.TIME32:
		return converted(b, func(t time.Time) arrow.Time32 { return arrow.Time32(sinceMidnight(t) / time.Millisecond) })
	case arrow.TIME64:
		return converted(b, func(t time.Time) arrow.Time64 { return arrow.Time64(sinceMidnight(t)) })
	}
	return converted(b, func(t time.Time) arrow.Timestamp {
		v, err := arrow.TimestampFromTime(t, arrow.Nanosecond)
		if err != nil {
			e.is(name, fmt.Errorf("%v: %w", t, err))
		}
		return v
	})
}

func sinceMidnight(t time.Time) time.Duration {
	h, m, s := t.UTC().Clock()
	return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s)*time.Second + time.Duration(t.Nanosecond())
}

func (e *problem) structs(t reflect.Type, b *Struct, name string) appender {
	all, _ := members(t) // typeOf has returned its error.
	columns := make([]column, len(all))
	for i, m := range all {
		columns[i] = column{m.path[0].offset, e.through(m.path, b.FieldBuilder(i), name+"."+m.name)}
	}
	return func(p pointer, stride uintptr, n int) {
		for _, c := range columns {
			c.append(at(p, c.offset), stride, n)
		}
		b.length += n
	}
}

func (e *problem) lists(t reflect.Type, b *List, name string) appender {
	size, values := t.Elem().Size(), e.appender(t.Elem(), b.ValueBuilder(), name+"[]")
	if t.Kind() == reflect.Array {
		length := t.Len()
		return func(p pointer, stride uintptr, n int) {
			for i := range n {
				b.Append(true)
				values(at(p, uintptr(i)*stride), size, length)
			}
		}
	}
	return func(p pointer, stride uintptr, n int) {
		b.Reserve(n)
		for i := range n {
			first, length, ok := elements(at(p, uintptr(i)*stride))
			if b.Append(ok); length > 0 {
				values(first, size, length)
			}
		}
	}
}

func (e *problem) maps(t reflect.Type, b *Map, name string) appender {
	keys, items := e.appender(t.Key(), b.KeyBuilder(), name+"[key]"), e.appender(t.Elem(), b.ItemBuilder(), name+"[item]")
	key, item := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
	k, v := pointerTo(key), pointerTo(item)
	return func(p pointer, stride uintptr, n int) {
		for i := range n {
			m := valueAt(t, at(p, uintptr(i)*stride))
			b.Append(!m.IsNil())
			for entry := m.MapRange(); entry.Next(); {
				key.SetIterKey(entry)
				item.SetIterValue(entry)
				if keys(k, 0, 1); b.KeyBuilder().NullN() > 0 {
					e.is(name, errors.New("a key that is nil; Arrow has none"))
				}
				items(v, 0, 1)
			}
		}
		key.SetZero()
		item.SetZero()
	}
}
