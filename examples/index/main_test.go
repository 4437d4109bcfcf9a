package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/examples/internal/command"
	"github.com/arena-go/arena/offheap"
	"github.com/arena-go/arena/ref"
)

// programFlag, as the first argument, makes the test binary the program.
const programFlag = "-program"

// TestMain lets the test binary be the program, and a child of it.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == command.ChildFlag || os.Args[1] == programFlag) {
		args := os.Args[1:]
		if args[0] == programFlag {
			args = args[1:]
		}
		os.Exit(program(context.Background(), os.Stdout, os.Stderr, args))
	}
	// The race detector has processes wait for a second at their end.
	os.Setenv("GORACE", "atexit_sleep_ms=10 "+os.Getenv("GORACE"))
	os.Exit(m.Run())
}

// runIndex runs the program and returns its output.
func runIndex(ctx context.Context, args ...string) (status int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	status = program(ctx, &out, &errOut, args)
	return status, out.String(), errOut.String()
}

// poem is the texts of the tests that look at what is printed.
var poem = map[string]string{
	"io/read.go":  "package io\n\n// Read reads.\nfunc Read() {}\nfunc ReadAll() { Read(); Read() }\n",
	"io/write.go": "package io\n\nfunc Write() {}\nfunc WriteAll() { Write() }\n",
	"main.go":     "package main\n\nfunc main() { io.Write(io.ReadAll()) }\n",
}

func poemDir(t *testing.T) string {
	var names, texts []string
	for name, text := range poem {
		names, texts = append(names, name), append(texts, text)
	}
	return writeTexts(t, names, texts)
}

func Example_answer() {
	b := builder{index: newRefIndex(arena.Options{})}
	for _, name := range []string{"io/read.go", "io/write.go", "main.go"} {
		b.read(name, poem[name])
	}
	b.finish(b.docs)
	for _, query := range []string{"Read", "func io", "ReadAll Wri*", "R*", "none", "none*"} {
		writeAnswer(os.Stdout, b, query)
	}
	writeTop(os.Stdout, b, "*", 3)
	writeWords(os.Stdout, b, "Read")
	b.close()

	// Output:
	// Read: 1 files
	//        3  io/read.go:3
	// func io: 3 files
	//        3  io/read.go:4
	//        3  io/write.go:3
	//        2  main.go:3
	// ReadAll Wri*: 1 files
	//   Wri* is Write 3, WriteAll 1
	//        2  main.go:3
	// R*: 2 files
	//   R* is Read 4, ReadAll 2
	//        4  io/read.go:3
	//        1  main.go:3
	// none: 0 files
	// none*: 0 files
	//   none* is nothing
	//   * is func 5, Read 4, io 4
	//        4  Read
	//        2  ReadAll
	// 2 words begin with Read
}

var times = regexp.MustCompile(`\d[\d.]*(ns|µs|ms|s)\b`)

// TestFile makes a file with the program, and asks it in other processes.
func TestFile(t *testing.T) {
	dir, file := poemDir(t), filepath.Join(t.TempDir(), "go.index")
	ask := func(args ...string) (string, error) {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(exe, append([]string{programFlag, "-file", file, "-top", "1", "-dir", dir}, args...)...).CombinedOutput()
		return times.ReplaceAllString(string(out), "TIME"), err
	}
	const answer = "Wri*: 2 files\n  Wri* is Write 3, WriteAll 1\n       3  io/write.go:3\n       1  main.go:3\n  (TIME)\n  * is func 5\n"
	made, err := ask("Wri*")
	if want := "Read 3 files with 185B in TIME.\n" + answer; err != nil || made != want {
		t.Errorf("%v\n%swant\n%s", err, made, want)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	opened, err := ask("Wri*")
	if want := "Opened " + file + " in TIME.\n" + answer; err != nil || opened != want {
		t.Errorf("%v\n%swant\n%s", err, opened, want)
	}
	listed, err := ask("-words", "Wri")
	if want := "Opened " + file + " in TIME.\n  * is func 5\n       3  Write\n       1  WriteAll\n2 words begin with Wri\n"; err != nil || listed != want {
		t.Errorf("%v\n%swant\n%s", err, listed, want)
	}

	saved, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	flip := func(i int) string {
		b := bytes.Clone(saved)
		b[i] ^= 1
		return string(b)
	}
	type other struct{ N uint32 }
	foreign := func(schema string) string {
		path := filepath.Join(t.TempDir(), "foreign")
		f, err := offheap.Create(path, offheap.FileOptions{Schema: schema})
		if err != nil {
			t.Fatal(err)
		}
		a := arena.NewWith(arena.Options{Memory: f})
		s := ref.In(a)
		r, _ := ref.New[other](s)
		err = offheap.Save(f, s, r)
		a.Free()
		f.Close()
		b, readErr := os.ReadFile(path)
		if err != nil || readErr != nil {
			t.Fatal(err, readErr)
		}
		return string(b)
	}
	for what, test := range map[string]struct{ text, want string }{
		"empty":     {"", "not an arena file"},
		"text":      {strings.Repeat("text\n", 5000), "not an arena file"},
		"cut":       {string(saved[:len(saved)-8]), "bytes"},
		"cut short": {string(saved[:100]), "not an arena file"},
		"long":      {string(saved) + "more", "bytes"},
		"magic":     {flip(0), "not an arena file"},
		"header":    {flip(40), ""},
		"value":     {flip(len(saved) - 9), "the checksum of its values"},
		"schema":    {foreign("people 3"), "people 3"},
		"types":     {foreign(schema), "saved with another type"},
	} {
		if err := os.WriteFile(file, []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		// Neither asking nor measuring takes it, or replaces it.
		out, err := ask("Wri*")
		line := out[strings.LastIndexByte(strings.TrimSpace(out), '\n')+1:]
		if err == nil || !strings.HasPrefix(line, "index: offheap: "+file+": ") || !strings.Contains(out, test.want) || strings.Contains(out, "goroutine") {
			t.Errorf("%s: %v\n%swant %s", what, err, out, test.want)
		}
		if what != "value" {
			status, _, stderr := runIndex(t.Context(), "-file", file, "-dir", poemDir(t), "-duration", "1ms", "-requests", "1", "-rounds", "1")
			if status != 1 || !strings.Contains(stderr, "it is not replaced") {
				t.Errorf("%s: status %d, %s", what, status, stderr)
			}
		}
		if now, err := os.ReadFile(file); err != nil || string(now) != test.text {
			t.Errorf("%s: the file was changed, or %v", what, err)
		}
	}
}

// TestLimit makes indexes that are larger than the limit.
func TestLimit(t *testing.T) {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "word%060d\n", i)
	}
	dir := writeTexts(t, []string{"a.go", "b.go"}, []string{b.String(), "package b\n"})
	file := filepath.Join(t.TempDir(), "index")
	for _, args := range []string{"", "-memory mmap", "-file " + file} {
		// The index has the long words twice, the draft once.
		for limit, want := range map[string]string{"1": "arena index draft holds", "3": "arena index holds"} {
			args := append(strings.Fields(args), "-dir", dir, "-limit", limit, "word1")
			status, _, stderr := runIndex(t.Context(), args...)
			if status != 1 || !strings.HasPrefix(stderr, "index: arena: limit exceeded: "+want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("%s: status %d, %s", args, status, stderr)
			}
		}
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if status, _, stderr := runIndex(t.Context(), "-dir", dir, "-limit", "1", "-rounds", "1", "-duration", "1ms"); status != 1 || !strings.HasPrefix(stderr, "index: refs: arena: limit exceeded") {
		t.Errorf("status %d, %s", status, stderr)
	}
	if status, _, stderr := runIndex(t.Context(), "-dir", dir, "-limit", "100", "word1"); status != 0 {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// TestMeasure measures small indexes.
func TestMeasure(t *testing.T) {
	dir, out := poemDir(t), t.TempDir()
	file, plot := filepath.Join(out, "go.index"), filepath.Join(out, "plot.svg")
	for _, args := range []string{"", "-memory mmap -rounds 2", "-file " + file, "-file " + file, "-plot " + plot} {
		if strings.Contains(args, "-plot") { // a sixteenth of it must have files, too
			var names, texts []string
			for i := range 40 {
				names, texts = append(names, fmt.Sprintf("%02d.go", i)), append(texts, poem["main.go"])
			}
			dir = writeTexts(t, names, texts)
		}
		status, stdout, stderr := runIndex(t.Context(), append([]string{"-dir", dir, "-duration", "5ms", "-requests", "2000", "-rounds", "1"}, strings.Fields(args)...)...)
		if status != 0 || stderr != "" {
			t.Fatalf("%s: status %d, %s", args, status, stderr)
		}
		words := regexp.MustCompile(` +`).ReplaceAllString(stdout, " ")
		for _, want := range []string{"\n heap refs ratio file ratio\n", "\n build ", "\n ready ", "\n GC ", "\n lookups/s ", "\n requests/s ", "\n GC CPU/request ", "\n Go heap ", "\n index 0B ", "\n peak memory ", " had the same answers: digest "} {
			if !strings.Contains(words, want) {
				t.Errorf("%s: no %q in\n%s", args, want, stdout)
			}
		}
		if got := strings.Contains(stdout, "outside of the Go heap"); got != strings.Contains(args, "mmap") {
			t.Errorf("%s: outside of the Go heap: %v", args, got)
		}
		if zero := regexp.MustCompile(`\n (build|ready|lookups/s|requests/s|Go heap|peak.*) (.* )?0[B ]`).FindString(words); zero != "" {
			t.Errorf("%s: nothing measured: %s", args, zero)
		}
	}
	x, err := openIndex(file)
	if err != nil {
		t.Fatal(err)
	}
	if x.files() != 3 {
		t.Errorf("%d files", x.files())
	}
	x.close()
	svg, err := os.ReadFile(plot)
	if err != nil {
		t.Fatal(err)
	}
	if lines := polylines(t, svg); len(lines) != 2*len(ways) || len(lines[0].x) != 5 {
		t.Errorf("the plot has %v", lines)
	}
	if left, err := os.ReadDir(out); err != nil || len(left) != 2 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestDigest changes one thing in an index at a time. Each part of the digest must show it, except
// the part of lookups, which adds lines.
func TestDigest(t *testing.T) {
	for part, of := range map[string]func(r *run, x index){
		"summarize": func(r *run, x index) { r.summarize(x) },
		"lookups":   func(r *run, x index) { r.lookups(x, newSample(x), 1) },
		"load":      func(r *run, x index) { r.load(x, newSample(x), 1) },
	} {
		digest := func(name, text string) uint64 {
			b := builder{index: newHeapIndex()}
			b.read(name, text)
			b.finish(b.docs)
			r := new(run)
			of(r, b)
			return r.Digest
		}
		want := digest("a.go", "b c\nd b d")
		if again := digest("a.go", "b c\nd b d"); again != want {
			t.Errorf("%s: it is %x, then %x", part, want, again)
		}
		for _, test := range [][2]string{{"a.go", "b c\n\nd b d"}, {"a.go", "b c d\nb d"}, {"a.go", "b c\nd bb"}, {"a.go", "b c\nd b e"}, {"a.go", "b c\nd b"}, {"b.go", "b c\nd b d"}} {
			if digest(test[0], test[1]) == want {
				t.Errorf("%s: it is the same for %q", part, test)
			}
			if part == "lookups" {
				break
			}
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
	manual = regexp.MustCompile(`\n//\s+\(default`).ReplaceAllString(manual, " (default")
	_, _, usage := runIndex(t.Context(), "-h")
	flags := regexp.MustCompile(`(?m)^  (-\w+).*\n.*?(\(default .*\))?$`).FindAllStringSubmatch(usage, -1)
	if len(flags) != 12 {
		t.Errorf("%d flags in\n%s", len(flags), usage)
	}
	for _, f := range flags {
		if !regexp.MustCompile(`(?m)^//\t` + f[1] + `\b.*(\n//\t +.*)*` + regexp.QuoteMeta(strings.ReplaceAll(f[2], `"`, ""))).MatchString(manual) {
			t.Errorf("%s %s is not in the manual", f[1], f[2])
		}
	}
	for _, q := range quantities {
		if name, _, _ := strings.Cut(q.Name, " per "); !strings.Contains(manual, "//\t"+name) {
			t.Errorf("%s is not in the manual", name)
		}
	}
}

func TestErrors(t *testing.T) {
	dir, empty := poemDir(t), t.TempDir()
	noWords := writeTexts(t, []string{"a.go"}, []string{"1 + 1\n"})
	for _, test := range []struct {
		args   string
		status int
		want   string // a regular expression
	}{
		{"-h", 0, `usage: index`},
		{"-bad", 2, `flag provided but not defined: -bad`},
		{"-size -1", 2, `^index: -size and -limit must be`},
		{"-limit 2000000", 2, `^index: -size and -limit must be`},
		{"-rounds 0", 2, `^index: -rounds must be 1 to 100`},
		{"-duration 0s", 2, `^index: -duration must be`},
		{"-requests 0", 2, `^index: -requests must be`},
		{"-top -1", 2, `^index: -top must not be`},
		{"-memory x", 2, `^index: -memory is x, and must be go or mmap`},
		{"-dir " + empty, 1, `^index: there are no Go files in .*; name a directory with -dir\n$`},
		{"-dir " + noWords + " -duration 1ms", 1, `^index: heap: there are no words in the files`},
		{"-dir " + dir + " -plot " + empty, 1, `^index: open .*: is a directory`},
		{"-dir " + dir + " -file " + empty, 1, `^index: offheap: .*: not a regular file; it is not replaced`},
		{"-dir " + dir + " -file " + empty + "/none/file Read", 1, `^index: offheap: .*: create: `},
		{"-dir " + dir + " -file " + empty + "/none/file", 1, `^index: mkdir|^index: stat`},
	} {
		status, _, stderr := runIndex(t.Context(), strings.Fields(test.args)...)
		if status != test.status || !regexp.MustCompile(test.want).MatchString(stderr) {
			t.Errorf("%v: status %d, want %d\n%s\nis not like %s", test.args, status, test.status, stderr, test.want)
		}
	}
}

// TestNoSources runs the program where the sources of Go are missing.
func TestNoSources(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{programFlag}, {programFlag, "Read"}} {
		cmd := exec.Command(exe, args...)
		cmd.Env = append(os.Environ(), "GOROOT="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if err == nil || !regexp.MustCompile(`^index: the files to index: .*src.*; name a directory of Go files with -dir\n$`).Match(out) {
			t.Errorf("%v: %v, %s", args, err, out)
		}
	}
}

// TestInterrupt interrupts the program where it measures and where it answers.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir, out := poemDir(t), t.TempDir()
	for _, args := range []string{"-duration 1h", "-file " + out + "/file Read", "-file " + out + "/file"} {
		status, _, stderr := runIndex(ctx, append([]string{"-dir", dir}, strings.Fields(args)...)...)
		if status != 1 || stderr != "index: interrupted\n" {
			t.Errorf("%s: status %d, %s", args, status, stderr)
		}
	}
	if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
