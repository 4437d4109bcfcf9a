package arenaconnect_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"connectrpc.com/connect"
	"github.com/arena-go/arena/arenaconnect/internal/echopb"
	"google.golang.org/protobuf/proto"
)

// An outcome is what a client learns of a call.
type outcome struct {
	err             error
	replies         []*echopb.Message
	header, trailer http.Header
}

// A call is one call.
type call struct {
	way    way
	method string // of the service
	kind   int32
	id     int64
	parts  int // of a unary request, and messages of a stream
	pad    int // bytes of data
}

func (c call) String() string {
	return fmt.Sprintf("%s %s %d of %d with %d, %d", c.way.name, c.method, c.kind, c.id, c.parts, c.pad)
}

func (c call) message(id int64, parts int) *echopb.Message {
	m := message(id, parts)
	m.Kind = c.kind
	if c.pad > 0 {
		m.Data = make([]byte, c.pad)
		m.Sum = sum(m)
	}
	return m
}

// on makes the call.
func (c call) on(ctx context.Context, client echopb.EchoClient) (o outcome) {
	switch c.method {
	case "Unary":
		do := client.Unary
		if c.way.get() {
			do = client.Get
		}
		var response *connect.Response[echopb.Message]
		response, o.err = do(ctx, connect.NewRequest(c.message(c.id, c.parts)))
		if response != nil {
			o.replies = append(o.replies, response.Msg)
			o.header, o.trailer = response.Header(), response.Trailer()
		}
	case "ServerStream":
		var stream *connect.ServerStreamForClient[echopb.Message]
		if stream, o.err = client.ServerStream(ctx, connect.NewRequest(c.message(c.id, c.parts))); o.err != nil {
			return o
		}
		defer stream.Close()
		for stream.Receive() {
			o.replies = append(o.replies, stream.Msg())
		}
		o.err, o.header, o.trailer = stream.Err(), stream.ResponseHeader(), stream.ResponseTrailer()
	case "ClientStream":
		stream := client.ClientStream(ctx)
		for i := range c.parts {
			if stream.Send(c.message(c.id+int64(i)<<32, i)) != nil {
				break // CloseAndReceive has the reason
			}
		}
		var response *connect.Response[echopb.Message]
		response, o.err = stream.CloseAndReceive()
		if response != nil {
			o.replies = append(o.replies, response.Msg)
			o.header, o.trailer = response.Header(), response.Trailer()
		}
	case "Bidi":
		stream := client.Bidi(ctx)
		var wg sync.WaitGroup
		defer wg.Wait()
		wg.Go(func() {
			for i := range c.parts {
				if stream.Send(c.message(c.id+int64(i)<<32, i)) != nil {
					return
				}
			}
			stream.CloseRequest()
		})
		for {
			m, err := stream.Receive()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				o.err = err
				break
			}
			o.replies = append(o.replies, m)
		}
		o.header, o.trailer = stream.ResponseHeader(), stream.ResponseTrailer()
		if o.err != nil {
			stream.CloseRequest()
		}
		stream.CloseResponse()
	}
	return o
}

// check returns an error if the outcome does not fit the call.
func (c call) check(o outcome, want connect.Code) error {
	switch {
	case want == 0 && o.err != nil:
		return o.err
	case want != 0 && connect.CodeOf(o.err) != want:
		return fmt.Errorf("%v, want %v", o.err, want)
	case want != 0:
		if want == connect.CodeNotFound && !strings.Contains(o.err.Error(), " of "+fmt.Sprint(c.id)) {
			return fmt.Errorf("the error is that of another: %v", o.err)
		}
		return nil
	}
	n := map[string]int{"Unary": 1, "ServerStream": 5, "ClientStream": 1, "Bidi": 2 * c.parts}[c.method]
	if len(o.replies) != n {
		return fmt.Errorf("%d replies, want %d", len(o.replies), n)
	}
	for i, m := range o.replies {
		id := c.id
		switch c.method {
		case "ClientStream":
			var want []string
			for i := range c.parts {
				want = append(want, fmt.Sprintf("text of %d", id+int64(i)<<32))
			}
			if !slices.Equal(m.Words, want) {
				return fmt.Errorf("the reply is %q, want %q", m.Words, want)
			}
			continue
		case "Bidi":
			if i%2 == 0 {
				id += int64(i/2) << 32
			}
		}
		if err := intact("the reply", m); err != nil {
			return err
		}
		if m.Id != id {
			return fmt.Errorf("the reply is that to another: %.300v", m)
		}
	}
	if c.kind == headers {
		key, text := fmt.Sprintf("X-Key-%d-", c.id%5), fmt.Sprintf("text of %d", c.id)
		if got := o.header[key+"0"]; !slices.Equal(got, []string{text, text}) {
			return fmt.Errorf("the header is %q", o.header)
		}
		if got := o.trailer[key+"1"]; !slices.Equal(got, []string{text, text}) {
			return fmt.Errorf("the trailer is %q", o.trailer)
		}
	}
	return nil
}

// text returns all that is the same for a server with arenas and one without.
func (o outcome) text() string {
	var b strings.Builder
	header := func(h http.Header) {
		for _, k := range slices.Sorted(maps.Keys(h)) {
			if k != "Date" {
				fmt.Fprintf(&b, "%s=%q\n", k, h[k])
			}
		}
	}
	// protobuf's errors have a space of one kind or another.
	fmt.Fprintln(&b, strings.ReplaceAll(fmt.Sprint(o.err), "\u00a0", " "))
	if e := new(connect.Error); errors.As(o.err, &e) {
		header(e.Meta())
		for _, d := range e.Details() {
			fmt.Fprintf(&b, "%s %x\n", d.Type(), d.Bytes())
		}
	}
	header(o.header)
	header(o.trailer)
	for _, m := range o.replies {
		text, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		fmt.Fprintf(&b, "%x %v\n", text, err)
	}
	return b.String()
}

func encoded(t interface{ Fatal(...any) }, m *echopb.Message) []byte {
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
