package arenasql

import (
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A plan says which columns go where, for one Go type. It does not change, and many goroutines use
// it.
type plan struct {
	columns []string
	fields  []field // by column
	raw     int     // the first column that becomes an sql.RawBytes, plus 1
}

// A field is where the value of a column goes.
type field struct {
	path []int // in the struct; empty for the value itself
	typ  reflect.Type
	form form
	kind reflect.Kind // of the value, of what a pointer leads to, or of the first field of an sql.Null
	text bool         // it is a string, or exactly a []byte
}

// A form says what is done with a value.
type form uint8

const (
	formScan    form = iota // database/sql converts it
	formValue               // it is set
	formPointer             // a new one is set, unless it is NULL
	formNull                // a struct of database/sql: the value is its first field, and Valid its second one

	// Methods of users may panic, and must not do so while database/sql scans: it would keep a lock
	// that Close of the rows waits for. So they are called by cells.

	formScanner          // it has a method Scan
	formPointerToScanner // a pointer to one, a new one unless it is NULL
)

type planKey struct {
	typ   reflect.Type
	match Match
	names string // of the columns, each with its length in front
}

// maxPlans bounds the plans that are kept. If a program makes up columns as it goes, all are made
// anew from time to time.
const maxPlans = 4096

var (
	plans   sync.Map // of *plan, by planKey
	planned atomic.Int64
)

// matchOf returns the Match that the caller has asked for.
func matchOf(t reflect.Type, match []Match) Match {
	switch {
	case len(match) > 1:
		panic("arenasql: more than one Match was given: columns become fields in one way only")
	case len(match) == 1 && match[0] > Value:
		panic("arenasql: there is no such Match: use ByName, ByNameLax, ByPos or Value")
	case len(match) == 1 && match[0] != Auto:
		return match[0]
	case t.Kind() == reflect.Struct && t != timeType && !reflect.PointerTo(t).Implements(scannerType):
		return ByName
	}
	return Value
}

var (
	timeType    = reflect.TypeFor[time.Time]()
	scannerType = reflect.TypeFor[sql.Scanner]()
	rawType     = reflect.TypeFor[sql.RawBytes]()
)

// planFor returns the plan for a type and columns, or an error that says how they do not match.
func planFor(t reflect.Type, match Match, columns []string) (*plan, error) {
	var room [256]byte
	names := room[:0]
	for _, c := range columns {
		names = append(append(strconv.AppendInt(names, int64(len(c)), 10), ' '), c...)
	}
	key := planKey{t, match, string(names)}
	if p, ok := plans.Load(key); ok {
		return p.(*plan), nil
	}
	p, err := newPlan(t, match, columns)
	if err != nil {
		return nil, err
	}
	p.raw = 1 + slices.IndexFunc(p.fields, func(f field) bool { return f.typ == rawType || f.typ == reflect.PointerTo(rawType) })
	if planned.Add(1) > maxPlans {
		plans.Clear()
		planned.Store(0)
	}
	plans.Store(key, p)
	return p, nil
}

func newPlan(t reflect.Type, match Match, columns []string) (*plan, error) {
	p := &plan{columns: slices.Clone(columns)}
	if match == Value {
		if len(columns) != 1 {
			return nil, fmt.Errorf("arenasql: a row has %d columns, and a %v is the value of one; collect a struct", len(columns), t)
		}
		p.fields = []field{fieldFor(t, nil)}
		return p, nil
	}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("arenasql: a %v is no struct, and has no fields for columns; use Value", t)
	}
	all := fieldsOf(t, nil, nil)
	if match == ByPos {
		if len(all) != len(columns) {
			return nil, fmt.Errorf("arenasql: a row has %d columns, and a %v has %d fields for them", len(columns), t, len(all))
		}
		for _, f := range all {
			if err := f.settable(t); err != nil {
				return nil, err
			}
			p.fields = append(p.fields, fieldFor(f.typ, f.path))
		}
		return p, nil
	}
	all = slices.DeleteFunc(slices.Clone(all), func(f named) bool { return slices.ContainsFunc(all, f.isHidden) })
	p.fields = make([]field, len(columns))
	used, found := make([]bool, len(all)), make([]bool, len(columns))
	for _, like := range likenesses {
		for c, column := range columns {
			if found[c] {
				continue
			}
			to, taken := -1, -1
			for i := range all {
				switch {
				case !like(&all[i], column):
				case used[i]:
					taken = i
				case to >= 0:
					return nil, fmt.Errorf("arenasql: column %q may be field %s or field %s of %v; give one of them another name in a tag", column, all[to].full(t), all[i].full(t), t)
				default:
					to = i
				}
			}
			switch {
			case to >= 0:
				if err := all[to].settable(t); err != nil {
					return nil, err
				}
				found[c], used[to] = true, true
				p.fields[c] = fieldFor(all[to].typ, all[to].path)
			case taken >= 0: // and not a field that is less like it
				return nil, fmt.Errorf("arenasql: field %s of %v has more than one column, the last of which is %q", all[taken].name, t, column)
			}
		}
	}
	if c := slices.Index(found, false); c >= 0 {
		return nil, fmt.Errorf("arenasql: column %q has no field in %v", columns[c], t)
	}
	if i := slices.Index(used, false); i >= 0 && match == ByName {
		return nil, fmt.Errorf("arenasql: field %s of %v has no column; use ByNameLax if it need not have one", all[i].name, t)
	}
	return p, nil
}

// likenesses report whether a field is like a column, the closest likeness first.
var likenesses = []func(f *named, column string) bool{
	func(f *named, column string) bool { return f.tagged && f.name == column },
	func(f *named, column string) bool { return !f.tagged && strings.EqualFold(f.name, column) },
	func(f *named, column string) bool { return f.tagged && strings.EqualFold(f.name, column) },
	func(f *named, column string) bool { return !f.tagged && alike(f.name, column) },
	func(f *named, column string) bool { return f.tagged && alike(f.name, column) },
}

// alike reports whether two names differ in case and underscores at most.
func alike(x, y string) bool {
	return strings.EqualFold(strings.ReplaceAll(x, "_", ""), strings.ReplaceAll(y, "_", ""))
}

// A named is a field that may have a column.
type named struct {
	name   string // of the column
	tagged bool
	field  string // the name of the field
	path   []int
	typ    reflect.Type
	closed string // the embedded pointer on the way that cannot be set: its type is not exported
}

// isHidden reports whether f is hidden by outer, as in Go, and is of the same column.
func (f named) isHidden(outer named) bool {
	return len(outer.path) < len(f.path) && outer.field == f.field &&
		(outer.name == f.name || !(outer.tagged && f.tagged) && alike(outer.name, f.name))
}

// settable returns an error if f cannot be set.
func (f named) settable(t reflect.Type) error {
	if f.closed == "" {
		return nil
	}
	return fmt.Errorf("arenasql: field %s of %v is behind the pointer %s, whose type is not exported, so nobody can set it; export the type, or embed it without the pointer", f.field, t, f.closed)
}

// full returns the name of f, preceded by the names of the structs that embed it.
func (f named) full(t reflect.Type) string {
	name := ""
	for i := range len(f.path) - 1 {
		name += t.FieldByIndex(f.path[:i+1]).Name + "."
	}
	return name + f.field
}

// fieldsOf returns the fields of t, and of the structs embedded in it, whose path begins with path.
// The structs on the way are outer.
func fieldsOf(t reflect.Type, path []int, outer []reflect.Type) (list []named) {
	outer = append(slices.Clip(outer), t)
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(path), i)
		tag, tagged := f.Tag.Lookup("db")
		tag, _, _ = strings.Cut(tag, ",")
		switch {
		case tag == "-":
		case f.Anonymous && f.Type.Kind() == reflect.Struct && !tagged:
			list = append(list, fieldsOf(f.Type, at, outer)...)
		case f.Anonymous && isPointerToStruct(f.Type) && !tagged:
			if slices.Contains(outer, f.Type.Elem()) {
				continue // its fields are hidden by the fields of the outer struct
			}
			inner := fieldsOf(f.Type.Elem(), at, outer)
			if !f.IsExported() {
				for i := range inner {
					inner[i].closed = f.Name
				}
			}
			list = append(list, inner...)
		case !f.IsExported():
		case tagged && tag != "":
			list = append(list, named{name: tag, tagged: true, field: f.Name, path: at, typ: f.Type})
		default:
			list = append(list, named{name: f.Name, field: f.Name, path: at, typ: f.Type})
		}
	}
	return list
}

// isPointerToStruct reports whether the struct that t leads to has columns of its own.
func isPointerToStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct && t.Elem() != timeType && !t.Implements(scannerType)
}

// fieldFor says what is done with values for a t.
func fieldFor(t reflect.Type, path []int) field {
	f := field{path: path, typ: t}
	set := func(k form, t reflect.Type) {
		if settable(t) {
			f.form, f.kind, f.text = k, t.Kind(), t.Kind() == reflect.String || t == bytesType
		}
	}
	switch {
	case settable(t):
		set(formValue, t)
	case t.Kind() == reflect.Pointer && t.Name() == "":
		set(formPointer, t.Elem())
	case isNull(t):
		set(formNull, t.Field(0).Type)
	}
	switch {
	case f.form != formScan:
	case reflect.PointerTo(t).Implements(scannerType):
		f.form = formScanner
	case t.Kind() == reflect.Pointer && t.Name() == "" && t.Implements(scannerType):
		f.form = formPointerToScanner
	}
	return f
}

// settable reports whether values of t are set here: numbers, text, bytes, bools and times, of any
// name, without a method Scan.
func settable(t reflect.Type) bool {
	if reflect.PointerTo(t).Implements(scannerType) || t == rawType {
		return false
	}
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	case reflect.Slice:
		return t.Elem() == bytesType.Elem()
	}
	return t == timeType
}

// isNull reports whether t is one of database/sql's types that may be NULL.
func isNull(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.PkgPath() == "database/sql" && strings.HasPrefix(t.Name(), "Null") && t.NumField() == 2 && t.Field(1).Name == "Valid"
}
