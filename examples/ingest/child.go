package main

import (
	"context"

	"github.com/arena-go/arena/examples/internal/measure"
	"github.com/arena-go/arena/examples/internal/process"
)

// A child is a part of the work in a process of its own.
type child struct{ *process.Child }

// startChild starts a child for a part of the work.
func startChild(ctx context.Context, args []string, part string) (*child, error) {
	c, err := process.Start(ctx, "ingest", args, part)
	return &child{c}, err
}

// message returns the next message. If there is none the child has been stopped.
func (c *child) message() (m message, err error) {
	err = c.Read(&m)
	return m, err
}

// ask sends a line, and returns the message that answers it.
func (c *child) ask(line string) (m message, err error) {
	err = c.Ask(line, &m)
	return m, err
}

// usage returns what a server has used so far, which is until now or afterGC.
func (c *child) usage(when string) (measure.Usage, error) {
	m, err := c.ask(when)
	if err != nil {
		return measure.Usage{}, err
	}
	return *m.Usage, nil
}
