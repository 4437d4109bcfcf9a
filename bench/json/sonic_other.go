//go:build !amd64 && !arm64

package json

var openSonic func() codec

func withoutSonic() string { return "sonic, which is for amd64 and arm64" }
