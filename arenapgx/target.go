package arenapgx

import (
	"database/sql"
	"reflect"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// A kind says what the memory of a Go type is, for types that are decoded here.
type kind uint8

const (
	kindOther kind = iota // left to pgx, unless the column has JSON
	kindBool
	kindInt8
	kindInt16
	kindInt32
	kindInt64
	kindUint8
	kindUint16
	kindUint32
	kindUint64
	kindFloat32
	kindFloat64
	kindString
	kindBytes
	kindUUID // [16]byte
	kindTime // time.Time
	kindInterval
	kindNumeric
)

// A family says which of pgx's interfaces a Go type has, and thus what pgx does to scan into it.
type family uint8

const (
	familyPlain family = iota // none
	familyPgtype
	familySQL // sql.Scanner only
)

// A target is a Go type that a column is decoded into: a value with the memory of its kind in front
// and, for types that have a NULL, a bool that says that there is a value.
type target struct {
	typ      reflect.Type
	kind     kind
	family   family
	exact    bool    // a predeclared type, or []byte: pgx scans text of any type into string and []byte
	nullable bool    // there is a Valid
	valid    uintptr // where it is
	infinite bool    // there is an InfinityModifier, in front of Valid
	infinity uintptr // where it is
}

// targets are those that are no predeclared types, nor have one below them.
var targets = targetsOf(map[reflect.Type]target{
	reflect.TypeFor[time.Time]():          {kind: kindTime, family: familyPlain},
	reflect.TypeFor[[16]byte]():           {kind: kindUUID, family: familyPlain},
	reflect.TypeFor[pgtype.Bool]():        {kind: kindBool, family: familyPgtype},
	reflect.TypeFor[pgtype.Int2]():        {kind: kindInt16, family: familyPgtype},
	reflect.TypeFor[pgtype.Int4]():        {kind: kindInt32, family: familyPgtype},
	reflect.TypeFor[pgtype.Int8]():        {kind: kindInt64, family: familyPgtype},
	reflect.TypeFor[pgtype.Float4]():      {kind: kindFloat32, family: familyPgtype},
	reflect.TypeFor[pgtype.Float8]():      {kind: kindFloat64, family: familyPgtype},
	reflect.TypeFor[pgtype.Text]():        {kind: kindString, family: familyPgtype},
	reflect.TypeFor[pgtype.UUID]():        {kind: kindUUID, family: familyPgtype},
	reflect.TypeFor[pgtype.Date]():        {kind: kindTime, family: familyPgtype},
	reflect.TypeFor[pgtype.Timestamp]():   {kind: kindTime, family: familyPgtype},
	reflect.TypeFor[pgtype.Timestamptz](): {kind: kindTime, family: familyPgtype},
	reflect.TypeFor[pgtype.Interval]():    {kind: kindInterval, family: familyPgtype},
	reflect.TypeFor[pgtype.Numeric]():     {kind: kindNumeric, family: familyPgtype},
	reflect.TypeFor[sql.NullBool]():       {kind: kindBool, family: familySQL},
	reflect.TypeFor[sql.NullByte]():       {kind: kindUint8, family: familySQL},
	reflect.TypeFor[sql.NullInt16]():      {kind: kindInt16, family: familySQL},
	reflect.TypeFor[sql.NullInt32]():      {kind: kindInt32, family: familySQL},
	reflect.TypeFor[sql.NullInt64]():      {kind: kindInt64, family: familySQL},
	reflect.TypeFor[sql.NullFloat64]():    {kind: kindFloat64, family: familySQL},
	reflect.TypeFor[sql.NullString]():     {kind: kindString, family: familySQL},
	reflect.TypeFor[sql.NullTime]():       {kind: kindTime, family: familySQL},
})

// targetsOf sets the places of what goes with the values.
func targetsOf(all map[reflect.Type]target) map[reflect.Type]target {
	for t, x := range all {
		x.typ = t
		if t.Kind() == reflect.Struct {
			valid, ok := t.FieldByName("Valid")
			x.nullable, x.valid = ok, valid.Offset
			modifier, ok := t.FieldByName("InfinityModifier")
			x.infinite, x.infinity = ok && x.kind == kindTime, modifier.Offset
		}
		all[t] = x
	}
	return all
}

// targetOf returns what t is.
func targetOf(t reflect.Type) target {
	if x, ok := targets[t]; ok {
		return x
	}
	if x, ok := nullOf(t); ok {
		return x
	}
	x := target{typ: t, kind: basicKind(t), exact: t.PkgPath() == "" && t.Name() != "" || t == reflect.TypeFor[[]byte]()}
	if x.kind != kindOther && !x.exact && special(t) {
		x.kind = kindOther
	}
	return x
}

// nullOf returns what an sql.Null of something is.
func nullOf(t reflect.Type) (target, bool) {
	if t.Kind() != reflect.Struct || t.PkgPath() != "database/sql" || !strings.HasPrefix(t.Name(), "Null[") {
		return target{}, false
	}
	v, okV := t.FieldByName("V")
	valid, okValid := t.FieldByName("Valid")
	if !okV || !okValid || v.Offset != 0 {
		return target{}, false
	}
	k := kindOther
	switch inner := targetOf(v.Type); {
	case v.Type == reflect.TypeFor[time.Time](), inner.exact && inner.kind != kindBytes && inner.kind != kindFloat32:
		k = inner.kind
	}
	return target{typ: t, kind: k, family: familySQL, nullable: true, valid: valid.Offset}, true
}

// basicKind returns the kind of t by what it is made of.
func basicKind(t reflect.Type) kind {
	switch t.Kind() {
	case reflect.Bool:
		return kindBool
	case reflect.Int8:
		return kindInt8
	case reflect.Int16:
		return kindInt16
	case reflect.Int32:
		return kindInt32
	case reflect.Int64:
		return kindInt64
	case reflect.Int:
		if t.Size() == 4 {
			return kindInt32
		}
		return kindInt64
	case reflect.Uint8:
		return kindUint8
	case reflect.Uint16:
		return kindUint16
	case reflect.Uint32:
		return kindUint32
	case reflect.Uint64:
		return kindUint64
	case reflect.Uint:
		if t.Size() == 4 {
			return kindUint32
		}
		return kindUint64
	case reflect.Float32:
		return kindFloat32
	case reflect.Float64:
		return kindFloat64
	case reflect.String:
		return kindString
	case reflect.Slice:
		if t.Elem() == reflect.TypeFor[byte]() {
			return kindBytes
		}
	}
	return kindOther
}

// special reports whether pgx does something of its own with a *t, so that it is not scanned as
// what it is made of: it has methods that pgx looks for, or a name that pgx knows.
func special(t reflect.Type) bool {
	if hasScanMethod(t) {
		return true
	}
	_, _, known := pgtype.TryWrapBuiltinTypeScanPlan(reflect.New(t).Interface())
	return known
}

// hasScanMethod reports whether *t has a method of one of the interfaces by which database/sql and
// pgx scan: their names begin with one of these words.
func hasScanMethod(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	for i := range p.NumMethod() {
		name := p.Method(i).Name
		for _, word := range []string{"Scan", "Skip", "SetDimensions"} {
			if strings.HasPrefix(name, word) {
				return true
			}
		}
	}
	return false
}
