//go:build race

package arena

import "github.com/arena-go/arena/internal/tools"

func init() { unwatchers = append(unwatchers, func() { tools.Racing = false }) }
