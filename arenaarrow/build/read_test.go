package build

import (
	"bytes"
	stdcsv "encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/csv"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena"
)

// readable returns a random type that the readers can read: all for JSON, and those without parts for CSV.
func (r *source) readable(parts bool) arrow.DataType {
	for {
		depth := 0
		if parts {
			depth = 2
		}
		dtype := r.dtype(depth)
		schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: dtype}}, nil)
		var err error
		if parts {
			_, err = NewJSONReader(nil, nil, schema)
		} else {
			_, err = NewCSVReader(nil, stdcsv.NewReader(strings.NewReader("")), schema, CSVOptions{})
		}
		if err == nil && !hasUnion(dtype) {
			return dtype
		}
	}
}

// batch returns a random one of Arrow's.
func (r *source) batch(schema *arrow.Schema, rows int) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	r.single = true
	for range rows {
		for _, f := range b.Fields() {
			r.add(NewBuilder(nil, f.Type()), f)
		}
	}
	return b.NewRecordBatch()
}

// readAll reads all batches of up to so many rows, and tells what they are in JSON. The arena is reset after each.
func readAll(a *arena.Arena, rows int, read func(rows int) (arrow.RecordBatch, error)) (all []string, err error) {
	for {
		batch, err := read(rows)
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return all, err
		}
		if n := batch.NumRows(); n < 1 || n > int64(rows) {
			return nil, fmt.Errorf("%d rows, want %d at most", n, rows)
		}
		var text strings.Builder
		if err := array.RecordToJSON(batch, &text); err != nil {
			return nil, err
		}
		for i := range batch.Columns() {
			if err := array.ValidateFull(batch.Column(i)); err != nil {
				return nil, err
			}
		}
		all = append(all, strings.SplitAfter(text.String(), "\n")...)
		all = all[:len(all)-1]
		a.Reset()
	}
}

// lines returns a batch as lines of JSON.
func lines(batch arrow.RecordBatch) []string {
	var text strings.Builder
	check(array.RecordToJSON(batch, &text))
	all := strings.SplitAfter(text.String(), "\n")
	return all[:len(all)-1]
}

// compareRead reads all rows, in batches of a random size, and compares them with what they are in JSON. It returns how many there are.
func compareRead(t *testing.T, r *source, a *arena.Arena, schema *arrow.Schema, read func(rows int) (arrow.RecordBatch, error), want []string) int {
	t.Helper()
	got, err := readAll(a, 1+r.IntN(20), read)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%v: %d rows, want %d, %v", schema, len(got), len(want), err)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%v: row %d is\n%.2000swant\n%.2000s", schema, i, got[i], want[i])
		}
	}
	return len(got)
}

// TestJSONReader reads random batches from JSON, and compares with what Arrow's reader makes of it.
func TestJSONReader(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed ", seed)
	read := 0
	for round := range uint64(300) {
		r := &source{Rand: rand.New(rand.NewPCG(seed, round)), nulls: round%2 == 0}
		var fields []arrow.Field
		for i := range 1 + r.IntN(5) {
			fields = append(fields, arrow.Field{Name: fmt.Sprint("column", i), Type: r.readable(true), Nullable: true})
		}
		schema := arrow.NewSchema(fields, nil)
		text := lines(r.batch(schema, r.IntN(40)))
		var in string
		theirs := array.NewJSONReader(strings.NewReader(strings.Join(text, "")), schema, array.WithChunk(-1))
		if !theirs.Next() {
			if len(text) > 0 { // It cannot read some of what it writes.
				t.Logf("%v: %v", schema, theirs.Err())
				continue
			}
		}
		var want []string
		if len(text) > 0 {
			want = lines(theirs.RecordBatch())
		}
		switch r.IntN(3) {
		case 0:
			in = strings.Join(text, " \t\r\n")
		case 1:
			in = " [" + strings.Join(text, ",\n") + " ] "
		default:
			in = strings.ReplaceAll(strings.Join(text, ""), `{"column0":`, `{"none":[{"a":[1,true,null]},"]\"}"],"column0":`)
		}
		var from io.Reader = strings.NewReader(in)
		if r.IntN(2) == 0 {
			from = iotest.OneByteReader(from)
		}
		a := arena.NewArena()
		ours, err := NewJSONReader(a, from, schema)
		check(err)
		read += compareRead(t, r, a, schema, ours.Read, want)
	}
	if read < 2000 {
		t.Errorf("only %d rows were read", read)
	}
}

// TestJSONDamaged reads damaged JSON. It does not panic, takes nothing that encoding/json does not take, and says where an error is.
func TestJSONDamaged(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed ", seed)
	good, bad := 0, 0
	for round := range uint64(300) {
		r := &source{Rand: rand.New(rand.NewPCG(seed, round))}
		var fields []arrow.Field
		for i := range 1 + r.IntN(3) {
			fields = append(fields, arrow.Field{Name: fmt.Sprint("column", i), Type: r.readable(true), Nullable: true})
		}
		schema := arrow.NewSchema(fields, nil)
		text := []byte(strings.Join(lines(r.batch(schema, 1+r.IntN(5))), ""))
		for range 20 {
			in := bytes.Clone(text)
			for range 1 + r.IntN(2) {
				i := r.IntN(len(in))
				switch r.IntN(4) {
				case 0:
					in[i] = byte(r.IntN(256))
				case 1:
					in[i] = `{}[]",:0-e\n`[r.IntN(12)]
				case 2:
					in = append(in[:i], in[i+1:]...)
				default:
					in = in[:i+1]
				}
			}
			ours := must(NewJSONReader(nil, bytes.NewReader(in), schema))
			_, err := readAll(nil, 3, ours.Read)
			if e := (*ReadError)(nil); err != nil && (!errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Line > bytes.Count(in, []byte("\n"))+1) {
				t.Fatalf("%q: %v", in, err)
			}
			if err != nil {
				bad++
				if _, again := ours.Read(1); again != err {
					t.Errorf("%v, and then %v", err, again)
				}
				continue
			}
			good++
			d := json.NewDecoder(bytes.NewReader(in))
			d.UseNumber() // a value that is skipped may be larger than a float64
			for {
				var v any
				if err := d.Decode(&v); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%q is no JSON, and was read: %v", in, err)
				}
			}
		}
	}
	if good < 100 || bad < 1000 {
		t.Errorf("%d were good and %d bad", good, bad)
	}
}

var readSchema = arrow.NewSchema([]arrow.Field{
	{Name: "n", Type: arrow.PrimitiveTypes.Int8, Nullable: true},
	{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "l", Type: arrow.ListOf(arrow.StructOf(arrow.Field{Name: "x", Type: arrow.FixedWidthTypes.Boolean, Nullable: true})), Nullable: true},
	{Name: "f", Type: arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Uint8), Nullable: true},
	{Name: "b", Type: &arrow.FixedSizeBinaryType{ByteWidth: 3}, Nullable: true},
}, nil)

func TestJSONErrors(t *testing.T) {
	for in, want := range map[string]string{
		`{"n":1}` + "\n" + `{"s":"a","n":200}`: `line 2, column 14: the column n: "200": value out of range`,
		`{"n":"1x"}`:                           `line 1, column 6: the column n: "1x": invalid syntax`,
		`{"n":1.5}`:                            `line 1, column 6: the column n: "1.5": invalid syntax`,
		`{"s":5}`:                              `line 1, column 6: the column s: a value of another kind`,
		`{"n":true}`:                           `line 1, column 6: the column n: 't', where a value is meant`,
		`{"n":1,"n":2}`:                        `line 1, column 8: the key "n" is there twice`,
		`{"l":[{"x":1},` + "\n\n" + `  {"x":2}]}`: `line 3, column 8: the column l[].x: "2": invalid syntax`,
		`{"f":[1]}`:                           `line 1, column 8: the column f: 1 values, where lists have 2`,
		`{"b":"AAAA"} {"b":"AAAAAA=="}`:       `line 1, column 19: the column b: 4 bytes, where values have 3`,
		`{"n":1`:                              `line 1, column 7: the text ends within a value`,
		`[{"n":1} {"n":2}]`:                   `line 1, column 10: '{', where a comma or ] is meant`,
		`[{"n":1},]`:                          `line 1, column 10: ']', where an object is meant`,
		`[] 1`:                                `line 1, column 4: '1', where the end is meant`,
		`1`:                                   `line 1, column 1: '1', where an object is meant`,
		`{"o":` + strings.Repeat("[", 5000):   `line 1, column 1006: values nested more than 1000 deep`,
		"{\"s\":\"a\nb\"}":                    `line 1, column 6: the column s: a byte 0xa in a string`,
		`{"s":"\x"}`:                          `line 1, column 6: the column s: invalid `, // The versions of encoding/json say the rest differently.
		`{"s":"` + strings.Repeat("a", 99999): `line 1, column 6: the column s: the text ends within a value`,
	} {
		r := must(NewJSONReader(nil, strings.NewReader(in), readSchema))
		if _, err := readAll(nil, 1, r.Read); err == nil || err.Error() != "build: "+want && !(strings.HasSuffix(want, " ") && strings.HasPrefix(err.Error(), "build: "+want)) {
			t.Errorf("%.50s: %v, want %s", in, err, want)
		}
	}
	for _, dtype := range []arrow.DataType{&arrow.Decimal32Type{Precision: 9, Scale: 2}, &arrow.Decimal64Type{Precision: 18}, &arrow.Decimal128Type{Precision: 38}, &arrow.Decimal256Type{Precision: 76}} {
		for _, text := range []string{"-", "x", "Inf", "1e999999999", "1" + strings.Repeat("0", 80)} {
			schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: dtype}}, nil)
			r := must(NewJSONReader(nil, strings.NewReader(`{"d":"`+text+`"}`), schema))
			if b, err := r.Read(1); err == nil {
				t.Errorf("%s is %v, of %v", text, b, dtype)
			}
		}
	}
	failing := errors.New("the disk is gone")
	r := must(NewJSONReader(nil, io.MultiReader(strings.NewReader(`{"n":1} `), iotest.ErrReader(failing)), readSchema))
	if got, err := readAll(nil, 1, r.Read); !errors.Is(err, failing) || len(got) != 1 {
		t.Error(got, err)
	}
	for _, dtype := range []arrow.DataType{arrow.FixedWidthTypes.MonthInterval, arrow.ListOf(arrow.FixedWidthTypes.DayTimeInterval), arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, arrow.BinaryTypes.String)} {
		if _, err := NewJSONReader(nil, nil, arrow.NewSchema([]arrow.Field{{Name: "x", Type: dtype}}, nil)); err == nil || !strings.Contains(err.Error(), "the column x") {
			t.Errorf("%v: %v", dtype, err)
		}
	}
	if _, err := NewJSONReader(nil, nil, arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.BinaryTypes.String}, {Name: "x", Type: arrow.BinaryTypes.String}}, nil)); err == nil {
		t.Error("two columns of one name")
	}
}

// TestJSONForms has forms that Arrow does not write, and reads.
func TestJSONForms(t *testing.T) {
	in := `{"s":"\u00e4\ud83d\ude00\n` + "\xff" + `","n":1e1,"f":["5",6]}` + "\n" + `{"l":[],"n":"-3","other":{"a":[{}]}}{"n":null,"l":[{"x":"true"},{"x":0},null,{}]}`
	want := []string{
		`{"b":null,"f":[5,6],"l":null,"n":10,"s":"ä😀\n` + "\ufffd" + `"}` + "\n",
		`{"b":null,"f":null,"l":[],"n":-3,"s":null}` + "\n",
		`{"b":null,"f":null,"l":[{"x":true},{"x":false},null,{"x":null}],"n":null,"s":null}` + "\n",
	}
	r := must(NewJSONReader(nil, strings.NewReader(in), readSchema))
	got, err := readAll(nil, 10, r.Read)
	if err != nil || len(got) != 3 {
		t.Fatal(got, err)
	}
	for i := range want {
		var x, y any
		check(json.Unmarshal([]byte(got[i]), &x))
		check(json.Unmarshal([]byte(want[i]), &y))
		if fmt.Sprint(x) != fmt.Sprint(y) {
			t.Errorf("%s, want %s", got[i], want[i])
		}
	}
}

// writes writes a batch as CSV, and reports false if Arrow's writer panics: it does for some types that its reader reads.
func writes(text io.Writer, batch arrow.RecordBatch) (ok bool) {
	defer func() { ok = recover() == nil }()
	w := csv.NewWriter(text, batch.Schema(), csv.WithNullWriter("NULL"))
	check(w.Write(batch))
	return w.Flush() == nil
}

// TestCSVReader reads random batches from CSV, and compares with what Arrow's reader makes of it.
func TestCSVReader(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed ", seed)
	read := 0
	for round := range uint64(300) {
		r := &source{Rand: rand.New(rand.NewPCG(seed, round)), nulls: round%2 == 0}
		var fields []arrow.Field
		for i := range 1 + r.IntN(5) {
			dtype := r.readable(false)
			for dtype.ID() == arrow.DICTIONARY || dtype.ID() == arrow.DURATION || arrow.IsDecimal(dtype.ID()) && dtype.(arrow.DecimalType).BitWidth() < 128 ||
				dtype.ID() == arrow.BINARY_VIEW || dtype.ID() == arrow.STRING_VIEW || dtype.ID() == arrow.NULL {
				dtype = r.readable(false) // Arrow's reader does not read those.
			}
			fields = append(fields, arrow.Field{Name: fmt.Sprint("column", i), Type: dtype, Nullable: true})
		}
		schema := arrow.NewSchema(fields, nil)
		batch := r.batch(schema, 1+r.IntN(40))
		var text bytes.Buffer
		if !writes(&text, batch) {
			continue
		}
		theirs := csv.NewReader(bytes.NewReader(text.Bytes()), schema, csv.WithChunk(-1), csv.WithNullReader(true, "NULL"))
		if !theirs.Next() || theirs.Err() != nil {
			t.Logf("%v: %v", schema, theirs.Err())
			continue
		}
		want := lines(theirs.RecordBatch())
		a := arena.NewArena()
		ours, err := NewCSVReader(a, stdcsv.NewReader(&text), schema, CSVOptions{Nulls: []string{"NULL"}, NullText: true})
		check(err)
		read += compareRead(t, r, a, schema, ours.Read, want)
	}
	if read < 2000 {
		t.Errorf("only %d rows were read", read)
	}
}

func TestCSVErrors(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int8}, {Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	for in, want := range map[string]string{
		"1,a\n2,b\nx,c\n":  `build: line 3, column 1: the column n: "x": invalid syntax`,
		"1,\"a\nb\"\n,c\n": `build: line 3, column 1: the column n: "": invalid syntax`,
		"1,a\n2\n":         "record on line 2: wrong number of fields",
		"1,a\n\"2,b\n":     `extraneous or missing " in quoted-field`,
	} {
		r := must(NewCSVReader(nil, stdcsv.NewReader(strings.NewReader(in)), schema, CSVOptions{}))
		_, err := readAll(nil, 2, r.Read)
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
		if _, again := r.Read(1); again != err {
			t.Errorf("%v, and then %v", err, again)
		}
	}
	for _, nullText := range []bool{false, true} {
		r := must(NewCSVReader(nil, stdcsv.NewReader(strings.NewReader("-,-\n")), schema, CSVOptions{Nulls: []string{"", "-"}, NullText: nullText}))
		b := must(r.Read(5))
		if !b.Column(0).IsNull(0) || b.Column(1).IsNull(0) != nullText {
			t.Error(b)
		}
	}
	if _, err := NewCSVReader(nil, stdcsv.NewReader(nil), readSchema, CSVOptions{}); err == nil || !strings.Contains(err.Error(), "the column l") {
		t.Error(err)
	}
}
