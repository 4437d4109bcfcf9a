//go:build !amd64 && !arm64

package protobuf

import "google.golang.org/protobuf/proto"

func newHyper(bool) func() decode { return nil }

var newHyperKeeper func() func(in input) proto.Message
