package main

import (
	"context"

	"github.com/arena-go/arena/examples/internal/measure"
	"github.com/arena-go/arena/examples/internal/process"
)

// A child is a server in a process of its own.
type child struct {
	*process.Child
	addr string
}

// startChild starts a server and waits until it listens.
func startChild(ctx context.Context, args []string, way string) (*child, error) {
	c, err := process.Start(ctx, "requests", args, way)
	if err != nil {
		return nil, err
	}
	var m message
	if err := c.Read(&m); err != nil {
		return nil, err
	}
	return &child{c, m.Addr}, nil
}

// usage returns what the server has used so far, which is until now or afterGC.
func (c *child) usage(when string) (measure.Usage, error) {
	var m message
	if err := c.Ask(when, &m); err != nil {
		return measure.Usage{}, err
	}
	return *m.Usage, nil
}
