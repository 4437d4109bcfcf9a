package arenagrpc_test

import (
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenagrpc"
	"github.com/arena-go/arena/arenagrpc/internal/echopb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// TestInto checks where replies lie; what is in them is TestLoad's.
func TestInto(t *testing.T) {
	pool := &arena.Pool{}
	r := newRig(t, arenagrpc.Options{Pool: pool})
	conn := r.dial()
	client := echopb.NewEchoClient(conn)
	m := message(7, 3)

	a := arena.NewArena()
	reply, err := client.Unary(t.Context(), m, arenagrpc.Into(a))
	if err != nil || !proto.Equal(reply, m) {
		t.Errorf("%v, %v", reply, err)
	}
	if a.Stats().InUse < int64(proto.Size(m)) {
		t.Errorf("%d bytes are in use, want all of the reply", a.Stats().InUse)
	}
	if reply, err := client.Unary(t.Context(), m, arenagrpc.Into(nil)); err != nil || !proto.Equal(reply, m) {
		t.Errorf("no arena: %v, %v", reply, err)
	}

	small := arena.NewWith(arena.Options{Limit: 64})
	reply = message(8, 1)
	err = conn.Invoke(t.Context(), echopb.Echo_Unary_FullMethodName, m, reply, arenagrpc.Into(small))
	if status.Code(err) != codes.Internal || !strings.Contains(err.Error(), "limit exceeded") {
		t.Errorf("the limit: %v", err)
	}
	if proto.Size(reply) != 0 {
		t.Errorf("a reply that failed is %v, want it empty", reply)
	}
	if err := conn.Invoke(t.Context(), echopb.Echo_Unary_FullMethodName, m, "not a message", arenagrpc.Into(a)); status.Code(err) != codes.Internal {
		t.Errorf("a reply that is no message: %v", err)
	}
	r.stop(pool)
}
