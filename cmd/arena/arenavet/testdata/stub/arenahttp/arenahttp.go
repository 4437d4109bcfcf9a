// Package arenahttp has the names of the package that it stands for, and does nothing.
package arenahttp

import "context"

func Keep(ctx context.Context) {}
