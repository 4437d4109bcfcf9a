// Package wire has frames of a sync.Pool.
package wire

import "sync"

// A Frame is a message. Release ends its use.
type Frame struct {
	topic string
	data  []byte
}

var frames = sync.Pool{New: func() any { return new(Frame) }}

// Topic returns where the message belongs.
func (f *Frame) Topic() string { return f.topic }

// Payload returns the message.
func (f *Frame) Payload() []byte { return f.data }

// Release ends the use of the frame.
func (f *Frame) Release() {
	f.topic, f.data = "", f.data[:0]
	frames.Put(f)
}

// Read returns a frame, or an error.
func Read(text string) (*Frame, error) {
	f := frames.Get().(*Frame)
	f.topic, f.data = text, append(f.data[:0], text...)
	return f, nil
}
