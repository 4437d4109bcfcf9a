package arenajson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
	"github.com/arena-go/arena/internal/jsonwire"
)

// The following are for tests of the parts.

func withPad(s string) jsonwire.Text {
	return jsonwire.TextOf(append([]byte(s), make([]byte, jsonwire.Pad)...))
}

// OnV2 is onV2.
var OnV2 = onV2

// IsRefusal tells whether err says that CaseSensitiveNames cannot be kept.
func IsRefusal(err error) bool {
	_, ok := err.(*refusal)
	return ok
}

// GoMapOf is goMapOf.
func GoMapOf(t reflect.Type) (reflect.Type, bool) { return goMapOf(t) }

// IsPlanned tells whether decoders find the plan of t.
func IsPlanned(t reflect.Type) bool {
	_, ok := plans[0].Load(t)
	return ok
}

// ClearTables tells whether tables of strings that repeat are zero where decoders leave them.
func ClearTables() bool {
	t := tables.Get().(*[1 << mostRepeats]repeat)
	defer tables.Put(t)
	return *t == [1 << mostRepeats]repeat{}
}

// Recorded is how much memory d has for what was read.
func Recorded(d *Decoder) int {
	if d.seen == nil {
		return 0
	}
	return cap(d.seen.buf)
}

// RecorderMoves returns how many bytes a recorder of a reader with n bytes, all of them read at
// once, moves when it is asked for one after the other.
func RecorderMoves(n int) (moved int) {
	r := recorder{buf: make([]byte, n)}
	for i := range int64(n) {
		before := r.offset
		if r.until(i, i+1); r.offset != before {
			moved += len(r.buf)
		}
	}
	return moved
}

// SameError tells whether two errors have the same type, text and exported fields, and whether the
// errors in these do.
func SameError(a, b error) bool {
	if a == nil || b == nil || reflect.TypeOf(a) != reflect.TypeOf(b) {
		return a == b
	}
	if text(a) != text(b) {
		return false
	}
	v, w := reflect.ValueOf(a), reflect.ValueOf(b)
	if v.Kind() == reflect.Pointer && !v.IsNil() && !w.IsNil() {
		v, w = v.Elem(), w.Elem()
	}
	if v.Kind() != reflect.Struct {
		return true
	}
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		switch x, y := v.Field(i).Interface(), w.Field(i).Interface(); x := x.(type) {
		case error:
			if y, ok := y.(error); !ok || !SameError(x, y) {
				return false
			}
		case reflect.Value:
			y := y.(reflect.Value)
			if x.IsValid() != y.IsValid() || x.IsValid() && (x.Type() != y.Type() || !x.CanFloat() && x.Kind() != reflect.Pointer && x.Kind() != reflect.Slice && x.Kind() != reflect.Map) {
				return false
			}
		default:
			if !reflect.DeepEqual(x, y) {
				return false
			}
		}
	}
	return true
}

// text is the text of err. An UnmarshalTypeError without a type has no text: its method panics.
func text(err error) string {
	if e, ok := err.(*json.UnmarshalTypeError); ok && e.Type == nil {
		return ""
	}
	return err.Error()
}

// IsCoder tells whether t has a method of the second version of encoding/json.
func IsCoder(t reflect.Type) bool { return marshalerTo(t) || unmarshalerFrom(t) }

// ScanParts gives s to a scanner in parts of n bytes. It returns where the scanner ends, its
// verdict, and how many bytes it looks at again.
func ScanParts(s string, n int) (end, verdict, again int) {
	var sc jsonwire.Scanner
	sc.Begin()
	i := 0
	for size := min(n, len(s)); ; size = min(size+n, len(s)) {
		j, v := sc.Scan(withPad(s[:size]), i, size)
		if i = j; v != jsonwire.IsCut || size == len(s) {
			return i, int(v), again
		}
		again += size - i
	}
}

// Waiting decodes a document that is cut into what v points at, and returns how many bytes on the
// heap the decoder then has beyond its first ones.
func Waiting(a *arena.Arena, v any, doc []byte) int {
	live := func() int {
		for range 3 { // what a sync.Pool has goes with the next cycles
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	rv := reflect.ValueOf(v)
	p := rootOf(rv.Type().Elem(), false)
	d := new(decoder)
	if a != nil {
		d = decoderOf(a)
	}
	d.a, d.maps, d.input = a, &d.ownMaps, doc
	before := live()
	d.begin(p)
	if d.value(p.plan, addressOf(rv), 0) >= 0 {
		panic("the document is whole")
	}
	n := live() - before
	runtime.KeepAlive(v)
	runtime.KeepAlive(a)
	runtime.KeepAlive(d)
	return n
}

// Broken returns what is wrong with the invariants of the decoders of an arena, or "". calling is
// how many of them are in calls of Unmarshal.
func Broken(a *arena.Arena, calling int) string {
	outermost, _ := arenakit.Local[decoder](a)
	in := 0
	for d := outermost; d != nil; d = d.inner {
		if d.state != stateIdle {
			in++
		}
		if s := d.broken(outermost); s != "" {
			return s
		}
	}
	if in != calling {
		return fmt.Sprintf("%d decoders are busy, and there are %d calls", in, calling)
	}
	last := outermost
	if outermost.innermost != nil {
		last = outermost.innermost
	}
	for n := 1; n < calling; n++ {
		last = last.outer
	}
	if calling > 0 && last != outermost {
		return "outer does not lead to the outermost decoder"
	}
	return ""
}

// broken returns the first invariant that does not hold.
func (d *decoder) broken(outermost *decoder) string {
	for _, x := range []struct {
		what  string
		holds bool
	}{
		{"idle, with a document", d.state != stateIdle || d.root == nil && d.a == nil && d.text.IsNone() && d.kept.IsNone() && d.input == nil && d.size == 0},
		{"idle, and nested", d.state != stateIdle || d.outer == nil && d.innermost == nil && d.lentTo == nil && d.given == nil},
		{"idle, with an error", d.state != stateIdle || d.err == nil && d.failures == 0 && d.depth == 0},
		{"idle, with values", d.state != stateIdle || d.inUse == 0 && len(d.anys) == 0 && len(d.pairs) == 0 && d.names.table == nil && d.values.table == nil},
		{"the text is another one", d.text.IsNone() || d.text == d.kept || bytes.Equal(d.text.Bytes(0, d.size), d.input)},
		{"no zeros behind the text", d.text.IsNone() || bytes.Equal(d.text.Bytes(d.size, d.size+jsonwire.Pad), make([]byte, jsonwire.Pad))},
		{"kept elsewhere", d.kept.IsNone() || d.kept == d.text || d.kept == jsonwire.TextOf(d.input)},
		{"stable, and not kept", !d.stable || d.a != nil && !d.kept.IsNone()},
		{"letters of another text", d.letters.text.IsNone() || d.letters.text == d.text},
		{"depth", d.depth >= 0 && d.depth <= jsonwire.MaxNesting},
		{"limited without a limit", !d.limited || d.limit > 0},
		{"maps of nobody", d.maps == &outermost.ownMaps || d.maps == nil && d.state == stateIdle},
		{"outermost", d == outermost && d.outermost == nil && d.nesting == 0 || d.outermost == outermost && d.nesting > 0},
		{"outer without outermost", d.outer == nil || d.outermost != nil},
		{"a path without an error", d.err != nil || len(d.path) == 0 && d.holder == nil},
	} {
		if !x.holds {
			return x.what
		}
	}
	return ""
}

// Refused has the decoder of a, which has little room, ask for more than there is. It returns what
// the decoder has counted of that, and whether it keeps the document.
func Refused(a *arena.Arena) (values, letters int, keeps bool) {
	d := decoderOf(a)
	text := make([]byte, 1<<20)
	d.load(text)
	for _, f := range []func(){
		func() { d.newSlice(slabString, 1<<20) },
		func() { d.keepBytes(0, len(text)) },
		func() { d.letters.copy(a, text) },
		func() {
			p := new(rootPlan)
			p.learned.letters.Store(mostIsText)
			d.input, d.limit = text, 0
			d.begin(p)
		},
	} {
		if arena.Try(f) == nil {
			panic("there is room")
		}
	}
	values, letters = d.slab(slabString).made, d.letters.sum
	d.release()
	return values, letters, d.parts != [2]string{}
}
