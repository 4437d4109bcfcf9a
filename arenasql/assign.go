package arenasql

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/arena-go/arena"
)

// set sets v to what the driver has, as Rows.Scan does, with the same error.
func set(a *arena.Arena, v reflect.Value, f *field, x any) error {
	switch f.form {
	case formPointer:
		if x == nil {
			v.SetZero()
			return nil
		}
		v.Set(arena.NewValue(a, f.typ.Elem()))
		v = v.Elem()
	case formNull:
		if x == nil {
			v.SetZero()
			return nil
		}
		if !assign(a, v.Field(0), f.kind, x) {
			return v.Addr().Interface().(sql.Scanner).Scan(x)
		}
		v.Field(1).SetBool(true)
		return nil
	}
	if assign(a, v, f.kind, x) {
		return nil
	}
	return convert(v, x)
}

// setBytes is set for a driver that gives bytes as they are on the wire, nil for NULL.
func setBytes(a *arena.Arena, v reflect.Value, f *field, b []byte) error {
	if b == nil {
		return set(a, v, f, nil)
	}
	switch f.form {
	case formPointer:
		p := arena.NewValue(a, f.typ.Elem())
		assignBytes(a, p.Elem(), f.kind, b)
		v.Set(p)
	case formNull:
		assignBytes(a, v.Field(0), f.kind, b)
		v.Field(1).SetBool(true)
	default:
		assignBytes(a, v, f.kind, b)
	}
	return nil
}

// assign sets v, of a kind, to x. It reports false, and leaves v as it was, where that takes a rare
// conversion or is an error.
func assign(a *arena.Arena, v reflect.Value, k reflect.Kind, x any) bool {
	switch x := x.(type) {
	case []byte:
		return assignBytes(a, v, k, x)
	case int64:
		switch k {
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			if v.OverflowInt(x) {
				return false
			}
			v.SetInt(x)
			return true
		case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			if x < 0 || v.OverflowUint(uint64(x)) {
				return false
			}
			v.SetUint(uint64(x))
			return true
		}
	case float64:
		if k == reflect.Float64 {
			v.SetFloat(x)
			return true
		}
	case float32:
		if k == reflect.Float32 {
			v.SetFloat(float64(x))
			return true
		}
	case bool:
		if k == reflect.Bool {
			v.SetBool(x)
			return true
		}
	case string:
		switch {
		case k == reflect.String:
			v.SetString(x)
			return true
		case v.Type() == bytesType:
			v.SetBytes(bytesOf(a, x))
			return true
		}
		return number(v, k, x)
	case time.Time:
		if k == reflect.Struct {
			// Through the pointer, because reflect would make an object of x.
			*v.Addr().Interface().(*time.Time) = x
			return true
		}
	case nil:
		if v.Type() == bytesType {
			v.SetZero()
			return true
		}
	}
	return false
}

// assignBytes is assign for bytes, which the driver may overwrite later.
func assignBytes(a *arena.Arena, v reflect.Value, k reflect.Kind, b []byte) bool {
	switch k {
	case reflect.String:
		v.SetString(arena.String(a, b))
		return true
	case reflect.Slice:
		if b == nil {
			v.SetZero()
			return true
		}
		v.SetBytes(bytesOf(a, b))
		return true
	}
	return number(v, k, string(b)) // which is no object if it is short
}

// number sets v, of a kind, to the number that is written in s.
func number(v reflect.Value, k reflect.Kind, s string) bool {
	switch k {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(s, 10, v.Type().Bits())
		if err != nil {
			return false
		}
		v.SetInt(n)
		return true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := strconv.ParseUint(s, 10, v.Type().Bits())
		if err != nil {
			return false
		}
		v.SetUint(n)
		return true
	case reflect.Float32, reflect.Float64:
		n, err := strconv.ParseFloat(s, v.Type().Bits())
		if err != nil {
			return false
		}
		v.SetFloat(n)
		return true
	}
	return false
}

// bytesOf returns a copy of x in a, which is not nil.
func bytesOf[S ~string | ~[]byte](a *arena.Arena, x S) []byte {
	if len(x) == 0 {
		return []byte{}
	}
	return arena.Bytes(a, x)
}

var bytesType = reflect.TypeFor[[]byte]()

// convert sets v to x by the conversions of database/sql, which are on the heap, and returns its
// errors. Package database/sql has them in Null.Scan, for types without a name.
func convert(v reflect.Value, x any) error {
	t, k := v.Type(), v.Kind()
	named := t != timeType && t != bytesType && t.PkgPath() != ""
	if x == nil {
		switch {
		case k == reflect.Bool && !named:
			_, err := driver.Bool.ConvertValue(nil)
			return err
		case k == reflect.Bool || t == timeType:
			return unsupported(v, x)
		case k == reflect.Slice: // of a named type
			return unsupported(v, x)
		}
		return fmt.Errorf("converting NULL to %s is unsupported", k)
	}
	if named && (k == reflect.Bool || k == reflect.String || k == reflect.Slice) {
		if from := reflect.ValueOf(x); from.Kind() == k && from.CanConvert(t) {
			v.Set(from.Convert(t))
			return nil
		}
		return unsupported(v, x)
	}
	return conversions[k](v, x)
}

func unsupported(v reflect.Value, x any) error {
	return fmt.Errorf("unsupported Scan, storing driver.Value type %T into type %v", x, reflect.PointerTo(v.Type()))
}

// conversions are the conversions of database/sql, by kind.
var conversions = map[reflect.Kind]func(v reflect.Value, x any) error{
	reflect.Bool: by[bool], reflect.String: by[string], reflect.Slice: by[[]byte], reflect.Struct: by[time.Time],
	reflect.Int: by[int], reflect.Int8: by[int8], reflect.Int16: by[int16], reflect.Int32: by[int32], reflect.Int64: by[int64],
	reflect.Uint: by[uint], reflect.Uint8: by[uint8], reflect.Uint16: by[uint16], reflect.Uint32: by[uint32], reflect.Uint64: by[uint64],
	reflect.Float32: by[float32], reflect.Float64: by[float64],
}

// by sets v to what database/sql makes of x for a T, whose kind v has.
func by[T any](v reflect.Value, x any) error {
	var n sql.Null[T]
	if err := n.Scan(x); err != nil {
		return err
	}
	v.Set(reflect.ValueOf(n.V).Convert(v.Type()))
	return nil
}
