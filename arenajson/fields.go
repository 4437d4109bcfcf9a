package arenajson

import (
	"cmp"
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A structFields says which members a struct type has as a JSON object, by the rules of the
// encoding/json that the program is built with. Encoder and decoder both use it. It does not change
// once fieldsOf has returned it.
type structFields struct {
	// list has the fields in the order of the declaration, an embedded struct's in its place. That
	// is the order in which encoding/json writes them.
	list []field

	// byName has the position in list of each name.
	byName map[string]int

	// byFold has the position in list of the field that a name without an exact match means, by its
	// fold (see appendFold).
	byFold map[string]int

	// odd says that encoding/json does with this type what is not described here: its tags have
	// options that only some versions know, or that are malformed, or a method would have to be
	// called on an unexported field. Encoder and decoder leave a value of the type to
	// encoding/json.
	odd bool

	// loose says that, with the option V2, the letters of some names do not count in documents.
	loose bool
}

// A field is a member of a struct type.
type field struct {
	name   string // in JSON, without escapes
	fold   string // of name, see appendFold
	index  []int  // as in reflect.Value.FieldByIndex
	typ    reflect.Type
	path   []embedded // the pointers to embedded structs on the way to the field, outermost first
	offset uintptr    // of the field, in the struct at the end of path

	omitEmpty bool
	omitZero  bool
	quoted    bool         // option "string", where it has an effect: typ is a bool, a number or a string, or an unnamed pointer to one
	nulls     bool         // option "string" of a pointer to another type: "null" in quotes makes it nil
	zeroer    zeroerMethod // how omitZero asks
	tagged    bool         // the tag has the name
	order     int          // in breadth-first order
	rank      int          // in the order of the declaration
}

// An embedded is an embedded pointer to a struct.
type embedded struct {
	offset uintptr      // of the pointer, in the struct at the end of the path so far
	typ    reflect.Type // of the struct, which the pointer leads to
	sealed bool         // the struct type is unexported, so encoding/json does not set the pointer where it is nil
}

// A zeroerMethod says how the option omitzero finds out whether a field is zero.
type zeroerMethod uint8

const (
	zeroByValue     zeroerMethod = iota // reflect.Value.IsZero
	zeroByInterface                     // the type is an interface with IsZero, which is called unless it holds nil
	zeroByPointer                       // the type is a pointer with IsZero, which is called unless it is nil
	zeroByMethod                        // the type has IsZero
	zeroByAddress                       // the pointer to the type has IsZero
)

type isZeroer interface{ IsZero() bool }

var isZeroerType = reflect.TypeFor[isZeroer]()

var fieldCache [2]sync.Map // of reflect.Type to *structFields; the second is for V2

// fieldsOf returns the fields of the struct type t, which is for the option V2 or not. Any
// goroutine may call it.
func fieldsOf(t reflect.Type, v2 bool) *structFields {
	cache := &fieldCache[indexOf(v2)]
	if f, ok := cache.Load(t); ok {
		return f.(*structFields)
	}
	f, _ := cache.LoadOrStore(t, resolveFields(t, v2))
	return f.(*structFields)
}

// A level is a struct type that resolveFields looks at, with the way to it.
type level struct {
	typ    reflect.Type
	index  []int
	path   []embedded
	offset uintptr
}

// resolveFields looks at t, then at the structs embedded in it, then at those embedded in them. Of
// fields with one name, the one in the least nested struct counts; among several there, the one
// whose name is in its tag; if there are several of those, or none, none counts.
func resolveFields(t reflect.Type, v2 bool) *structFields {
	s := &structFields{odd: v2 && !takesV2(t)}
	if s.odd {
		return s
	}
	var all []field
	var count, nextCount map[reflect.Type]int // how often a struct type is embedded in a level
	seen := map[reflect.Type]bool{}
	for next := []level{{typ: t}}; len(next) > 0; {
		current := next
		next = nil
		count, nextCount = nextCount, map[reflect.Type]int{}
		for _, l := range current {
			if seen[l.typ] {
				continue
			}
			seen[l.typ] = true
			for i := range l.typ.NumField() {
				sf := l.typ.Field(i)
				struc := sf.Type // what is embedded, if it is a struct
				if struc.Name() == "" && struc.Kind() == reflect.Pointer {
					struc = struc.Elem()
				}
				if !sf.IsExported() && !(sf.Anonymous && struc.Kind() == reflect.Struct) {
					continue
				}
				tag := sf.Tag.Get("json")
				if tag == "-" {
					continue
				}
				name, opts, odd := parseTag(tag)
				if v2 {
					name, opts, odd = parseTagV2(tag)
					odd = odd || opts.has("embed") && struc.Kind() != reflect.Struct || opts.has("string") && !isNumeric(sf.Type)
					s.loose = s.loose || opts.has("case:ignore")
				}
				s.odd = s.odd || odd
				index := append(slices.Clip(l.index), i)

				if (sf.Anonymous && name == "" || v2 && opts.has("embed")) && struc.Kind() == reflect.Struct {
					if nextCount[struc]++; nextCount[struc] > 1 {
						continue
					}
					to := level{struc, index, l.path, l.offset + sf.Offset}
					if sf.Type.Kind() == reflect.Pointer {
						to.path = append(slices.Clip(l.path), embedded{to.offset, struc, !sf.IsExported()})
						to.offset = 0
					}
					next = append(next, to)
					continue
				}

				f := field{
					name: cmp.Or(name, sf.Name), tagged: name != "", index: index,
					typ: sf.Type, path: l.path, offset: l.offset + sf.Offset,
					omitEmpty: opts.has("omitempty"), omitZero: opts.has("omitzero"), quoted: opts.has("string") && quotable(struc.Kind()),
					zeroer: zeroerOf(sf.Type), order: len(all),
				}
				f.fold = string(appendFold(nil, []byte(f.name)))
				f.nulls = onV2 && !v2 && opts.has("string") && !f.quoted && sf.Type.Kind() == reflect.Pointer
				if !sf.IsExported() && (hasMethods(struc) || f.zeroer != zeroByValue) {
					s.odd = true
				}
				if onV2 && opts.has("string") && sf.Type.Kind() == reflect.Pointer && sf.Type.Name() != "" {
					s.odd = true
				}
				all = append(all, f)
				if count[l.typ] > 1 {
					all = append(all, f) // so that it is not the only one with its name
				}
			}
		}
	}
	s.list = dominant(all)
	s.names()
	return s
}

// dominant returns those fields of all that count, in the order of the declaration.
func dominant(all []field) []field {
	slices.SortStableFunc(all, func(a, b field) int {
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(len(a.index), len(b.index)), -compareBool(a.tagged, b.tagged))
	})
	var list []field
	for i := 0; i < len(all); {
		n := 1
		for i+n < len(all) && all[i+n].name == all[i].name {
			n++
		}
		if n == 1 || len(all[i].index) != len(all[i+1].index) || all[i].tagged != all[i+1].tagged {
			list = append(list, all[i])
		}
		i += n
	}
	slices.SortFunc(list, func(a, b field) int { return slices.Compare(a.index, b.index) })
	return list
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// names makes the maps of s. Among fields whose names have one fold, the first one in list counts,
// and on the second version of encoding/json the least nested one.
func (s *structFields) names() {
	s.byName = make(map[string]int, len(s.list))
	s.byFold = make(map[string]int, len(s.list))
	for i, f := range s.list {
		s.list[i].rank = i
		s.byName[f.name] = i
		if j, ok := s.byFold[f.fold]; !ok || onV2 && f.order < s.list[j].order {
			s.byFold[f.fold] = i
		}
	}
}

// lookup returns the position in list of the field that a name in a document means, or -1. exact
// says that no name in another case does. It looks into maps, however many fields there are.
func (s *structFields) lookup(name []byte, exact bool) int {
	if i, ok := s.byName[string(name)]; ok {
		return i
	}
	if exact {
		return -1
	}
	var buf [64]byte
	if i, ok := s.byFold[string(appendFold(buf[:0], name))]; ok {
		return i
	}
	return -1
}

// quotable tells whether the option "string" has an effect on a field of kind k.
func quotable(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Float64 || k == reflect.String
}

var (
	marshalerType     = reflect.TypeFor[json.Marshaler]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
)

// hasMethods tells whether t, or a pointer to it, has a method that encoding/json would call.
func hasMethods(t reflect.Type) bool {
	p := reflect.PointerTo(t) // which has the methods of t, unless that is an interface
	for _, has := range append(encodeMethods[:len(encodeMethods):len(encodeMethods)], decodeMethods...) {
		if has(t) || has(p) {
			return true
		}
	}
	return false
}

func zeroerOf(t reflect.Type) zeroerMethod {
	switch {
	case reflect.PointerTo(t).Implements(isZeroerType) && !t.Implements(isZeroerType):
		return zeroByAddress
	case !t.Implements(isZeroerType):
		return zeroByValue
	case t.Kind() == reflect.Interface:
		return zeroByInterface
	case t.Kind() == reflect.Pointer:
		return zeroByPointer
	}
	return zeroByMethod
}

// tagOptions are the options in a tag, with commas between them.
type tagOptions string

func (o tagOptions) has(name string) bool {
	for s := range strings.SplitSeq(string(o), ",") {
		if s == name {
			return true
		}
	}
	return false
}

// parseTag splits a tag. The name is "" if there is none that encoding/json takes. odd says that
// this function does not know what encoding/json makes of the tag.
func parseTag(tag string) (name string, opts tagOptions, odd bool) {
	name, options, _ := strings.Cut(tag, ",")
	opts = tagOptions(options)
	if !onV2 {
		if !validName(name) {
			name = ""
		}
		return name, opts, false
	}
	if strings.ContainsAny(name, "\\'\"`") || !utf8.ValidString(name) {
		return "", opts, true
	}
	for s := range strings.SplitSeq(options, ",") {
		r, _ := utf8.DecodeRuneInString(s)
		if r != '_' && !unicode.IsLetter(r) {
			continue // an error, which is ignored up to the next comma
		}
		rest := strings.TrimLeftFunc(s, func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) })
		if rest != "" || isOddOption(s) {
			return name, opts, true
		}
	}
	return name, opts, false
}

// isOddOption tells whether only the second version of encoding/json knows the option s.
func isOddOption(s string) bool {
	switch s {
	case "case", "embed", "format":
		return true
	case "inline", "unknown", "nocase", "strictcase":
		return formerOptions()
	}
	return false
}

// validName tells whether the first version of encoding/json takes name from a tag.
func validName(name string) bool {
	for _, c := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return name != ""
}

// appendFold appends to b a text that is the same for all names that bytes.EqualFold takes for
// equal.
func appendFold(b, name []byte) []byte {
	for i := 0; i < len(name); {
		if c := name[i]; c < utf8.RuneSelf {
			if 'a' <= c && c <= 'z' {
				c -= 'a' - 'A'
			}
			b = append(b, c)
			i++
			continue
		}
		r, n := utf8.DecodeRune(name[i:])
		b = utf8.AppendRune(b, foldRune(r))
		i += n
	}
	return b
}

// foldRune returns the smallest of the runes that are equal but for their case.
func foldRune(r rune) rune {
	for {
		next := unicode.SimpleFold(r)
		if next <= r {
			return next
		}
		r = next
	}
}
