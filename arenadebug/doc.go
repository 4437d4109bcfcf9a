/*
Package arenadebug has a page that says which arenas are in use, for who wants to know what
holds the memory of a running service.

	mux.Handle("/debug/arena/", arenadebug.Handler(arenadebug.Options{}))

The page lists what [arena.Live] returns, that is arenas which are tracked: those with Options.Track or
Options.Guard, and those that [arena.Track] has chosen, one in so many. Of an arena that is not tracked nothing is known.
Arenas with the same name that were made, or got from a Pool, in the same place are one entry, as
goroutines are on the page of net/http/pprof: how many they are, what memory they hold, the age
of the oldest, what types lie in them, and the place.

# Who may see it

The page shows stacks, with the paths of source files, names of types and the names of arenas. It is as
confidential as the pages of net/http/pprof, and belongs where those are: on a port or behind
a login for those who run the service. Importing the package registers nothing; a Handler has to be
mounted, and does not ask who is there.

With Options.AllowTrack a POST request changes how many arenas are tracked, for the whole program. Requests that
a browser makes for a page from elsewhere are refused.

# What it costs

A request takes time in proportion to the number of tracked arenas, some microseconds for each, and memory in
proportion to that of different places. It stops nothing: arenas go on being used meanwhile. What
tracking costs is said at [arena.Track].

Memory is what an arena holds now. Types are those of the moment when it last grew by an eighth
or was Reset, since it cannot be asked while it is in use: a new arena with a few values in it may show none.

# Formats

The page is HTML, or with ?debug=1 or the header Accept: text/plain text, or with ?format=json or
Accept: application/json a [Page] as JSON. The parameter sort is size, age or count.
*/
package arenadebug
