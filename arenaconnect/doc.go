/*
Package arenaconnect has handlers of connectrpc.com/connect decode each request into an arena, and use the
arena again when the call is over. It works for Connect, gRPC and gRPC-Web, for unary calls and streams, for
protobuf's binary encoding and for JSON.

	path, handler := pingconnect.NewPingServiceHandler(service,
		arenaconnect.HandlerOptions(arenaconnect.Options{}, others...)...)

Generated code, handlers and clients stay as they are. A handler finds the arena with
[arena.FromContext], for values of its own, and may return a reply that is the request, or refers
to parts of it, or lies in the arena. Nothing else is needed: there is no middleware for net/http.

# When not to use it

  - For small requests only. Those below Options.Threshold lie on the heap, and a call that has no other takes no arena: it costs
    half a microsecond more than without.
  - For other encodings than protobuf's binary one and its JSON. Calls with a codec of the program are as without this package, and FromContext finds no arena. The
    observer is not told.
  - Where handlers or interceptors keep requests, or parts of them, in caches, queues or globals, and nobody knows which.
  - For clients. Connect gives an option of a client no call, so there is none here.

# Who may have the request, and until when

The handler, and interceptors among the others, may use the request, the reply, and all else in the arena until
the call is over. A unary call is over when its reply is encoded, before it is written to the connection: a client
that reads slowly holds no arena. A stream is over when the handler and all interceptors have returned.

Who needs more makes a copy on the heap. A copy by proto.Clone is not enough: strings in it are those of the original. Encode and
decode the message, or copy the text with strings.Clone. That goes for

  - goroutines for which the handler does not wait, unless it has called [Keep] before it returns;
  - caches, maps, globals, queues; loggers that work later; labels of metrics;
  - requests to other servers, whose headers net/http keeps with its connections;
  - code of net/http around the handler.

The text of response headers and trailers is copied, when the handler has returned or the stream sends its first message.

The interceptors of this package are the first and the last. Interceptors that are set by options before HandlerOptions get, for the reply
of a call that has an arena, a message of another Go type, with the reflection of the reply; they must not keep it, and must pass it on: the arena of a reply that nobody
encodes is left to the collector, and the observer is not told. A codec with the name "proto" or "json" among the other options, or behind HandlerOptions, decodes all messages of its encoding, onto the heap.

# JSON

Package arenapb decodes and encodes JSON, as connect's codecs do with package protojson: unknown fields are ignored, and errors are the same. Replies have no spaces, which
protojson puts there at random. Where an arena is worth it, a message in JSON lies there as one in the binary encoding does, and Options.Threshold is compared
with the size of the JSON. Smaller messages, and replies, gain too.

# When the arena is dropped

Where somebody may still be using the arena it is not used again: it is never touched, and
collected when nothing refers to it. It costs about as much as a new arena then. That is so when

  - the call failed: the text of the error may be that of the request, and an interceptor may have given up on a handler that
    goes on;
  - the handler panicked, or ended its goroutine, whatever an interceptor makes of that;
  - the context was done when the handler returned: a handler that waits for it leaves its goroutines behind;
  - the call was over before the handler returned, because an interceptor has answered in its place; or while a goroutine of
    the handler received or sent;
  - an interceptor has answered, and no handler has begun with a context that comes from the call: the interceptor may have called one with another, such as
    context.Background, and nothing tells that this handler is running;
  - decoding a message panicked, see below;
  - the handler called [Keep].

Summary.Reason tells which it was. A handler that is called when the call is over, by an interceptor that has long
answered, is not run: the error is Canceled.

# Requests that nobody claims

Connect decodes a unary request before any interceptor runs, and its arena waits for the first one of this package. It waits in vain if an interceptor that is
set before HandlerOptions answers, or if something follows the request that makes the call fail, such as a second message. Such a request may be used
for as long as somebody has it, as on the heap. Its arena is dropped after the first collection that finds the request gone. Until then all
arenas that wait hold 16 MiB, or are one; a request beyond that lies in an arena that is dropped at once. Observe is not called for such a request.

# Streams

A single request lies in the arena of the call, as with unary methods. The messages of a client's stream lie on the
heap, because a stream may be without end, and its handler may collect what it receives. Such a stream gains nothing, which
Summary.OnHeap tells. A handler that does neither
says so with [arenascope.Receive]: the messages lie in an arena until the call is over, or until the next is received. The arena that
FromContext finds is another, so that two goroutines may receive and send. With arenascope.PerMessage, text of a message in
response headers has to be a copy.

Goroutines that the handler waits for have arenas of their own by [arena.Fork], which end with the call.

# Limits

Options.Limit, or the limit of Options.Pool, bounds the arena of each call. A request that does not fit is decoded onto the heap, as
without arenas, and answered with ResourceExhausted before a handler sees it, or an interceptor among the others. A message of a stream that does not fit is not decoded,
and Receive fails with ResourceExhausted. So the limit bounds arenas, and connect.WithReadMaxBytes bounds requests. If a handler panics
with an *arena.LimitError or returns one, wrapped or not, the client gets ResourceExhausted; see [ErrorFrom]. Limits of package arenaarrow
are such errors, too. Decoded, a request is some 2 to 10 times as large. Maps and extensions lie on the heap, where no limit counts them.

# Panics

A message whose decoding panics, by a mistake of package arenapb or by an arena that somebody else has freed, is decoded onto the
heap, where no limit counts it; the call goes on. Summary.Panic has the panic, and so has the function given to [arenapb.OnPanic], which writes to standard error
where there is none.
*/
package arenaconnect
