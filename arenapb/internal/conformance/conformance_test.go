package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena/internal/testrun"
)

func TestMain(m *testing.M) { os.Exit(testrun.Run(m)) }

// TestConformance runs protobuf's conformance tests with and without the arena. All answers must be
// the same, and all tests of the binary and the JSON format must pass; of the text format, which
// arenapb does not touch, package prototext fails some.
func TestConformance(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		testrun.Need(t, err.Error())
	}
	runner := filepath.Join(cache, "arena-go-arena", "conformance_test_runner")
	if _, err := os.Stat(runner); err != nil {
		testrun.Need(t, "conformance test runner (build.sh in arenapb/internal/conformance makes it with g++, libprotobuf-dev, protobuf-compiler)")
	}
	for _, api := range []string{"open", "opaque"} {
		t.Run(api, func(t *testing.T) {
			testee := filepath.Join(t.TempDir(), "testee")
			build := exec.Command("go", "build", "-o", testee, "-tags", map[string]string{"open": "protolegacy", "opaque": "protolegacy,protoopaque"}[api], ".")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			heap, arena := run(t, runner, testee, "-heap"), run(t, runner, testee)
			for _, s := range suites.FindAllString(arena, -1) {
				t.Log(s)
			}
			if names, want := failures(arena), failures(heap); !slices.Equal(names, want) {
				t.Errorf("%d tests fail: %q\nwithout arena %d: %q", len(names), names, len(want), want)
			} else if arena != heap {
				t.Errorf("answers differ: %s", difference(arena, heap))
			}
			for _, name := range failures(arena) {
				if !strings.Contains(name, ".TextFormatInput.") && !strings.HasSuffix(name, ".TextFormatOutput") {
					t.Errorf("%s fails", name)
				}
			}
			if n := len(tests.FindAllString(arena, -1)); n < 2000 {
				t.Errorf("%d tests were run, want 2000 or more", n)
			}
		})
	}
}

var (
	suites  = regexp.MustCompile(`CONFORMANCE SUITE .*`)
	tests   = regexp.MustCompile(`(?m)^conformance test: `)
	failing = regexp.MustCompile(`(?m)^ERROR, test=([^:]*):`)
)

// run runs the tests and returns what the runner says about each. It fails if one does.
func run(t *testing.T, runner, testee string, args ...string) string {
	cmd := exec.Command(runner, append([]string{"--enforce_recommended", "--verbose", testee}, args...)...)
	cmd.Dir = t.TempDir() // it writes a list of what has failed
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState.ExitCode() != 1 || len(suites.FindAllString(string(out), -1)) != 2 {
		t.Fatalf("%v: %v\n%s", cmd, err, out[max(len(out)-2000, 0):])
	}
	return strings.ReplaceAll(string(out), testee+" -heap", testee)
}

func failures(out string) (names []string) {
	for _, match := range failing.FindAllStringSubmatch(out, -1) {
		names = append(names, match[1])
	}
	return names
}

// difference returns the first lines that are not the same.
func difference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return fmt.Sprintf("%.1000s\nwithout arena\n%.1000s", as[i], bs[i])
		}
	}
	return fmt.Sprintf("%d lines, without arena %d", len(as), len(bs))
}
