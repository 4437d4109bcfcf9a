package sums

import (
	"crypto/cipher"
	"encoding"
)

func fresh(text []byte) []byte {
	d := digests.Get().(*digest)
	defer digests.Put(d)
	d.hash.Reset()
	d.hash.Write(text)
	return d.hash.Sum(nil)
}

func appended(to, text []byte) []byte {
	d := digests.Get().(*digest)
	defer digests.Put(d)
	d.hash.Reset()
	d.hash.Write(text)
	return d.hash.Sum(to)
}

func sealedTo(c cipher.AEAD, to, nonce []byte) []byte {
	d := digests.Get().(*digest)
	defer digests.Put(d)
	return c.Seal(to, nonce, d.text, nil)
}

func text(x encoding.TextAppender) (string, error) {
	d := digests.Get().(*digest)
	defer digests.Put(d)
	b, err := x.AppendText(d.sum[:0])
	return string(b), err
}
