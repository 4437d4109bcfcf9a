package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/arena-go/arena/bench/internal/suite"
	"github.com/arena-go/arena/bench/objects"
)

// soundness does the tests of soundness, each in a process of its own. A quick run has only the one
// whose outcome is in docs/benchmarks.md.
func soundness(ctx context.Context, programs map[suite.Program]string, p *progress) (all []suite.Verdict) {
	for _, t := range objects.SoundTests() {
		path := programs[t.Program]
		if path == "" || ctx.Err() != nil || *quick && t.Test != "heap-strings" {
			continue
		}
		p.say(fmt.Sprint("soundness, ", t.Test, ": ", t.Origin))
		var v suite.Verdict
		if err := suite.Reply(&v, exec.CommandContext(ctx, path, "-sound", t.Origin+"/"+t.Test)); err != nil {
			v = t.Crashed(err)
		}
		all = append(all, v)
	}
	return all
}

// testSound is what the process of a test does.
func testSound(name string) error {
	origin, test, _ := strings.Cut(name, "/")
	return json.NewEncoder(os.Stdout).Encode(objects.Sound(origin, test))
}
