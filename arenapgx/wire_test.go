package arenapgx_test

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"net"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapgx"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

type (
	status   string
	number   int32
	scanning string // with a Scan of its own
	blob     []byte
	object   struct {
		A int
		B string
		C []float64
		D map[string]any
		E *object
	}
)

type (
	pair struct {
		N      int32
		hidden string //lint:ignore U1000 an unexported field takes no part of the value
		T      *string
		L      []string
	}
	pairWithMore struct {
		N    int64
		T    pgtype.Text
		L    []string
		More int
	}
)

func (s *scanning) Scan(v any) error {
	*s = scanning(fmt.Sprintf("scanned %T %v", v, v))
	return nil
}

// goTypes are the types that values are scanned into: those that are decoded here, and others.
// There is no struct with fewer fields than the composite: pgx scans the values behind its last
// field into an error of its own, and whether it takes NULL there changes from call to call.
var goTypes = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[string](), reflect.TypeFor[[]byte](),
	reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](), reflect.TypeFor[int](),
	reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](), reflect.TypeFor[uint](),
	reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[[16]byte](), reflect.TypeFor[time.Time](),
	reflect.TypeFor[status](), reflect.TypeFor[number](), reflect.TypeFor[scanning](), reflect.TypeFor[blob](), reflect.TypeFor[time.Duration](),
	reflect.TypeFor[json.RawMessage](), reflect.TypeFor[object](), reflect.TypeFor[any](), reflect.TypeFor[map[string]any](), reflect.TypeFor[[]any](),
	reflect.TypeFor[net.IP](), reflect.TypeFor[netip.Addr](), reflect.TypeFor[netip.Prefix](), reflect.TypeFor[[3]int32](),
	reflect.TypeFor[pgtype.Bool](), reflect.TypeFor[pgtype.Int2](), reflect.TypeFor[pgtype.Int4](), reflect.TypeFor[pgtype.Int8](),
	reflect.TypeFor[pgtype.Float4](), reflect.TypeFor[pgtype.Float8](), reflect.TypeFor[pgtype.Text](), reflect.TypeFor[pgtype.UUID](),
	reflect.TypeFor[pgtype.Date](), reflect.TypeFor[pgtype.Timestamp](), reflect.TypeFor[pgtype.Timestamptz](), reflect.TypeFor[pgtype.Interval](),
	reflect.TypeFor[pgtype.Numeric](), reflect.TypeFor[pgtype.Uint32](), reflect.TypeFor[pgtype.Time](), reflect.TypeFor[pgtype.UndecodedBytes](),
	reflect.TypeFor[pgtype.PreallocBytes](), reflect.TypeFor[pgtype.FlatArray[int32]](), reflect.TypeFor[pgtype.Array[int32]](),
	reflect.TypeFor[sql.NullBool](), reflect.TypeFor[sql.NullByte](), reflect.TypeFor[sql.NullInt16](), reflect.TypeFor[sql.NullInt32](),
	reflect.TypeFor[sql.NullInt64](), reflect.TypeFor[sql.NullFloat64](), reflect.TypeFor[sql.NullString](), reflect.TypeFor[sql.NullTime](),
	reflect.TypeFor[sql.Null[int]](), reflect.TypeFor[sql.Null[uint64]](), reflect.TypeFor[sql.Null[string]](), reflect.TypeFor[sql.Null[bool]](),
	reflect.TypeFor[sql.Null[float64]](), reflect.TypeFor[sql.Null[float32]](), reflect.TypeFor[sql.Null[time.Time]](), reflect.TypeFor[sql.Null[[]byte]](),
	reflect.TypeFor[sql.RawBytes](),
	reflect.TypeFor[*int32](), reflect.TypeFor[*int64](), reflect.TypeFor[*string](), reflect.TypeFor[*time.Time](), reflect.TypeFor[*[]byte](), reflect.TypeFor[*float64](),
	reflect.TypeFor[*pgtype.Text](), reflect.TypeFor[**int32](), reflect.TypeFor[*bool](), reflect.TypeFor[*status](), reflect.TypeFor[*object](), reflect.TypeFor[*any](),
	reflect.TypeFor[*[]int32](), reflect.TypeFor[*json.RawMessage](), reflect.TypeFor[*pgtype.Numeric](), reflect.TypeFor[**string](),
	reflect.TypeFor[[]bool](), reflect.TypeFor[[]int16](), reflect.TypeFor[[]int32](), reflect.TypeFor[[]int64](), reflect.TypeFor[[]float32](), reflect.TypeFor[[]float64](),
	reflect.TypeFor[[]string](), reflect.TypeFor[[][]byte](), reflect.TypeFor[[]time.Time](), reflect.TypeFor[[][16]byte](), reflect.TypeFor[[]pgtype.Numeric](), reflect.TypeFor[[]pgtype.Text](),
	reflect.TypeFor[[]*int32](), reflect.TypeFor[[]*string](), reflect.TypeFor[[]status](), reflect.TypeFor[[]scanning](), reflect.TypeFor[[][]int32](), reflect.TypeFor[[]sql.NullString](),
	reflect.TypeFor[pair](), reflect.TypeFor[*pair](), reflect.TypeFor[[]pair](), reflect.TypeFor[pairWithMore](),
	reflect.TypeFor[[]object](), reflect.TypeFor[[]uint8](), reflect.TypeFor[[]*object](),
}

// oids are the types of columns: those that are decoded here, and others.
var oids = []uint32{
	pgtype.BoolOID, pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.Float4OID, pgtype.Float8OID, pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID,
	pgtype.NameOID, pgtype.ByteaOID, pgtype.UUIDOID, pgtype.DateOID, pgtype.TimestampOID, pgtype.TimestamptzOID, pgtype.IntervalOID, pgtype.NumericOID, pgtype.JSONOID,
	pgtype.JSONBOID, pgtype.TimeOID, pgtype.InetOID, pgtype.OIDOID, pgtype.QCharOID, pgtype.PointOID, enumOID, unknownOID,
	pgtype.BoolArrayOID, pgtype.Int2ArrayOID, pgtype.Int4ArrayOID, pgtype.Int8ArrayOID, pgtype.Float4ArrayOID, pgtype.Float8ArrayOID, pgtype.TextArrayOID,
	pgtype.ByteaArrayOID, pgtype.UUIDArrayOID, pgtype.TimestamptzArrayOID, pgtype.NumericArrayOID, pgtype.JSONBArrayOID, pgtype.JSONArrayOID, enumArrayOID, pairOID, pairArrayOID,
}

const (
	enumOID      = 70001
	enumArrayOID = 70002
	unknownOID   = 70003
	pairOID      = 70004
	pairArrayOID = 70005
)

// newMap returns a Map as a connection has it whose user has registered an enum.
func newMap() *pgtype.Map {
	m := pgtype.NewMap()
	enum := &pgtype.Type{Name: "mood", OID: enumOID, Codec: &pgtype.EnumCodec{}}
	m.RegisterType(enum)
	number, _ := m.TypeForOID(pgtype.Int4OID)
	text, _ := m.TypeForOID(pgtype.TextOID)
	list, _ := m.TypeForOID(pgtype.TextArrayOID)
	pair := &pgtype.Type{Name: "pair", OID: pairOID, Codec: &pgtype.CompositeCodec{Fields: []pgtype.CompositeCodecField{{Name: "n", Type: number}, {Name: "t", Type: text}, {Name: "l", Type: list}}}}
	m.RegisterType(pair)
	m.RegisterType(&pgtype.Type{Name: "_pair", OID: pairArrayOID, Codec: &pgtype.ArrayCodec{ElementType: pair}})
	m.RegisterType(&pgtype.Type{Name: "_mood", OID: enumArrayOID, Codec: &pgtype.ArrayCodec{ElementType: enum}})
	return m
}

var words = []string{"", "a", "null", "NULL", "42", "-7", "3.5", "true", "{1,2}", `{"A":1,"B":"x"}`, "infinity", "Grüße", strings.Repeat("long ", 300), "\x00\xff", `"q"`, "NaN"}

// value returns something that may be a value of a type.
func value(r *rand.Rand, oid uint32) any {
	pick := func(v ...any) any { return v[r.IntN(len(v))] }
	whole := func(bits int) any {
		return pick(int64(0), int64(1), int64(-1), int64(r.IntN(200)-100), int64(1)<<(bits-1)-1, -int64(1)<<(bits-1), int64(r.Uint64())>>(64-bits))
	}
	float := func() float64 {
		return pick(0.0, math.Copysign(0, -1), 1.5, -2.0, math.NaN(), math.Inf(1), math.Inf(-1), r.NormFloat64(), 1e300, float64(float32(r.NormFloat64())), float64(r.IntN(1000))).(float64)
	}
	clock := func() time.Time {
		return pick(time.Unix(0, 0), time.Unix(r.Int64N(4e9)-1e9, r.Int64N(1e6)*1000), time.Date(294276, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(-4712, 1, 1, 0, 0, 0, 0, time.UTC),
			time.Date(1999, 12, 31, 23, 59, 59, 999999000, time.UTC), time.Date(2000, 1, 1, 0, 0, 0, 1000, time.UTC)).(time.Time)
	}
	modifier := pgtype.InfinityModifier(r.IntN(3) - 1)
	switch oid {
	case pgtype.BoolOID:
		return r.IntN(2) == 0
	case pgtype.Int2OID:
		return whole(16)
	case pgtype.Int4OID:
		return whole(32)
	case pgtype.Int8OID:
		return whole(64)
	case pgtype.Float4OID:
		return float32(float())
	case pgtype.Float8OID:
		return float()
	case pgtype.ByteaOID:
		return []byte(words[r.IntN(len(words))])
	case pgtype.UUIDOID:
		var u [16]byte
		for i := range u {
			u[i] = byte(r.Uint32())
		}
		return u
	case pgtype.DateOID:
		return pgtype.Date{Time: clock(), InfinityModifier: modifier, Valid: true}
	case pgtype.TimestampOID:
		return pgtype.Timestamp{Time: clock().UTC(), InfinityModifier: modifier, Valid: true}
	case pgtype.TimestamptzOID:
		return pgtype.Timestamptz{Time: clock(), InfinityModifier: modifier, Valid: true}
	case pgtype.IntervalOID:
		return pgtype.Interval{Microseconds: r.Int64N(1e12) - 5e11, Days: int32(r.IntN(100) - 50), Months: int32(r.IntN(100) - 50), Valid: true}
	case pgtype.NumericOID:
		n := big.NewInt(int64(r.Uint64()) >> r.IntN(64))
		for range r.IntN(4) * r.IntN(2) {
			n.Mul(n, big.NewInt(int64(r.Uint64())))
		}
		return pick(pgtype.Numeric{NaN: true, Valid: true}, pgtype.Numeric{InfinityModifier: pgtype.Infinity, Valid: true}, pgtype.Numeric{InfinityModifier: pgtype.NegativeInfinity, Valid: true},
			pgtype.Numeric{Int: n, Exp: int32(r.IntN(60) - 40), Valid: true}, pgtype.Numeric{Int: n, Exp: -2, Valid: true}, pgtype.Numeric{Int: n, Valid: true},
			pgtype.Numeric{Int: big.NewInt(int64(r.IntN(100))), Exp: int32(r.IntN(20)), Valid: true}, pgtype.Numeric{Int: n, Exp: -int32(r.IntN(7)), Valid: true})
	case pgtype.JSONOID, pgtype.JSONBOID:
		return pick(`null`, ` null `, `1`, `"x"`, `[1, "a", null]`, `{"A": 1, "B": "ü\n", "C": [1.5, 2], "E": {"A": 2}}`, `{"A":"no number"}`, `[1,2,3]`, `true`, `{}`, `[{"A":1},null]`, ` {"A" : 7} `, `1e400`)
	case pgtype.TimeOID:
		return pgtype.Time{Microseconds: r.Int64N(24 * 3600 * 1e6), Valid: true}
	case pgtype.InetOID:
		return netip.MustParsePrefix("10.1.2.3/24")
	case pgtype.OIDOID:
		return r.Uint32()
	case pgtype.QCharOID:
		return rune('x')
	case pgtype.PointOID:
		return pgtype.Point{P: pgtype.Vec2{X: 1, Y: 2}, Valid: true}
	}
	return words[r.IntN(len(words))]
}

// encoded returns the bytes of a random value of a type in a format, which may be NULL or damaged.
func encoded(r *rand.Rand, m *pgtype.Map, oid uint32, format int16) []byte {
	if r.IntN(8) == 0 {
		return nil
	}
	b := []byte{}
	if t, ok := m.TypeForOID(oid); ok {
		if _, ok := t.Codec.(*pgtype.CompositeCodec); ok {
			b = encodedPair(r, m, format)
		} else if array, ok := t.Codec.(*pgtype.ArrayCodec); ok {
			b = encodedArray(r, m, array.ElementType.OID, format)
		} else if enc, err := m.Encode(oid, format, value(r, oid), []byte{}); err == nil {
			b = enc
		}
	} else {
		b = []byte(words[r.IntN(len(words))])
	}
	if b != nil && r.IntN(6) == 0 {
		b = damaged(r, b)
	}
	return b
}

func encodedPair(r *rand.Rand, m *pgtype.Map, format int16) []byte {
	if format == pgtype.TextFormatCode {
		return fmt.Appendf(nil, `(%d,"%d text","{a,b}")`, r.IntN(10), r.IntN(10))
	}
	b := []byte{0, 0, 0, 3}
	for _, oid := range []uint32{pgtype.Int4OID, pgtype.TextOID, pgtype.TextArrayOID} {
		b = binary.BigEndian.AppendUint32(b, oid)
		v := encodedArray(r, m, pgtype.TextOID, format)
		if oid != pgtype.TextArrayOID {
			v, _ = m.Encode(oid, format, value(r, oid), []byte{})
		}
		if r.IntN(8) == 0 {
			b = binary.BigEndian.AppendUint32(b, math.MaxUint32)
			continue
		}
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(v))), v...)
	}
	return b
}

func encodedArray(r *rand.Rand, m *pgtype.Map, elem uint32, format int16) []byte {
	n := []int{0, 1, 2, 3, 7}[r.IntN(5)]
	if format == pgtype.TextFormatCode {
		var parts []string
		for range n {
			b, _ := m.Encode(elem, format, value(r, elem), []byte{})
			parts = append(parts, `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(string(b))+`"`)
		}
		return []byte("{" + strings.Join(parts, ",") + "}")
	}
	put := func(b []byte, n int) []byte { return append(b, byte(n>>24), byte(n>>16), byte(n>>8), byte(n)) }
	dims := []int{n}
	switch {
	case n == 0 && r.IntN(4) > 0:
		dims = nil
	case n == 2 && r.IntN(4) == 0:
		dims = []int{2, 1}
	}
	b := put(nil, len(dims))
	b = put(b, r.IntN(2))
	b = put(b, int(elem))
	for _, d := range dims {
		b = put(put(b, d), 1)
	}
	for range n {
		v, err := m.Encode(elem, format, value(r, elem), []byte{})
		if elem == pairOID {
			v, err = encodedPair(r, m, format), nil
		}
		if err != nil || r.IntN(10) == 0 {
			b = put(b, -1)
			continue
		}
		b = append(put(b, len(v)), v...)
	}
	return b
}

// damaged returns b with a mistake.
func damaged(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	switch r.IntN(5) {
	case 0:
		return b[:r.IntN(len(b)+1)]
	case 1:
		return append(b, byte(r.Uint32()))
	case 2:
		for range 1 + r.IntN(3) {
			if len(b) > 0 {
				b[r.IntN(len(b))] = byte(r.Uint32())
			}
		}
	case 3:
		if len(b) > 0 {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
	default:
		for i := range b {
			b[i] = byte(r.Uint32())
		}
	}
	return b
}

// TestTypes scans values of each type in each format into each Go type, and compares with pgx.
func TestTypes(t *testing.T) {
	rounds := 60
	if !testrun.Long() {
		rounds = 8
	}
	m := newMap()
	r := rand.New(rand.NewPCG(1, 2))
	a := arena.NewArena()
	native, all := 0, 0
	for _, oid := range oids {
		for _, format := range []int16{pgtype.BinaryFormatCode, pgtype.TextFormatCode} {
			for _, typ := range goTypes {
				for range rounds {
					compare(t, a, m, oid, format, encoded(r, m, oid, format), typ)
				}
				a.Reset()
				all++
				if arenapgx.Native(m, oid, format, typ) {
					native++
				}
				if t.Failed() {
					return
				}
			}
		}
	}
	t.Logf("%d of %d combinations are decoded here", native, all)
}

// compare scans b into two variables of a type, with pgx and here.
func compare(t *testing.T, a *arena.Arena, m *pgtype.Map, oid uint32, format int16, b []byte, typ reflect.Type) {
	t.Helper()
	if b == nil && !arenapgx.Native(m, oid, format, typ) {
		return // where a value cannot be scanned, pgx asks all types that it knows for NULL, in the order of a Go map
	}
	rows := &wireRows{m: m, fields: []pgconn.FieldDescription{{Name: "c", DataTypeOID: oid, Format: format}}, rows: [][][]byte{{bytes.Clone(b)}}}
	theirs := rows.again()
	x, y := reflect.New(typ), reflect.New(typ)
	rows.Next()
	theirs.Next()
	errX := arenapgx.Scan(a, rows, x.Interface())
	errY := theirs.Scan(y.Interface())
	rows.Close() // overwrites its buffer
	theirs.Close()
	if (errX == nil) != (errY == nil) || b != nil && !sameError(errX, errY) {
		t.Errorf("type %d in format %d, %q into %v: error %v, pgx %v", oid, format, b, typ, errX, errY)
	} else if errX == nil && !equal(x.Elem(), y.Elem()) {
		t.Errorf("type %d in format %d, %q into %v:\n%#v, pgx\n%#v", oid, format, b, typ, x.Elem(), y.Elem())
	}
}

// FuzzScan scans bytes into a Go type, and compares with pgx.
func FuzzScan(f *testing.F) {
	m := newMap()
	r := rand.New(rand.NewPCG(3, 4))
	for i, oid := range oids {
		for range 3 {
			f.Add(uint8(i), r.IntN(4) > 0, uint8(r.IntN(len(goTypes))), encoded(r, m, oid, pgtype.BinaryFormatCode))
		}
	}
	a := arena.NewArena()
	f.Fuzz(func(t *testing.T, oid uint8, binary bool, typ uint8, b []byte) {
		format := int16(pgtype.TextFormatCode)
		if binary {
			format = pgtype.BinaryFormatCode
		}
		compare(t, a, m, oids[int(oid)%len(oids)], format, b, goTypes[int(typ)%len(goTypes)])
		a.Reset()
	})
}

// TestNumbersInText compares with pgx where a number is written in another way than PostgreSQL
// does.
func TestNumbersInText(t *testing.T) {
	m := newMap()
	a := arena.NewArena()
	for _, oid := range []uint32{pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.Float4OID, pgtype.Float8OID} {
		for _, text := range []string{"", "-", "-0", "-00", "+1", "007", " 1", "1 ", "1_0", "0x10", "-32768", "32768", "65536", "4294967296", "999999999999999999", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e3", "nan", "-inf"} {
			for _, typ := range goTypes {
				compare(t, a, m, oid, pgtype.TextFormatCode, []byte(text), typ)
			}
			a.Reset()
		}
	}
}
