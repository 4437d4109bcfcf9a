package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzip"
)

// How profiles are sent.
const (
	plain      = "plain"
	compressed = "gzip" // as they are in files
)

var bodies = []string{plain, compressed}

// An order tells a load what to do. It is a line of stdin, as JSON.
type order struct {
	Addr string    // of the server
	Body string    // plain or compressed
	Base time.Time // of the first window
}

// A loadResult is what a load has measured.
type loadResult struct {
	Uploads  int64
	Took     time.Duration
	P50, P99 time.Duration
	Digest   string // of all that the server has answered
}

// steps is how many windows a load fills, one after the other.
const steps = 8

// loadChild sends profiles to servers, in a process of its own, so that the server's CPU time is
// the server's. It gets an order, warms the server up and says so, waits for a line, and measures.
func loadChild(stdin io.Reader, stdout io.Writer, c config) error {
	inputs, err := readInputs(c.files)
	if err != nil {
		return err
	}
	out := json.NewEncoder(stdout)
	lines := bufio.NewScanner(stdin)
	if !lines.Scan() {
		return lines.Err()
	}
	l := load{config: c, inputs: inputs, digest: sha256.New(), client: &http.Client{
		Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: c.conns, DisableCompression: true}}}
	if err := json.Unmarshal(lines.Bytes(), &l.order); err != nil {
		return err
	}
	l.warm = true
	if err := l.step(0, len(inputs)*c.conns); err != nil {
		return err
	}
	l.warm = false
	if err := out.Encode(message{}); err != nil || !lines.Scan() {
		return errors.Join(err, lines.Err())
	}
	r, err := l.run()
	if err != nil {
		return err
	}
	return out.Encode(message{Load: r})
}

// A load is a closed loop of a number of connections: each sends a profile when it has received the
// previous answer.
type load struct {
	config
	order
	inputs []input
	client *http.Client
	digest hash.Hash
	warm   bool
	mu     sync.Mutex
	took   []time.Duration
}

// run fills one window after the other, and asks what is in them.
func (l *load) run() (*loadResult, error) {
	var took time.Duration
	for i := range steps {
		start := time.Now()
		if err := l.step(i, l.n*(i+1)/steps-l.n*i/steps); err != nil {
			return nil, err
		}
		took += time.Since(start)
		if err := l.ask("/top?n=50&app="); err != nil {
			return nil, err
		}
	}
	if err := l.ask("/export?app="); err != nil {
		return nil, err
	}
	slices.Sort(l.took)
	at := func(percent int) time.Duration { return l.took[(len(l.took)*percent+99)/100-1] }
	return &loadResult{int64(len(l.took)), took, at(50), at(99), fmt.Sprintf("%x", l.digest.Sum(nil)[:8])}, nil
}

// step sends n profiles of window i.
func (l *load) step(i, n int) error {
	var next atomic.Int64
	var wait sync.WaitGroup
	failed := make(chan error, l.conns)
	for range l.conns {
		wait.Go(func() {
			for len(failed) == 0 {
				k := int(next.Add(1) - 1)
				if k >= n {
					return
				}
				start := time.Now()
				if err := l.send(l.inputs[(i*n+k)%len(l.inputs)], l.Base.Add(time.Duration(i)*l.window)); err != nil {
					failed <- err
					return
				}
				if !l.warm {
					l.mu.Lock()
					l.took = append(l.took, time.Since(start))
					l.mu.Unlock()
				}
			}
		})
	}
	wait.Wait()
	close(failed)
	return <-failed
}

func (l *load) send(in input, t time.Time) error {
	body := in.data
	if l.Body == compressed {
		body = in.raw
	}
	u := fmt.Sprintf("http://%s/ingest?name=%s&from=%d", l.Addr, url.QueryEscape(in.app), t.Unix())
	r, err := l.client.Post(u, "application/octet-stream", bytes.NewReader(body))
	if err != nil {
		return err
	}
	_, err = answerOf(r)
	return err
}

// answerOf returns what a server has answered.
func answerOf(r *http.Response) ([]byte, error) {
	text, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %s", r.StatusCode, text)
	}
	return text, err
}

// ask asks a server about each application. The answers become a part of the digest.
func (l *load) ask(what string) error {
	for _, app := range apps(l.inputs) {
		r, err := l.client.Get("http://" + l.Addr + what + url.QueryEscape(app))
		if err != nil {
			return err
		}
		text, err := answerOf(r)
		if err != nil {
			return err
		}
		if bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
			z, err := gzip.NewReader(bytes.NewReader(text))
			if err != nil {
				return err
			}
			if text, err = io.ReadAll(z); err != nil {
				return err
			}
		}
		l.digest.Write(text)
	}
	return nil
}

// apps returns the names of the applications of profiles.
func apps(inputs []input) []string {
	var all []string
	for _, in := range inputs {
		all = append(all, in.app)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
