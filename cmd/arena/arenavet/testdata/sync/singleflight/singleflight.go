// Package singleflight has the signatures of golang.org/x/sync/singleflight.
package singleflight

type Group struct{}

type Result struct {
	Val    any
	Err    error
	Shared bool
}

func (g *Group) Do(key string, fn func() (any, error)) (v any, err error, shared bool)

func (g *Group) DoChan(key string, fn func() (any, error)) <-chan Result
