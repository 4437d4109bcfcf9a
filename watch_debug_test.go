//go:build arenadebug

package arena

import "github.com/arena-go/arena/internal/tools"

func init() { unwatchers = append(unwatchers, func() { tools.Filling = false }) }
