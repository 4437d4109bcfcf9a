package arenahttp

import (
	"context"

	"github.com/arena-go/arena/arenascope"
)

// The reasons of HTTP why an arena is not used again, in arenascope.Summary, which has the others
// as constants of package arenascope. ReasonHijacked is given if it is one of them, else the first
// one that occurs.
const (
	ReasonHijacked      arenascope.Reason = "hijacked"      // the handler took over the connection
	ReasonWrite         arenascope.Reason = "write"         // a write to the client failed
	ReasonStatus        arenascope.Reason = "status"        // the status was 408, or 500 or above
	ReasonInformational arenascope.Reason = "informational" // a status from 100 to 199 was sent
)

// Keep says that goroutines which the handler has started go on using the arena of ctx, or what
// lies in it, after the handler has returned. It is [arenascope.Keep].
func Keep(ctx context.Context) { arenascope.Keep(ctx) }
