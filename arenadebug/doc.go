/*
Package arenadebug finds mistakes in the use of arenas, and says which arenas are in use.

  - [Live] lists arenas in use: arenas with Options.Track or Options.Guard, and arenas that [Track]
    has chosen.
  - [SetReporter] receives the reports of mistakes.
  - [CatchFaults] and [FaultReport] explain faults in the memory of guard mode. [CheckQuarantine]
    looks for writes to stale values.
  - [Handler] is a page for a running service.

# The page

	mux.Handle("/debug/arena/", arenadebug.Handler(arenadebug.Options{}))

It shows which arenas hold the memory of the service. The page lists the result of [Live], the
tracked arenas: arenas with Options.Track or Options.Guard, and the sample of arenas that [Track]
has chosen. Other arenas are unknown.

Arenas with the same name that were made, or got from a Pool, in the same place are one entry, as
goroutines are on the page of net/http/pprof. An entry contains their number, the memory that they
hold, the age of the oldest, the types of their values, and the place.

# Who may see it

The page shows stacks with the paths of source files, names of types and names of arenas. It is as
confidential as the pages of net/http/pprof, and belongs next to them: on a port or behind a login
for the operators of the service. Importing the package registers nothing. You mount the Handler,
which does not authenticate.

With Options.AllowTrack a POST request changes how many arenas are tracked, for the whole program.
The Handler refuses requests that a browser makes for a page from elsewhere.

# What it costs

A request costs some microseconds for each tracked arena, and memory in proportion to the number of
different places. It stops nothing: arenas remain in use meanwhile. [Track] says what tracking
costs.

Memory is the memory that an arena holds now. Types are from the moment when it last grew by an
eighth or was Reset, because an arena in use cannot be read. A new arena with a few values in it may
show none.

# Formats

The page is HTML. With ?debug=1 or the header Accept: text/plain it is text. With ?format=json or
Accept: application/json it is a [Page] as JSON. The parameter sort is size, age or count.
*/
package arenadebug
