package arena

import (
	"reflect"

	"github.com/arena-go/arena/internal/mem"
)

// The kinds of types, by their short names.
type kind = mem.Kind

const (
	kindUnknown = mem.Unknown
	kindPlain   = mem.Plain
	kindTyped   = mem.Typed
)

func kindOf(t reflect.Type) kind { return mem.KindOf(t) }
