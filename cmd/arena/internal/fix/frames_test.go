package fix

import (
	"strings"
	"testing"
)

const frames = `
-- a.go --
package m

import (
	"bytes"
	"fmt"
	"log"
	"path"
	"runtime"
	"strings"
)

type Rec struct {
	Where, Over, Log string
	Msg              string
}

var out bytes.Buffer
var logger = log.New(&out, "", log.Lshortfile)

func Root(format string, args ...any) []*Rec {
	return []*Rec{note(format, args...), over(format, args...), logged(format, args...)}
}

func name() string {
	pc, file, _, _ := runtime.Caller(1)
	return path.Base(file) + " " + runtime.FuncForPC(pc).Name()
}

func note(format string, args ...any) *Rec {
	return &Rec{Where: name() + ".", Msg: fmt.Sprintf(format, args...)}
}

func over(format string, args ...any) *Rec {
	return &Rec{Over: second(format) + ".", Msg: fmt.Sprintf(format, args...)}
}

func second(s string) string {
	pc, _, _, _ := runtime.Caller(2)
	return runtime.FuncForPC(pc).Name() + string([]byte(s))
}

func logged(format string, args ...any) *Rec {
	out.Reset()
	r := warn(format, args...)
	r.Log = strings.TrimSpace(out.String())
	return r
}

func warn(format string, args ...any) *Rec {
	m := &Rec{Msg: fmt.Sprintf(format, args...)}
	logger.Output(2, m.Msg)
	return m
}
-- a_test.go --
package m

import (
	"strings"
	"testing"
)

func Test(t *testing.T) {
	if r := note("x %d", 1); r.Where != "a.go example.com/m.note." && r.Where != "a.go example.com/m.noteIn." {
		t.Error(r.Where)
	}
	if r := over("x"); r.Over != "example.com/m.Testx." {
		t.Error(r.Over)
	}
	if r := warn("x %d", 1); r.Msg != "x 1" || !strings.HasPrefix(out.String(), "a_test.go:") {
		t.Error(out.String())
	}
	if len(Root("x")) != 3 {
		t.Error("not three")
	}
}
`

// TestFrames: what looks at the stack finds the frames that it found.
func TestFrames(t *testing.T) {
	t.Parallel()
	r, src := rewritten(t, frames, Options{Roots: []string{"m.Root"}})
	if strings.Contains(src, "secondIn") || strings.Contains(src, "overIn") || strings.Contains(src, "warnIn") || !strings.Contains(src, "noteIn") {
		t.Error(src)
	}
	stay := map[string]bool{}
	for _, s := range r.Sites {
		if s.Why == whyFrames.String() {
			stay[strings.TrimPrefix(s.Function, "example.com/m.")] = true
		}
	}
	if !stay["over"] || !stay["warn"] || stay["note"] {
		t.Error(stay)
	}
	// A root that looks at its callers stays next to its second form, with all others.
	_, src = rewritten(t, frames, Options{Roots: []string{"m.warn"}})
	if !strings.Contains(src, "func warnIn(") || strings.Contains(src, "return warnIn(nil") {
		t.Error(src)
	}
}
