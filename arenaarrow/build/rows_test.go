package build

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/array/arreflect"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/testrun"
)

type inner struct {
	Number int32
	Text   string `arrow:"text"`
}

type embedded struct {
	ID   int64
	Note string `arrow:"hidden"`
}

type Deep struct {
	Far    float64
	Number uint32 // Another one is less deep.
}

// everything has what both arreflect and this package can do. Of times and decimals without an
// option arreflect makes a struct without fields.
type everything struct {
	embedded
	*Deep
	I8       int8
	I16      int16
	I32      int32
	I        int
	U8       uint8
	U16      uint16
	U32      uint32
	U64      uint64
	U        uint
	Number   float32 `arrow:"Number"`
	F64      float64 `arrow:"f64"`
	Flag     bool
	Text     string `arrow:"hidden"`
	Bytes    []byte
	Day      time.Time `arrow:",date32"`
	Day64    time.Time `arrow:",date64"`
	Clock    time.Time `arrow:",time32"`
	Clock64  time.Time `arrow:",time64"`
	Span     time.Duration
	D32      decimal.Decimal32 `arrow:",decimal(7,2)"`
	D64      decimal.Decimal64
	D128     decimal128.Num `arrow:",decimal(18, 4)"`
	D256     decimal256.Num `arrow:",decimal(70,0)"`
	Shop     string         `arrow:"shop,dict"`
	Code     []byte         `arrow:",dict"`
	Level    int16          `arrow:"level,dict"`
	Ratio    float64        `arrow:",dict"`
	Large    string         `arrow:",large"`
	View     string         `arrow:",view"`
	BytesV   []byte         `arrow:",view"`
	PI       *int64
	PText    *string
	PP       **int32
	PTime    *time.Time `arrow:",date32"`
	PDict    *string    `arrow:",dict"`
	Struct   inner
	PStruct  *inner
	List     []int64
	Lists    [][]string
	Structs  []inner
	PStructs []*inner
	LargeL   []string `arrow:",large"`
	ViewL    []int32  `arrow:",view"`
	Array    [3]float32
	PArray   *[2]string
	Map      map[string]int64
	MapOf    map[int32][]string
	Skipped  chan int `arrow:"-"`
	private  int      //lint:ignore U1000 an unexported field is no column
}

// fill makes a random value.
func (r *source) fill(v reflect.Value) {
	switch v.Type() {
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(r.Int64N(4e9)-2e9, r.Int64N(1e9)).In(time.FixedZone("", 3600*r.IntN(5)))))
		return
	case reflect.TypeFor[decimal128.Num]():
		v.Set(reflect.ValueOf(decimal128.FromI64(r.small())))
		return
	case reflect.TypeFor[decimal256.Num]():
		v.Set(reflect.ValueOf(decimal256.FromI64(r.small())))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			r.fill(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				r.fill(f)
			}
		}
	case reflect.Slice:
		if r.IntN(4) > 0 {
			v.Set(reflect.MakeSlice(v.Type(), r.IntN(4), 5))
		}
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			r.fill(v.Index(i))
		}
	case reflect.Map: // of one entry at most: their order is random
		if n := r.IntN(3); n > 0 {
			v.Set(reflect.MakeMap(v.Type()))
			if n > 1 {
				key, item := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				r.fill(key)
				r.fill(item)
				v.SetMapIndex(key, item)
			}
		}
	case reflect.String:
		v.SetString(r.text())
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(r.small()) / 4)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.small())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(r.Uint64N(100))
	}
}

// TestRows compares batches of random rows with those that arreflect makes of them.
func TestRows(t *testing.T) {
	seed := testrun.Seed(t)
	r := &source{Rand: rand.New(rand.NewPCG(seed, 0))}
	a := arena.NewArena()
	rows, err := NewRows[everything](a)
	if err != nil {
		t.Fatal(err)
	}
	rounds := 60
	if !testrun.Long() {
		rounds = 15
	}
	for range rounds {
		all := make([]everything, 1+r.IntN(70))
		for i := range all {
			r.fill(reflect.ValueOf(&all[i]).Elem())
			r.fill(reflect.ValueOf(&all[i].embedded).Elem())
		}
		want, err := arreflect.RecordFromSlice(all, memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		if r.IntN(3) == 0 {
			rows.AppendSlice(all[:r.IntN(len(all))])
			rows.Release()
		}
		for left := all; len(left) > 0; {
			if r.IntN(2) == 0 {
				rows.Append(left[0])
				left = left[1:]
			} else {
				n := r.IntN(len(left) + 1)
				rows.AppendSlice(left[:n])
				left = left[n:]
			}
		}
		if rows.Len() != len(all) {
			t.Fatalf("%d rows, want %d", rows.Len(), len(all))
		}
		got, err := rows.NewRecordBatch()
		if err != nil {
			t.Fatal(err)
		}
		if got.NumCols() != want.NumCols() || got.NumRows() != want.NumRows() || rows.Len() != 0 {
			t.Fatalf("%v, want %v", got.Schema(), want.Schema())
		}
		for i, f := range want.Schema().Fields() {
			x := got.Column(i)
			if name := got.ColumnName(i); name != f.Name || !array.Equal(x, want.Column(i)) {
				t.Fatalf("%s: %.500v, want %s: %.500v", name, x.String(), f.Name, want.Column(i).String())
			}
			validate(t, x)
			if x.NullN() > 0 && !got.Schema().Field(i).Nullable {
				t.Errorf("%s has nulls, and is not nullable", f.Name)
			}
		}
		a.Reset()
	}
}

type (
	word   string
	level  uint8
	raw    []byte
	shop   struct{ Name word }
	nested struct {
		Shops map[word]shop
		By    map[string]map[string]int
	}
)

// TestRowsBeyond has what arreflect has no types for.
func TestRowsBeyond(t *testing.T) {
	type row struct {
		Word   word `arrow:",dict"`
		Level  level
		Raw    raw
		Day    arrow.Date32
		Nested nested
		When   time.Time `arrow:",date32,dict"`
		At     *time.Time
		Sum    decimal256.Num
	}
	rows, err := NewRows[row](arena.NewArena())
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(5, 7).In(time.FixedZone("", 3600))
	rows.Append(row{"a", 1, raw("xy"), 3, nested{map[word]shop{"k": {"v"}}, map[string]map[string]int{"x": {"y": 5}}}, time.Unix(86400, 0), &at, decimal256.FromI64(9)})
	rows.Append(row{"a", 2, nil, 4, nested{}, time.Unix(2*86400-1, 0), nil, decimal256.Num{}})
	b, err := rows.NewRecordBatch()
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"At":"1970-01-01T00:00:05.000000007Z","Day":"1970-01-04","Level":1,"Nested":{"By":[{"key":"x","value":[{"key":"y","value":5}]}],"Shops":[{"key":"k","value":{"Name":"v"}}]},"Raw":"eHk=","Sum":"9","When":"1970-01-02","Word":"a"}`
	if line, _, _ := strings.Cut(strings.TrimPrefix(string(got), "["), "\n"); strings.TrimSuffix(line, ",") != want {
		t.Errorf("%s, want %s", line, want)
	}
}

type (
	loop  struct{ Next []loop }
	tree  map[string]tree
	nest  []nest
	pairs [2]*pairs
	ref   *ref
)

func TestRowsErrors(t *testing.T) {
	make := func(_ any, err error) error { return err }
	for _, c := range []struct {
		err  error
		want string
	}{
		{make(NewRows[int](nil)), "build: int is no struct with columns"},
		{make(NewRows[time.Time](nil)), "build: time.Time is no struct"},
		{make(NewRows[struct{ a int }](nil)), "has no exported fields"},
		{make(NewRows[struct{ A chan int }](nil)), ".A: there is no type in Arrow for chan int"},
		{make(NewRows[struct{ A []map[string]any }](nil)), ".A[][item]: there is no type in Arrow for interface"},
		{make(NewRows[struct{ A map[string]struct{ B func() } }](nil)), ".A[item].B: there is no type in Arrow for func()"},
		{make(NewRows[loop](nil)), "build: build.loop.Next[] is within itself"},
		{make(NewRows[struct{ A tree }](nil)), ".A[item] is within itself"},
		{make(NewRows[struct{ A nest }](nil)), ".A[] is within itself"},
		{make(NewRows[struct{ A pairs }](nil)), ".A[] is within itself"},
		{make(NewRows[struct{ A ref }](nil)), ".A is within itself"},
		{make(NewRows[struct{ A [0]int }](nil)), ".A: Arrow has no lists of fixed size 0"},
		{make(NewRows[struct {
			A int `arrow:"a,ree"`
		}](nil)), `.A: a tag with the option "ree"`},
		{make(NewRows[struct {
			A decimal128.Num `arrow:"a,decimal(x,2)"`
		}](nil)), `.A: a tag with the option "decimal(x,2)"`},
		{make(NewRows[struct {
			A decimal128.Num `arrow:"a,decimal(99,2)"`
		}](nil)), ".a: the type decimal(99, 2): invalid: precision for DECIMAL128 must be between 1 and 38, got 99"},
		{make(NewRows[struct {
			A []decimal.Decimal32 `arrow:"a,decimal(10,2)"`
		}](nil)), ".a[]: the type decimal32(10, 2): invalid"},
		{make(NewRows[struct {
			A decimal256.Num `arrow:"a,dict,decimal(0,0)"`
		}](nil)), ".a: the type decimal256(0, 0): invalid"},
		{make(NewRows[struct {
			A decimal.Decimal64 `arrow:"a,decimal(5,-300)"`
		}](nil)), ".a: the type decimal64(5, -300): invalid"},
		{make(NewRows[struct {
			A decimal.Decimal64 `arrow:"a,decimal(5,2147483648)"`
		}](nil)), `.A: a tag with the option "decimal(5,2147483648)"`},
		{make(NewRows[struct {
			A string `arrow:"a,dict,view"`
		}](nil)), `.A: a tag with both dict and view`},
		{make(NewRows[struct {
			A []string `arrow:"a,dict"`
		}](nil)), ".a: the option dict is not for []string"},
		{make(NewRows[struct {
			A bool `arrow:"a,dict"`
		}](nil)), ".a: Arrow has no dictionaries of bool"},
		{make(NewRows[struct {
			A int64 `arrow:"a,date32"`
		}](nil)), ".a: the option date32 is for time.Time, and not for int64"},
	} {
		if s := fmt.Sprint(c.err); !strings.HasPrefix(s, "build: ") || !strings.Contains(s, c.want) {
			t.Errorf("%s, want %s", s, c.want)
		}
	}

	type row struct {
		At   time.Time
		List []struct{ At time.Time }
	}
	rows, err := NewRows[row](nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []row{{}, {At: time.Unix(0, 0), List: []struct{ At time.Time }{{}}}} {
		rows.Append(row{At: time.Unix(1, 0)})
		rows.Append(bad)
		rows.Append(row{At: time.Unix(1, 0)})
		b, err := rows.NewRecordBatch()
		want := "build: the column At: 0001"
		if bad.List != nil {
			want = "build: the column List[].At: 0001"
		}
		if b != nil || err == nil || !strings.HasPrefix(err.Error(), want) || rows.Len() != 0 {
			t.Errorf("%v, %v", b, err)
		}
		rows.Append(row{At: time.Unix(1, 0)})
		if b, err = rows.NewRecordBatch(); err != nil || b.NumRows() != 1 {
			t.Errorf("%v, %v", b, err)
		}
	}
}

// TestRowsUnfit has values that their column cannot hold: decimals of too many digits, and keys
// that are nil.
func TestRowsUnfit(t *testing.T) {
	type row struct {
		A decimal128.Num     `arrow:"a,decimal(5,2)"`
		B decimal256.Num     `arrow:"b,dict,decimal(5,2)"`
		C *decimal.Decimal32 `arrow:"c"`
		D []decimal.Decimal64
		M []map[*string]int
		P map[**string]int
	}
	small, least, text := decimal.Decimal32(999_999_999), decimal.Decimal32(math.MinInt32), "x"
	key, none := &text, (*string)(nil)
	rows := must(NewRows[row](arena.NewArena()))
	good := row{
		decimal128.FromI64(-99999), decimal256.FromI64(99999), &small, []decimal.Decimal64{-999_999_999_999_999_999},
		[]map[*string]int{{key: 1}, nil}, map[**string]int{&key: 1},
	}
	for want, change := range map[string]func(*row){
		"": func(*row) {},
		"a: 1000.00 does not fit into decimal(5, 2)":                  func(r *row) { r.A = decimal128.FromI64(100_000) },
		"a: -1000.00 does not fit into decimal(5, 2)":                 func(r *row) { r.A = decimal128.FromI64(-100_000) },
		"b: 1000.00 does not fit into decimal256(5, 2)":               func(r *row) { r.B = decimal256.FromI64(100_000) },
		"c: -2147483648 does not fit into decimal32(9, 0)":            func(r *row) { r.C = &least },
		"D[]: 1000000000000000000 does not fit into decimal64(18, 0)": func(r *row) { r.D = []decimal.Decimal64{5, 1_000_000_000_000_000_000} },
		"M[]: a key that is nil; Arrow has none":                      func(r *row) { r.M = []map[*string]int{{nil: 1}} },
		"P: a key that is nil; Arrow has none":                        func(r *row) { r.P = map[**string]int{&none: 1} },
	} {
		bad := good
		change(&bad)
		rows.AppendSlice([]row{good, bad, good})
		switch b, err := rows.NewRecordBatch(); {
		case want == "" && (err != nil || b.NumRows() != 3):
			t.Error(err)
		case want != "" && (err == nil || err.Error() != "build: the column "+want):
			t.Errorf("%v, want %s", err, want)
		}
	}
}
