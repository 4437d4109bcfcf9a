package protobuf

import (
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/bench/protobuf/messages"
	"github.com/arena-go/arena/bench/protobuf/pooled"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// A kind is a type of messages, as each decoder wants it.
type kind struct {
	new     func() proto.Message // for all that have no pool nor arena
	inArena func(a *arena.Arena) proto.Message
	vt      func() vtMessage     // nil where vtprotobuf has made no decoder
	pooled  func() pooledMessage // nil where it has made none
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

	objects    = kindOf[messages.Objects](pooled.ObjectsFromVTPool)
	opaqueLogs = plainKindOf[messages.OpaqueLogs]()
	options    = plainKindOf[descriptorpb.FileDescriptorSet]()

	kinds = []*kind{profiles, descriptors, logs, trees, objects, opaqueLogs, options}
)

func kindOf[M any, P interface {
	*M
	vtMessage
}, Q pooledMessage](fromPool func() Q) *kind {
	k := plainKindOf[M, P]()
	k.vt = func() vtMessage { return P(new(M)) }
	k.pooled = func() pooledMessage { return fromPool() }
	return k
}

func plainKindOf[M any, P interface {
	*M
	proto.Message
}]() *kind {
	return &kind{
		new:     func() proto.Message { return P(new(M)) },
		inArena: func(a *arena.Arena) proto.Message { return arenapb.New[M, P](a) },
	}
}
