/*
Package arenahttp gives each HTTP request an arena, and uses it again for
another request when nobody can have it any more.

	http.ListenAndServe(addr, arenahttp.Middleware(mux, arenahttp.Options{}))

A handler finds the arena with [arena.FromContext], which returns nil, the heap, where
there is no Middleware. Package arena says what an arena is worth, and when it is not.

# When the arena is used again

When the handler has returned, and what it made is stale from then on. Body, headers
and trailers may all be text of the arena: a body is copied before a Write returns, and
Middleware puts copies of the headers in their place before the server sees them.

Where somebody may still be using the arena it is dropped: never touched again, and
collected when nobody has it. That is so when

  - the handler panicked, or ended its goroutine;
  - it took over the connection (Hijack); see below;
  - the context of the request was done: a handler that waits for it leaves its goroutines
    behind;
  - a write to the client failed: HTTP/2 may go on reading what was written after it has
    said so;
  - the status was 408, or 500 or above: [http.TimeoutHandler] and its like answer so, while
    their handler goes on;
  - an informational status, such as 103, was sent: HTTP/2 may go on reading the headers;
  - the handler called [Keep].

Summary.Reason tells which it was. A dropped arena costs what the heap would, no more.

# What a handler must not do

A handler must not leave arena values with anybody who has them after it has returned:

  - goroutines that it does not wait for, those of [context.AfterFunc] included: call [Keep]
    before. A handler that gives up waiting, because of a timeout of its own for instance,
    must have called Keep too, whatever its answer is;
  - caches, maps and globals; labels of metrics; statements that a database driver prepares and
    keeps: copy with [arena.Clone] or [arena.DeepClone];
  - handlers outside of the Middleware, by what they have put into the context: an access log that has the handler fill a bag of
    fields, and reads it when the handler has returned, reads the text of other requests. Copy what is put there, or
    put the Middleware outside of the access log;
  - loggers that write later, from another goroutine: package arenaslog makes a [log/slog] handler copy what it is given;
  - errors that are collected, by a tracker or over a batch: an error refers to the text that it was made of. Keep
    a copy of err.Error();
  - outgoing requests: [http.Transport] keeps the host of a URL with its connections, and may go
    on reading the body and the headers when the answer is there. Their text must be on the heap;
  - the request: outer handlers may look at its URL, header, form and pattern afterwards.

A goroutine that looks for the arena in the context too late gets nil, the heap. One that has
got it in time and was not announced by Keep uses the arena together with another request: a data
race. What is written to a writer that the handler got by two Unwraps from its own is not seen, nor are
headers set there.

# Goroutines that the handler waits for

One goroutine at a time uses an arena. Where several work for one request each has its own, by [arena.Fork], which ends
with the request:

	g, ctx := errgroup.WithContext(r.Context())
	for _, id := range ids {
		g.Go(func() error {
			ctx := arena.Fork(ctx)
			return load(ctx, id) // which calls arena.FromContext
		})
	}
	err := g.Wait()

What they make may be used by all of them, and by the handler. Without Fork they would allocate from one arena at the same time. The race
detector reports that, and in programs built with the tag arenadebug it is a panic; otherwise values are lost, or
given away twice. The limit is of each arena. A [*arena.LimitError] in a goroutine other than the handler's ends the program as any panic
there does: use [arena.Try].

# Connections that are taken over

After a Hijack the context has no arena: what is done with the connection may be many requests, all of which have that
context for a parent, as with package h2c of golang.org/x/net. An arena that the handler has got before stays its own. For requests to
have arenas, put the Middleware inside:

	h2c.NewHandler(arenahttp.Middleware(mux, arenahttp.Options{}), &http2.Server{})

A handler that speaks WebSocket uses [arena.Do] for each message. HTTP/2 without encryption by http.Server.Protocols needs no such care.

# Limits

Options.Limit, or the limit of Options.Pool, bounds the arena of each request. A handler that
lets the *arena.LimitError escape is answered for with 503 or Options.LimitStatus, if
the response has not begun; otherwise the response is aborted. [arena.Try] lets a handler see to it itself.

# Observers

Options.Observe is told of each request what its arena held, and what became of it. The
statistics take time, and are not made without it. Totals are in the Stats of Options.Pool.

# Timeouts

http.TimeoutHandler may be outside of Middleware or inside. Other such handlers, which
answer with a status that is not in the list above, belong outside: the arena then ends with the handler that uses it.

# Long responses

A stream of events holds its arena to the end, and with it all that was made. Use [arena.Do]
for each event, or Reset the arena between them, when nothing of it is in the header.

# HTTP/1, HTTP/2 and other handlers

The handler's ResponseWriter has Flush, FlushError, Hijack, Push and ReadFrom if that of the server has them, and no
others. What a writer inside of the server's can do is found by Unwrap, as [http.ResponseController] does. WriteString and CloseNotify
are always there.

A handler gets a copy of the request. Its Form, PostForm, MultipartForm, Host, RemoteAddr, Pattern and path values are copied back for the server and
outer handlers, other fields are not. The files of a form that was parsed inside are removed when the context of the request is done, also where
the server forgets them, as that of Go 1.27 does for HTTP/2. As with any wrapper, http.MaxBytesReader cannot tell
an HTTP/1 server to close the connection.

A request costs three allocations, of some 500 bytes together, and two more for its headers if it sets any. One that
a http.ServeMux inside has found path values in costs one or two more.
*/
package arenahttp
