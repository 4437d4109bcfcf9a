package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/arena-go/arena/examples/internal/command"
)

// TestMain lets the test binary be a child, as program starts its own program, or the whole
// program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == command.ChildFlag || os.Getenv("INGEST_TEST_MAIN") != "" {
		main()
	}
	// The race detector has processes wait for a second at their end.
	os.Setenv("GORACE", "atexit_sleep_ms=10 "+os.Getenv("GORACE"))
	os.Exit(m.Run())
}

// runIngest runs the program and returns its output.
func runIngest(ctx context.Context, args ...string) (status int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	status = program(ctx, strings.NewReader(""), &out, &errOut, args)
	return status, out.String(), errOut.String()
}

// small are the files that tests send.
var small = []string{"testdata/compile-strconv.cpu.pb.gz", "testdata/link-go.cpu.pb.gz"}

func TestMeasure(t *testing.T) {
	batches := filepath.Join(t.TempDir(), "batches")
	status, out, stderr := runIngest(t.Context(), append([]string{"-make-batch", batches, "-batches", "2"}, small...)...)
	if status != 0 || stderr != "" || !strings.Contains(out, "has 2 batches") {
		t.Fatal(status, out, stderr)
	}
	for _, test := range []struct {
		args, title, head string
		tables            int
	}{
		{"-rounds 2 -n 16", "Uploads, plain: 16 profiles by 4 connections, into 8 windows of which 6 are kept. Medians of 2 runs:", " heap arena ratio", 2},
		{"-rounds 1 -n 9 -heap -body gzip -conns 1 -windows 1", "Uploads, gzip: 9 profiles by 1 connections, into 8 windows of which 1 are kept. Medians of 1 runs:", " heap", 1},
		{"-rounds 1 -batch " + batches, "Batches of a file: ", " heap arena ratio", 1},
		{"-rounds 1 -kafka 600", "Kafka: 600 profiles in ", " heap arena ratio", 1},
	} {
		status, out, stderr := runIngest(t.Context(), append(strings.Fields(test.args), small...)...)
		words := regexp.MustCompile(` +`).ReplaceAllString(out, " ")
		if status != 0 || stderr != "" || !strings.Contains(words, test.title) || strings.Count(words, "\n"+test.head) != test.tables {
			t.Errorf("%s: status %d, %s%s", test.args, status, stderr, words)
		}
		if strings.Contains(words, " in 1 batches") && strings.Contains(test.args, "-kafka") {
			t.Errorf("%s: there is to be more than one batch, after each of which the arena is reset: %s", test.args, words)
		}
		want := []string{"profiles/s ", "CPU/profile ", "GC share of CPU ", "GC cycles ", "peak memory ", "All call trees were the same"}
		if strings.Contains(test.head, "ratio") {
			want = append(want, "CPU saved end to end: ")
		}
		for _, want := range want {
			if strings.Count(words, want) < test.tables {
				t.Errorf("%s: not %d times %q in\n%s", test.args, test.tables, want, out)
			}
		}
	}
}

// TestDigest checks that other call trees have another digest, and are an error.
func TestDigest(t *testing.T) {
	random := newRandom(t)
	x, y := newTestService(true), newTestService(false)
	p, _ := randomProfile(random, cpuTypes)
	data := marshal(t, p)
	for i, s := range []*service{x, y} {
		for range 1 + i {
			if err := ingest(t, s, "a", epoch, marshal(t, fixedProfile())); err != nil {
				t.Fatal(err)
			}
		}
		if err := ingest(t, s, "a", epoch, data); err != nil {
			t.Fatal(err)
		}
	}
	i := 0
	_, err := measureRounds(io.Discard, config{rounds: 1, ways: []string{onHeap, inArena}}, "test", func(string) (*run, error) {
		digest, err := []*service{x, y}[i].digest()
		i++
		return &run{digest: digest}, err
	})
	if err == nil || !strings.Contains(err.Error(), "the call trees are not the same") {
		t.Error(err)
	}
}

// TestBatchFile reads damaged batches.
func TestBatchFile(t *testing.T) {
	inputs, err := readInputs(small[:1])
	if err != nil {
		t.Fatal(err)
	}
	var good bytes.Buffer
	if err := writeBatches(&good, inputs, 1, epoch); err != nil {
		t.Fatal(err)
	}
	b := good.Bytes()
	if len(b) < 4<<20-len(inputs[0].data) || len(b) > 8<<20 {
		t.Errorf("a batch of %d bytes", len(b))
	}
	wrongLength := bytes.Clone(b)
	wrongLength[3]-- // the last profile is cut
	for _, test := range []struct {
		data []byte
		want string
	}{
		{b, ""},
		{b[:len(b)-1], "batch 1: unexpected EOF"},
		{b[:3], "batch 1: unexpected EOF"},
		{b[:4], "batch 1: unexpected EOF"},
		{wrongLength, "batch 1: unexpected EOF"},
		{[]byte{255, 0, 0, 0}, "batch 1: a batch of 4278190080 bytes"},
		{append([]byte{0, 0, 0, 4}, 1, 'a', 1, 0), "the profile is invalid"},
		{append([]byte{0, 0, 0, 4}, 1, '{', 1, 0), "is not the name of an application"},
	} {
		file := filepath.Join(t.TempDir(), "batches")
		if err := os.WriteFile(file, test.data, 0o666); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err := batchChild(&out, config{batch: file, window: time.Minute, windows: 3, limit: 1 << 30}, inArena)
		if err == nil && test.want != "" || err != nil && (test.want == "" || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("got %v, want %q", err, test.want)
		}
	}
}

// TestSignal has the program serve, as its own process, takes a profile, and ends it by SIGTERM,
// with the profile saved.
func TestSignal(t *testing.T) {
	dir := t.TempDir()
	for i := range 2 {
		cmd := exec.Command(os.Args[0], "-listen", "127.0.0.1:0", "-data", dir, "-window", "1h")
		cmd.Env = append(os.Environ(), "INGEST_TEST_MAIN=1")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer cmd.Process.Kill()
		line, err := bufio.NewReader(stdout).ReadString('\n')
		if err != nil {
			t.Fatal(err, stderr.String())
		}
		s := &testServer{url: strings.Fields(line)[0]}
		if status, text := s.post(t, "name=app", nil, bytes.NewReader(marshal(t, fixedProfile()))); status != 200 {
			t.Error(status, text)
		}
		if _, text := s.get(t, "/top?app=app"); !strings.Contains(text, fmt.Sprintf("app, cpu/nanoseconds: %dns in 2 functions", 80*(i+1))) {
			t.Error(text)
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
			t.Error(err, stderr.String())
		}
	}
}

// TestManual checks that the manual has every flag.
func TestManual(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	manual, _, _ := strings.Cut(string(source), "package main")
	_, _, usage := runIngest(t.Context(), "-h")
	flags := regexp.MustCompile(`(?m)^  (-[\w-]+)`).FindAllStringSubmatch(usage, -1)
	if len(flags) != 17 {
		t.Errorf("%d flags in\n%s", len(flags), usage)
	}
	for _, f := range flags {
		if !regexp.MustCompile(`(?m)^//\t(-[\w-]+, )?` + f[1] + `\b`).MatchString(manual) {
			t.Errorf("%s is not in the manual", f[1])
		}
	}
	for _, def := range regexp.MustCompile(`\(default ([\d.]+\w*)\)`).FindAllStringSubmatch(usage, -1) {
		if !strings.Contains(manual, "(default "+def[1]+")") {
			t.Errorf("the default %s is not in the manual", def[1])
		}
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		args   string
		status int
		want   string // a regular expression
	}{
		{"-h", 0, `usage: ingest`},
		{"-bad", 2, `flag provided but not defined: -bad`},
		{"-body x", 2, `^ingest: -body is x, and must be plain or gzip\n$`},
		{"-data x", 2, `^ingest: -data is for -listen`},
		{"-window 1ms", 2, `^ingest: -window must be`},
		{"-windows 0", 2, `^ingest: -window must be`},
		{"-maxsize 0", 2, `^ingest: -maxsize must be`},
		{"-limit 0", 2, `^ingest: -maxsize must be`},
		{"-timeout 0", 2, `^ingest: -timeout must be`},
		{"-rounds 0", 2, `^ingest: -rounds, -conns`},
		{"-n 7", 2, `^ingest: -rounds, -conns`},
		{"none.pb.gz", 1, `^ingest: plain, heap: .*none.pb.gz: no such file`},
		{"-batch none", 1, `^ingest: batches, heap: .*none: no such file`},
		{"-make-batch .", 1, `^ingest: open .: is a directory`},
		{"-listen nowhere:x", 1, `^ingest: listen tcp`},
	} {
		status, _, stderr := runIngest(t.Context(), strings.Fields(test.args)...)
		if status != test.status || !regexp.MustCompile(test.want).MatchString(stderr) {
			t.Errorf("%v: status %d, want %d\n%s\nis not like %s", test.args, status, test.status, stderr, test.want)
		}
	}
}

// TestInterrupt interrupts the program before and while it measures for long.
func TestInterrupt(t *testing.T) {
	for _, after := range []time.Duration{0, 10 * time.Millisecond, 300 * time.Millisecond} {
		for _, args := range []string{"-n 10000000", "-kafka 2000 -rounds 1000"} {
			ctx, cancel := context.WithTimeout(t.Context(), after)
			status, out, stderr := runIngest(ctx, append(strings.Fields(args), small...)...)
			cancel()
			if status != 1 || out != "" || stderr != "ingest: interrupted\n" {
				t.Errorf("%s: status %d, %s%s", args, status, out, stderr)
			}
		}
	}
}
