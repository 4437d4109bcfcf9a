package arenagrpc_test

import (
	"context"
	"fmt"
	"io"
	"net"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenagrpc"
	"github.com/arena-go/arena/arenagrpc/internal/echopb"
	"github.com/arena-go/arena/arenascope"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// shouter answers in capital letters, so to speak.
type shouter struct{ echopb.UnimplementedEchoServer }

// Unary has its request in the arena of the call, and makes its reply there.
func (shouter) Unary(ctx context.Context, m *echopb.Message) (*echopb.Message, error) {
	a := arena.FromContext(ctx)
	reply := arena.New[echopb.Message](a)
	reply.Text = arena.Concat(a, m.Text, "!")
	reply.Words = m.Words // it may refer to the request
	return reply, nil
}

// ClientStream is done with each message when it asks for the next.
func (shouter) ClientStream(stream grpc.ClientStreamingServer[echopb.Message, echopb.Message]) error {
	arenascope.Receive(stream.Context(), arenascope.PerMessage)
	reply := &echopb.Message{}
	for {
		m, err := stream.Recv()
		if err == io.EOF {
			return stream.SendAndClose(reply)
		}
		if err != nil {
			return err
		}
		reply.Numbers = append(reply.Numbers, int64(len(m.Text)))
	}
}

func Example() {
	s := grpc.NewServer(arenagrpc.ServerOptions(arenagrpc.Options{})...) // the one line
	echopb.RegisterEchoServer(s, shouter{})
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	go s.Serve(lis)
	defer s.Stop()

	conn, err := grpc.NewClient(lis.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	client := echopb.NewEchoClient(conn)

	a := arena.NewArena()
	for _, text := range []string{"one", "two"} {
		reply, err := client.Unary(context.Background(), &echopb.Message{Text: text, Words: []string{"a", "b"}}, arenagrpc.Into(a))
		fmt.Println(reply.GetText(), reply.GetWords(), err)
		a.Reset() // the reply is stale
	}

	stream, err := client.ClientStream(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"a", "stream", "of messages"} {
		stream.Send(&echopb.Message{Text: text})
	}
	reply, err := stream.CloseAndRecv()
	fmt.Println(reply.GetNumbers(), err)
	// Output:
	// one! [a b] <nil>
	// two! [a b] <nil>
	// [1 6 11] <nil>
}
