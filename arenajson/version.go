package arenajson

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// There are two versions of encoding/json. Which one a program has is asked of the package itself,
// and not of a build tag: tags of experiments go away.

// onV2 says that package encoding/json is built on encoding/json/v2. Its interfaces are defined in
// the latter then.
var onV2 = marshalerType.PkgPath() != "encoding/json"

// A codecMethod tells whether a type has a method that encoding/json looks for.
type codecMethod func(reflect.Type) bool

// These are the methods that encoding/json looks for. Methods of one kind are in the order in which
// it prefers them.
var (
	encodeMethods = []codecMethod{marshalerTo, implementing[json.Marshaler], textAppender, implementing[encoding.TextMarshaler]}
	decodeMethods = []codecMethod{unmarshalerFrom, implementing[json.Unmarshaler], implementing[encoding.TextUnmarshaler]}
)

func implementing[I any](t reflect.Type) bool { return t.Implements(reflect.TypeFor[I]()) }

// textAppender, marshalerTo and unmarshalerFrom tell of methods that only the second version of
// encoding/json looks for.
func textAppender(t reflect.Type) bool { return onV2 && implementing[encoding.TextAppender](t) }

func marshalerTo(t reflect.Type) bool {
	if !onV2 {
		return false
	}
	m, ok := t.MethodByName("MarshalJSONTo") // a constant, so that the linker can leave out other methods
	return ok && isCoder(t, m.Type, "Encoder")
}

func unmarshalerFrom(t reflect.Type) bool {
	if !onV2 {
		return false
	}
	m, ok := t.MethodByName("UnmarshalJSONFrom")
	return ok && isCoder(t, m.Type, "Decoder")
}

// isCoder tells whether a method of t has no parameter but a pointer to the type of that name in
// encoding/json/jsontext, and returns an error.
func isCoder(t, method reflect.Type, name string) bool {
	first := 1 // behind the receiver
	if t.Kind() == reflect.Interface {
		first = 0
	}
	if method.NumIn() != first+1 || method.NumOut() != 1 || method.Out(0) != reflect.TypeFor[error]() {
		return false
	}
	p := method.In(first)
	return p.Kind() == reflect.Pointer && p.Elem().Name() == name && p.Elem().PkgPath() == "encoding/json/jsontext"
}

// textKeys tells whether keys of maps whose kind is string are encoded by their methods, if they
// have some.
var textKeys = sync.OnceValue(func() bool {
	b, err := json.Marshal(map[methodKey]int{"": 0})
	return err == nil && strings.Contains(string(b), methodKeyText)
})

type methodKey string

const methodKeyText = "by its method"

func (methodKey) MarshalText() ([]byte, error) { return []byte(methodKeyText), nil }

// textOfNull tells whether the letters null as a string in a string are null, for the option
// "string".
var textOfNull = sync.OnceValue(func() bool {
	v := struct {
		S string `json:",string"`
	}{"before"}
	return json.Unmarshal([]byte(`{"S":"\"null\""}`), &v) != nil || v.S != "null"
})

// formerOptions tells whether options have the names that they had while the second version was an
// experiment. Types of Kubernetes have the option "inline", which means nothing otherwise.
var formerOptions = sync.OnceValue(func() bool {
	b, err := json.Marshal(struct {
		M map[string]int `json:",inline"`
	}{map[string]int{"x": 1}})
	return err != nil || string(b) != `{"M":{"x":1}}`
})

// endsAll tells whether an error of a method ends the decoding. The first version of encoding/json
// goes no further after any, and the second one goes on after all but some of its own.
func endsAll(err error) bool {
	t := reflect.TypeOf(err)
	if !onV2 || t.Kind() != reflect.Pointer || !strings.HasPrefix(t.Elem().PkgPath(), "encoding/json") {
		return !onV2
	}
	ends, ok := ending.Load(t)
	if !ok {
		// encoding/json may change the error, so it is asked with another one.
		other := reflect.New(t.Elem())
		other.Elem().Set(reflect.ValueOf(err).Elem())
		probe := endProbe{First: returns{other.Interface().(error)}}
		_ = json.Unmarshal([]byte(`{"First":0,"Second":0}`), &probe) // the error is known
		ends, _ = ending.LoadOrStore(t, !bool(probe.Second))
	}
	return ends.(bool)
}

var ending sync.Map // of reflect.Type, of an error of encoding/json, to bool

type endProbe struct {
	First  returns
	Second wasCalled
}

type wasCalled bool

func (c *wasCalled) UnmarshalJSON([]byte) error {
	*c = true
	return nil
}
