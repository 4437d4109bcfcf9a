package arena

import "github.com/arena-go/arena/internal/tools"

const (
	looking  = tools.Looking
	checking = tools.Checking
)

// textIsRead tells the detectors of mistakes that the bytes of s are read.
func textIsRead(s string) { tools.TextIsRead(s) }
