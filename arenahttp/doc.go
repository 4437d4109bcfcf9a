/*
Package arenahttp gives each HTTP request an arena. It uses the arena again for
another request when nobody can have it any more.

	http.ListenAndServe(addr, arenahttp.Middleware(mux, arenahttp.Options{}))

A handler finds the arena with [arena.FromContext]. The first call takes it from a Pool: a request that does not ask
has none, and nothing to do for one. Without a Middleware FromContext returns nil, which is the heap. Package arena says
when an arena is worth it, and when it is not. Routers and chains of handlers take what [New] returns.

# When the arena is used again

Once the handler returns, its values are stale, and the arena serves another request. Body, headers
and trailers may all be text of the arena: a body is copied before a Write returns, and
Middleware replaces what of the headers lies in the arena by copies before the server sees them. It looks at the
headers before the first write, when the handler returns, and, where the writer outside is not net/http's and may send them later, at
each write that follows a call of Header.

If somebody may still be using the arena, Middleware drops it: the arena is never touched again, and
collected when nothing refers to it. That is so when

  - the handler panicked, also with an *arena.LimitError, or ended its goroutine;
  - the handler took over the connection (Hijack); see below;
  - the context of the request was done: a handler that waits for it leaves its goroutines
    behind;
  - a write to the client failed: HTTP/2 may go on reading what was written after it has
    reported the error;
  - the status was 408, or 500 or above: [http.TimeoutHandler] and its like answer with these
    while their handler goes on;
  - an informational status, such as 103, was sent: HTTP/2 may go on reading the headers;
  - a header was changed after a write without a call of Header, by a map from before, and a writer outside that is
    not net/http's may have sent it;
  - a header has text of the arena when the handler returns, and may have been sent by a framework's own writer; see below;
  - the handler called [Keep], or freed the arena.

[arenascope.Summary] says which it was. A dropped arena costs about as much as a new arena.

# What a handler must not do

A handler must not leave values of the arena with anybody who still has them after it has returned:

  - goroutines that it does not wait for, with those of [context.AfterFunc]: call [Keep]
    before. A handler that may give up waiting, because of a timeout of its own for instance,
    must have called Keep too, whatever its answer is;
  - caches, maps and globals; labels of metrics; statements that a database driver prepares and
    keeps: copy with [arena.Clone] or [arena.DeepClone];
  - handlers outside of the Middleware, through what they have put into the context. An access log may let the
    handler fill a bag of fields, and read it when the handler has returned: it reads the text of other requests then.
    Copy what goes there, or put the Middleware outside of the access log;
  - loggers that write later, from another goroutine: package arenaslog makes a [log/slog] handler copy what it is given;
  - errors that are collected, by a tracker or over a batch: an error refers to the text that it was made of. Keep
    a copy of err.Error();
  - outgoing requests: [http.Transport] keeps the host of a URL with its connections, and may go
    on reading the body and the headers when the answer is there. Their text must be on the heap;
  - the request: outer handlers may look at its URL, header, form and pattern afterwards.

Headers may be text of the request's arenas only. That of another arena, of [arena.Do] for one, is not copied. A header that is set
after a write and taken out again must not be text of an arena either.

A goroutine that looks for an arena in the context for the first time when the handler has returned gets nil, which is the heap. A goroutine that has
got the arena in time, without a call of Keep, uses it together with another request: a data
race. Middleware does not see what is written to a writer that the handler got by two Unwraps of its own, or from a handler
outside, nor headers that are set there.

# Frameworks with writers of their own

Put the Middleware outside of the engine of gin, and of other frameworks that have writers of
their own:

	http.ListenAndServe(addr, arenahttp.Middleware(engine, arenahttp.Options{}))

An adapter that makes a Middleware one of the framework's handlers may discard the writer of the
Middleware. The handlers inside then write to the framework's writer, as those with a gin.Context
do, and Middleware sees neither the status, nor the error of a write, nor a Hijack. So with such
an adapter

  - a header with text of the arena costs the arena: Middleware finds the text when the handler
    returns, and drops the arena. Do not take such a header out again after a write: Middleware
    would not find the text that was sent;
  - a handler that stops waiting for its goroutines must have called [Keep] before, also if it
    answers with 503;
  - a handler that takes over the connection gets its arena from the context until it returns;
  - a limit that is exceeded after a write aborts the response only if the framework's writer has
    a method Written, as gin's has. Otherwise the text of the error follows what was written.

# Goroutines that the handler waits for

One goroutine at a time may use an arena. Where several work for one request, [arena.Fork] gives each an arena of its
own, which ends with the request:

	g, ctx := errgroup.WithContext(r.Context())
	for _, id := range ids {
		g.Go(func() error {
			ctx := arena.Fork(ctx)
			return load(ctx, id) // which calls arena.FromContext
		})
	}
	err := g.Wait()

All of them, and the handler, may use what they make. Without Fork they would allocate from one arena at the same time.
The race detector reports that, and in programs built with the tag arenadebug it is a panic. In other programs values are
lost, or given away twice.

The limit applies to each arena. A [*arena.LimitError] in a goroutine other than the handler's ends the program, as any
panic there does: use [arena.Try].

# Connections that are taken over

After a Hijack the context has no arena. The connection may carry many requests then, whose contexts all derive from that
one. An arena that the handler has got before stays its own. A handler that speaks WebSocket uses [arena.Do] for each message.

HTTP/2 without encryption needs no such care where the server itself speaks it:

	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: arenahttp.Middleware(mux, arenahttp.Options{}), Protocols: protocols}

Package h2c of golang.org/x/net, which is deprecated, takes the connection over: there the Middleware belongs inside of it.

# Limits

Options.Limit, or the limit of Options.Pool, bounds the arena of each request. When an *arena.LimitError, or an *arena.MemoryError,
escapes from a handler, Middleware answers with 503 or Options.LimitStatus, if the response has not begun.
Otherwise it aborts the response. The answer has the header of the handler, without what describes the handler's body.

With HTTP/2 the header must not be changed after an informational status, or when the context is
done, because the server may be reading it. The answer then has the header as it is. Middleware
aborts the response if the header has a Content-Type, trailers, or anything that describes the
handler's body, and if the writer outside is not net/http's. With [arena.Try] a handler can answer
by itself.

# Observers

Options.Observe is told for each request what its arena held, and what became of it. The
statistics take time, and are made for Observe only. Totals are in the Stats of Options.Pool.

# Timeouts

http.TimeoutHandler may be outside of Middleware or inside. Other such handlers, which
answer with a status that is not in the list above, belong outside: the arena then ends with the handler that uses it.

# Long responses

A stream of events holds its arena to the end, with everything that was made. Use [arena.Do]
for each event, or Reset the arena between them if no header has text of it.

# HTTP/1, HTTP/2 and other handlers

The handler's ResponseWriter has each of Flush, FlushError, Hijack, Push and ReadFrom that the server's has, and no
other of these. WriteString and CloseNotify are always there. Unwrap finds what a writer inside of the server's can do, as
[http.ResponseController] does.

A handler gets a copy of the request. Middleware copies its Form, PostForm, MultipartForm, Host, RemoteAddr, Pattern and path
values back for the server and outer handlers, but no other fields, and Form and PostForm only if [Keep] was not called: a goroutine
may be parsing the form then. Path values are those that the Pattern names, as {id}, {id:[0-9]+}
or :id; those that a router sets without a Pattern stay inside. Middleware removes the files of a form that was parsed inside when
the context of the request is done. It does so also where the server forgets them, as that of Go 1.27 does for HTTP/2. As with
any wrapper, http.MaxBytesReader cannot tell an HTTP/1 server to close the connection.

A request costs two allocations, of some 510 bytes together, as a value in the context does. One with headers in the arena costs
two more for each of them, and a http.ServeMux inside that has found path values one or two.
*/
package arenahttp
