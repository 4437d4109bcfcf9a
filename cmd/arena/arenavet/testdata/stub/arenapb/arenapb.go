// Package arenapb has the names of the package that it stands for, and does nothing.
package arenapb

import "github.com/arena-go/arena"

type Message interface{ Reset() }

func New[M any](a *arena.Arena) *M                            { return nil }
func Unmarshal(a *arena.Arena, b []byte, m Message) error     { return nil }
func UnmarshalJSON(a *arena.Arena, b []byte, m Message) error { return nil }
func Clone[M Message](m M) (M, error)                         { return m, nil }

func Marshal(a *arena.Arena, m Message) ([]byte, error)                 { return nil, nil }
func MarshalAppend(a *arena.Arena, b []byte, m Message) ([]byte, error) { return b, nil }

type UnmarshalJSONOptions struct{}

func (UnmarshalJSONOptions) Unmarshal(a *arena.Arena, b []byte, m Message) error { return nil }

func MarshalJSON(a *arena.Arena, m Message) ([]byte, error) { return nil, nil }

type MarshalJSONOptions struct{}

func (MarshalJSONOptions) Marshal(a *arena.Arena, m Message) ([]byte, error) { return nil, nil }
func (MarshalJSONOptions) MarshalAppend(a *arena.Arena, b []byte, m Message) ([]byte, error) {
	return b, nil
}
