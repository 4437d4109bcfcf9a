// Package arenajson has the names of the package that it stands for, and does nothing.
package arenajson

import (
	"io"
	"net/http"

	"github.com/arena-go/arena"
)

func Unmarshal(a *arena.Arena, data []byte, v any) error       { return nil }
func Marshal(a *arena.Arena, v any) ([]byte, error)            { return nil, nil }
func Append(a *arena.Arena, dst []byte, v any) ([]byte, error) { return dst, nil }

type UnmarshalOptions struct{ Borrow bool }

func (o UnmarshalOptions) Unmarshal(a *arena.Arena, data []byte, v any) error { return nil }

type MarshalOptions struct{ Indent string }

func (o MarshalOptions) Marshal(a *arena.Arena, v any) ([]byte, error) { return nil, nil }

type Decoder struct{}

func NewDecoder(r io.Reader) *Decoder                 { return nil }
func (d *Decoder) Decode(a *arena.Arena, v any) error { return nil }

type Encoder struct{}

func NewEncoder(w io.Writer) *Encoder                 { return nil }
func (e *Encoder) Encode(a *arena.Arena, v any) error { return nil }

func Read(r *http.Request, v any) error { return nil }
