//go:build race || asan || arenadebug

package arenatest

// watched says that the program is built to find mistakes: arenas use no memory twice then.
const watched = true
