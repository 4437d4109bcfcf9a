// Package events calls functions that were registered.
package events

import (
	"context"
	"sync"
)

type Handler func(ctx context.Context, payload any)

type Bus struct {
	mu       sync.Mutex
	handlers map[string][]Handler
	closers  []func() error
}

func (b *Bus) On(topic string, h Handler) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.handlers == nil {
		b.handlers = make(map[string][]Handler)
	}
	b.handlers[topic] = append(b.handlers[topic], h)
}

func (b *Bus) Emit(ctx context.Context, topic string, payload any) {
	b.mu.Lock()
	all := b.handlers[topic]
	b.mu.Unlock()
	for _, h := range all {
		h(ctx, payload)
	}
}

func (b *Bus) OnClose(f func() error) { b.closers = append(b.closers, f) }

func (b *Bus) Close() (err error) {
	for _, f := range b.closers {
		if e := f(); e != nil && err == nil {
			err = e
		}
	}
	return err
}

// Default is the bus of the program.
var Default Bus

// On registers with Default.
func On(topic string, h Handler) { Default.On(topic, h) }

// A Client is made with options.
type Client struct {
	name    string
	headers map[string]string
	retry   func(n int) bool
}

type Option func(*Client)

func WithName(name string) Option { return func(c *Client) { c.name = name } }

func WithHeader(key, value string) Option {
	return func(c *Client) {
		if c.headers == nil {
			c.headers = make(map[string]string)
		}
		c.headers[key] = value
	}
}

func WithRetry(f func(n int) bool) Option { return func(c *Client) { c.retry = f } }

func NewClient(opts ...Option) *Client {
	c := &Client{}
	for _, opt := range opts {
		opt(c)
	}
	return c
}

func (c *Client) Name() string { return c.name }

func (c *Client) Send(payload string) error {
	for n := 0; c.retry != nil && c.retry(n); n++ {
		_ = payload
	}
	return nil
}
