/*
Package arenaconnect makes handlers of connectrpc.com/connect decode each request into an arena, and
reuse the arena when the call is over. It works for Connect, gRPC and gRPC-Web, for unary calls and
streams, for protobuf's binary encoding and for JSON.

	path, handler := pingconnect.NewPingServiceHandler(service,
		arenaconnect.HandlerOptions(arenaconnect.Options{}, others...)...)

Generated code, handlers and clients stay unchanged. A handler finds the arena with
[arena.FromContext], for values of its own. Its reply may be the request, refer to parts of it, or
be in the arena. No middleware for net/http is needed.

# When not to use it

  - For only small requests. Requests below Options.Threshold are on the heap, and a call with only
    small messages uses no arena: it costs half a microsecond more than without this package.
  - For encodings other than protobuf's binary encoding and its JSON. Calls with a codec of the
    program run as without this package, and FromContext finds no arena. The observer is not called.
  - If handlers or interceptors keep requests, or parts of them, in caches, queues or globals, and
    nobody knows which.
  - For clients. Connect passes no call to an option of a client, so this package has none.

# Who may have the request, and until when

The handler, and interceptors among the others, may use the request, the reply, and all other values
in the arena until the call is over. A unary call is over when its reply is encoded, before it is
written to the connection: a client that reads slowly holds no arena. A stream is over when the
handler and all interceptors have returned.

Code that needs a message for longer copies it to the heap. proto.Clone is not enough, because its
copy shares the strings of the original. Encode and decode the message, or copy the text with
strings.Clone. That applies to

  - goroutines for which the handler does not wait, unless it has called [Keep] before it returns;
  - caches, maps, globals, queues; loggers that work later; labels of metrics;
  - requests to other servers, whose headers net/http keeps with its connections;
  - code of net/http around the handler.

The text of response headers and trailers is copied when the handler has returned or the stream
sends its first message.

The interceptors of this package are the first and the last. If a call has an arena, interceptors in
options before HandlerOptions see its reply as a message of another Go type, with the reflection of
the reply. They must not keep it, and must pass it on: the arena of a reply that nobody encodes is
left to the collector, and the observer is not called. A codec with the name "proto" or "json" among
the other options, or after HandlerOptions, decodes all messages of its encoding, onto the heap.

# JSON

Package arenapb decodes and encodes JSON, as connect's codecs do with package protojson: unknown
fields are ignored, and errors are the same. Replies do not contain protojson's random spaces. A
message in JSON is decoded into an arena like a message in the binary encoding, and
Options.Threshold is compared with the size of the JSON. Smaller messages, and replies, also gain.

# When the arena is dropped

If somebody may still be using the arena, it is dropped: it is never reused, and the collector frees
it when nothing refers to it. It then costs about as much as a new arena. The arena is dropped if

  - the call failed: the text of the error may be text of the request, and an interceptor may have
    given up on a handler that goes on;
  - the handler panicked, or ended its goroutine, however an interceptor treats that;
  - the context was done when the handler returned: a handler that waits for it leaves its
    goroutines behind;
  - the call was over before the handler returned, because an interceptor has answered instead; or
    while a goroutine of the handler received or sent;
  - an interceptor has answered, and no handler has begun with a context that comes from the call:
    the interceptor may have called a handler with another context, such as context.Background, and
    nothing shows that this handler is running;
  - decoding a message panicked, see below;
  - the handler called [Keep].

Summary.Reason says which it was. If an interceptor that has already answered calls a handler when
the call is over, the handler does not run: the error is Canceled.

# Requests that nobody claims

Connect decodes a unary request before any interceptor runs, and its arena waits for the first
interceptor of this package. It waits in vain if an interceptor in options before HandlerOptions
answers, or if the rest of the input makes the call fail, such as a second message. Such a request
may be used as long as somebody refers to it, as on the heap. Its arena is dropped after the first
collection that finds the request gone. Until then all waiting arenas hold at most 16 MiB, or there
is only one; a further request is in an arena that is dropped at once. Observe is not called for
such a request.

# Streams

A single request is in the arena of the call, as with unary methods. The messages of a client's
stream are on the heap, because a stream may be endless, and its handler may collect the messages.
Such a stream gains nothing; Summary.OnHeap counts its messages. A handler without these problems
calls [arenascope.Receive]: the messages are then in an arena until the call is over, or until the
next message is received. FromContext finds another arena, so that two goroutines may receive and
send. With arenascope.PerMessage, text of a message in response headers must be a copy.

Goroutines that the handler waits for have arenas of their own by [arena.Fork], which end with the
call.

# Limits

Options.Limit, or the limit of Options.Pool, bounds the arena of each call. A request that does not
fit is decoded onto the heap, as without arenas, and answered with ResourceExhausted before a
handler sees it, or an interceptor among the others. A message of a stream that does not fit is not
decoded, and Receive fails with ResourceExhausted. So the limit bounds arenas, and
connect.WithReadMaxBytes bounds requests. If a handler panics with an *arena.LimitError or returns
one, wrapped or not, the client gets ResourceExhausted; see [ErrorFrom]. Limits of package
arenaarrow are such errors as well. A decoded request is about 2 to 10 times as large as its
encoding. Maps and extensions are on the heap, where no limit counts them.

# Panics

If decoding a message panics, by a mistake of package arenapb or because somebody else has freed the
arena, the message is decoded onto the heap, where no limit counts it. The call goes on.
Summary.Panic contains the panic, and the function of [arenapb.OnPanic] receives it; without a
function it is written to standard error.
*/
package arenaconnect
