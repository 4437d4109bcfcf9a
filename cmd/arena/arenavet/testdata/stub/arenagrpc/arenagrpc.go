// Package arenagrpc has the names of the package that it stands for, and does nothing.
package arenagrpc

import "context"

type Options struct{}

type Option interface{ apply() }

func ServerOptions(o Options, others ...Option) []Option { return nil }
func Keep(ctx context.Context)                           {}
