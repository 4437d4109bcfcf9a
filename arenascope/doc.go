/*
Package arenascope gives a unit of work its arenas: a request, a call, a message of a queue. It is
for authors of middlewares. Packages arenahttp, arenagrpc and arenaconnect are based on it, and
contain only the needs of their protocol. Handlers call [arena.FromContext] and [arena.Fork], and of
this package only [Receive], for streams.

A [Scope] is one unit of work, and its context:

	s := new(arenascope.Scope)
	s.Start(ctx, &options) // which name a Pool
	defer s.End(nil)
	err := s.Run(s, func() error { return handle(s, message) })

The handler's first FromContext takes an arena from the Pool: a unit that does not ask uses none.
Fork gives each goroutine that the handler starts an arena of its own. All arenas of a unit end
together.

# How a unit ends

End gives the arenas back to the Pool if nobody can be using them any more. Otherwise End drops
them: they are never reused, and the collector frees them when nothing refers to them. [Summary]
contains the first reason that was noted. A dropped arena costs about as much as a new arena.

	what happened                                      arenas    Reason              noted by
	the handler returned nil, and nothing else         reused    ""
	nobody asked for an arena; see below               none      ReasonUnused        End
	the handler freed its arena                        freed     ReasonFreed         End
	the handler panicked, or ended its goroutine       dropped   ReasonPanic         Run, Try
	it panicked with, or returned, an error of memory  dropped   ReasonLimit         Run, Try, Fail
	it returned another error                          dropped   ReasonError         Run, Try, Fail
	it returned nil, and its context was done          dropped   ReasonDone          Run
	a handler was running at the end, or an Enter      dropped   ReasonRunning       End
	no handler was run, and there is an arena          dropped   ReasonAnswered      End
	the handler said that its goroutines go on         dropped   ReasonKept          Keep
	others may read text of the arena after the end    dropped   ReasonHeader        Drop
	decoding into the arena panicked                   dropped   ReasonDecode        Drop
	anything else that leaves the arena with others    dropped   the adapter's own   Drop
	the unit became many: a connection taken over      dropped   the adapter's own   Abandon

If nobody asked for an arena, the Summary says ReasonUnused, whatever else has happened. The
exceptions are ReasonLimit and ReasonDecode: there was no room for the request in an arena.

An adapter that finds a new way for a unit to end declares a constant of type [Reason], and calls
[Scope.Drop] with it.

After the end FromContext and Fork of the unit's contexts return nil, the heap. If the arenas were
dropped, a goroutine that got its arena before may go on using it.

# What an adapter must do

  - Copy values that the handler may have allocated in the arena and that others read after the end,
    such as headers. [Scope.Holds] finds them.
  - Drop the arenas if it cannot know that nobody reads them.
  - Call End when the reply is written or encoded, and nobody reads it any more.
  - Refuse a unit whose Run returns an error that [OutOfMemory] recognizes: it has exceeded its
    limit.

# Codecs

Some protocols decode a request before there is a unit of work, in a codec that knows only the
address of the message. [Pending] holds the arena until the unit asks for it. [Awaiting] tells the
codec where a stream wants its next message. A [Call] is a Scope with both: it decides where each
message is, by its handler's call of [Receive].
*/
package arenascope
