package arenajson

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
	"github.com/arena-go/arena/internal/jsonwire"
)

// Unmarshal parses the JSON in data and stores the result in the value that v points at. The value
// and the error equal json.Unmarshal's, of the Go that the program is built with.
//
// What the value needs lies in a, and becomes stale with a.Reset: what pointers point at, slices,
// the values in interfaces, and text. Maps of Go are on the heap; what they refer to lies in a, and
// Reset empties those with strings as keys, for the next documents. data is the caller's again when
// Unmarshal returns. If a is nil, all of it lies on the heap, as with json.Unmarshal.
//
// Where data has an error, or the type of the value does not fit, json.Unmarshal decodes data once
// more, on the heap. Such a document costs both attempts, and what the first has taken of a stays
// there until Reset. Methods are called once.
//
// One goroutine at a time uses a. Unmarshal panics if a was freed, and with an [*arena.LimitError]
// if a may not grow any further; the value then has a part of the result.
func Unmarshal(a *arena.Arena, data []byte, v any) error {
	return UnmarshalOptions{}.Unmarshal(a, data, v)
}

// UnmarshalOptions are options of [Unmarshal]. The zero value is the default. Goroutines may share
// one.
type UnmarshalOptions struct {
	// AliasInput makes text without escapes refer to data itself, instead of a copy in the arena:
	// strings, [json.Number], [json.RawMessage]. Do not change data while anybody uses the value.
	// With a nil arena, text then keeps all of data alive.
	AliasInput bool
	// UseNumber makes a number in an interface a [json.Number] instead of a float64.
	UseNumber bool
	// PreserveInts makes a number in an interface an int64 instead of a float64, as package
	// sigs.k8s.io/json does, if it fits and is written without fraction and exponent. UseNumber
	// goes before it. Values of types with a method that decodes them do not see the option. After
	// an error, a value that was there before may have such numbers as int64, too.
	PreserveInts bool
	// DisallowUnknownFields makes it an error if an object has a name that the struct has no field
	// for, as with [json.Decoder.DisallowUnknownFields].
	DisallowUnknownFields bool
	// CaseSensitiveNames makes a name of an object mean the field with exactly that name, and no
	// other, as in encoding/json/v2. A name in another case is then an unknown one. Values of types
	// with a method that decodes them do not see the option. It is an error, and the value is as it
	// was, where encoding/json would have to decode an object into what an interface points at, or
	// into a struct type whose rules only encoding/json knows.
	CaseSensitiveNames bool
	// RejectDuplicateNames makes it an error, a [*DuplicateNameError], if an object has a name
	// twice. The value is then as it was. Names that differ by their case are two names.
	RejectDuplicateNames bool
	// RejectInvalidUTF8 makes it an error, an [*InvalidUTF8Error], if a string is not valid UTF-8,
	// or has half of a surrogate pair. The value is then as it was. Without this option, strings
	// have U+FFFD instead of such bytes.
	RejectInvalidUTF8 bool
	// V2 decodes as Unmarshal of package encoding/json/v2 does, with its values and its errors.
	// DisallowUnknownFields is its RejectUnknownMembers. UseNumber and PreserveInts apply to
	// interfaces that are nil. Duplicate names and invalid UTF-8 are errors anyway.
	//
	// encoding/json/v2 itself decodes values of the types that [FallbacksV2] names, on the heap: a
	// method UnmarshalJSONFrom gets a decoder of its value alone. It also decodes the whole
	// document if the value is not zero, and once more if the document has an error: methods are
	// called twice then.
	//
	// V2 needs Go 1.27 or later, and no GOEXPERIMENT=nojsonv2. Otherwise each call returns an
	// error.
	V2 bool
}

// Unmarshal is [Unmarshal] with options.
func (o UnmarshalOptions) Unmarshal(a *arena.Arena, data []byte, v any) error {
	rv := reflect.ValueOf(v)
	switch invalid := rv.Kind() != reflect.Pointer || rv.IsNil(); {
	case o.V2 && (invalid || !hasV2):
		return o.stdV2(data, v)
	case invalid:
		return json.Unmarshal(data, v)
	}
	d := decoderOf(a)
	defer d.release()
	d.input, d.opt = data, o
	err := d.decode(rootOf(rv.Type().Elem(), o.V2), rv, v)
	d.state = stateDone
	return err
}

// keepsInput tells whether methods of a program's own types may keep parts of a document that is
// decoded into what v points at. Its memory is not to be used again then.
func keepsInput(v any) bool {
	rv := reflect.ValueOf(v)
	if rv.Kind() != reflect.Pointer || rv.IsNil() {
		return false
	}
	p := rootOf(rv.Type().Elem(), false)
	return p.calls || p.left || p.faces && !isZero(addressOf(rv), p.size)
}

// A way says how a document becomes a value.
type way uint8

const (
	wayTheirs way = iota // encoding/json decodes
	wayOnce              // the document is decoded
	wayTwice             // it is checked, and then decoded
)

// way returns the way for a value of p's type, all of which is zero if fresh is set:
//
//	value     what its type has                    way
//	any       arena.Maps and methods               wayTheirs
//	not zero  interfaces or arena.Maps             wayTheirs
//	zero      no methods                           wayOnce
//	zero      methods, but no arena.Maps           wayTwice
//	not zero  neither interfaces nor arena.Maps    wayTwice
//
// encoding/json decodes into what a pointer in an interface points at, and into the entries of an
// arena.Map that is there. What decoding changes cannot be undone, except for a value that was
// zero: so where something is lost it does not begin before it is known that there are no errors
// but methods' own. Methods are called once, so that nothing begins twice if there are some.
// Pure methods do not count.
func (p *rootPlan) way(fresh bool) way {
	switch {
	case p.maps && p.calls, !fresh && (p.faces || p.maps):
		return wayTheirs
	case fresh && !p.calls:
		return wayOnce
	}
	return wayTwice
}

// decode decodes the input into what v points at, whose plan is p. rv is v. On each way, options
// that reject something look at the document first. After an error of a document, or of a pure
// method, the value is what it was, and encoding/json decodes: so value and error are its. An error
// of another method is d's.
func (d *decoder) decode(p *rootPlan, rv reflect.Value, v any) error {
	to := addressOf(rv)
	fresh := isZero(to, p.size)
	if d.opt.V2 {
		return d.decodeV2(p, rv, v, fresh)
	}
	way := p.way(fresh)
	if rejects := d.opt.RejectDuplicateNames || d.opt.RejectInvalidUTF8; rejects || way != wayTheirs {
		d.begin(p)
		if d.first && !d.limited && way != wayTheirs {
			p.learned.expect(d)
		}
		if rejects && d.isEnd(d.text.Skip(d.text.Space(0), 0)) {
			if err := d.opt.reject(d.text, d.input); err != nil {
				return err
			}
		}
	}
	ours := false
	switch way {
	case wayOnce:
		if ours = d.isEnd(d.value(p.plan, to, d.text.Space(0))) && d.err == nil; !ours {
			rv.Elem().SetZero()
		}
	case wayTwice:
		if ours = d.isEnd(d.check(p.plan, d.text.Space(0))); ours {
			if !d.isEnd(d.value(p.plan, to, d.text.Space(0))) && d.err == nil {
				panic("arenajson: the input changed during decoding: a method kept its argument and wrote to it; copy what UnmarshalJSON keeps")
			}
		}
	}
	if !ours {
		if !fresh {
			d.maps.forget()
		}
		d.root = nil // nothing is learned of the document
		d.lend(d.size)
		return d.opt.std(d.input, v)
	}
	return d.failure(rv.Type().Elem())
}

// std is what encoding/json makes of data.
func (o UnmarshalOptions) std(data []byte, v any) error {
	if o.CaseSensitiveNames {
		return o.renamed(data, v)
	}
	if o.PreserveInts && !o.UseNumber {
		return o.withInts(data, v)
	}
	if !o.UseNumber && !o.DisallowUnknownFields {
		return json.Unmarshal(data, v)
	}
	var all json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if o.UseNumber {
		d.UseNumber()
	}
	if o.DisallowUnknownFields {
		d.DisallowUnknownFields()
	}
	return d.Decode(v)
}

// maxIndents is how many depths have indentations of their own.
const maxIndents = 16

// A decoder decodes one document. It belongs to an arena, or is one of heapDecoders, or decodes for
// a method that a decoder calls.
//
// Invariants, whenever none of its methods runs but decode, and a method of the program in it:
//
//	state == stateIdle  =>  root, a, outer, innermost, lentTo and err are nil, text and kept none;
//	                        depth, failures and inUse are 0; path, anys and pairs have no elements;
//	                        no table of names or values
//	text                    is none while it is lent, and else has the size bytes of input and Pad zeros
//	kept                    is none, or text, or input
//	stable              =>  kept lies in a, and is not none
//	letters.text            is none, or text
//	0 <= depth <= MaxNesting
//	a == nil            =>  limit == 0, no slab has been asked for
//	limited             =>  limit > 0
//	maps                    is &ownMaps, and if outermost is not nil, its
//	outer != nil        =>  outermost != nil; from outermost.innermost, outer leads to outermost
//	outermost != nil    =>  nesting > 0
//	err == nil          =>  path has no elements, holder is nil
type decoder struct {
	document
	opt   UnmarshalOptions
	root  *rootPlan // if decoding has begun, and was not left to encoding/json
	depth int       // how many arrays and objects the value is in
	state state
	doubt bool // with the option V2: some object may have a name twice

	guesses
	memory
	failing
	nest
	stacks
}

// A state says what a decoder does.
type state uint8

const (
	stateIdle  state = iota
	stateBusy        // from decoderOf on
	stateEnded       // busy, and the arena was Reset meanwhile
	stateDone        // decode has returned, and did not panic
)

// A document is what is decoded.
type document struct {
	text   jsonwire.Text // a copy of input, with zeros behind it
	size   int           // of the input
	input  []byte        // which is the caller's
	kept   jsonwire.Text // where strings lie: text, or input; none if each is copied to letters
	stable bool          // kept is in the arena
	copied []byte        // what text is, where that is not in the arena
	parts  [2]string     // for begin
}

// memory is where values come from.
type memory struct {
	a       *arena.Arena // nil for the heap
	first   bool         // nothing was decoded into a before
	limit   int64        // of a, or 0
	limited bool         // so little fits that nothing is used that was learned of other documents
	slabs   slabs
	letters letters
	maps    *goMaps // of ownMaps, or of the decoder whose method decodes
	ownMaps goMaps
	temps
	waiting
	foreseen int // slices that got memory for more elements than there may be
}

// guesses are what the beginning of a document says of the rest.
type guesses struct {
	names      repeats // of maps
	values     repeats
	unexpected int             // names of fields, see learnNext
	indents    [maxIndents]int // by depth, see line
}

// failing is what is known of errors of methods, see fail.
type failing struct {
	err      error
	ofText   bool         // err is of UnmarshalText
	failures int          // of methods
	path     []string     // the names of the fields that err came from, the innermost first
	holder   reflect.Type // the innermost struct that err came from
}

// A nest is where a decoder is among those whose methods call each other.
type nest struct {
	inner     *decoder // for what a method decodes, or nil
	outermost *decoder // the arena's, if one of its methods calls this one, or nil
	outer     *decoder // the one whose method calls this one, or nil
	innermost *decoder // of the outermost one: the last one that a method calls, or nil
	lentTo    *decoder // which has the block of letters
	nesting   int      // how many there are outside
	given     []byte   // what a method was given that is in the arena
}

// stacks are what is used again.
type stacks struct {
	scratch []byte // of unquote
	anys    []any
	pairs   []anyPair
}

var heapDecoders = sync.Pool{New: func() any { return new(decoder) }}

// decoderOf returns the decoder that belongs to a, for one document.
func decoderOf(a *arena.Arena) *decoder {
	var d *decoder
	if a == nil {
		d = heapDecoders.Get().(*decoder)
	} else {
		var first bool
		if d, first = arenakit.Local[decoder](a); d.state != stateIdle {
			d = d.nested()
		} else if first {
			d.slabs.clear() // of another arena
		}
		d.first, d.limit = first, a.Limit()
	}
	if d.maps == nil {
		d.maps = &d.ownMaps
	}
	d.a, d.state = a, stateBusy
	return d
}

// maxNested is how many decoders are kept for methods that decode, each called by the one before.
const maxNested = 8

// nested returns the decoder for what a method decodes that d calls, which is busy.
func (d *decoder) nested() *decoder {
	outer := d
	if d.innermost != nil {
		outer = d.innermost
	}
	next := outer.inner
	if next == nil || next.state != stateIdle {
		next = &decoder{memory: memory{maps: d.maps}, nest: nest{outermost: d, nesting: outer.nesting + 1}}
		if outer.inner == nil && next.nesting <= maxNested {
			outer.inner = next
		}
	}
	next.outer, d.innermost = outer, next
	next.slabs = outer.slabs
	return next
}

// leastLent is how long a document is at least whose text is lent.
const leastLent = 512

// lend gives the text and the tables of d to others while a method decodes n bytes of the
// document, if these are more than half of it. So decoders of methods that call each other have
// texts for no more than twice the outermost document at a time. The result is for called.
func (d *decoder) lend(n int) lending {
	if n <= d.size/2 || d.size < leastLent || d.kept == d.text {
		return lending{}
	}
	lent := lending{true, d.names.table != nil, d.values.table != nil}
	d.names.release()
	d.values.release()
	giveText(d.copied)
	d.copied, d.text, d.letters.text = nil, jsonwire.Text{}, jsonwire.Text{}
	return lent
}

// called is for after a method of type t that is not pure. Decoding relies on the text, and on the
// zeros behind it. A method may have Reset or freed the arena in which these lie, or have written
// to bytes in the arena that it has kept of an earlier document, in the same memory. What was lent
// is made anew.
func (d *decoder) called(t reflect.Type, lent lending) {
	d.given = nil
	if d.a != nil {
		of, _ := arenakit.Local[decoder](d.a) // which panics if d.a was freed
		if of != d && of != d.outermost || of.state == stateEnded {
			panic("arenajson: a method of " + t.String() + " has ended or rewound the arena that is decoded into; a method may use that, and must not Reset, Rewind or Put it")
		}
	}
	if !lent.text {
		clear(d.text.Bytes(d.size, d.size+jsonwire.Pad))
		return
	}
	d.load(d.input)
	d.letters.text = d.text
	if lent.names {
		d.names.begin(d.size, &d.root.learned.names, true)
	}
	if lent.values {
		d.values.begin(d.size, &d.root.learned.values, true)
	}
}

// ArenaIdle tells package arena that d may go to the next arena: nobody has it but for the time of
// a call of Unmarshal, which is over.
func (d *decoder) ArenaIdle() bool {
	if len(d.maps.active) > 0 {
		d.maps.forget() // values of an arena that is freed have them
	}
	return d.state == stateIdle
}

// maxScratch is how many bytes, or values, a decoder keeps for the next document.
const maxScratch = 1 << 10

// release makes d ready for the next document. It must not keep anything alive that is in the
// arena.
func (d *decoder) release() {
	a := d.a
	if d.root != nil && d.state == stateDone {
		d.learn()
	}
	d.first, d.root, d.doubt = false, nil, false
	d.names.release()
	d.values.release()
	if o := d.outer; o != nil {
		if o.lentTo == d {
			o.lentTo = nil
			o.letters.takeBack(&d.letters)
		}
		if d.outermost.innermost == d {
			if d.outermost.innermost = o; o == d.outermost {
				o.innermost = nil
			}
		}
		o.slabs, d.slabs, d.outer = d.slabs, nil, nil
	}
	d.input, d.text, d.kept, d.size, d.stable = nil, jsonwire.Text{}, jsonwire.Text{}, 0, false
	d.err, d.path, d.holder, d.failures = nil, nil, nil, 0
	d.a, d.letters, d.waiting, d.foreseen = nil, letters{}, waiting{}, 0
	d.lentTo, d.given, d.depth = nil, nil, 0
	if cap(d.scratch) > fewCopied {
		d.scratch = nil
	}
	if cap(d.copied) > fewCopied {
		giveText(d.copied)
		d.copied = nil
	}
	d.anys = emptied(d.anys)
	d.pairs = emptied(d.pairs)
	if d.state != stateDone {
		d.temps, d.parts = temps{}, [2]string{} // a method has panicked, or the arena has no memory
	}
	if a == nil {
		d.temps.end(heapTemps)
	} else {
		d.temps.end(arenaTemps)
	}
	d.state = stateIdle
	if a == nil {
		heapDecoders.Put(d)
	}
}

// emptied returns s without elements, and without references to any.
func emptied[T any](s []T) []T {
	if cap(s) > maxScratch {
		return nil
	}
	clear(s)
	return s[:0]
}

// farLimit is how many times the document a limit has to be to be far away.
const farLimit = 64

// padding stands behind a text.
var padding = string(make([]byte, jsonwire.Pad))

// begin prepares d for its input, which p decodes.
func (d *decoder) begin(p *rootPlan) {
	data := d.input
	d.root = p
	share := p.learned.letters.Load()
	// What fits must not depend on the documents of others. Where the limit is far away, what was
	// learnt of them takes less than a quarter of it: an eighth in expect, and about six times the
	// document elsewhere.
	d.temps.begin()
	d.limited = d.limit > 0 && d.limit/farLimit < int64(len(data))
	if d.limited {
		share = 0
	}
	// A document that an outer decoder has put into the arena stays there, and is not copied again.
	within := d.outer != nil && len(data) > 0 &&
		(d.outer.stable && isPart(data, d.outer.kept.Bytes(0, d.outer.size)) || isPart(data, d.outer.given))
	if d.a != nil && d.outer == nil && !d.opt.AliasInput && share >= mostIsText && (len(data) < 32<<10 || len(data) > 128<<10) { // between these, an arena's chunks are ill filled
		// This is the way to have memory of an arena that is not zeroed first.
		d.parts = [2]string{asString(data), padding}
		d.text = jsonwire.TextOfString(arena.Join(d.a, d.parts[:], ""))
		d.parts = [2]string{}
		d.kept, d.stable, d.size = d.text, true, len(data)
		return
	}
	d.load(data)
	if (d.opt.AliasInput || within) && len(data) > 0 {
		d.kept, d.stable = jsonwire.TextOf(data), within
	}
	if d.kept.IsNone() && len(data) >= leastRepeats {
		d.names.begin(len(data), &p.learned.names, d.limited)
		d.values.begin(len(data), &p.learned.values, d.limited)
	}
	d.letters.begin(d, share)
	if o := d.outer; o != nil && d.kept.IsNone() && o.kept.IsNone() {
		o.lentTo = d
		d.letters.borrow(&o.letters)
	}
}

// A lending says what of a decoder is lent.
type lending struct{ text, names, values bool }

// load copies data to text.
func (d *decoder) load(data []byte) {
	d.size = len(data)
	if n := len(data) + jsonwire.Pad; cap(d.copied) < n {
		d.copied = takeText(n)
	}
	text := d.copied[:len(data)+jsonwire.Pad]
	clear(text[copy(text, data):])
	d.text = jsonwire.TextOf(text)
}

// isEnd tells whether there is nothing but white space from i on. i may be -1, after an error.
func (d *decoder) isEnd(i int) bool { return i >= 0 && d.text.Space(i) == d.size }

// fail notes an error of a method, which is UnmarshalText or another one, and returns the position
// where decoding goes on: that behind the value, or -1. The error that ends the decoding counts, or
// else the first one.
func (d *decoder) fail(err error, text bool, end int) int {
	d.failures++
	ends := d.opt.V2 || endsAll(err)
	if d.err == nil || ends {
		d.err, d.ofText = err, text
	}
	if ends {
		return -1
	}
	return end
}

// inField notes that an error of a method was in a field, or leaves it alone.
func (d *decoder) inField(p *plan, f *fieldPlan) {
	if _, ok := d.err.(*json.UnmarshalTypeError); !ok || onV2 {
		return
	}
	if d.holder == nil {
		d.holder = p.typ
	}
	d.path = append(d.path, f.name.name)
	start := len(d.path)
	t := p.typ
	for _, i := range f.name.index[:len(f.name.index)-1] {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		d.path = append(d.path, t.Field(i).Name)
		t = t.Field(i).Type
	}
	slices.Reverse(d.path[start:])
}

// failure returns the error of a method, as encoding/json returns it for a value of type root.
func (d *decoder) failure(root reflect.Type) error {
	if onV2 && d.err != nil {
		return ofMethod(d.err, d.ofText, root, d.size)
	}
	err, ok := d.err.(*json.UnmarshalTypeError)
	if !ok || d.holder == nil {
		return d.err
	}
	err.Struct = d.holder.Name()
	slices.Reverse(d.path)
	if err.Field != "" {
		d.path = append(d.path, err.Field)
	}
	err.Field = strings.Join(d.path, ".")
	return err
}

// ofMethod returns what Unmarshal of the second version of encoding/json makes of an error that
// UnmarshalText has returned, or another method: errors of packages encoding/json/v2 and jsontext
// become errors of encoding/json, with the name of the type that was decoded, and the end of input
// becomes the end of the document, which has size bytes.
func ofMethod(err error, text bool, root reflect.Type, size int) error {
	if _, ok := err.(*json.UnmarshalTypeError); ok {
		return err
	}
	doc := []byte(`""`)
	switch {
	case size == 1:
		doc = []byte("0")
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		doc = append(doc, bytes.Repeat([]byte(" "), size-len(doc))...)
	}
	if text {
		err = json.Unmarshal(doc, &returnsOfText{err})
	} else {
		err = json.Unmarshal(doc, &returns{err})
	}
	if e, ok := err.(*json.UnmarshalTypeError); ok && (e.Struct == returnsName || e.Struct == returnsOfTextName) {
		e.Struct = root.Name()
	}
	return err
}

// returns and returnsOfText have a method that returns an error.
type (
	returns       struct{ err error }
	returnsOfText struct{ err error }
)

var (
	returnsName       = reflect.TypeFor[returns]().Name()
	returnsOfTextName = reflect.TypeFor[returnsOfText]().Name()
)

func (r *returns) UnmarshalJSON([]byte) error       { return r.err }
func (r *returnsOfText) UnmarshalText([]byte) error { return r.err }
