package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/arena-go/arena/bench/internal/suite"
)

// An apartRun is a saved run of some workloads that are measured apart from the rest, because that
// takes less time than all of it.
type apartRun struct {
	file, pattern string
	tables        map[string]table
	builds        bool // It is of builds, and not of a pattern.
}

var apart = []apartRun{
	{"results/linux-amd64-small.json", smallPattern, smallTables, false},
	{"results/linux-amd64-json.json", "^json-", jsonTables, false},
	{"results/linux-amd64-protobuf.json", "^protobuf-(opaque|options|objects)$", moreProtobufTables, false},
	{"results/linux-amd64-protojson.json", "^protojson-", protojsonTables, false},
	{"results/linux-amd64-anchors.json", anchorsPattern, anchorTables, false},
	{"results/linux-amd64-builds.json", "", buildTables, true},
}

const smallPattern = "^(fresh-.*|nil-.*|strings|map-bytes|middleware|curve-.*|map-int|map-text|protobuf-profile-281B)$/arena|gomap|Map|middleware|context|plain|bound|^ref$|proto.Unmarshal$"

// command makes the run.
func (a *apartRun) command() string {
	if a.builds {
		return "go run ./bench -builds -json bench/" + a.file
	}
	return fmt.Sprintf("go run ./bench -run '%s' -json bench/%s", a.pattern, a.file)
}

// measured says whether the run was made. Its tables are in documents only then.
func (a *apartRun) measured() bool {
	_, err := os.Stat(a.file)
	return !errors.Is(err, fs.ErrNotExist)
}

// of returns what makes a table of this run, whatever other run there is, or says what went wrong.
func (a *apartRun) of(t table) table {
	return func(*suite.Run) string {
		r, err := suite.Load(a.file)
		if err != nil {
			return fmt.Sprintf("%v; to measure it: %s\n", err, a.command())
		}
		return t(r)
	}
}
