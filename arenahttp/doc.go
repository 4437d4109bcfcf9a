/*
Package arenahttp gives each HTTP request an arena, and reuses the arena's memory after the
response.

	http.ListenAndServe(addr, arenahttp.Middleware(mux, arenahttp.Options{}))

A handler finds its arena with [arena.FromContext], which returns nil, the heap, if no Middleware
put an arena into the context. The first call takes the arena from a Pool. A request that does not
ask for an arena uses none. Package arena says when an arena is worth it.

# Lifetime

The values of an arena are stale when the handler has returned. Middleware then reuses the arena for
another request, unless somebody may still be using it: [Middleware] lists these cases. It never
reuses such an arena: the collector frees it.

# What a handler must not do

A handler must not leave values of its arena with anybody who keeps them after it has returned:

  - goroutines that it does not wait for, including functions of [context.AfterFunc]: see [Keep];
  - caches, maps and globals; labels of metrics; statements that a database driver keeps: copy with
    [arena.Clone] or [arena.DeepClone];
  - handlers outside the Middleware, such as access logs, by values in the context: copy them, or
    put the Middleware outside;
  - loggers that write later: package arenaslog makes a [log/slog] handler copy its input;
  - errors that a tracker or a batch collects, which refer to their text: keep a copy of
    err.Error();
  - outgoing requests: [http.Transport] keeps the host of a URL with its connections, and may still
    read the body and the headers when the answer is there. Their text must be on the heap;
  - the request: outer handlers may read its URL, header, form and pattern afterwards. They share
    r.URL with the handler, so a write to r.URL.Path reaches them.

A goroutine that first asks for its arena when the handler has returned gets nil, the heap. A
goroutine that got its arena earlier and goes on without Keep shares it with another request: a data
race.

# Goroutines

One goroutine at a time may use an arena. [arena.Fork] gives each goroutine that the handler waits
for an arena of its own, which ends with the request:

	ctx := arena.Fork(r.Context())
	group.Go(func() error { return load(ctx, id) }) // load calls arena.FromContext.

All of them, and the handler, may read what any of them allocates. Two goroutines in one arena lose
values, or get the same memory. The race detector reports that, and with the build tag arenadebug it
is a panic.

# Frameworks

Wrap the whole engine of gin, or of another framework with writers of its own:

	http.ListenAndServe(addr, arenahttp.Middleware(engine, arenahttp.Options{}))

An adapter that makes a Middleware one of the framework's handlers may discard the writer of the
Middleware, which then misses the status, failed writes and Hijacks. [New] says what that costs.
*/
package arenahttp
