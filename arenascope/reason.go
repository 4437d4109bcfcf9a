package arenascope

// A Reason says why the arenas of a unit were not reused. Adapters declare further Reasons.
type Reason string

// The reasons that are not of one protocol. The package comment says when each is noted.
const (
	ReasonPanic    Reason = "panic"    // the handler panicked, or ended its goroutine
	ReasonLimit    Reason = "limit"    // a limit was exceeded, or a Memory failed
	ReasonError    Reason = "error"    // the handler failed
	ReasonDone     Reason = "done"     // the context was done when the handler returned
	ReasonRunning  Reason = "running"  // the unit ended before the handler returned
	ReasonAnswered Reason = "answered" // the unit ended, and no handler was run
	ReasonKept     Reason = "kept"     // Keep was called
	ReasonHeader   Reason = "header"   // others may read text of the arena after the end
	ReasonDecode   Reason = "decode"   // decoding into the arena panicked
	ReasonFreed    Reason = "freed"    // the handler called Free; given if there is an observer
	ReasonUnused   Reason = "unused"   // nobody asked for an arena
)
