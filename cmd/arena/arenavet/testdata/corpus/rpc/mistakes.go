// Package rpc has mistakes with requests of gRPC methods, which lie in arenas.
package rpc

import (
	"context"
	"strings"
	"sync"

	"github.com/arena-go/arena/arenagrpc"

	"example.com/corpus/rpc/pb"
)

type notes struct {
	mu    sync.Mutex
	last  *pb.Note
	texts []string
	byTag map[string]*pb.Note
	queue chan string
}

func serve(s any) []arenagrpc.Option {
	pb.RegisterNotesServer(s, &notes{byTag: map[string]*pb.Note{}})
	return arenagrpc.ServerOptions(arenagrpc.Options{})
}

func (n *notes) Put(ctx context.Context, req *pb.Note) (*pb.Empty, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last = req // want `outlives: `
	return &pb.Empty{}, nil
}

func (n *notes) Append(ctx context.Context, req *pb.Note) (*pb.Empty, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.texts = append(n.texts, req.GetText()) // want `outlives: `
	return &pb.Empty{}, nil
}

func (n *notes) Tag(ctx context.Context, req *pb.Note) (*pb.Empty, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, t := range req.Tags {
		n.byTag[strings.TrimSpace(t)] = &pb.Note{Text: "tagged"} // want `outlives: `
	}
	return &pb.Empty{}, nil
}

func (n *notes) Queue(ctx context.Context, req *pb.Note) (*pb.Empty, error) {
	n.queue <- req.Text // want `outlives: `
	return &pb.Empty{}, nil
}

func (n *notes) Later(ctx context.Context, req *pb.Note) (*pb.Empty, error) {
	go n.store(req) // want `outlives: `
	return &pb.Empty{}, nil
}

func (n *notes) store(x *pb.Note) {
	n.mu.Lock()
	defer n.mu.Unlock()
	println(x.Text)
}
