// Package frames has mistakes with parts of values of another package, whose sync.Pool has them.
package frames

import "example.com/pools/frames/wire"

type broker struct {
	all  [][]byte
	logs map[string][][]byte
}

func payload(text string) []byte {
	f, err := wire.Read(text)
	if err != nil {
		return nil
	}
	p := f.Payload()
	f.Release()
	return p // want `syncpool: `
}

func (b *broker) receive(text string) {
	f, err := wire.Read(text)
	if err != nil {
		return
	}
	b.all = append(b.all, f.Payload()) // want `syncpool: `
	f.Release()
}

func (b *broker) store(topic string, p []byte) { b.logs[topic] = append(b.logs[topic], p) }

func (b *broker) log(text string) {
	f, err := wire.Read(text)
	if err != nil {
		return
	}
	b.store(f.Topic(), f.Payload()) // want `syncpool: `
	f.Release()
}
