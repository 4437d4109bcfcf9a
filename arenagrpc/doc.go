/*
Package arenagrpc makes a gRPC server decode each request into an arena. The server reuses the arena
when the call is over and its reply is encoded.

	s := grpc.NewServer(arenagrpc.ServerOptions(arenagrpc.Options{}, others...)...)

Generated code, handlers and clients stay unchanged. A handler finds the arena with
[arena.FromContext], for values of its own. Its reply may be the request, refer to parts of it, or
be in the arena.

# When not to use it

  - For only small messages, below Options.Threshold: they are on the heap, and the server is as
    fast as without this package, or hardly slower. A handler that asks for an arena still gets one,
    which costs 1.5 microseconds.
  - For streams whose handlers do not call [arenascope.Receive]: their messages are on the heap, and
    Summary.OnHeap counts them.
  - If handlers or interceptors keep requests, or parts of them, in caches, queues or globals, and
    nobody knows which.
  - If stats handlers keep requests until the end of a call, for instance to log them.
  - If grpc.EnableTracing is set: its traces keep messages, so each arena is dropped.
  - If the program has registered a codec of its own as "proto", or sets one for the server: that
    codec decodes all messages, onto the heap.

# Who may have the request, and until when

Handlers and interceptors may use the request, the reply, and all other values in the arena until
the call is over. A unary call is over when all interceptors have returned: the first interceptor,
which belongs to this package, then encodes the reply. A stream is over when its interceptors have
returned. Other interceptors run in between, because [ServerOptions] puts one before and one after
them. An interceptor of grpc.UnaryInterceptor or grpc.StreamInterceptor, instead of
ChainUnaryInterceptor or ChainStreamInterceptor, runs before all of them: it must not use the
request after the call that it intercepts has returned.

Stats handlers may use a message during its event ([stats.InPayload], [stats.OutPayload]). If a
unary call has an arena, they see its reply as a [proto.Message] of a type of this package, and so
does an interceptor of grpc.UnaryInterceptor. (If the reply has only the methods of gogo/protobuf,
they see no [proto.Message].) The message has the fields of the reply, is on the heap, and may be
kept. Its ProtoReflect().Interface() is an equal message of the type of the reply.

Code that needs a message for longer copies it to the heap. proto.Clone is not enough, because its
copy shares the strings of the original. Encode and decode the message, or copy the text with
strings.Clone. That applies to

  - goroutines for which the handler does not wait, unless it has called [Keep] before it returns;
  - caches, maps, globals, queues; loggers that work later; labels of metrics;
  - requests to other servers, whose metadata gRPC and http keep with their connections;
  - names given to grpc.SetSendCompressor.

Response headers and trailers are read after the call. A handler's stream copies the ones it sets,
and so do [SetHeader] and [SetTrailer], which replace grpc.SetHeader and grpc.SetTrailer. After a
use of grpc's functions the arena is dropped.

# When the arena is dropped

If somebody may still be using the arena, it is dropped: it is never reused, and the collector frees
it when nothing refers to it. It then costs about as much as a new arena. The arena is dropped if

  - the call failed: the text of the status may be text of the request, and an interceptor may have
    given up on a handler that goes on;
  - the handler panicked, or ended its goroutine, however an interceptor treats that;
  - the context was done when the handler returned: a handler that waits for it leaves its
    goroutines behind;
  - the call was over before the handler returned, because an interceptor has answered instead;
  - an interceptor has answered, and no handler has begun with a context that comes from the call:
    the interceptor may have called a handler with another context, such as context.Background, and
    nothing shows that this handler is running;
  - headers were set as described above;
  - decoding a message panicked, see below;
  - the handler called [Keep].

Summary.Reason says which it was. If an interceptor that has already answered calls a handler when
the call is over, the handler does not run: the error is Canceled.

# Requests that nobody claims

A unary request is decoded before any interceptor runs, and its arena waits for the first
interceptor of this package. It waits in vain if an interceptor of grpc.UnaryInterceptor answers, if
a service does not call the server's interceptors, or if the client is gone. Such a request may be
used as long as somebody refers to it, as on the heap. Its arena is dropped after the first
collection that finds the request gone. Until then all waiting arenas hold at most 16 MiB, or there
is only one; a further request is in an arena that is dropped at once. Observe is not called for
such a request.

# Streams

A single request is in the arena of the call, as with unary methods. The messages of a client's
stream are on the heap, because a stream may be endless, and its handler may collect the messages. A
handler without these problems calls [arenascope.Receive]: the messages are then in an arena until
the call is over, or until the next message is received. FromContext finds another arena, so that
two goroutines may receive and send. With arenascope.PerMessage, headers with text of a message must
be sent with the first message, or by the stream's SendHeader. Headers of grpc.SendHeader must be a
copy.

Goroutines that the handler waits for have arenas of their own by [arena.Fork], which end with the
call.

# Limits

Options.Limit, or the limit of Options.Pool, bounds the arena of each call. A request that does not
fit is decoded onto the heap, as without arenas, and answered with ResourceExhausted before a
handler sees it, or an interceptor chained after this package's. A service that does not call
the server's interceptors gets such a request: gRPC has no way to refuse it with the right code
before. So the limit bounds arenas, and grpc.MaxRecvMsgSize bounds requests; a decoded request is
about 2 to 10 times as large. A message of a stream that does not fit is not decoded, and RecvMsg
returns ResourceExhausted. The same is true if the arena's memory fails, with an *arena.MemoryError.
If a handler panics with an *arena.LimitError or returns one, wrapped or not, the client gets
ResourceExhausted; see [StatusFromError]. Limits of package arenaarrow are such errors as well.
[StatusOptions] does only that. Maps, extensions and small messages are on the heap, where no limit
counts them. If the program has a codec of its own, a request whose encoding is larger than the
limit is refused.

# Panics

gRPC decodes a request before any interceptor runs, so a panic there would end the server. No panic
leaves this package's codec. If decoding a message panics, by a mistake of package arenapb or
because somebody else has freed the arena, gRPC's own codec decodes the message onto the heap, where
no limit counts it. The call goes on. Summary.Panic contains the panic, and the function of
[arenapb.OnPanic] receives it; without a function it is written to standard error. Faults at
addresses outside Go's memory, exhaustion of the stack or the heap, and concurrent map writes end
the process as ever. A client is responsible for its arena: a use after Free panics when the client
receives.

# Codecs and compression

The codec of the server is set with grpc.ForceServerCodecV2. It has the name "proto", and encodes
with the codec that is registered under that name; this package registers nothing. Requests of other
content-subtypes are decoded as protobuf as well. Messages of gogo/protobuf are decoded by package
arenapb/gogo. Compression is unchanged.

If the program has registered a codec of its own as "proto", that codec decodes all messages, of all
sizes, onto the heap: only the program knows what it accepts and does. If grpc.ForceServerCodec or
the like is among the other options, the server uses that codec instead of this one. Handlers still
find their arenas.

# Clients

[Into] makes one call decode its replies into an arena of the caller. If the program has registered
a codec of its own as "proto", that codec decodes them, onto the heap.
*/
package arenagrpc
