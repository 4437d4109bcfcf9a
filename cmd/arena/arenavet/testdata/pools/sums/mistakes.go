// Package sums has methods of interfaces of the standard library that append to a slice of a
// sync.Pool.
package sums

import (
	"crypto/cipher"
	"crypto/sha256"
	"encoding"
	"hash"
	"sync"
)

type digest struct {
	hash hash.Hash
	sum  [sha256.Size]byte
	text []byte
}

var digests = sync.Pool{New: func() any { return &digest{hash: sha256.New()} }}

func (d *digest) of(text []byte) []byte {
	d.hash.Reset()
	d.hash.Write(text)
	return d.hash.Sum(d.sum[:0])
}

func sum(text []byte) []byte {
	d := digests.Get().(*digest)
	defer digests.Put(d)
	return d.of(text) // want `syncpool: .* is returned after sync.Pool.Put`
}

func sealed(c cipher.AEAD, nonce, text []byte) []byte {
	d := digests.Get().(*digest)
	defer digests.Put(d)
	return c.Seal(d.text[:0], nonce, text, nil) // want `syncpool: .* is returned after sync.Pool.Put`
}

func opened(c cipher.AEAD, nonce, text []byte) ([]byte, error) {
	d := digests.Get().(*digest)
	defer digests.Put(d)
	d.text = d.text[:0]
	plain, err := c.Open(d.sum[:0], nonce, text, nil)
	if err != nil {
		return nil, err
	}
	return plain, nil // want `syncpool: .* is returned after sync.Pool.Put`
}

func written(x encoding.BinaryAppender) byte {
	d := digests.Get().(*digest)
	b, _ := x.AppendBinary(d.sum[:0])
	digests.Put(d)
	return b[0] // want `syncpool: .* is used after sync.Pool.Put`
}
