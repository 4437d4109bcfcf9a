package arena

import "sync/atomic"

// Options configure an arena made by [NewWith], all arenas of a [Pool], or a [Group] as a
// whole. The zero value is the default.
type Options struct {
	// Name appears in the messages of panics and errors.
	Name string

	// Limit is the most memory in bytes that the arena may hold at any time.
	// An allocation that would need more panics with a [*LimitError], before it
	// has changed anything; see [Try]. Memory kept by Reset counts, but is
	// given up before the limit is enforced. 0 means no limit.
	Limit int64

	// Retain is the most memory in bytes that Reset keeps. What exceeds it is
	// left to the collector, chunks of single huge slices first. 0 means no
	// such bound: Reset keeps what the last few rounds needed. A negative
	// value keeps nothing.
	Retain int64
}

// settings are the options of an arena, and the Pool or the Group that it belongs to.
type settings struct {
	Options
	hits   atomic.Int64 // allocations that failed for Limit
	member *member      // of a Pool
	group  *Group
}

func (o *settings) name() string {
	if o == nil || o.Name == "" {
		return "an arena"
	}
	return "arena " + o.Name
}

// mayEnd panics when the arena is to be ended by a Group, and not by itself.
func (o *settings) mayEnd(what string) {
	if o != nil && o.group != nil {
		panic("arena: " + what + " of " + o.name() + ", which belongs to a Group; " + what + " the Group instead")
	}
}
