/*
Package arenagrpc has a gRPC server decode each request into an arena, and use the
arena again when the call is over and its reply is encoded.

	s := grpc.NewServer(arenagrpc.ServerOptions(arenagrpc.Options{}, others...)...)

Generated code, handlers and clients stay as they are. A handler finds the arena with
[arena.FromContext], for values of its own, and may return a reply that is the request, or refers
to parts of it, or lies in the arena.

# When not to use it

  - For nothing but small messages, below Options.Threshold: they lie on the heap, and the server is as fast as without, or
    hardly slower. A handler that looks for an arena gets one all the same, which costs 1.5 microseconds.
  - For streams whose handlers do not call [arenascope.Receive]: their messages lie on the heap, and Summary.OnHeap counts them.
  - Where handlers or interceptors keep requests, or parts of them, in caches, queues or globals, and nobody knows which.
  - Where stats handlers keep requests until the end of a call, to log them for one.
  - Where grpc.EnableTracing is set: its traces keep messages, so each arena is dropped.
  - Where the program has registered a codec of its own as "proto", or sets one for the server: that decodes all messages, onto the heap.

# Who may have the request, and until when

Handlers and interceptors may use the request, the reply, and all else in the arena until the call is over. A unary call is over when all
interceptors have returned: the first of them, which is one of this package, encodes the reply then. A stream is over when its interceptors
have returned. Interceptors of others run in between, because [ServerOptions] puts one before and one after them. One that is set with grpc.UnaryInterceptor or
grpc.StreamInterceptor rather than with ChainUnaryInterceptor and ChainStreamInterceptor comes before: it must not use the request after the call
that it intercepts has returned.

Stats handlers may use a message while they are told of it ([stats.InPayload], [stats.OutPayload]). The reply of a unary call that has an arena is a [proto.Message] of a type of
this package for them, and for an interceptor set with grpc.UnaryInterceptor. (If the reply has only the methods of gogo/protobuf, it is no [proto.Message] for them.) It has the fields of the reply, lies on the heap, and may be kept. Its ProtoReflect().Interface() is an equal
message of the type of the reply.

Who needs more makes a copy on the heap. A copy by proto.Clone is not enough: strings in it are those of the original. Encode and
decode the message, or copy the text with strings.Clone. That goes for

  - goroutines for which the handler does not wait, unless it has called [Keep] before it returns;
  - caches, maps, globals, queues; loggers that work later; labels of metrics;
  - requests to other servers, whose metadata gRPC and http keep with their connections;
  - names given to grpc.SetSendCompressor.

Response headers and trailers are read after the call. A handler's stream copies those that it sets, and so do
[SetHeader] and [SetTrailer], which take the place of grpc.SetHeader and grpc.SetTrailer. Where grpc's are used, the arena is dropped.

# When the arena is dropped

Where somebody may still be using the arena it is not used again: it is never touched, and
collected when nothing refers to it. It costs about as much as a new arena then. That is so when

  - the call failed: the text of the status may be that of the request, and an interceptor may have given up on a handler that
    goes on;
  - the handler panicked, or ended its goroutine, whatever an interceptor makes of that;
  - the context was done when the handler returned: a handler that waits for it leaves its goroutines behind;
  - the call was over before the handler returned, because an interceptor has answered in its place;
  - an interceptor has answered, and no handler has begun with a context that comes from the call: the interceptor may have called one with another, such as
    context.Background, and nothing tells that this handler is running;
  - headers were set as described above;
  - decoding a message panicked, see below;
  - the handler called [Keep].

Summary.Reason tells which it was. A handler that is called when the call is over, by an interceptor that has long
answered, is not run: the error is Canceled.

# Requests that nobody claims

A unary request is decoded before any interceptor runs, and its arena waits for the first one of this package. It waits in vain if an interceptor set with
grpc.UnaryInterceptor answers, if a service does not call the server's interceptors, or if the client is gone. Such a request may be used for as long as somebody has
it, as on the heap. Its arena is dropped after the first collection that finds the request gone. Until then all
arenas that wait hold 16 MiB, or are one; a request beyond that lies in an arena that is dropped at once. Observe is not called for such a request.

# Streams

A single request lies in the arena of the call, as with unary methods. The messages of a client's stream lie on the
heap, because a stream may be without end, and its handler may collect what it receives. A handler that does neither
says so with [arenascope.Receive]: the messages lie in an arena until the call is over, or until the next is received. The arena that
FromContext finds is another, so that two goroutines may receive and send. With arenascope.PerMessage, headers with text of a
message have to be sent with the first message, or by the stream's SendHeader; those that grpc.SendHeader sends have to be a copy.

Goroutines that the handler waits for have arenas of their own by [arena.Fork], which end with the call.

# Limits

Options.Limit, or the limit of Options.Pool, bounds the arena of each call. A request that does not fit is decoded onto the heap, as without
arenas, and answered with ResourceExhausted before a handler sees it, or an interceptor chained after those of this package. A service that does not call the
server's interceptors gets such a request: gRPC has no way to refuse it with the right code before. So the limit bounds arenas, and
grpc.MaxRecvMsgSize bounds requests; decoded, one is some 2 to 10 times as large.
A message of a stream that does not fit is not decoded, and RecvMsg returns ResourceExhausted.
The same is true if the arena's memory fails, with an *arena.MemoryError. If a handler panics
with an *arena.LimitError or returns one, wrapped or not, the client gets ResourceExhausted; see [StatusFromError]. Limits of package arenaarrow
are such errors, too. [StatusOptions] does only that. Maps, extensions and small messages lie on the heap, where no limit counts them. If
the program has a codec of its own, a request that is larger than the limit before it is decoded is refused.

# Panics

gRPC decodes a request before any interceptor runs, so nobody could recover from a panic there, and it would end the server. None leaves this package's
codec. A message whose decoding panics, by a mistake of package arenapb or by an arena that somebody else has freed, is decoded by gRPC's own codec, onto the
heap, where no limit counts it; the call goes on. Summary.Panic has the panic, and so has the function given to [arenapb.OnPanic], which writes to standard error
where there is none. What cannot be recovered from ends the process as ever: a fault at an address that is not Go's, a stack or a heap without end, a concurrent map write.
A client's arena is the client's affair: using one after Free panics where the client receives.

# Codecs and compression

The codec of the server is set with grpc.ForceServerCodecV2. It has the name "proto", and encodes with what is registered under that name; nothing
is registered by this package. Requests of other content-subtypes are decoded as protobuf, too. Messages of gogo/protobuf are decoded by package arenapb/gogo.
Compression is as without.

If the program has registered a codec of its own as "proto", that decodes all messages, of all sizes, onto the heap: only the program
knows what it accepts and does. If grpc.ForceServerCodec or the like is among the other options, the server uses that codec, as if
this one were not there. Handlers find their arenas all the same.

# Clients

[Into] has one call decode its replies into an arena of the caller. If the program has registered a codec of its own as "proto", that decodes them, onto the heap.
*/
package arenagrpc
