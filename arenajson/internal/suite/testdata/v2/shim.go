// Package json is what Go's tests of package encoding/json/v2 see in its place: its names, and functions that call arenajson with the option V2.
// suite_test.go copies the tests of arshal_test.go and this file into one directory.
package json

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"encoding/json/jsontext"
	"encoding/json/v2"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

type (
	Options      = any // some of the tests' are of packages inside of encoding/json
	Marshalers   = json.Marshalers
	MarshalerTo  = json.MarshalerTo
	Unmarshalers = json.Unmarshalers

	// SemanticError is what the tests want. It is not compared.
	SemanticError struct {
		action      string
		ByteOffset  int64
		JSONPointer jsontext.Pointer
		JSONKind    jsontext.Kind
		JSONValue   jsontext.Value
		GoType      reflect.Type
		Err         error
	}
)

func (*SemanticError) Error() string { return "json" }

var (
	WithMarshalers            = json.WithMarshalers
	WithUnmarshalers          = json.WithUnmarshalers
	JoinMarshalers            = json.JoinMarshalers
	JoinUnmarshalers          = json.JoinUnmarshalers
	StringifyNumbers          = json.StringifyNumbers
	Deterministic             = json.Deterministic
	MatchCaseInsensitiveNames = json.MatchCaseInsensitiveNames
	RejectUnknownMembers      = json.RejectUnknownMembers
	OmitZeroStructFields      = json.OmitZeroStructFields
	FormatNilSliceAsNull      = json.FormatNilSliceAsNull
	FormatNilMapAsNull        = json.FormatNilMapAsNull
	ErrUnknownName            = json.ErrUnknownName
)

func MarshalFunc[T any](fn func(T) ([]byte, error)) *Marshalers { return json.MarshalFunc(fn) }
func MarshalToFunc[T any](fn func(*jsontext.Encoder, T) error) *Marshalers {
	return json.MarshalToFunc(fn)
}
func UnmarshalFunc[T any](fn func([]byte, T) error) *Unmarshalers { return json.UnmarshalFunc(fn) }
func UnmarshalFromFunc[T any](fn func(*jsontext.Decoder, T) error) *Unmarshalers {
	return json.UnmarshalFromFunc(fn)
}

func stdOptions(opts []Options) (std []json.Options) {
	for _, o := range opts {
		if o, ok := o.(json.Options); ok {
			std = append(std, o)
		}
	}
	return std
}

func MarshalEncode(e *jsontext.Encoder, v any, opts ...Options) error {
	return json.MarshalEncode(e, v, stdOptions(opts)...)
}

func UnmarshalDecode(d *jsontext.Decoder, v any, opts ...Options) error {
	return json.UnmarshalDecode(d, v, stdOptions(opts)...)
}

func GetOption[T any](o json.Options, setter func(T) json.Options) (T, bool) {
	return json.GetOption(o, setter)
}

// Marshal encodes v for a test, in an arena. It skips the test if arenajson does not have its options.
func Marshal(t *testing.T, v any, opts ...Options) ([]byte, error) {
	o := arenajson.MarshalOptions{V2: true}
	for _, opt := range opts {
		switch {
		case reflect.DeepEqual(opt, jsontext.Multiline(true)):
			o.Indent = "\t"
		case !reflect.DeepEqual(opt, json.Deterministic(true)):
			t.Skipf("no such option: %#v", opt)
		}
	}
	return o.Marshal(arena.NewArena(), v)
}

// Unmarshal decodes for a test, in an arena.
func Unmarshal(t *testing.T, in []byte, v any, opts ...Options) error {
	o := arenajson.UnmarshalOptions{V2: true}
	for _, opt := range opts {
		if !reflect.DeepEqual(opt, json.RejectUnknownMembers(true)) {
			t.Skipf("no such option: %#v", opt)
		}
		o.DisallowUnknownFields = true
	}
	return o.Unmarshal(arena.NewArena(), in, v)
}

// The following are inside of encoding/json/v2. Tests have them in errors that they want, which are not compared.

const startDetectingCyclesAfter = 1000

type isZeroer interface{ IsZero() bool }

var (
	anyType          = reflect.TypeFor[any]()
	boolType         = reflect.TypeFor[bool]()
	bytesType        = reflect.TypeFor[[]byte]()
	float64Type      = reflect.TypeFor[float64]()
	stringType       = reflect.TypeFor[string]()
	timeDurationType = reflect.TypeFor[time.Duration]()
	timeTimeType     = reflect.TypeFor[time.Time]()

	errAmbiguousName       = errors.New("ambiguous name")
	errArrayOverflow       = errors.New("too many")
	errArrayUnderflow      = errors.New("too few")
	errInvalidStringTag    = errors.New("string")
	errNilField            = errors.New("nil field")
	errNoExportedFields    = errors.New("no exported fields")
	errNonSingularValue    = errors.New("not one value")
	errNonStringValue      = errors.New("no string")
	errRawEmbedNotObject   = errors.New("no object")
	errUnsupportedMutation = errors.New("mutation")
)

// An inside stands for the state of encoders and decoders, which only tests with functions as options look at.
type inside struct {
	Tokens struct {
		Stack []int
		Last  struct{ last }
	}
}

type last struct{}

func (last) Length() int64 { return 0 }

type exporter struct{}

func (exporter) Encoder(*jsontext.Encoder) (i inside) { return i }
func (exporter) Decoder(*jsontext.Decoder) (i inside) { return i }

var export exporter

// MarshalWrite is not called.
func MarshalWrite(*testing.T, any, any, ...Options) error { panic("not called") }

func len64[B ~[]byte | ~string](b B) int64                        { return int64(len(b)) }
func wrapErrUnsupported(err error, _ string) error                { return err }
func newDuplicateNameError(jsontext.Pointer, []byte, int64) error { return errors.ErrUnsupported }
