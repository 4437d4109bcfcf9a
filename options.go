package arena

// Options configure an arena made by [NewWith]. The zero value is the default.
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
