//go:build race

package arena

func init() { unwatchers = append(unwatchers, func() { racing = false }) }
