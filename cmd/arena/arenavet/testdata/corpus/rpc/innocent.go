package rpc

import (
	"context"
	"strings"
	"sync"

	"github.com/arena-go/arena/arenagrpc"

	"example.com/corpus/rpc/pb"
)

// The reply may be the request, or have parts of it.
func (n *notes) Echo(ctx context.Context, req *pb.Note) (*pb.Note, error) {
	return &pb.Note{Text: req.GetText(), Tags: req.Tags, Size: int64(len(n.texts))}, nil
}

func (n *notes) Copy(ctx context.Context, req *pb.Note) (*pb.Empty, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.texts = append(n.texts, strings.Clone(req.GetText()))
	n.last = &pb.Note{Text: strings.Clone(req.Text), Size: req.Size}
	return &pb.Empty{}, nil
}

func (n *notes) Keep(ctx context.Context, req *pb.Note) (*pb.Empty, error) {
	arenagrpc.Keep(ctx)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last = req
	return &pb.Empty{}, nil
}

func (n *notes) Wait(ctx context.Context, req *pb.Note) (*pb.Empty, error) {
	var wg sync.WaitGroup
	wg.Go(func() { n.store(req) })
	wg.Wait()
	return &pb.Empty{}, nil
}

// It is registered with no server.
type local struct{ last *pb.Note }

func (l *local) Put(ctx context.Context, req *pb.Note) (*pb.Empty, error) {
	l.last = req
	return &pb.Empty{}, nil
}
