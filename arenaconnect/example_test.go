package arenaconnect_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"connectrpc.com/connect"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaconnect"
	"github.com/arena-go/arena/arenaconnect/internal/echopb"
	"github.com/arena-go/arena/arenascope"
)

// shouter answers in capital letters, so to speak.
type shouter struct {
	echopb.UnimplementedEchoHandler
}

// Unary has its request in the arena of the call, and makes its reply there.
func (shouter) Unary(ctx context.Context, request *connect.Request[echopb.Message]) (*connect.Response[echopb.Message], error) {
	a := arena.FromContext(ctx)
	reply := arena.New[echopb.Message](a)
	reply.Text = arena.Concat(a, request.Msg.Text, "!")
	reply.Words = request.Msg.Words // it may refer to the request
	return connect.NewResponse(reply), nil
}

// ClientStream is done with each message when it asks for the next.
func (shouter) ClientStream(ctx context.Context, stream *connect.ClientStream[echopb.Message]) (*connect.Response[echopb.Message], error) {
	arenascope.Receive(ctx, arenascope.PerMessage)
	reply := &echopb.Message{}
	for stream.Receive() {
		reply.Numbers = append(reply.Numbers, int64(len(stream.Msg().Text)))
	}
	return connect.NewResponse(reply), stream.Err()
}

func Example() {
	mux := http.NewServeMux()
	mux.Handle(echopb.NewEchoHandler(shouter{}, arenaconnect.HandlerOptions(arenaconnect.Options{})...)) // the one line
	s := httptest.NewServer(mux)
	defer s.Close()

	client := echopb.NewEchoClient(s.Client(), s.URL)
	for _, text := range []string{"one", "two"} {
		reply, err := client.Unary(context.Background(), connect.NewRequest(&echopb.Message{Text: text, Words: []string{"a", "b"}}))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(reply.Msg.Text, reply.Msg.Words)
	}

	stream := client.ClientStream(context.Background())
	for _, text := range []string{"a", "stream", "of messages"} {
		stream.Send(&echopb.Message{Text: text})
	}
	reply, err := stream.CloseAndReceive()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(reply.Msg.Numbers)
	// Output:
	// one! [a b]
	// two! [a b]
	// [1 6 11]
}
