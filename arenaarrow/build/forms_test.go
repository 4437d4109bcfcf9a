package build

import (
	stdcsv "encoding/csv"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/csv"

	"github.com/arena-go/arena"
)

// outcome returns what a batch has in its first column, or "error".
func outcome(read func() (arrow.RecordBatch, error)) string {
	batch, err := read()
	if err != nil {
		return "error"
	}
	c := batch.Column(0)
	if c.IsNull(0) {
		return "null"
	}
	return fmt.Sprint(c.Len(), " ", c.ValueStr(0))
}

// theirJSON and theirCSV read a batch of one row by Arrow, which panics for some texts.

func theirJSON(schema *arrow.Schema, in string) string {
	return outcome(func() (_ arrow.RecordBatch, err error) {
		defer func() {
			if e := recover(); e != nil {
				err = fmt.Errorf("%v", e)
			}
		}()
		r := array.NewJSONReader(strings.NewReader(in), schema)
		if !r.Next() || r.Err() != nil {
			return nil, fmt.Errorf("no batch: %v", r.Err())
		}
		return r.RecordBatch(), nil
	})
}

func theirCSV(schema *arrow.Schema, in string, o CSVOptions) string {
	return outcome(func() (_ arrow.RecordBatch, err error) {
		defer func() {
			if e := recover(); e != nil {
				err = fmt.Errorf("%v", e)
			}
		}()
		if len(o.Nulls) == 0 {
			o.Nulls = []string{"no field is this"} // Arrow's has nulls otherwise.
		}
		r := csv.NewReader(strings.NewReader(in), schema, csv.WithChunk(-1), csv.WithNullReader(o.NullText, o.Nulls...))
		if !r.Next() || r.Err() != nil {
			return nil, fmt.Errorf("no batch: %v", r.Err())
		}
		return r.RecordBatch(), nil
	})
}

// TestForms reads numbers, decimals and timestamps in many forms, some of which are none, and compares with what Arrow's readers make of them.
func TestForms(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed ", seed)
	r := &source{Rand: rand.New(rand.NewPCG(seed, 0))}
	a := arena.NewArena()
	texts := []string{
		"1", "5.0", "1e3", "-1e2", "1.5", "1E-1", "128", "-129", "300", "70000", "1e19", "1e400", "9007199254740991.0", "9007199254740992.0", "9007199254740993.0", "9007199254740993e0",
		"-9007199254740992.0", "1234567890123456789.5", "4503599627370497.75", "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "12345678901234567890.12",
		"123", "-123", "+123", ".5", "-.5", "+1.5", "007.50", "5.", ".", "+", "-", "", ".e5", "5.e1", "1p3", "1p", "1e", "1e+2", "1e-2", "1_0", "0x10", " 1", "1e+-2", "--1", "+-1", "1.2.3", "e5", "123456789.12",
	}
	types := []arrow.DataType{
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64,
		&arrow.Decimal32Type{Precision: 9, Scale: 2}, &arrow.Decimal64Type{Precision: 18, Scale: 2}, &arrow.Decimal128Type{Precision: 38, Scale: 2}, &arrow.Decimal256Type{Precision: 76, Scale: 2},
		arrow.FixedWidthTypes.Timestamp_ns, &arrow.TimestampType{Unit: arrow.Second},
	}
	good, bad := 0, 0
	for i := range 10_000 {
		text, dtype := texts[i/len(types)%len(texts)], types[i%len(types)]
		if i >= len(types)*len(texts) {
			text = string(r.mutant(texts, "0159-+.eE_ "))
		}
		if strings.Trim(text, "0123456789-+.eEp_ x") != "" || strings.Count(text, "e")+strings.Count(text, "E")+strings.Count(text, "p") > 1 {
			continue
		}
		if j := strings.IndexAny(text, exponents); j >= 0 && len(text)-j > 4 { // Arrow takes gigabytes for large exponents.
			continue
		}
		schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: dtype, Nullable: true}, {Name: "y", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
		for kind, in := range map[string]string{"CSV": text + ",y\n", "JSON": `{"x":"` + text + `"}`, "JSON without quotes": `{"x":` + text + `}`} {
			var got, want string
			switch {
			case kind == "CSV" && arrow.IsDecimal(dtype.ID()) && dtype.(arrow.DecimalType).BitWidth() < 128:
				continue // Arrow's reader does not read those.
			case kind == "CSV":
				want = theirCSV(schema, in, CSVOptions{})
				got = outcome(func() (arrow.RecordBatch, error) {
					return must(NewCSVReader(a, stdcsv.NewReader(strings.NewReader(in)), schema, CSVOptions{})).Read(1)
				})
			case kind != "JSON" && !isNumber([]byte(text)):
				continue // It is no JSON, which Arrow's decoder does not always say.
			default:
				want = theirJSON(schema, in)
				got = outcome(func() (arrow.RecordBatch, error) {
					return must(NewJSONReader(a, strings.NewReader(in), schema)).Read(1)
				})
			}
			if got != want {
				t.Errorf("%s, %v, %q: %s, want %s", kind, dtype, text, got, want)
			}
			if got == "error" {
				bad++
			} else {
				good++
			}
		}
		a.Reset()
	}
	if good < 3000 || bad < 3000 {
		t.Errorf("%d were good and %d bad", good, bad)
	}
}

// TestCSVNulls reads nulls in columns of text and of bytes, and compares with Arrow's reader.
func TestCSVNulls(t *testing.T) {
	for _, dtype := range []arrow.DataType{arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary, &arrow.FixedSizeBinaryType{ByteWidth: 3}, arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.PrimitiveTypes.Int8} {
		schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: dtype, Nullable: true}, {Name: "y", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
		for _, text := range []string{"", "NULL", "AAAA"} {
			for _, o := range []CSVOptions{{}, {Nulls: []string{"", "NULL"}}, {Nulls: []string{"", "NULL"}, NullText: true}} {
				in := text + ",y\n"
				want := theirCSV(schema, in, o)
				got := outcome(func() (arrow.RecordBatch, error) {
					return must(NewCSVReader(nil, stdcsv.NewReader(strings.NewReader(in)), schema, o)).Read(1)
				})
				if got != want {
					t.Errorf("%v, %q, %+v: %s, want %s", dtype, text, o, got, want)
				}
			}
		}
	}
}
