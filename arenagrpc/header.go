package arenagrpc

import (
	"context"
	"strings"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// SetHeader is grpc.SetHeader of a copy of md, whose text may be in the arena of the call. The
// transport reads headers after the call, so the arena of a call with uncopied headers is dropped.
// The methods of a handler's stream make copies themselves.
func SetHeader(ctx context.Context, md metadata.MD) error {
	c, _ := ctx.Value(scopeKey{}).(*scope)
	if c == nil {
		return grpc.SetHeader(ctx, md)
	}
	return setCopy(&c.headers, md, func(md metadata.MD) error { return grpc.SetHeader(ctx, md) })
}

// SetTrailer is grpc.SetTrailer of a copy of md; see [SetHeader].
func SetTrailer(ctx context.Context, md metadata.MD) error {
	c, _ := ctx.Value(scopeKey{}).(*scope)
	if c == nil {
		return grpc.SetTrailer(ctx, md)
	}
	return setCopy(&c.trailers, md, func(md metadata.MD) error { return grpc.SetTrailer(ctx, md) })
}

// setCopy calls set with a copy of md, and counts its values.
func setCopy(copied *atomic.Int32, md metadata.MD, set func(metadata.MD) error) error {
	to := make(metadata.MD, len(md))
	for k, values := range md {
		clones := make([]string, len(values))
		for i, v := range values {
			clones[i] = strings.Clone(v)
		}
		to[strings.Clone(k)] = clones
	}
	n := count(md)
	copied.Add(n)
	err := set(to)
	if err != nil {
		copied.Add(-n)
	}
	return err
}

// copiedAll reports whether headers and trailers are copies, all of them. Their text is written
// later, and compression keeps it for the calls that follow.
func (c *scope) copiedAll() bool {
	t, ok := grpc.ServerTransportStreamFromContext(c.Context).(interface {
		Header() (metadata.MD, error)
		Trailer() metadata.MD
	})
	if !ok {
		return false
	}
	h, _ := t.Header()
	return count(h) <= c.headers.Load() && count(t.Trailer()) <= c.trailers.Load()
}

func count(md metadata.MD) (n int32) {
	for _, values := range md {
		n += int32(len(values))
	}
	return n
}
