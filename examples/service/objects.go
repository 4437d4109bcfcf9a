package main

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"runtime"
	"slices"
	"strings"
)

// A census says how many objects packages have made on the Go heap since the process began.
type census map[string]int64

// owners are the packages that objects are counted for: what an object is made for matters, and not
// which helper has made it. The first one of these in the stack of an allocation, from the inside,
// owns it.
var owners = []string{
	"encoding/json", "net/http", "log/slog", "database/sql", "context", "os/signal",
	"github.com/jackc/pgx", "modernc.org/sqlite",
	"github.com/arena-go/arena/arenahttp", "github.com/arena-go/arena/arenajson", "github.com/arena-go/arena/arenapgx", "github.com/arena-go/arena/arenasql", "github.com/arena-go/arena",
	"main",
}

// objects counts the objects that were made so far. It is exact only where runtime.MemProfileRate
// has been 1 from the start.
func objects() census {
	runtime.GC() // what was made since the last collection is not in the profile yet
	runtime.GC()
	var records []runtime.MemProfileRecord
	for n, ok := runtime.MemProfile(nil, true); !ok; {
		records = make([]runtime.MemProfileRecord, n+100)
		if n, ok = runtime.MemProfile(records, true); ok {
			records = records[:n]
		}
	}
	count := census{}
	for _, r := range records {
		if owner := ownerOf(r.Stack()); owner != "" {
			count[owner] += r.AllocObjects
		}
	}
	return count
}

// ownerOf returns the owner of what is allocated with a stack. It is empty for what objects itself
// allocates.
func ownerOf(stack []uintptr) string {
	owner := ""
	frames := runtime.CallersFrames(stack)
	for {
		f, more := frames.Next()
		if f.Function == "main.objects" {
			return ""
		}
		name := packageOf(f.Function)
		i := slices.IndexFunc(owners, func(o string) bool { return name == o || strings.HasPrefix(name, o+"/") })
		if i >= 0 && (owner == "" || !slices.Contains(owners, owner)) {
			owner = owners[i]
		}
		if owner == "" && name != "runtime" {
			owner = name
		}
		if !more {
			return cmp.Or(owner, "runtime")
		}
	}
}

// packageOf returns the path of a function's package.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	dot := strings.IndexByte(function[slash:], '.')
	if dot < 0 {
		return function
	}
	return function[:slash+dot]
}

// censusPath is where a server says what objects it has made, with -objects.
const censusPath = "/objects"

// counted is h with censusPath.
func counted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != censusPath {
			h.ServeHTTP(w, r)
			return
		}
		json.NewEncoder(w).Encode(objects())
	})
}

// fetchCensus asks a server for it.
func fetchCensus(ctx context.Context, addr string) (c census, err error) {
	request, err := http.NewRequestWithContext(ctx, "GET", "http://"+addr+censusPath, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return c, json.NewDecoder(response.Body).Decode(&c)
}
