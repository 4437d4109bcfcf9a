package frames

import (
	"bytes"

	"example.com/pools/frames/wire"
)

func payloadCopied(text string) []byte {
	f, err := wire.Read(text)
	if err != nil {
		return nil
	}
	defer f.Release()
	return bytes.Clone(f.Payload())
}

func topic(text string) string {
	f, err := wire.Read(text)
	if err != nil {
		return ""
	}
	defer f.Release()
	return f.Topic()
}

func whole(text string) *wire.Frame {
	f, err := wire.Read(text)
	if err != nil {
		return nil
	}
	return f
}
