package arenapgx

import (
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// A wire is what the bytes of a column are.
type wire uint8

const (
	wireOther wire = iota // left to pgx
	wireBool
	wireInt2
	wireInt4
	wireInt8
	wireFloat4
	wireFloat8
	wireText
	wireBytea
	wireUUID
	wireDate
	wireTimestamp
	wireTimestamptz
	wireInterval
	wireNumeric
	wireJSON
	wireJSONB
	wireArray
	wireComposite
)

// wireOf returns what a type of pgx's has on the wire, by its codec. A codec of somebody else's is
// wireOther, and so is no type.
func wireOf(t *pgtype.Type) wire {
	if t == nil {
		return wireOther
	}
	switch c := t.Codec.(type) {
	case pgtype.BoolCodec:
		return wireBool
	case pgtype.Int2Codec:
		return wireInt2
	case pgtype.Int4Codec:
		return wireInt4
	case pgtype.Int8Codec:
		return wireInt8
	case pgtype.Float4Codec:
		return wireFloat4
	case pgtype.Float8Codec:
		return wireFloat8
	case pgtype.TextCodec, *pgtype.EnumCodec:
		return wireText
	case pgtype.ByteaCodec:
		return wireBytea
	case pgtype.UUIDCodec:
		return wireUUID
	case pgtype.DateCodec:
		return wireDate
	case *pgtype.TimestampCodec:
		return wireTimestamp
	case *pgtype.TimestamptzCodec:
		return wireTimestamptz
	case pgtype.IntervalCodec:
		return wireInterval
	case pgtype.NumericCodec:
		return wireNumeric
	case *pgtype.JSONCodec:
		if standard(c.Unmarshal) {
			return wireJSON
		}
	case *pgtype.JSONBCodec:
		if standard(c.Unmarshal) {
			return wireJSONB
		}
	case *pgtype.ArrayCodec:
		return wireArray
	case *pgtype.CompositeCodec:
		return wireComposite
	}
	return wireOther
}

// standard reports whether f is json.Unmarshal.
func standard(f func([]byte, any) error) bool {
	return reflect.ValueOf(f).Pointer() == reflect.ValueOf(json.Unmarshal).Pointer()
}

// locationOf returns the location that times of a type are to have, or nil.
func locationOf(t *pgtype.Type) *time.Location {
	switch c := t.Codec.(type) {
	case *pgtype.TimestampCodec:
		return c.ScanLocation
	case *pgtype.TimestamptzCodec:
		return c.ScanLocation
	}
	return nil
}

// knows reports whether t, of an element or a part, is what m has for its oid. pgx decodes parts by
// what the Map has, and at times elements.
func knows(m *pgtype.Map, t *pgtype.Type) bool {
	known, _ := m.TypeForOID(t.OID)
	return known == t
}

// alike reports whether values of x, a type of m, are decoded in the same way as values of y in
// another Map, whose elements and parts belong to that Map.
func alike(m *pgtype.Map, x, y *pgtype.Type) bool {
	if x == nil || y == nil {
		return x == y
	}
	if x.OID != y.OID {
		return false
	}
	w := wireOf(x)
	if x == y && w != wireArray && w != wireComposite {
		return true
	}
	if w == wireOther || w != wireOf(y) || locationOf(x) != locationOf(y) {
		return false
	}
	if w == wireArray {
		return knows(m, x.Codec.(*pgtype.ArrayCodec).ElementType) && alike(m, x.Codec.(*pgtype.ArrayCodec).ElementType, y.Codec.(*pgtype.ArrayCodec).ElementType)
	}
	if w == wireComposite {
		return slices.EqualFunc(x.Codec.(*pgtype.CompositeCodec).Fields, y.Codec.(*pgtype.CompositeCodec).Fields,
			func(f, g pgtype.CompositeCodecField) bool { return knows(m, f.Type) && alike(m, f.Type, g.Type) })
	}
	_, enumX := x.Codec.(*pgtype.EnumCodec)
	_, enumY := y.Codec.(*pgtype.EnumCodec)
	return enumX == enumY
}
