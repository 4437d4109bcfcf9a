package parts

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/arena-go/arena"
)

func okURL(b []byte) *url.URL {
	a := pool.Get()
	defer pool.Put(a)
	u, err := url.Parse(strings.Clone(arena.String(a, b)))
	if err != nil {
		return nil
	}
	return u
}

func okPort(b []byte) (int, error) {
	a := pool.Get()
	defer pool.Put(a)
	u, err := url.Parse(arena.String(a, b))
	if err != nil {
		return 0, errPort
	}
	return strconv.Atoi(u.Port())
}

func okURLString(b []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	u, err := url.Parse(arena.String(a, b))
	if err != nil {
		return ""
	}
	u.RawQuery = "x=1"
	return fmt.Sprint(u)
}

func okQuery(b []byte) bool {
	a := pool.Get()
	defer pool.Put(a)
	v, _ := url.ParseQuery(arena.String(a, b))
	return v.Has("debug")
}

func okSplit(addr []byte) (string, error) {
	a := pool.Get()
	defer pool.Put(a)
	host, _, err := net.SplitHostPort(arena.String(a, addr))
	if err != nil {
		return "", errorOf(err)
	}
	return strings.Clone(host), nil
}

func errorOf(err error) error { return fmt.Errorf("bad address: %s", err.Error()) }

func okIP(b []byte) (netip.Addr, error) {
	a := pool.Get()
	defer pool.Put(a)
	addr, err := netip.ParseAddr(arena.String(a, b))
	if err != nil {
		return addr, fmt.Errorf("%q: %v", string(b), err.Error())
	}
	return addr.Unmap(), nil
}

func okNetIP(b []byte) net.IP {
	a := pool.Get()
	defer pool.Put(a)
	return net.ParseIP(arena.String(a, b))
}

func okMedia(b []byte) bool {
	a := pool.Get()
	defer pool.Put(a)
	t, _, _ := mime.ParseMediaType(arena.String(a, b))
	return t == "application/json"
}

func okMatch(a *arena.Arena, b []byte) bool {
	ok := word.MatchString(arena.String(a, b))
	a.Reset()
	return ok
}

func okIndexes(b []byte) []int {
	a := pool.Get()
	defer pool.Put(a)
	return word.FindStringIndex(arena.String(a, b))
}

func okMatches(b []byte) []string {
	a := pool.Get()
	defer pool.Put(a)
	var out []string
	for _, s := range word.FindAllString(arena.String(a, b), -1) {
		out = append(out, strings.Clone(s))
	}
	return out
}

func okReplace(b []byte) []byte {
	a := pool.Get()
	defer pool.Put(a)
	return word.ReplaceAll(arena.Bytes(a, b), []byte("x"))
}

func okInstant(b []byte) (time.Time, error) {
	a := pool.Get()
	defer pool.Put(a)
	return time.Parse(time.RFC3339, arena.String(a, b))
}

func okDuration(b []byte) time.Duration {
	a := pool.Get()
	defer pool.Put(a)
	d, _ := time.ParseDuration(arena.String(a, b))
	return d
}

func okHex(b []byte) ([]byte, error) {
	a := pool.Get()
	defer pool.Put(a)
	return hex.DecodeString(arena.String(a, b))
}

func okBase64(b []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	return base64.StdEncoding.EncodeToString(arena.Bytes(a, b))
}

func okJoin(dir, name []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	return filepath.Join(arena.String(a, dir), arena.String(a, name))
}

func okExt(b []byte) bool {
	a := pool.Get()
	defer pool.Put(a)
	return path.Ext(arena.String(a, b)) == ".go"
}

func okJSON(b []byte) (v map[string]any, err error) {
	a := pool.Get()
	defer pool.Put(a)
	err = json.Unmarshal(arena.Bytes(a, b), &v)
	return v, err
}

func okCSV(b []byte) ([][]string, error) {
	a := pool.Get()
	defer pool.Put(a)
	return csv.NewReader(strings.NewReader(arena.String(a, b))).ReadAll()
}

func okScan(b []byte) (out []string) {
	a := pool.Get()
	defer pool.Put(a)
	sc := bufio.NewScanner(bytes.NewReader(arena.Bytes(a, b)))
	for sc.Scan() {
		out = append(out, sc.Text())
	}
	return out
}

func okRead(b []byte) ([]byte, error) {
	a := pool.Get()
	defer pool.Put(a)
	return io.ReadAll(strings.NewReader(arena.String(a, b)))
}

func okBuffer(b []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	var buf bytes.Buffer
	buf.WriteString(arena.String(a, b))
	buf.Write(arena.Bytes(a, b))
	return buf.String()
}

var errPort = errors.New("no port")

func okFile(name []byte) ([]byte, bool) {
	a := pool.Get()
	defer pool.Put(a)
	b, err := os.ReadFile(arena.String(a, name))
	return b, err == nil
}

func okNumber(b []byte) (int, error) {
	a := pool.Get()
	defer pool.Put(a)
	return strconv.Atoi(arena.String(a, b)) // whose error has a copy
}

func okParsedTime(b []byte) (time.Time, error) {
	a := pool.Get()
	defer pool.Put(a)
	return time.Parse(time.RFC3339, arena.String(a, b))
}

func okStat(name []byte) bool {
	a := pool.Get()
	defer pool.Put(a)
	_, err := os.Stat(arena.String(a, name))
	return err == nil
}

func okBuilder(b []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	var sb strings.Builder
	sb.WriteString(arena.String(a, b))
	sb.WriteByte('!')
	return sb.String()
}

func okUnquote(b []byte) int {
	a := pool.Get()
	defer pool.Put(a)
	s, err := strconv.Unquote(arena.String(a, b))
	if err != nil {
		return 0
	}
	return len(s)
}
