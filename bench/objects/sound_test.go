package objects

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arena-go/arena/bench/internal/suite"
	"github.com/arena-go/arena/internal/testrun"
)

// TestMain does a test of soundness, where it is asked to.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "sound" {
		if err := json.NewEncoder(os.Stdout).Encode(Sound(os.Args[2], os.Args[3])); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(testrun.Run(m))
}

// watched tells whether the program is built to look for what is used after Free, and so must not
// do that.
func watched() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
		return (s.Key == "-race" || s.Key == "-asan") && s.Value == "true" || s.Key == "-tags" && strings.Contains(s.Value, "arenadebug")
	})
}

// TestSound does all tests of soundness that this program has. What is sound must be that, and what
// is known of the others must show.
func TestSound(t *testing.T) {
	if watched() {
		t.Skip("what the tests do is what -race, -asan and arenadebug look for, and they report it")
	}
	unsound := map[string][]string{
		"heap-strings":  {"nuke", "wundergraph", "ristretto", "modernc"},
		"arena-dropped": {"nuke", "wundergraph"},
		"after-free":    {"nuke", "wundergraph", "ristretto", "modernc"},
		"after-reset":   {"nuke", "wundergraph", "ristretto", "modernc"},
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range SoundTests() {
		if s.Program != "" {
			continue
		}
		t.Run(s.Test+"/"+s.Origin, func(t *testing.T) {
			if s.Origin == "ristretto" && strconv.IntSize == 32 {
				t.Skip("it gives the same memory twice where an int has 32 bits")
			}
			t.Parallel()
			var v suite.Verdict
			if err := suite.Reply(&v, exec.Command(self, "sound", s.Origin, s.Test)); err != nil {
				v = s.Crashed(err)
			}
			t.Log(v.Outcome)
			// What becomes of memory that a peer has freed is not certain: nobody may have used it
			// again, or it may be gone, and fault.
			certain := s.Test == "heap-strings" || s.Test == "after-reset"
			if bad := slices.Contains(unsound[s.Test], s.Origin); v.Sound == bad && (certain || !bad) {
				t.Errorf("sound is %v: %s", v.Sound, v.Outcome)
			}
			if v.Implementation != s.Origin || v.Test != s.Test {
				t.Errorf("it is of %s, %s", v.Implementation, v.Test)
			}
			if ours := !slices.Contains(unsound["heap-strings"], s.Origin); ours && strings.HasSuffix(v.Outcome, ", never freed") {
				t.Error(v.Outcome)
			}
			// Not all are always overwritten by then.
			var lost int
			_, _ = fmt.Sscanf(strings.ReplaceAll(v.Outcome, ",", ""), "lost %d of 50000", &lost)
			if s.Test == "heap-strings" && !v.Sound && lost < 25_000 {
				t.Error(v.Outcome)
			}
		})
	}
}

// TestCrashed checks what is said of a process that did not end by itself.
func TestCrashed(t *testing.T) {
	s := SoundTest{Origin: "nuke", Test: "after-free"}
	for text, want := range map[string]string{
		"[bench]: exit status 2\nruntime: pointer 1 to unallocated span\nfatal error: found bad pointer in Go heap\n\ngoroutine 1": "crashed: found bad pointer in Go heap",
		"[bench]: exit status 2\npanic: no\n\ngoroutine 1":                                                                         "crashed: no",
		"[bench]: signal: killed\n": "crashed: [bench]: signal: killed",
	} {
		if v := s.Crashed(errors.New(text)); v != (suite.Verdict{Implementation: "nuke", Test: "after-free", Outcome: want}) {
			t.Errorf("%+v", v)
		}
	}
}

// TestFindings has what is said of them.
func TestFindings(t *testing.T) {
	for f, want := range map[findings]string{
		{kept: 1000}:                     "kept 1,000 of 1,000",
		{kept: 10, leaked: true}:         "kept 10 of 10, never freed",
		{lost: 1_234_567}:                "lost 1,234,567 of 1,234,567",
		{lost: 1, kept: 1, faults: 1}:    "lost 1 of 3",
		{kept: 1, faults: 999, lost: 0}:  "999 of 1,000 fault",
		{kept: 100, faults: 0, lost: 10}: "lost 10 of 110",
	} {
		if got := f.String(); got != want {
			t.Errorf("%+v: %s, not %s", f, got, want)
		}
	}
}
