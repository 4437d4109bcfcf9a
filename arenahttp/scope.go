package arenahttp

import (
	"context"

	"github.com/arena-go/arena/arenascope"
)

// The reasons of HTTP for dropping an arena, in arenascope.Summary. Package arenascope has the
// other reasons. If several apply, the Summary contains ReasonHijacked if it is among them, and
// otherwise the first one.
const (
	ReasonHijacked      arenascope.Reason = "hijacked"      // the handler took over the connection
	ReasonWrite         arenascope.Reason = "write"         // a write to the client failed
	ReasonStatus        arenascope.Reason = "status"        // the status was 408, or 500 or above
	ReasonInformational arenascope.Reason = "informational" // a status from 100 to 199 was sent
)

// Keep says that goroutines go on using the arena of ctx, or its values, after the handler has
// returned. No other request will use the arena. Call Keep before the go statement. A handler that
// may stop waiting for its goroutines, for instance after a timeout of its own, must call it as
// well, whatever its answer is. Keep is [arenascope.Keep].
func Keep(ctx context.Context) { arenascope.Keep(ctx) }
