package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb/gogo"
	"github.com/klauspost/compress/snappy"
	remoteapi "github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/prometheus/prompb"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"
	"github.com/prometheus/prometheus/storage"
)

// A receiver appends what remote write requests have, of protocol 1.0 and 2.0, to a storage. With a
// Pool, a request is in an arena: its body, what that is uncompressed, and the message, whose text
// is a part of the uncompressed body. Without one, the generated Unmarshal decodes it, and all of
// it lies on the heap.
type receiver struct {
	storage storage.AppendableV2
	arenas  *arena.Pool // or nil
	max     int         // bytes of a body, compressed or not
}

// newReceiver returns the handler of a receiver. inArenas has the options of its arenas, unless it
// is nil. They get a limit: a message takes several times the memory that it has bytes.
func newReceiver(s storage.AppendableV2, inArenas *arena.Options, max int) http.Handler {
	r := &receiver{storage: s, max: max}
	if inArenas != nil {
		r.arenas = &arena.Pool{Options: *inArenas}
		r.arenas.Options.Limit = 16 * int64(max)
	}
	types := remoteapi.MessageTypes{remoteapi.WriteV1MessageType, remoteapi.WriteV2MessageType}
	return remoteapi.NewWriteHandler(r, types, remoteapi.WithWriteHandlerMiddlewares()) // instead of the middleware that uncompresses onto the heap
}

// A refusal is an error with the status of the response.
type refusal struct {
	status int
	error
}

func refuse(status int, format string, args ...any) error {
	return refusal{status, fmt.Errorf(format, args...)}
}

func (r refusal) Unwrap() error { return r.error }

// Store handles a request. Nothing refers to its arena when it returns: appender says what is
// copied.
func (r *receiver) Store(req *http.Request, typ remoteapi.WriteMessageType) (*remoteapi.WriteResponse, error) {
	response := remoteapi.NewWriteResponse()
	var err error
	r.arenas.Do(func(a *arena.Arena) {
		var limit *arena.LimitError
		tried := arena.Try(func() { err = r.store(a, req, typ, &response.WriteResponseStats) })
		if errors.As(tried, &limit) {
			err = refuse(http.StatusRequestEntityTooLarge, "the request takes too much memory: %w", tried)
		} else if tried != nil {
			err = tried
		}
	})
	var refused refusal
	switch {
	case errors.As(err, &refused):
		response.SetStatusCode(refused.status)
	case err != nil:
		response.SetStatusCode(http.StatusInternalServerError)
	}
	return response, err
}

func (r *receiver) store(a *arena.Arena, req *http.Request, typ remoteapi.WriteMessageType, stats *remoteapi.WriteResponseStats) error {
	body, err := r.body(a, req)
	if err != nil {
		return err
	}
	if typ == remoteapi.WriteV1MessageType {
		m := gogo.New[prompb.WriteRequest](a)
		if err := unmarshal(a, body, m); err != nil {
			return err
		}
		return r.append(req.Context(), stats, func(app *appender) error { return app.v1(m) })
	}
	m := gogo.New[writev2.Request](a)
	if err := unmarshal(a, body, m); err != nil {
		return err
	}
	return r.append(req.Context(), stats, func(app *appender) error { return app.v2(m) })
}

// body returns the body of a request, uncompressed, in a.
func (r *receiver) body(a *arena.Arena, req *http.Request) ([]byte, error) {
	if encoding := req.Header.Get("Content-Encoding"); encoding != "snappy" {
		return nil, refuse(http.StatusUnsupportedMediaType, "the Content-Encoding is %q, and must be snappy", encoding)
	}
	switch n := req.ContentLength; {
	case n < 0:
		return nil, refuse(http.StatusLengthRequired, "there is no Content-Length")
	case n > int64(r.max):
		return nil, refuse(http.StatusRequestEntityTooLarge, "the body has %d bytes, of which %d are allowed", n, r.max)
	}
	in, err := arena.ReadAll(a, req.Body)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "reading the body: %w", err)
	}
	n, err := snappy.DecodedLen(in)
	if err == nil && n > r.max {
		return nil, refuse(http.StatusRequestEntityTooLarge, "the body has %d bytes uncompressed, of which %d are allowed", n, r.max)
	}
	// A byte of snappy makes 64 at most. A length alone gets no memory, here and above.
	if err == nil && n > 64*len(in) {
		err = snappy.ErrCorrupt
	}
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "uncompressing the body: %w", err)
	}
	out, err := snappy.Decode(arena.MakeSlice[byte](a, n, n), in)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "uncompressing the body: %w", err)
	}
	return out, nil
}

// unmarshal decodes a body, which m may refer to: both are in a. On the heap it is m.Unmarshal.
func unmarshal(a *arena.Arena, body []byte, m gogo.Message) error {
	if err := (gogo.UnmarshalOptions{AliasInput: true}).Unmarshal(a, body, m); err != nil {
		return refuse(http.StatusBadRequest, "decoding the body: %w", err)
	}
	return nil
}

// append has f append to the storage, and commits that. A request with series that cannot be
// appended, which f reports as a refusal, is refused when those that can have been: its sender does
// not send it again. After another error nothing is appended, and the sender tries again.
func (r *receiver) append(ctx context.Context, stats *remoteapi.WriteResponseStats, f func(*appender) error) error {
	app, err := newAppender(ctx, r.storage)
	if err != nil {
		return err
	}
	err = f(app)
	if err != nil && !errors.As(err, new(refusal)) {
		return errors.Join(err, app.to.Rollback())
	}
	if commitErr := app.to.Commit(); commitErr != nil {
		return commitErr
	}
	stats.Add(app.stats)
	return err
}
