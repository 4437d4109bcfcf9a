package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/profilepb"
)

// A service takes profiles, and has the call trees that they are merged into.
type service struct {
	store     *store
	maxUpload int64
	anyPast   bool        // windows are over when newer ones take their place, and not by the clock: a load fills them faster than it goes
	profiles  *arena.Pool // arenas for one profile each, or one batch; nil for the heap
	queries   *arena.Pool // and for one query each
	slots     chan struct{}
	uploads   sync.Pool // of *upload
	metrics   *metrics
}

// profileArena is the name of the arenas of profiles and batches.
const profileArena = "profile"

// newService returns a service without profiles.
func newService(c config, heap bool) *service {
	s := &service{
		store:     newStore(storeOptions{window: c.window, windows: c.windows, limit: c.limit, heap: heap}),
		maxUpload: c.maxUpload,
		slots:     make(chan struct{}, runtime.GOMAXPROCS(0)),
		uploads:   sync.Pool{New: func() any { return new(upload) }},
	}
	if !heap {
		s.profiles = &arena.Pool{Options: arena.Options{Name: profileArena, Limit: c.limit}}
		s.queries = &arena.Pool{Options: arena.Options{Name: "query", Limit: c.limit}}
	}
	s.metrics = newMetrics(s)
	return s
}

// ingest takes a profile of the application n, which is of the time t: all of it, or with an error
// nothing. data is not used any more when it returns.
func (s *service) ingest(ctx context.Context, n name, t time.Time, data []byte) error {
	select { // more goroutines than processors would only hold more arenas
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	a := s.profiles.Get()
	defer s.profiles.Put(a) // when ingestIn has returned nobody has anything of it
	return s.ingestIn(a, n, t, data)
}

// ingestIn is ingest with an arena of the caller's, who resets it when data is not needed any more.
func (s *service) ingestIn(a *arena.Arena, n name, t time.Time, data []byte) error {
	var err error
	limit := arena.Try(func() { err = s.merge(a, n, t, data) })
	if limit != nil {
		err = limit
	}
	s.metrics.count(len(data), err)
	return err
}

// merge decodes a profile into a, and adds its stacks to the tree of its window.
func (s *service) merge(a *arena.Arena, n name, t time.Time, data []byte) error {
	p, err := decode(a, data)
	if err != nil {
		return err
	}
	stacks, err := newStacks(a, p, maxFrames)
	if err != nil {
		return err
	}
	return s.store.add(a, n, t, stacks)
}

// decode decodes a profile into a; without an arena it is proto.Unmarshal. Strings refer to data,
// which must stay unchanged as long as the profile is used.
func decode(a *arena.Arena, data []byte) (*profilepb.Profile, error) {
	p := arenapb.New[profilepb.Profile](a)
	if err := (arenapb.UnmarshalOptions{DiscardUnknown: true, AliasInput: true}).Unmarshal(a, data, p); err != nil {
		return nil, invalid("%v", err)
	}
	return p, nil
}

// status returns the HTTP status for an error of ingest, or of reading an upload.
func status(err error) int {
	var (
		bad   *badUploadError
		wrong *profileError
		old   *oldError
		large *tooLargeError
		full  *fullError
		limit *arena.LimitError
	)
	switch {
	case err == nil:
		return http.StatusOK
	case errors.As(err, &bad), errors.As(err, &wrong), errors.As(err, &old):
		return http.StatusBadRequest
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge
	case errors.As(err, &limit) && limit.Name == profileArena:
		return http.StatusRequestEntityTooLarge
	case errors.As(err, &limit), errors.As(err, &full):
		return http.StatusInsufficientStorage
	}
	return http.StatusBadRequest // the client's connection: it has gone, or is too slow
}

// view returns all windows of the applications that the text selects, in one tree in a, and the
// time that it is of.
func (s *service) view(a *arena.Arena, text string) (t *tree, from, until time.Time, err error) {
	n, err := parseName(text)
	if err == nil {
		t, from, until, err = s.store.merged(a, n)
	}
	if err == nil && t == nil {
		err = fmt.Errorf("there are no profiles of %q", text)
	}
	return t, from, until, err
}
