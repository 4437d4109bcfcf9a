package arenapgx

import (
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// An op is how a column is decoded.
type op uint8

const (
	opPgx op = iota // by pgx, with its own plan

	// The first ones are decoded in decoder.row, see there.
	opInt4ToInt32
	opInt4ToInt64
	opInt8ToInt64
	opFloat8
	opText

	opBool
	opInt // of any size into any kind
	opFloat4
	opFloat4ToFloat64
	opBytes
	opUUID
	opUUIDText
	opDate
	opTimestamp
	opTimestamptz
	opInterval
	opNumeric
	opNumericToFloat64
	opNumericToInt
	opJSON
	opJSONB // with a byte in front that says which version it is
	opRawJSON
	opRawJSONB
	opArray
	opComposite
	opPointer

	// Of the text format.
	opBoolInText
	opIntInText
	opFloatInText
	opByteaInText
	opUUIDInText
)

// A column is how the values of one column of a result are decoded, or the elements of an array, or
// what a pointer leads to.
type column struct {
	offset   uintptr // of the field, in the row
	op       op
	kind     kind
	size     int  // of a number, on the wire
	null     bool // NULL is the zero value; otherwise pgx makes an error of it
	nullable bool
	valid    uintptr // offset of the bool, if nullable
	infinite bool
	infinity uintptr        // offset of the InfinityModifier, if infinite
	where    *time.Location // of times, if it is not nil
	typ      reflect.Type   // of the field
	elem     *column        // of arrays and pointers
	parts    []column       // of composites
	slab     int            // of elem: an index in plan.slabs
	isJSON   bool           // a pointer to JSON: null is nil
}

// columnFor returns how values of pgx's type wt are decoded into a t. If the result might differ
// from pgx's, the op is opPgx. wt is nil if the type with that oid is not known.
func (p *plan) columnFor(m *pgtype.Map, wt *pgtype.Type, oid uint32, format int16, t reflect.Type) column {
	c := column{typ: t}
	if !p.ask(m, t) && t != reflect.TypeFor[pgtype.UndecodedBytes]() { // which pgx fills with what is on the wire
		p.decide(&c, m, wt, oid, format)
	}
	if c.op == opPgx {
		return column{typ: t}
	}
	return c
}

// decide sets the op of c, and what goes with it.
func (p *plan) decide(c *column, m *pgtype.Map, wt *pgtype.Type, oid uint32, format int16) {
	t := c.typ
	x := targetOf(t)
	c.kind, c.nullable, c.valid, c.infinite, c.infinity = x.kind, x.nullable, x.valid, x.infinite, x.infinity
	c.null = x.nullable || x.kind == kindBytes
	w := wireOf(wt)

	if t.Kind() == reflect.Pointer && t.Name() == "" && wt != nil {
		elem := p.columnFor(m, wt, oid, format, t.Elem())
		if elem.op != opPgx && elem.op != opPointer {
			c.op, c.null, c.elem, c.slab = opPointer, true, &elem, p.slabFor(t.Elem())
			c.isJSON = w == wireJSON || w == wireJSONB
		}
		return
	}
	switch format {
	case pgtype.BinaryFormatCode:
		p.binary(c, x, m, wt)
	case pgtype.TextFormatCode:
		p.text(c, x, wt, oid)
	}
}

// binary sets the op of c for the binary format.
func (p *plan) binary(c *column, x target, m *pgtype.Map, wt *pgtype.Type) {
	whole := x.kind >= kindInt8 && x.kind <= kindUint64
	switch w := wireOf(wt); w {
	case wireBool:
		if x.kind == kindBool {
			c.op = opBool
		}
	case wireInt2, wireInt4, wireInt8:
		c.size = map[wire]int{wireInt2: 2, wireInt4: 4, wireInt8: 8}[w]
		switch {
		case !whole && (x.kind != kindFloat64 || x.family == familySQL):
		case w == wireInt4 && x.kind == kindInt32 && !x.nullable:
			c.op = opInt4ToInt32
		case w == wireInt4 && x.kind == kindInt64 && !x.nullable:
			c.op = opInt4ToInt64
		case w == wireInt8 && x.kind == kindInt64 && !x.nullable:
			c.op = opInt8ToInt64
		default:
			c.op = opInt
		}
	case wireFloat4:
		switch x.kind {
		case kindFloat32:
			c.op = opFloat4
		case kindFloat64:
			c.op = opFloat4ToFloat64
		}
	case wireFloat8:
		if x.kind == kindFloat64 {
			c.op = opFloat8
		}
	case wireText:
		switch x.kind {
		case kindString:
			c.op = opText
		case kindBytes:
			c.op = opBytes
		}
	case wireBytea:
		if x.kind == kindBytes {
			c.op = opBytes
		}
	case wireUUID:
		switch x.kind {
		case kindUUID:
			c.op = opUUID
		case kindString:
			c.op = opUUIDText
		}
	case wireDate, wireTimestamp, wireTimestamptz:
		own := map[wire]reflect.Type{
			wireDate:        reflect.TypeFor[pgtype.Date](),
			wireTimestamp:   reflect.TypeFor[pgtype.Timestamp](),
			wireTimestamptz: reflect.TypeFor[pgtype.Timestamptz](),
		}[w]
		if x.kind == kindTime && (x.family != familyPgtype || x.typ == own) {
			c.op = map[wire]op{wireDate: opDate, wireTimestamp: opTimestamp, wireTimestamptz: opTimestamptz}[w]
			c.where = locationOf(wt)
		}
	case wireInterval:
		if x.kind == kindInterval {
			c.op = opInterval
		}
	case wireNumeric:
		switch {
		case x.kind == kindNumeric:
			c.op = opNumeric
		case x.family == familySQL:
		case x.kind == kindFloat64:
			c.op = opNumericToFloat64
		case whole:
			c.op = opNumericToInt
		}
	case wireJSON, wireJSONB:
		c.json(x, w == wireJSONB)
	case wireArray:
		p.array(c, m, wt)
	case wireComposite:
		p.composite(c, m, wt)
	}
}

// text sets the op of c for the text format. Nearly all columns have the binary format. The others
// have types that pgx does not know, or text and JSON themselves; with the simple protocol all
// columns have the text format.
func (p *plan) text(c *column, x target, wt *pgtype.Type, oid uint32) {
	w := wireOf(wt)
	switch {
	case x.exact && x.kind == kindString, x.typ == reflect.TypeFor[pgtype.Text]():
		c.op = opText // of whatever type
		return
	case x.exact && x.kind == kindBytes && oid != pgtype.ByteaOID:
		c.op = opBytes
		return
	}
	whole := x.kind >= kindInt8 && x.kind <= kindUint64
	switch w {
	case wireBool:
		if x.kind == kindBool {
			c.op = opBoolInText
		}
	case wireInt2, wireInt4, wireInt8:
		if whole || x.kind == kindFloat64 && x.family != familySQL {
			c.op = opIntInText
		}
	case wireFloat4:
		switch {
		case x.kind == kindFloat32 && x.family == familyPlain, x.kind == kindFloat64 && x.family != familySQL:
			c.op = opFloatInText
		}
	case wireFloat8:
		if x.kind == kindFloat64 {
			c.op = opFloatInText
		}
	case wireNumeric:
		if x.kind == kindFloat64 && x.family != familySQL {
			c.op = opFloatInText
		}
	case wireText:
		switch x.kind {
		case kindString:
			c.op = opText
		case kindBytes:
			c.op = opBytes
		}
	case wireBytea:
		if x.kind == kindBytes {
			c.op = opByteaInText
		}
	case wireUUID:
		if x.kind == kindUUID {
			c.op = opUUIDInText
		}
	case wireJSON, wireJSONB:
		c.json(x, false)
	}
}

// json sets the op of c for a column of JSON, which has a byte in front or not.
func (c *column) json(x target, version bool) {
	t := x.typ
	c.nullable, c.infinite = false, false
	switch t.Kind() {
	case reflect.Slice, reflect.Map, reflect.Interface:
		c.null = true
	default:
		c.null = false
	}
	switch {
	case x.exact && x.kind == kindString:
		if !version {
			c.op, c.null = opText, true
		}
	case x.exact && x.kind == kindBytes:
		if !version {
			c.op = opBytes
		}
	case t.Kind() == reflect.Pointer, hasScanMethod(t):
	case t == reflect.TypeFor[json.RawMessage]() && version:
		c.op = opRawJSONB
	case t == reflect.TypeFor[json.RawMessage]():
		c.op = opRawJSON
	case version:
		c.op = opJSONB
	default:
		c.op = opJSON
	}
}

// array sets the op of c for an array in binary format.
func (p *plan) array(c *column, m *pgtype.Map, wt *pgtype.Type) {
	t := c.typ
	if t.Kind() != reflect.Slice || c.kind != kindOther || t.Elem().Kind() == reflect.Slice && basicKind(t.Elem()) != kindBytes {
		return
	}
	if hasScanMethod(t) && !flat(t) {
		return
	}
	elemType := wt.Codec.(*pgtype.ArrayCodec).ElementType
	if !knows(m, elemType) {
		return
	}
	elem := p.columnFor(m, elemType, elemType.OID, pgtype.BinaryFormatCode, t.Elem())
	if elem.op == opPgx {
		return
	}
	c.op, c.null, c.elem, c.slab = opArray, true, &elem, p.slabFor(t.Elem())
}

// composite sets the op of c for a composite in binary format, which becomes a struct: its fields
// go to the exported ones, in their order.
func (p *plan) composite(c *column, m *pgtype.Map, wt *pgtype.Type) {
	t := c.typ
	if t.Kind() != reflect.Struct || c.kind != kindOther || special(t) {
		return
	}
	var fields []reflect.StructField
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() {
			fields = append(fields, f)
		}
	}
	all := wt.Codec.(*pgtype.CompositeCodec).Fields
	if len(all) > len(fields) {
		return
	}
	var parts []column
	for i, f := range all {
		if !knows(m, f.Type) {
			return
		}
		part := p.columnFor(m, f.Type, f.Type.OID, pgtype.BinaryFormatCode, fields[i].Type)
		if part.op == opPgx {
			return
		}
		part.offset = fields[i].Offset
		parts = append(parts, part)
	}
	c.op, c.parts = opComposite, parts
}

// flat reports whether t is a pgtype.FlatArray, which is scanned as the slice that it is.
func flat(t reflect.Type) bool {
	const name = "FlatArray["
	return t.PkgPath() == reflect.TypeFor[pgtype.Text]().PkgPath() && len(t.Name()) > len(name) && t.Name()[:len(name)] == name
}

// defaults are the functions that a Map of pgx's has from the start.
var defaults = []*byte{
	identity(pgtype.TryPointerPointerScanPlan),
	identity(pgtype.TryWrapBuiltinTypeScanPlan),
	identity(pgtype.TryFindUnderlyingTypeScanPlan),
	identity(pgtype.TryWrapStructScanPlan),
	identity(pgtype.TryWrapPtrSliceScanPlan),
	identity(pgtype.TryWrapPtrMultiDimSliceScanPlan),
	identity(pgtype.TryWrapPtrArrayScanPlan),
}

// added returns how many functions the caller has put in front of the defaults of m. It reports
// false if m has other ones in their place.
func added(m *pgtype.Map) (n int, ok bool) {
	if n = len(m.TryWrapScanPlanFuncs) - len(defaults); n < 0 {
		return 0, false
	}
	for i, f := range m.TryWrapScanPlanFuncs[n:] {
		if identity(f) != defaults[i] {
			return 0, false
		}
	}
	return n, true
}

// ask returns what claimed does, and notes it.
func (p *plan) ask(m *pgtype.Map, t reflect.Type) bool {
	q := question{t, claimed(m, t)}
	if !slices.Contains(p.asked, q) {
		p.asked = append(p.asked, q)
	}
	return q.claimed
}

// claimed reports whether a function that the caller has added to m would scan into a t.
func claimed(m *pgtype.Map, t reflect.Type) bool {
	n, ok := added(m)
	if !ok {
		return true
	}
	for _, f := range m.TryWrapScanPlanFuncs[:n] {
		if _, _, ok := f(reflect.New(t).Interface()); ok {
			return true
		}
	}
	return false
}
