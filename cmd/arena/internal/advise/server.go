package advise

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

// A server is a program that serves its profiles by net/http/pprof.
type server struct {
	base   *url.URL // its /debug/pprof
	header http.Header
}

// isServer tells whether an argument is the address of a server.
func isServer(arg string) bool {
	u, err := url.Parse(arg)
	return err == nil && (strings.EqualFold(u.Scheme, "http") || strings.EqualFold(u.Scheme, "https")) && u.Host != ""
}

// patience is how much longer than asked a server may take for a profile. It is a variable for
// tests.
var patience = 30 * time.Second

// now is the time. It is a variable for tests.
var now = time.Now

// FromServer takes the profiles of a running program from its net/http/pprof, for the time d, and
// longer if there are too few samples. The program should be under its usual load. The header goes
// with each request. So does the query of address.
func FromServer(ctx context.Context, log io.Writer, address string, header http.Header, d time.Duration) (in Input, err error) {
	base, err := url.Parse(address)
	if err != nil {
		return in, fmt.Errorf("arena advise: %w", err)
	}
	if !strings.Contains(base.Path, "/debug/pprof") {
		base = base.JoinPath("debug/pprof")
	}
	s := &server{base, header}
	// The profile of memory is as of the last collection: without one before it is stale.
	start := now()
	before, cycles, err := s.heap(ctx)
	if err != nil {
		return in, err
	}
	for round := 1; ; round++ {
		cpu, err := s.profile(ctx, "profile", d, "seconds", strconv.Itoa(int(d.Seconds())))
		if err != nil {
			return in, err
		}
		if in.CPU, err = merged(in.CPU, cpu); err != nil {
			return in, err
		}
		after, end, err := s.heap(ctx)
		if err != nil {
			return in, err
		}
		in.Heap = after
		in.Cycles = max(end-cycles-float64(round), 0) // less those that the later requests have caused
		in.Span = now().Sub(start)
		if in.Allocs, err = difference(before, after); err != nil {
			return in, err
		}
		few := in.few()
		if few == nil {
			return in, nil
		}
		if round == maxRounds {
			return in, few
		}
		d = min(time.Duration(float64(d)*few.longer()), longest).Round(time.Second)
		fmt.Fprintf(log, "arena advise: %d of %d samples of the %s profile; on for %v\n", few.Have, few.Min, few.Profile, d)
	}
}

// heap returns the profile of memory, and how many cycles the collector has done.
func (s *server) heap(ctx context.Context) (*profile.Profile, float64, error) {
	p, err := s.profile(ctx, "heap", 0, "gc", "1")
	if err != nil {
		return nil, 0, err
	}
	text, where, err := s.get(ctx, "heap", 0, "debug", "1")
	if err != nil {
		return nil, 0, err
	}
	m := regexp.MustCompile(`(?m)^# NumGC = (\d+)$`).FindSubmatch(text)
	if m == nil {
		return nil, 0, fmt.Errorf("arena advise: %s has no line NumGC: is this a program in Go?", where)
	}
	n, err := strconv.ParseFloat(string(m[1]), 64)
	return p, n, err
}

func (s *server) profile(ctx context.Context, name string, d time.Duration, key, value string) (*profile.Profile, error) {
	b, where, err := s.get(ctx, name, d, key, value)
	if err != nil {
		return nil, err
	}
	p, err := profile.ParseData(b)
	if err != nil {
		return nil, fmt.Errorf("arena advise: %s: %w", where, err)
	}
	return p, nil
}

// longest is for how long a profile is taken from a server at most.
const longest = 2 * time.Minute

// maxProfile is more than any profile has.
const maxProfile = 1 << 30

// get returns what the server answers, which takes it d, and its address without a password, for
// errors.
func (s *server) get(ctx context.Context, name string, d time.Duration, key, value string) (b []byte, where string, err error) {
	u := s.base.JoinPath(name)
	q := u.Query()
	q.Set(key, value)
	u.RawQuery = q.Encode()
	where = u.Redacted()
	ctx, cancel := context.WithTimeoutCause(ctx, d+patience, fmt.Errorf("%s has not answered for %v", where, d+patience))
	defer cancel()
	defer func() {
		if err != nil && context.Cause(ctx) != nil && ctx.Err() == context.DeadlineExceeded {
			err = fmt.Errorf("arena advise: %w", context.Cause(ctx))
		}
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, where, fmt.Errorf("arena advise: %w", err)
	}
	req.Header = s.header.Clone()
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, where, fmt.Errorf("arena advise: %w", err)
	}
	defer resp.Body.Close()
	b, err = io.ReadAll(io.LimitReader(resp.Body, maxProfile))
	if err != nil {
		return nil, where, fmt.Errorf("arena advise: %s: %w", where, err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, where, fmt.Errorf("arena advise: %s: %s: %.200q", where, resp.Status, bytes.TrimSpace(b))
	}
	return b, where, nil
}
