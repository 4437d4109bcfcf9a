// Package gateway makes grpc-gateway decode and encode JSON with package arenapb: the messages of a
// request and of its reply are in the arena of the request.
//
//	mux := runtime.NewServeMux(runtime.WithMarshalerOption(runtime.MIMEWildcard, &gateway.Marshaler{}))
//	conn, err := grpc.NewClient(addr, grpc.WithUnaryInterceptor(gateway.Replies), others...)
//	err = orderspb.RegisterOrdersHandler(ctx, mux, conn)
//	http.ListenAndServe(addr, arenahttp.Middleware(gateway.Handler(mux), arenahttp.Options{}))
//
// It is not for methods with a stream of the client in both directions: the gateway receives for
// these in a goroutine that may outlive the request. They need a mux without Handler, which has
// messages are on the heap.
package gateway

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"reflect"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenagrpc"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/arenapb"
	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// A Marshaler is the gateway's JSONPb, with its options and results, but for the spaces that
// protojson writes at random. What is no message is left to JSONPb.
type Marshaler struct{ runtime.JSONPb }

// Marshal encodes a message, or the map in which the gateway has a message of a stream.
func (m *Marshaler) Marshal(v any) ([]byte, error) {
	o := &m.MarshalOptions
	options := arenapb.MarshalJSONOptions{
		Multiline: o.Multiline, Indent: o.Indent, AllowPartial: o.AllowPartial, UseProtoNames: o.UseProtoNames, UseEnumNumbers: o.UseEnumNumbers,
		EmitUnpopulated: o.EmitUnpopulated, EmitDefaultValues: o.EmitDefaultValues, Resolver: o.Resolver,
	}
	switch v := v.(type) {
	case proto.Message:
		return options.Marshal(nil, v)
	case map[string]any:
		all := map[string]json.RawMessage{}
		for key, value := range v {
			text, err := m.Marshal(value)
			if err != nil {
				return nil, err
			}
			all[key] = text
		}
		return json.Marshal(all)
	}
	return m.JSONPb.Marshal(v)
}

// Unmarshal decodes onto the heap.
func (m *Marshaler) Unmarshal(data []byte, v any) error { return m.unmarshal(nil, data, v) }

// NewDecoder decodes into the arena of the request, if r is the body of one that Handler has passed
// on.
func (m *Marshaler) NewDecoder(r io.Reader) runtime.Decoder {
	var a *arena.Arena
	if b, ok := r.(*body); ok {
		a = arena.FromContext(b.ctx)
	}
	d := arenajson.NewDecoder(r)
	return runtime.DecoderFunc(func(v any) error {
		var text json.RawMessage
		if err := d.Decode(a, &text); err != nil {
			return err
		}
		return m.unmarshal(a, text, v)
	})
}

// unmarshal decodes a message, or a field that is one. A field is a pointer to a pointer.
func (m *Marshaler) unmarshal(a *arena.Arena, data []byte, v any) error {
	to, ok := v.(proto.Message)
	if p := reflect.ValueOf(v); !ok && p.Kind() == reflect.Pointer && p.Elem().Kind() == reflect.Pointer {
		x := reflect.New(p.Type().Elem().Elem())
		if to, ok = x.Interface().(proto.Message); ok {
			p.Elem().Set(x)
		}
	}
	if !ok {
		return m.JSONPb.Unmarshal(data, v)
	}
	o := &m.UnmarshalOptions
	return arenapb.UnmarshalJSONOptions{
		AllowPartial: o.AllowPartial, DiscardUnknown: o.DiscardUnknown, RecursionLimit: o.RecursionLimit, Resolver: o.Resolver, AliasInput: a != nil,
	}.Unmarshal(a, data, to)
}

// NewEncoder encodes messages, each with an end of line.
func (m *Marshaler) NewEncoder(w io.Writer) runtime.Encoder {
	return runtime.EncoderFunc(func(v any) error {
		text, err := m.Marshal(v)
		if err == nil {
			_, err = w.Write(append(text, m.Delimiter()...))
		}
		return err
	})
}

// A body is the body of a request whose arena is found by a context.
type body struct {
	io.ReadCloser
	ctx context.Context
}

// Handler lets a Marshaler find the arena of each request to h. It is to lie within
// arenahttp.Middleware.
func Handler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(r.Context()) // a copy
		r.Body = &body{r.Body, r.Context()}
		h.ServeHTTP(w, r)
	})
}

// Replies is an interceptor of the gateway's client that decodes replies into the arena of the
// request.
func Replies(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	return invoke(ctx, method, request, reply, conn, append(opts, arenagrpc.Into(arena.FromContext(ctx)))...)
}
