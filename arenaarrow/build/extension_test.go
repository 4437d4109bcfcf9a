package build

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena"
)

// A celsius is an extension type of a program, with an array and a builder of its own.
type celsius struct{ arrow.ExtensionBase }

func newCelsius() *celsius {
	return &celsius{arrow.ExtensionBase{Storage: arrow.PrimitiveTypes.Float64}}
}

func (*celsius) ArrayType() reflect.Type { return reflect.TypeFor[celsiusArray]() }
func (*celsius) ExtensionName() string   { return "test.celsius" }
func (*celsius) Serialize() string       { return "" }
func (*celsius) String() string          { return "extension<test.celsius>" }
func (*celsius) ExtensionEquals(t arrow.ExtensionType) bool {
	return t.ExtensionName() == "test.celsius"
}
func (*celsius) Deserialize(arrow.DataType, string) (arrow.ExtensionType, error) {
	return newCelsius(), nil
}
func (*celsius) NewBuilder(mem memory.Allocator) array.Builder {
	return array.NewExtensionBuilder(mem, newCelsius())
}

type celsiusArray struct{ array.ExtensionArrayBase }

// extended are extension types: the types of arrow-go that are always registered, and a type of a
// program.
func extended(t *testing.T) []arrow.ExtensionType {
	all := []arrow.ExtensionType{
		extensions.NewUUIDType(), extensions.NewBool8Type(), extensions.NewDefaultVariantType(), newCelsius(),
		extensions.NewOpaqueType(arrow.PrimitiveTypes.Int32, "a type", "a vendor"),
		extensions.NewOpaqueType(arrow.ListOf(arrow.BinaryTypes.String), "a list", "a vendor"),
		extensions.NewOpaqueType(extensions.NewUUIDType(), "an extension", "a vendor"),
		extensions.NewTimestampWithOffsetType(arrow.Microsecond),
	}
	for _, storage := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView} {
		all = append(all, must(extensions.NewJSONType(storage)))
	}
	if err := arrow.RegisterExtensionType(newCelsius()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(arrow.UnregisterExtensionType("test.celsius")) })
	return all
}

// fill appends a value, a null and another value to a builder.
func fill(b Builder, nulls bool) {
	b.AppendEmptyValue()
	if nulls {
		b.AppendNull()
	}
	switch b := b.(type) {
	case *Text:
		if fixed, ok := storage(b.DataType()).(*arrow.FixedSizeBinaryType); ok {
			b.Append("0123456789abcdef"[:fixed.ByteWidth])
			return
		}
		b.Append(`{"a":1}`)
	case *Column[float64]:
		b.Append(36.6)
	case *Column[int32]:
		b.Append(7)
	case *Column[int8]:
		b.Append(1)
	default:
		b.AppendEmptyValue()
	}
}

// TestExtensions has columns of extension types, by themselves and as parts of others. Their arrays
// are what Arrow makes of the same storage, and come through IPC.
func TestExtensions(t *testing.T) {
	for _, ext := range extended(t) {
		for name, shape := range map[string]struct {
			of   func(arrow.DataType) arrow.DataType
			part func(arrow.Array) arrow.Array // of which the type is the extension
			fill func(Builder)
		}{
			"itself": {
				func(d arrow.DataType) arrow.DataType { return d },
				func(x arrow.Array) arrow.Array { return x },
				func(b Builder) { fill(b, true) },
			},
			"list": {
				func(d arrow.DataType) arrow.DataType { return arrow.ListOf(d) },
				func(x arrow.Array) arrow.Array { return x.(array.ListLike).ListValues() },
				func(b Builder) { b.(*List).Append(true); fill(b.(*List).ValueBuilder(), true) },
			},
			"struct": {
				func(d arrow.DataType) arrow.DataType {
					return arrow.StructOf(arrow.Field{Name: "x", Type: d, Nullable: true})
				},
				func(x arrow.Array) arrow.Array { return x.(*array.Struct).Field(0) },
				func(b Builder) {
					for range 3 {
						b.(*Struct).Append(true)
					}
					fill(b.(*Struct).FieldBuilder(0), true)
				},
			},
			"runs": {
				func(d arrow.DataType) arrow.DataType { return arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, d) },
				func(x arrow.Array) arrow.Array { return x.(*array.RunEndEncoded).Values() },
				func(b Builder) {
					for range 3 {
						b.(*Runs).Append(2)
					}
					fill(b.(*Runs).ValueBuilder(), true)
				},
			},
		} {
			a := arena.NewArena()
			dtype := shape.of(ext)
			b := NewBuilder(a, dtype)
			shape.fill(b)
			got := b.NewArray()
			plain := NewBuilder(nil, shape.of(ext.StorageType()))
			shape.fill(plain)
			want := plain.NewArray()
			if !arrow.TypeEqual(got.DataType(), dtype) || array.ValidateFull(got) != nil {
				t.Errorf("%v, %s: the array is of type %v, %v", ext, name, got.DataType(), array.ValidateFull(got))
				continue
			}
			part, ok := shape.part(got).(array.ExtensionArray)
			if !ok || reflect.TypeOf(part).Elem() != ext.ArrayType() || !array.Equal(part.Storage(), shape.part(want)) {
				t.Errorf("%v, %s: %T %v, want %v", ext, name, part, got, want)
				continue
			}
			if storage(ext) != ext.StorageType() { // IPC has no form for an extension of an extension
				continue
			}
			schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: dtype, Nullable: true}}, nil)
			batch := array.NewRecordBatch(schema, []arrow.Array{got}, int64(got.Len()))
			if back := read(stream(batch)); !array.RecordEqual(back, batch) || fmt.Sprint(back) != fmt.Sprint(batch) {
				t.Errorf("%v, %s: IPC has made %v of %v", ext, name, back, batch)
			}
			a.Reset()
		}
	}
}
