package gogo

import (
	"fmt"
	"reflect"
)

// trusted has the types that Trust and TrustAs were called for, and for each the struct that has
// the tags: the type itself, or another one. It is guarded by planning.
var trusted = map[reflect.Type]reflect.Type{}

// Trust says that the Unmarshal of M does what the tags of M's struct say, like generated code,
// although it is handwritten or the struct has fields without tags. Unmarshal then decodes messages
// of type M itself, and leaves fields without tags zero. It still compares its results for some
// short messages with the results of M's Unmarshal. If they differ, [Fallbacks] contains the
// reason. Call Trust in functions init or main: messages that are being decoded at the same time
// may be decoded as if M was not trusted. Trust panics in an Unmarshal that this package is trying.
func Trust[M any, P interface {
	*M
	Message
}]() {
	t := reflect.TypeFor[M]()
	trust(t, t)
}

// TrustAs is Trust for a struct M without tags, or with tags that do not describe its encoding: the
// struct As describes it. As has tags of protobuf, as gogo generates them. It is a message with the
// encoding of M, or a struct that is written only for this call.
//
//   - If M embeds a pointer to As, an M in a message gets a new As, which is decoded.
//   - Otherwise each field of As with a tag is a field of M with the same name, or of a struct that
//     M embeds. Both types have the same kind, and so have elements and the targets of pointers.
//     Structs in them may differ, and are decoded as [Unmarshal] decodes the structs of M.
//
// All other fields of M stay zero. If the message has a field with a tag in M and none in As, M's
// Unmarshal decodes the whole message: that method may refuse it. M needs no Unmarshal of its own
// if it is only used in messages that have one.
//
// TrustAs returns an error that names the first field that does not fit. It compares the fields of
// As with the results of M's Unmarshal, or of the Unmarshal of messages that contain an M; lists
// without elements may be nil or not. If they differ, [Fallbacks] contains the reason. Like Trust,
// it is for functions init and main.
//
// Do not give a value that was decoded into an arena to a pool of M's package: it belongs to the
// arena until Reset.
func TrustAs[M, As any]() error {
	t, as := reflect.TypeFor[M](), reflect.TypeFor[As]()
	if err := fits(t, as); err != nil {
		return err
	}
	trust(t, as)
	return nil
}

func trust(t, as reflect.Type) {
	if !lockPlanning() {
		panic(fmt.Sprintf("gogo: an Unmarshal that is being tried trusts %v; call Trust and TrustAs in functions init or main", t))
	}
	defer planning.Unlock()
	if trusted[t] != as {
		trusted[t] = as
		plans.Clear()
	}
}

// fits returns what there is in as that t has not.
func fits(t, as reflect.Type) error {
	for _, t := range []reflect.Type{t, as} {
		if t.Kind() != reflect.Struct {
			return fmt.Errorf("gogo: TrustAs: %v is not a struct", t)
		}
	}
	if t == as {
		return fmt.Errorf("gogo: TrustAs: %v is both types; Trust is for its own tags", t)
	}
	if _, ok := holder(t, as); ok {
		return nil
	}
	tags := 0
	for i := range as.NumField() {
		sf := as.Field(i)
		if !tagged(sf) {
			continue
		}
		tags++
		of, ok := fieldOf(t, sf.Name)
		if !ok {
			return fmt.Errorf("gogo: TrustAs: %v has no field %s, as %v has, nor embeds a struct with one", t, sf.Name, as)
		}
		if !alike(of.Type, sf.Type) {
			return fmt.Errorf("gogo: TrustAs: %v.%s is of type %v, and that of %v of type %v", t, sf.Name, of.Type, as, sf.Type)
		}
	}
	if tags == 0 {
		return fmt.Errorf("gogo: TrustAs: no field of %v has a tag of protobuf", as)
	}
	return nil
}

// holder returns the field in which t embeds a pointer to an as.
func holder(t, as reflect.Type) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if sf := t.Field(i); sf.Anonymous && sf.Type == reflect.PointerTo(as) {
			return sf, true
		}
	}
	return reflect.StructField{}, false
}

// tagged reports whether sf has a tag of protobuf.
func tagged(sf reflect.StructField) bool {
	tag := sf.Tag.Get("protobuf")
	return tag != "" && tag != "-" || sf.Tag.Get("protobuf_oneof") != ""
}

// fieldOf returns the field of a name that t has, or a struct in it that it embeds. Its offset is
// that in t.
func fieldOf(t reflect.Type, name string) (sf reflect.StructField, ok bool) {
	sf, ok = t.FieldByName(name)
	if !ok {
		return sf, false
	}
	sf.Offset = 0
	for _, i := range sf.Index {
		if t.Kind() != reflect.Struct {
			return sf, false // behind a pointer
		}
		sf.Offset += t.Field(i).Offset
		t = t.Field(i).Type
	}
	return sf, true
}

// alike reports whether types have the same kind, and so have their parts.
func alike(a, b reflect.Type) bool {
	if a == b {
		return true
	}
	if a.Kind() != b.Kind() || a.Size() != b.Size() {
		return false
	}
	switch a.Kind() {
	case reflect.Map:
		return alike(a.Key(), b.Key()) && alike(a.Elem(), b.Elem())
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return a.Elem().Kind() == reflect.Struct && b.Elem().Kind() == reflect.Struct || alike(a.Elem(), b.Elem())
	case reflect.Interface:
		return false // the wrappers of a oneof are the wrappers of its type
	}
	return true
}

// planAs makes p, the plan of a type t that has the encoding of as.
func (pl planner) planAs(p *plan, t, as reflect.Type) (reason string) {
	p.as = true
	if sf, ok := holder(t, as); ok {
		p.held, p.holds = pl.message(as), sf.Offset
		if !p.held.complete {
			return fmt.Sprintf("it holds itself, as a %v", as)
		}
		if p.held.reason != "" {
			return fmt.Sprintf("%v: %s", as, p.held.reason)
		}
		return ""
	}
	wrappers := append(wrappersOf(t), wrappersOf(as)...)
	for i := range as.NumField() {
		sf := as.Field(i)
		if !tagged(sf) {
			continue
		}
		of, ok := fieldOf(t, sf.Name)
		if !ok {
			return fmt.Sprintf("it has no field %s", sf.Name)
		}
		of.Tag = sf.Tag
		if reason := pl.tagged(p, of, wrappers); reason != "" {
			return reason
		}
	}
	if sf, ok := fieldOf(t, "XXX_unrecognized"); ok && sf.Type == reflect.TypeFor[[]byte]() {
		p.keeps, p.unknown = true, sf.Offset
	}
	for _, sf := range reflect.VisibleFields(t) {
		if tag, ok := parseTag(sf.Tag.Get("protobuf")); ok && p.field(tag.number) == &other {
			p.index(&field{number: tag.number, wire: wireNone})
		}
	}
	return ""
}
