package protobuf

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/bench/protobuf/messages"
	"github.com/arena-go/arena/bench/protobuf/pooled"
	"google.golang.org/protobuf/proto"
)

// A kind is a type of messages, as each decoder wants it.
type kind struct {
	new     func() vtMessage // for all that have no pool nor arena
	inArena func(a *arena.Arena) proto.Message
	pooled  func() pooledMessage
}

// A vtMessage is one that vtprotobuf has made a decoder for.
type vtMessage interface {
	proto.Message
	UnmarshalVT(b []byte) error
}

// A pooledMessage is one that vtprotobuf has made a pool for.
type pooledMessage interface {
	vtMessage
	ReturnToVTPool()
}

var (
	profiles    = kindOf[messages.Profile](pooled.ProfileFromVTPool)
	descriptors = kindOf[messages.FileDescriptorProto](pooled.FileDescriptorProtoFromVTPool)
	logs        = kindOf[messages.Logs](pooled.LogsFromVTPool)
	trees       = kindOf[messages.Node](pooled.NodeFromVTPool)

	kinds = []*kind{profiles, descriptors, logs, trees}
)

func kindOf[M any, P interface {
	*M
	vtMessage
}, Q pooledMessage](fromPool func() Q) *kind {
	return &kind{
		new:     func() vtMessage { return P(new(M)) },
		inArena: func(a *arena.Arena) proto.Message { return arenapb.New[M, P](a) },
		pooled:  func() pooledMessage { return fromPool() },
	}
}
