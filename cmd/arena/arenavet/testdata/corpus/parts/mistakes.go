// Package parts has mistakes with functions that return parts of what they are given.
package parts

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/pem"
	"errors"
	"go/token"
	"html/template"
	"mime"
	"net"
	"net/http"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/scanner"
	"unicode/utf8"

	"github.com/arena-go/arena"
)

var (
	pool    arena.Pool
	word    = regexp.MustCompile(`\w+`)
	origins []*url.URL
)

func parseURL(b []byte) *url.URL {
	a := pool.Get()
	defer pool.Put(a)
	u, err := url.Parse(arena.String(a, b))
	if err != nil {
		return nil
	}
	return u // want `outlives: `
}

func allow(b []byte) {
	a := pool.Get()
	defer pool.Put(a)
	if u, err := url.Parse(arena.String(a, b)); err == nil {
		origins = append(origins, u) // want `outlives: `
	}
}

func hostOf(a *arena.Arena, b []byte) string {
	u, err := url.Parse(arena.String(a, b))
	if err != nil {
		return ""
	}
	a.Reset()
	return u.Host // want `outlives: `
}

func query(b []byte) url.Values {
	a := pool.Get()
	defer pool.Put(a)
	v, _ := url.ParseQuery(arena.String(a, b))
	return v // want `outlives: `
}

func split(addr []byte) (host, port string, err error) {
	a := pool.Get()
	defer pool.Put(a)
	return net.SplitHostPort(arena.String(a, addr)) // want `outlives: `
}

func media(b []byte) map[string]string {
	a := pool.Get()
	defer pool.Put(a)
	_, params, _ := mime.ParseMediaType(arena.String(a, b))
	return params // want `outlives: `
}

func match(a *arena.Arena, b []byte) string {
	s := word.FindString(arena.String(a, b))
	a.Reset()
	return s // want `outlives: `
}

func matches(b []byte) []string {
	a := pool.Get()
	defer pool.Put(a)
	return word.FindAllString(arena.String(a, b), -1) // want `outlives: `
}

func submatch(b []byte) [][]byte {
	a := pool.Get()
	defer pool.Put(a)
	return word.FindSubmatch(arena.Bytes(a, b)) // want `outlives: `
}

func splitRE(b []byte) []string {
	a := pool.Get()
	defer pool.Put(a)
	return word.Split(arena.String(a, b), -1) // want `outlives: `
}

func dir(b []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	d, _ := path.Split(arena.String(a, b))
	return d // want `outlives: `
}

func clean(b []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	return filepath.Clean(arena.String(a, b)) // want `outlives: `
}

func block(b []byte) []byte {
	a := pool.Get()
	defer pool.Put(a)
	_, rest := pem.Decode(arena.Bytes(a, b))
	return rest // want `outlives: `
}

func cookie(b []byte) *http.Cookie {
	a := pool.Get()
	defer pool.Put(a)
	c := &http.Cookie{Name: "session", Value: arena.String(a, b)}
	return c // want `outlives: `
}

func address(b []byte) *mail.Address {
	a := pool.Get()
	defer pool.Put(a)
	return &mail.Address{Name: "x", Address: arena.String(a, b)} // want `outlives: `
}

func scanWords(b []byte) (out []string) {
	a := pool.Get()
	defer pool.Put(a)
	sc := bufio.NewScanner(bytes.NewReader(arena.Bytes(a, b)))
	tok, _, _ := bytes.Cut(arena.Bytes(a, b), []byte(" "))
	_ = sc
	return append(out, arena.String(a, tok)) // want `outlives: `
}

func buffer(b []byte) []byte {
	a := pool.Get()
	defer pool.Put(a)
	buf := bytes.NewBuffer(arena.Bytes(a, b))
	line, _ := buf.ReadBytes('\n')
	_ = line
	return buf.Bytes() // want `outlives: `
}

func raw(b []byte) json.RawMessage {
	a := pool.Get()
	defer pool.Put(a)
	return json.RawMessage(arena.Bytes(a, b)) // want `outlives: `
}

func position(name []byte) token.Position {
	a := pool.Get()
	defer pool.Put(a)
	return token.Position{Filename: arena.String(a, name), Line: 1} // want `outlives: `
}

func trusted(b []byte) template.HTML {
	a := pool.Get()
	defer pool.Put(a)
	return template.HTML(arena.String(a, b)) // want `outlives: `
}

func pathError(b []byte) error {
	a := pool.Get()
	defer pool.Put(a)
	return &os.PathError{Op: "open", Path: arena.String(a, b), Err: os.ErrNotExist} // want `outlives: `
}

func opened(b []byte) (*os.File, error) {
	a := pool.Get()
	defer pool.Put(a)
	return os.Open(arena.String(a, b)) // want `outlives: `
}

func reader(b []byte) *csv.Reader {
	a := pool.Get()
	defer pool.Put(a)
	return csv.NewReader(strings.NewReader(arena.String(a, b))) // want `outlives: `
}

func scannerOf(b []byte) *scanner.Scanner {
	a := pool.Get()
	defer pool.Put(a)
	var s scanner.Scanner
	return s.Init(strings.NewReader(arena.String(a, b))) // want `outlives: `
}

func valid(b []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	s := arena.String(a, b)
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "?")
	}
	return s // want `outlives: `
}

func expand(b []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	return os.ExpandEnv(arena.String(a, b)) // want `outlives: `
}

func unquoted(a *arena.Arena, b []byte) string {
	s := strings.Trim(strings.TrimPrefix(arena.String(a, b), "v"), `"`)
	a.Reset()
	return s // want `outlives: `
}

func port(b []byte) (int, error) {
	a := pool.Get()
	defer pool.Put(a)
	u, err := url.Parse(arena.String(a, b))
	if err != nil {
		return 0, err // want `outlives: .* is returned in an error after Pool.Put`
	}
	return strconv.Atoi(u.Port())
}

func addresses(lines [][]byte) error {
	a := pool.Get()
	defer pool.Put(a)
	var errs []error
	for _, line := range lines {
		if _, err := netip.ParseAddr(arena.String(a, line)); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...) // want `outlives: `
}

func file(name []byte) ([]byte, error) {
	a := pool.Get()
	defer pool.Put(a)
	return os.ReadFile(arena.String(a, name)) // maybe `outlives: .* is returned in an error`
}
