package arenajson

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/jsonwire"
)

// A value with an error is left to encoding/json, which encodes it again and has the error, unless
// methods have been called by then: each is called once, as encoding/json calls it. So a method
// that encodes what it has does not double the work at each level. The error is then what
// encoding/json makes of the part that has it, or of what its method has returned, with what it
// would say of the values around.

// These have methods that return what a method of a value has returned.
type (
	returned struct {
		text []byte
		err  error
	}
	returnsFromText   struct{ err error }
	returnsFromAppend struct{ err error }
)

type quotedNumber struct {
	N json.Number `json:",string"`
}

func (r returned) MarshalJSON() ([]byte, error)                 { return r.text, r.err }
func (r returnsFromText) MarshalText() ([]byte, error)          { return nil, r.err }
func (r returnsFromAppend) AppendText(b []byte) ([]byte, error) { return b, r.err }
func (r returnsFromAppend) MarshalText() ([]byte, error)        { return nil, r.err }

// std appends what encoding/json makes of v. If v stands for a value of pl, which may be nil
// otherwise, errors say so.
func (e *encoder) std(b []byte, pl *encodePlan, v any) []byte {
	if e.err != nil {
		return b
	}
	if e.v2 {
		return e.stdV2(b, v)
	}
	text, err := marshalStd(v, e.style&jsonwire.HTML != 0)
	switch r, ok := v.(returned); {
	case !onV2 || pl != nil && (!ok || r.err != nil):
	case ok:
		// What is around the text counts where it is too deep.
		r.text = []byte(strings.Repeat("[", e.depth) + string(r.text) + strings.Repeat("]", e.depth))
		_, deep := marshalStd(r, e.style&jsonwire.HTML != 0)
		moveSyntaxError(deep, -e.depth)
		if offsetOf(deep) < offsetOf(err) {
			err = deep
		}
		moveSyntaxError(err, len(b))
	case err != nil:
		moveSyntaxError(err, len(b))
		noName(err, b)
	}
	if err == nil {
		return append(b, text...)
	}
	if m, ok := err.(*json.MarshalerError); ok && pl != nil {
		if m.Type = pl.typ; onV2 {
			m.Type = reflect.PointerTo(pl.typ)
		}
	}
	e.err = err
	return b
}

// around returns how deep text that a method returns is nested in what is around it, as far as
// encoding/json counts that.
func (e *encoder) around() int {
	if onV2 {
		return e.depth
	}
	return 0
}

// moveSyntaxError makes the offset of a json.SyntaxError, which may be in a json.MarshalerError,
// that in a text that has n bytes before. It leaves alone what a method MarshalJSON may have
// returned itself.
func moveSyntaxError(err error, n int) {
	if m, ok := err.(*json.MarshalerError); ok {
		if t := m.Type; t != reflect.TypeFor[*json.RawMessage]() && t != reflect.TypeFor[*returned]() && !marshalerTo(t) {
			return
		}
		err = m.Err
	}
	if s, ok := err.(*json.SyntaxError); ok {
		s.Offset += int64(n)
	}
}

// offsetOf returns the offset of a json.SyntaxError, which is in a json.MarshalerError, or a large
// number if err is none.
func offsetOf(err error) int64 {
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		return s.Offset
	}
	return math.MaxInt64
}

// reached notes that the value with the error was reached by a pointer of pl. The first version of
// encoding/json says so of a value with a method.
func (e *encoder) reached(pl *encodePlan) {
	if m, ok := e.err.(*json.MarshalerError); ok && !onV2 && pl.elem.op.byMethod() {
		m.Type = pl.typ
	}
}

// byMethod tells whether encoding/json encodes values of op by a method of theirs.
func (op encodeOp) byMethod() bool {
	return op >= opRaw && op <= opArenaMap && op != opFaceMarshaler && op != opFaceText
}

// noNumber gives an error that says that a float is no number in JSON the type of pl, if that is
// one of a float.
func (e *encoder) noNumber(pl *encodePlan) {
	if u, ok := e.err.(*json.UnsupportedValueError); ok && u.Value.IsValid() {
		u.Value = u.Value.Convert(pl.typ)
	}
}

// A visited is a value that is being encoded, and contains others.
type visited struct {
	typ reflect.Type
	p   pointer
	n   int // elements of a slice
}

var (
	anyMapType = reflect.TypeFor[map[string]any]()
	anysType   = reflect.TypeFor[[]any]()
)

// isDeep tells whether encoding/json may look whether the next value contains itself.
func (e *encoder) isDeep() bool { return max(e.levels, e.depth) >= maxDepth }

// enter begins a slice or a map, which is at p. It returns false after an error.
func (e *encoder) enter(b []byte, t reflect.Type, p pointer, n int) bool {
	if e.isDeep() && (!e.visit(visited{t, p, n}) || e.depth >= jsonwire.MaxNesting && e.tooDeep(b)) {
		return false
	}
	e.levels++
	e.depth++
	return true
}

// leave ends what enter has begun, unless there was an error.
func (e *encoder) leave(t reflect.Type, p pointer, n int) {
	e.levels--
	e.depth--
	if e.isDeep() {
		delete(e.visited, visited{t, p, n})
	}
}

// visit notes that v is being encoded. It returns false if that is so already, which is an error.
func (e *encoder) visit(v visited) bool {
	if onV2 && e.depth < maxDepth || !onV2 && e.levels < maxDepth {
		return true
	}
	if e.visited[v] {
		err := &json.UnsupportedValueError{Str: "encountered a cycle via " + v.typ.String()}
		if !onV2 {
			err.Value = v.value()
		}
		e.err = err
		return false
	}
	if e.visited == nil {
		e.visited = map[visited]bool{}
	}
	e.visited[v] = true
	return true
}

// value returns what v is.
func (v visited) value() reflect.Value {
	if v.typ.Kind() == reflect.Slice {
		s := reflect.New(v.typ).Elem()
		s.Set(elementsAt(v.typ.Elem(), v.p, v.n).Convert(v.typ))
		return s
	}
	return valueAt(v.typ, pointer(&v.p))
}

// tooDeep notes that what begins behind b is nested too deep for the second version of
// encoding/json, and tells whether that is an error.
func (e *encoder) tooDeep(b []byte) bool {
	if !onV2 || e.err != nil {
		return onV2
	}
	_, err := marshalStd(json.RawMessage(strings.Repeat("[", jsonwire.MaxNesting+1)), true)
	if m, ok := err.(*json.MarshalerError); ok {
		err = m.Err
	}
	if s, ok := err.(*json.SyntaxError); ok {
		s.Offset = int64(len(b)) + 1
	}
	e.err = err
	return true
}

// arenaMapError turns the error of an entry into the error of the arena.Map at p, as encoding/json
// does, which calls a method of the Map. called says that methods of entries were called.
func (e *encoder) arenaMapError(b []byte, pl *encodePlan, p pointer, called bool) []byte {
	err := e.err
	e.err = nil
	if !called {
		return e.std(b, pl, pointerAt(pl.typ, p).Interface())
	}
	m := arena.NewMap[string, returned](nil, 1)
	m.Set("", returned{nil, err})
	e.std(b, pl, m)
	if m, ok := e.err.(*json.MarshalerError); ok {
		m.Err = err
	}
	return b
}

// noName makes the text of an error that a map in the value behind b has keys which are no names
// the error of the second version of encoding/json, which says where the map is.
func noName(err error, b []byte) {
	u, ok := err.(*json.UnsupportedValueError)
	if !ok {
		return
	}
	what, offset, _ := strings.Cut(u.Str, afterOffset)
	n, err := strconv.Atoi(offset)
	if err != nil {
		return
	}
	// Another such map, in others with the same names, has an error that differs in the offset
	// alone.
	v := any(map[bool]int{true: 0})
	what, in, _ := strings.Cut(what, within)
	in, _ = strconv.Unquote(in)
	for _, name := range slices.Backward(strings.Split(in, "/")[1:]) {
		v = map[string]any{strings.NewReplacer("~1", "/", "~0", "~").Replace(name): v}
	}
	for _, p := range slices.Backward(openPlaces(b)) {
		if p.name == nil {
			list := make([]any, p.index+1)
			list[p.index] = v
			v = list
			continue
		}
		var name string
		_ = json.Unmarshal(p.name, &name) // it was encoded before
		v = map[string]any{name: v}
	}
	_, err = json.Marshal(v)
	if in, ok := err.(*json.UnsupportedValueError); ok && strings.HasPrefix(in.Str, what) {
		text, _, _ := strings.Cut(in.Str, afterOffset)
		u.Str = text + afterOffset + strconv.Itoa(n+len(b))
	}
}

const within, afterOffset = " within ", " after offset "

// An openPlace is where in an object or an array the next value is.
type openPlace struct {
	name  []byte // as a JSON string; nil in an array
	index int
}

// openPlaces returns where the next value behind b is, in each of the objects and arrays that it is
// in, from the outermost one on. These begin with a comma, see object and array.
func openPlaces(b []byte) (places []openPlace) {
	for i := 0; i < len(b); {
		if b[i] == ',' {
			places = append(places, openPlace{index: -1})
		} else if i = jsonwire.EndOfValue(b, i, jsonwire.MaxNesting); i < 0 || i == len(b) {
			return nil
		}
		p := &places[len(places)-1]
		p.index++
		i++ // behind the comma
		if end := jsonwire.EndOfString(b, i); end >= 0 && jsonwire.Char(b, end) == ':' {
			p.name = b[i:end]
			i = end + 1
		}
	}
	return places
}
