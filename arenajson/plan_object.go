package arenajson

import (
	"encoding/binary"
	"reflect"
	"unicode/utf8"

	"github.com/arena-go/arena/internal/jsonwire"
)

// An objectPlan says how objects become values of a struct type.
type objectPlan struct {
	fields []fieldPlan // in the order of the declaration
	none   fieldPlan   // stands for names of no field, and before the first one; matches nothing
	names  *structFields
	table  []uint16 // positions in fields, and 0 for none plus 1, by hash; nil if the names have no perfect hash
	factor uint64
	shift  uint8
	folds  bool // a name that is not ASCII may be the fold of one that is
}

// A fieldPlan is a field of an objectPlan.
type fieldPlan struct {
	// What stands behind the quote of the name, up to the quote that ends it, in words that are
	// compared under masks. rest is what does not fit in them. A name that needs an escape has none
	// of these, and matches nothing.
	first, mask   uint64
	second, mask2 uint64
	rest          string
	length        int // of the name, with its second quote

	op     into
	quoted bool    // option "string"
	offset uintptr // 0 if op is intoNone
	inner  uintptr // of the field, in the struct at the end of path
	plan   *plan
	name   *field
	path   []pathStep

	learned learnedField // the only part that changes
}

// A pathStep is an embedded pointer on the way to a field.
type pathStep struct {
	offset uintptr
	slab   int
	typ    reflect.Type // of what the pointer points at
	sealed bool         // it cannot be set
}

// object makes p the plan of a struct type.
func (pl planner) object(p *plan) {
	names := fieldsOf(p.typ, pl.v2)
	if names.odd || names.loose {
		return
	}
	p.op = intoStruct
	o := &objectPlan{names: names}
	p.object = o
	o.fields = make([]fieldPlan, len(names.list))
	o.none.op, o.none.first = intoNone, 1
	before := &o.none
	for i := range names.list {
		n := &names.list[i]
		f := &o.fields[i]
		f.name, f.offset, f.inner, f.quoted, f.plan = n, n.offset, n.offset, n.quoted, pl.plan(n.typ)
		f.op = f.plan.op
		for _, e := range n.path {
			f.path = append(f.path, pathStep{e.offset, slabFor(e.typ), e.typ, e.sealed})
		}
		if len(f.path) > 0 || f.quoted || n.nulls {
			f.op = intoNone // not one of those that are decoded without a look at anything else
			f.offset = 0    // there may be no such place in this struct
		}
		f.match(n.name)
		before.learned.next.Store(f)
		before = f
	}
	before.learned.next.Store(&o.none)
	o.hash()
}

// intoNone is none of them.
const intoNone into = 255

// match sets what f is found by.
func (f *fieldPlan) match(name string) {
	f.first = 1 // and no mask: it matches nothing
	if !isVerbatim(name) {
		return
	}
	b := append([]byte(name), '"')
	f.length = len(b)
	f.first, f.mask = maskedWord(b)
	if len(b) > 8 {
		f.second, f.mask2 = maskedWord(b[8:])
	}
	if len(b) > 16 {
		f.rest = string(b[16:])
	}
}

// isVerbatim reports whether a string needs no escapes in JSON.
func isVerbatim(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			return false
		}
	}
	return utf8.ValidString(s)
}

// maskedWord returns up to eight bytes of b as a word, and a mask for them.
func maskedWord(b []byte) (word, mask uint64) {
	var w, m [8]byte
	for i := range min(len(b), 8) {
		w[i], m[i] = b[i], 0xff
	}
	return binary.LittleEndian.Uint64(w[:]), binary.LittleEndian.Uint64(m[:])
}

// matches tells whether the name whose text begins at i is f's.
func (f *fieldPlan) matches(text jsonwire.Text, i, size int) bool {
	return (text.Word(i)&f.mask^f.first)|(text.Word(i+8)&f.mask2^f.second) == 0 && (f.length <= 16 || f.ends(text, i, size))
}

// ends is matches for a name of which more than 16 bytes are equal.
func (f *fieldPlan) ends(text jsonwire.Text, i, size int) bool {
	return i+f.length <= size && text.View(i+16, i+f.length) == f.rest
}

// foldBits are set in each byte before names are hashed, so that names which differ by the case of
// ASCII letters have one hash.
const foldBits = ' ' * jsonwire.Ones

// hashWords returns what is hashed of a name of n ASCII letters at i: its first and its last bytes.
func hashWords(text jsonwire.Text, i, n int) (first, last uint64) {
	if n >= 8 {
		return text.Word(i) | foldBits, text.Word(i+n-8) | foldBits
	}
	return text.Word(i)&(1<<(8*uint(n))-1) | foldBits, 0
}

// slot returns the place of a name of n letters in the table.
func (o *objectPlan) slot(first, last uint64, n int) int {
	return int(((first^last*0x9e3779b97f4a7c15)+uint64(n)*0xd1b54a32d192ed03)*o.factor>>o.shift) & (len(o.table) - 1)
}

// hash makes the table, if it can be done in a few attempts.
func (o *objectPlan) hash() {
	type key struct {
		first, last uint64
		n           int
	}
	keys := make([]key, len(o.names.list))
	seen := map[key]bool{}
	for i := range keys {
		name := o.names.list[i].name
		text := append([]byte(name), make([]byte, jsonwire.Pad)...)
		if !isASCII(name) {
			o.folds = true
			continue
		}
		if !isVerbatim(name) {
			continue
		}
		k := &keys[i]
		k.first, k.last = hashWords(jsonwire.TextOf(text), 0, len(name))
		if k.n = len(name); seen[*k] {
			return
		}
		seen[*k] = true
	}
	bits := uint8(2)
	for 1<<bits < 2*len(keys) {
		bits++
	}
	for more := range uint8(3) {
		o.table, o.shift = make([]uint16, 1<<(bits+more)), 64-bits-more
		if bits+more > 15 {
			break
		}
	attempts:
		for attempt := range uint64(64) {
			o.factor = 0x9e3779b97f4a7c15 + attempt*0xbf58476d1ce4e5b8
			clear(o.table)
			for i, k := range keys {
				if k == (key{}) {
					continue
				}
				slot := &o.table[o.slot(k.first, k.last, k.n)]
				if *slot != 0 {
					continue attempts
				}
				*slot = uint16(i + 1)
			}
			return
		}
	}
	o.table = nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// find returns the field whose name's text begins at i, or none, and the position behind the name's
// quote, or -1.
func (d *decoder) find(o *objectPlan, i int) (f *fieldPlan, end int) {
	end, ascii := d.text.EndOfString(i)
	if d.text.Char(end) == '"' && ascii {
		n := end - i
		if o.table != nil {
			first, last := hashWords(d.text, i, n)
			at := int(o.table[o.slot(first, last, n)]) - 1
			if at >= 0 {
				f := &o.fields[at]
				if f.length == n+1 && f.matches(d.text, i, d.size) {
					return f, end + 1
				}
				if f.length == n+1 {
					return o.slowly(d.text.Bytes(i, end), d.opt.CaseSensitiveNames), end + 1
				}
			}
			if !o.folds {
				return &o.none, end + 1
			}
		}
		return o.slowly(d.text.Bytes(i, end), d.opt.CaseSensitiveNames), end + 1
	}
	name, end := d.unquote(i)
	if end < 0 {
		return &o.none, -1
	}
	return o.slowly(name, d.opt.CaseSensitiveNames), end
}

// slowly returns the field that a name means, or none. exact says that the name has to be the
// field's, letter by letter.
func (o *objectPlan) slowly(name []byte, exact bool) *fieldPlan {
	if i := o.names.lookup(name, exact); i >= 0 {
		return &o.fields[i]
	}
	return &o.none
}
