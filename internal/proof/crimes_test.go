package proof

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena/internal/testrun"
)

// TestCrimes commits each mistake in the use of an arena in a program of its own, built
// in each of the ways that find mistakes, and checks who finds it, with the lines of the
// access, of the Reset and of the arena's making, and that nobody else does. With -v it
// prints a table of all that. Programs that make no mistake must not be reported at all.
func TestCrimes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds programs: not in short mode")
	}
	l := newLab(t)
	// In a group of its own, so that all are done before the table is made.
	t.Run("stale", func(t *testing.T) {
		for _, c := range staleCrimes() {
			l.commit(t, c)
		}
	})
	t.Run("other", func(t *testing.T) {
		for _, c := range otherCrimes() {
			l.commit(t, c)
		}
	})
	t.Run("innocent", l.innocent)
	if testing.Verbose() {
		t.Log("\n" + l.table())
	}
}

// Ways to find mistakes.
const (
	byNone    = "none"    // nothing: an ordinary program
	byCatch   = "catch"   // guard mode with CatchFaults
	byRecover = "recover" // guard mode with FaultReport
	byRace    = "race"
	byAsan    = "asan"
	byDebug   = "arenadebug"
)

var detectors = []string{byNone, byCatch, byRecover, byRace, byAsan, byDebug}

// A lab has the program, built in each way once it is needed.
type lab struct {
	marks    map[string]string // file:line by mark
	programs map[string]func() (string, error)
	places   chan struct{} // as many as programs may run at a time

	mu    sync.Mutex
	names []string                     // of crimes
	found map[string]map[string]string // what was found, by crime and detector
}

func newLab(t *testing.T) *lab {
	l := &lab{
		marks:    marks(t),
		programs: map[string]func() (string, error){},
		places:   make(chan struct{}, 4),
		found:    map[string]map[string]string{},
	}
	dir := t.TempDir()
	for name, flags := range map[string][]string{
		"plain": nil, byRace: {"-race"}, byAsan: {"-asan"}, byDebug: {"-tags=arenadebug"},
	} {
		l.programs[name] = sync.OnceValues(func() (string, error) {
			return buildCrime(filepath.Join(dir, name), flags...)
		})
	}
	return l
}

// errMissing is why a program cannot be built here.
var errMissing = errors.New("")

// buildCrime builds the program. When something is missing that this machine need not have, its
// error is an errMissing.
func buildCrime(name string, flags ...string) (string, error) {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if len(flags) > 0 && flags[0] != "-tags=arenadebug" {
		out, err := exec.Command("go", "env", "CGO_ENABLED", "CC").Output()
		if err != nil {
			return "", err
		}
		cgo, cc, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		if cgo != "1" && runtime.GOOS != "darwin" {
			if _, err := exec.LookPath("gcc"); err != nil {
				return "", fmt.Errorf("%s needs cgo%w, and that a C compiler: install gcc", flags[0], errMissing)
			}
			return "", fmt.Errorf("%s needs cgo%w, which is off: set CGO_ENABLED=1", flags[0], errMissing)
		}
		if cc = strings.Fields(cc + " gcc")[0]; cgo == "1" {
			if _, err := exec.LookPath(cc); err != nil {
				return "", fmt.Errorf("%s needs a C compiler%w, and there is no %s: install gcc", flags[0], errMissing, cc)
			}
		}
	}
	cmd := exec.Command("go", append(append([]string{"build"}, flags...), "-o", name, "./testdata/crimes")...)
	cmd.Env = cleanEnv()
	out, err := cmd.CombinedOutput()
	if m := regexp.MustCompile(`-\w+ (is not supported on .*|is only supported on .*)`).Find(out); m != nil {
		return "", fmt.Errorf("%s%w", m, errMissing)
	}
	if err != nil {
		return "", fmt.Errorf("go build: %v\n%s", err, out)
	}
	return name, nil
}

// cleanEnv returns the environment without what changes how programs and detectors behave.
func cleanEnv(more ...string) []string {
	env := slices.DeleteFunc(os.Environ(), func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		return slices.Contains([]string{"GOGC", "GODEBUG", "GOTRACEBACK", "GORACE", "ASAN_OPTIONS", "GOMEMLIMIT"}, name)
	})
	return append(env, more...)
}

// marks returns the lines of the program that its comments mark.
func marks(t *testing.T) map[string]string {
	marks := map[string]string{}
	files, err := filepath.Glob("testdata/crimes/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("there is no program: ", err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(source), "\n") {
			_, comment, _ := strings.Cut(line, "// ")
			for mark := range strings.SplitSeq(comment, "; ") {
				if regexp.MustCompile(`^(ACCESS|END|MADE) `).MatchString(mark) {
					if marks[mark] != "" {
						t.Fatalf("%s is in %s and in line %d of %s", mark, marks[mark], i+1, file)
					}
					marks[mark] = fmt.Sprintf("%s:%d", filepath.Base(file), i+1)
				}
			}
		}
	}
	return marks
}

// skip ends a test that asks for what is missing here.
func skip(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, errMissing) {
		testrun.Need(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// run runs the program as a detector needs it.
func (l *lab) run(t *testing.T, detector string, args []string, env ...string) string {
	t.Helper()
	kind := detector
	switch detector {
	case byCatch, byRecover:
		kind, args = "plain", append(slices.Clip(args), "-guard="+detector)
	case byNone:
		kind = "plain"
	}
	l.places <- struct{}{}
	defer func() { <-l.places }()
	program, err := l.programs[kind]()
	skip(t, err)
	ctx := testrun.Context(t)
	cmd := exec.CommandContext(ctx, program, args...)
	// The detector reports nothing of an access whose stack it has forgotten.
	cmd.Env = cleanEnv(append([]string{"GORACE=atexit_sleep_ms=0 history_size=7"}, env...)...)
	cmd.Dir = t.TempDir() // where a crash leaves its core
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); cmd.ProcessState == nil || ctx.Err() != nil {
		t.Fatal(err, "\n", out.String())
	}
	if cmd.ProcessState.ExitCode() == 3 {
		if runtime.GOOS == "linux" && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64") {
			t.Fatal(out.String())
		}
		t.Skip(strings.TrimSpace(out.String()))
	}
	return out.String()
}

// A suspect is a crime, and who is to find it how.
type suspect struct {
	name   string
	args   []string
	access string // mark of the access
	end    string // mark of the end, empty if there is none
	made   string // mark of where the arena was made
	row    bool   // it has one in the table
	inner  bool   // the access is in a function that is not the program's

	mistake string            // in a report of this package
	detail  string            // there: a regular expression
	finds   map[string]string // kinds of evidence, by detector; what finds nothing has none
}

// Kinds of evidence.
const (
	aRace   = "race"   // a report of the race detector
	aPoison = "poison" // one of the address sanitizer
	aFault  = "fault"  // a fault and its report
	aWrite  = "write"  // the report of a write that was found later
	aReport = "report" // the report of what is no access
	aPanic  = "panic"  // a panic, with suspect.detail as its text
	anOops  = "oops"   // a panic of Go's, because Reset has made a pointer nil
	aCrash  = "crash"  // a fault without a report
	aFilled = "filled" // a wrong value
	aMiss   = "miss"   // an entry of a map is not found any more
	aSecond = "second" // a panic with the stacks of two goroutines
	aChance = "chance" // nobody knows
)

// commit has a crime committed before each of the detectors.
func (l *lab) commit(t *testing.T, c suspect) {
	if c.row {
		l.names = append(l.names, c.name)
	}
	l.found[c.name] = map[string]string{}
	for _, detector := range detectors {
		kind := c.finds[detector]
		if kind == aChance {
			continue
		}
		t.Run(strings.ReplaceAll(c.name, " ", "-")+"/"+detector, func(t *testing.T) {
			t.Parallel()
			out := l.run(t, detector, c.args)
			line, err := l.judge(c, detector, kind, out)
			if err != nil {
				t.Errorf("%s %q: %v\n%s", detector, c.args, err, out)
				return
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			l.found[c.name][detector] = line
		})
	}
}

// anything is what any detector may say.
var anything = regexp.MustCompile(`(?m)DATA RACE|AddressSanitizer|^arena: |^panic: .*|^fatal error: .*|unexpected fault`)

// judge checks what a detector has printed, and returns the line that says most.
func (l *lab) judge(c suspect, detector, kind, out string) (line string, err error) {
	report := regexp.QuoteMeta("arena: "+c.mistake+": arena scene") + "(: " + c.detail + `( "[^\n]*"…?)?)?\n`
	switch kind {
	case "":
		if m := anything.FindString(out); m != "" || !strings.Contains(out, "end of program\n") {
			return "", fmt.Errorf("reports %q, and is to find nothing", m)
		}
		return "", nil
	case aRace:
		at, before, _ := strings.Cut(out, "\nPrevious ")
		_, before, _ = strings.Cut(before, " created at:\n")
		line, err = l.has(out, `WARNING: DATA RACE`, at, "", c.access, before, "", c.end)
		if err == nil && c.end != "" {
			// The report is read by those who do not know of this package's ways.
			_, wrote, _ := strings.Cut(out, "\nPrevious write at ")
			wrote, _, _ = strings.Cut(wrote, " created at:\n")
			name := "arena.thisMemoryEndedByResetOrFree()"
			if strings.HasSuffix(c.mistake, "growth") {
				name = "arena.thisTableWasLeftByMapThatHasGrown()"
			}
			_, err = l.has(out, `DATA RACE`, wrote, name, "")
		}
		if err == nil {
			line += ", " + regexp.MustCompile(`(Read|Write|Previous \w+) at`).FindString(out) + " " + l.marks[c.access]
		}
		return line, err
	case aPoison:
		if c.inner { // the sanitizer names no callers
			return l.has(out, `AddressSanitizer: use-after-poison`, out, "#0 0x", "")
		}
		return l.has(out, `AddressSanitizer: use-after-poison`, out, "", c.access)
	case aFault:
		used, rest, _ := strings.Cut(out, "ended at:\n")
		ended, made, _ := strings.Cut(rest, "made at:\n")
		if c.end == "" {
			used, made, _ = strings.Cut(out, "made at:\n")
			ended = ""
		}
		if detector == byCatch {
			made, used, _ = strings.Cut(made, "unexpected fault address")
			if !strings.HasPrefix(out, "arena: ") {
				return "", errors.New("the report does not come first")
			}
		}
		return l.has(out, report, used, "", c.access, ended, "", c.end, made, "", c.made)
	case aWrite:
		_, rest, _ := strings.Cut(out, "ended at:\n")
		ended, made, _ := strings.Cut(rest, "made at:\n")
		return l.has(out, report, ended, "", c.end, made, "", c.made)
	case aReport:
		used, rest, _ := strings.Cut(out, "ended at:\n")
		if c.end == "" {
			used = ""
		}
		_, made, _ := strings.Cut(out, "made at:\n")
		return l.has(out, report, used, "", c.access, rest, "", c.end, made, "", c.made)
	case aPanic:
		return l.has(out, "(?m)^panic: "+c.detail, out, "", c.access)
	case anOops:
		return l.has(out, `(?m)^panic: `, out, "", c.access)
	case aCrash:
		return l.has(out, `unexpected fault address`, out, "", c.access)
	case aFilled:
		return l.has(out, `(?m)^read (-(24){3,7}25|[0-9a-f]*db[0-9a-f]*)$`)
	case aMiss:
		return l.has(out, `(?m)^read 0$`)
	case aSecond:
		first, second, _ := strings.Cut(out, "[recovered, repanicked]")
		return l.has(out, `arena: arena scene is used by two goroutines at the same time`,
			first, "the other is\n\tgoroutine ", c.access, second, "goroutine ", c.access)
	}
	return "", fmt.Errorf("no such evidence: %s", kind)
}

// has checks that out matches a pattern, of which it returns the line, and that each of some
// parts of it has a text, and the line of a mark if that is not empty.
func (l *lab) has(out, pattern string, parts ...string) (string, error) {
	at := regexp.MustCompile(pattern).FindStringIndex(out)
	if at == nil {
		return "", fmt.Errorf("%s is not reported", pattern)
	}
	for part := range slices.Chunk(parts, 3) {
		if !strings.Contains(part[0], part[1]) {
			return "", fmt.Errorf("%q is not in\n%s", part[1], part[0])
		}
		if part[2] == "" {
			continue
		}
		line, ok := l.marks[part[2]]
		if !ok {
			return "", fmt.Errorf("no line is marked %s", part[2])
		}
		if !regexp.MustCompile(`crimes/` + regexp.QuoteMeta(line) + `\b`).MatchString(part[0]) {
			return "", fmt.Errorf("%s, %s, is not in\n%s", part[2], line, part[0])
		}
	}
	begin := strings.LastIndexByte(out[:at[0]], '\n') + 1
	line, _, _ := strings.Cut(out[begin:], "\n")
	line = regexp.MustCompile(`0x[0-9a-f]+`).ReplaceAllString(line, "0x…")
	return regexp.MustCompile(`^==\d+==| at pc .*`).ReplaceAllString(line, ""), nil
}

// staleCrimes are the uses of what is stale: all values after Reset, and some of them after
// all that ends an arena, by all goroutines.
func staleCrimes() (all []suspect) {
	const (
		through = `through a pointer in a value of (type|one of the types \[.*) ?`
		plain   = `(byte \d+ of \d+ bytes, )?values of type `
		items   = `(byte \d+ of \d+ bytes, )?a slice of `
		inValue = `byte \d+ of a value of type `
		text    = `((byte \d+|\d+ bytes in front) of \d+ bytes, )?text`
	)
	type seen int
	const (
		clear seen = iota
		inner      // in a function that is not the program's
		blind      // not at all: the compiler does not tell sanitizers of it
	)
	type found struct {
		thing, access string
		guard, detail string // the evidence of guard mode
		debug         string // the result with the tag arenadebug
		sanitizers    seen
	}
	for _, f := range []found{
		// In a struct with pointers only these become inaccessible.
		{"struct", "read", "", "", "", clear},
		{"struct", "write", aWrite, inValue + `main\.node`, "", clear},
		{"field text", "read", aFault, through + `main\.node.*`, aFilled, clear},
		{"field text", "write", aFault, through + `main\.node.*`, "", clear},
		{"field slice", "read", aFault, through + `main\.node.*`, aFilled, clear},
		{"field slice", "write", aFault, through + `main\.node.*`, "", clear},
		{"field ptr", "read", aFault, through + `main\.node.*`, aFilled, clear},
		{"field ptr", "write", aFault, through + `main\.node.*`, "", clear},
		// Interfaces become nil: what uses them panics in its own way.
		{"field any", "read", anOops, ``, aFilled, clear},
		{"field any", "write", anOops, ``, "", clear},
		{"plain", "read", aFault, plain + `main\.point`, aFilled, clear},
		{"plain", "write", aFault, plain + `main\.point`, "", clear},
		{"ints", "read", aFault, items + `int`, aFilled, clear},
		{"ints", "write", aFault, items + `int`, "", clear},
		{"bools", "read", "", "", "", clear},
		{"bools", "write", aWrite, inValue + `bool`, "", clear},
		{"pointers", "read", "", "", "", clear},
		{"pointers", "write", aWrite, inValue + `\*main\.point`, "", clear},
		{"elements", "read", aFault, through + `\*main\.point.*`, aFilled, clear},
		{"elements", "write", aFault, through + `\*main\.point.*`, "", clear},
		// The compiler takes the bytes of a string to be constant: sanitizers see what copies
		// them, and not what looks at one, or compares them.
		{"text", "read", aFault, `(byte \d+ of \d+ bytes, )?text`, aFilled, blind},
		{"text ==", "read", aFault, `(byte \d+ of \d+ bytes, )?text`, "", blind},
		{"text copied", "read", aFault, text, aFilled, inner},
		{"text +", "read", aFault, text, aFilled, blind},
		{"text strings.Clone", "read", aFault, text, aFilled, blind},
		{"text bytes", "read", aFault, text, aFilled, blind},
		{"text Contains", "read", aFault, text, "", blind},
		{"text range", "read", aFault, text, "", blind},
		{"text cache", "read", aFault, text, aMiss, blind},
		{"text sync.Map", "read", aFault, text, aMiss, blind},
		// The functions of the package show them what they read.
		{"text Clone", "read", aFault, text, aFilled, inner},
		{"text DeepClone", "read", aFault, text, aFilled, inner},
		{"text String", "read", aFault, text, aFilled, inner},
		{"text String nil", "read", aFault, text, aFilled, inner},
		{"text Concat", "read", aFault, text, aFilled, inner},
		{"text Join", "read", aFault, text, aFilled, inner},
		{"text WriteString", "read", aFault, text, "", inner},
		{"text WriteQuote", "read", aFault, text, "", inner},
		{"text Sprintf", "read", aFault, text, aFilled, inner},
		{"text Printf", "read", aFault, text, "", inner},
		{"text Map.Set", "read", aFault, text, "", inner},
		{"text Map.Get", "read", aFault, text, aMiss, inner},
		{"text kept", "read", aFault, text, aMiss, inner},
		{"text RefTextMap", "read", aFault, text, "", inner},
		{"text RefTextTree", "read", aFault, text, "", inner},
		{"text RefString", "read", aFault, text, "", inner},
		{"text", "write", aFault, `(byte \d+ of \d+ bytes, )?text`, "", clear},
		{"built", "read", aFault, items + `uint8`, aFilled, blind},
		{"built", "write", aFault, items + `uint8`, "", clear},
		{"builder", "read", aFault, through + `arena\.Builder.*`, aFilled, inner},
		{"builder", "write", aFault, through + `arena\.Builder.*`, "", inner},
		{"map", "read", aFault, through + `arena\.Map\[int,int\].*`, "", inner},
		{"map", "write", aFault, through + `arena\.Map\[int,int\].*`, anOops, inner},
		{"map all", "read", aFault, through + `arena\.Map\[int,int\].*`, "", inner},
		{"value", "read", aFault, plain + `main\.point`, aFilled, clear},
		{"value", "write", aFault, plain + `main\.point`, "", clear},
		{"values", "read", aFault, items + `int`, aFilled, clear},
		{"values", "write", aFault, items + `int`, "", inner},
	} {
		for _, end := range []string{"Reset", "Free", "Put", "GuardEvery", "Do", "Group.Reset", "Group.Free", "Group.Go", "Rewind"} {
			for _, other := range []bool{false, true} {
				// What comes to the same in all the others is tried with these.
				few := f.thing == "struct" || f.thing == "ints"
				if (end != "Reset" || other) && !few || end == "GuardEvery" && (f.thing != "ints" || other) {
					continue
				}
				s := suspect{
					name:    fmt.Sprintf("%s %s after %s", f.thing, f.access, end),
					args:    []string{"-thing=" + f.thing, "-access=" + f.access, "-end=" + end},
					access:  "ACCESS " + f.thing + " " + f.access,
					end:     "END " + end,
					made:    "MADE " + end,
					row:     !other && (end == "Reset" || f.thing == "ints"),
					inner:   f.sanitizers == inner,
					mistake: "use after Reset",
					detail:  f.detail,
					finds: map[string]string{
						byCatch: f.guard, byRecover: f.guard, byRace: aRace, byAsan: aPoison, byDebug: f.debug,
					},
				}
				if other {
					s.name += " by another goroutine"
					s.args = append(s.args, "-other")
				}
				if f.guard == aWrite {
					s.mistake = "write after Reset"
				}
				switch {
				case strings.HasSuffix(end, "Free"):
					s.mistake = strings.Replace(s.mistake, "Reset", "Free", 1)
				case end == "Rewind":
					s.mistake = strings.Replace(s.mistake, "Reset", end, 1)
				}
				if f.sanitizers == blind {
					delete(s.finds, byRace)
					delete(s.finds, byAsan)
				}
				switch {
				case f.debug == aMiss:
					// Nobody has written over the key yet.
				case strings.HasPrefix(f.thing, "field ") || f.thing == "elements" || f.thing+f.access == "builderread" ||
					f.thing+f.access == "mapwrite":
					s.finds[byNone] = anOops
				case end == "GuardEvery": // it is guard mode in all programs
					s.finds[byNone], s.finds[byDebug] = aCrash, aCrash
				}
				all = append(all, s)
			}
		}
	}
	return all
}

func byAll(kind string) map[string]string {
	m := map[string]string{}
	for _, d := range detectors {
		m[d] = kind
	}
	return m
}

// otherCrimes are those that are not the use of what is stale.
func otherCrimes() (all []suspect) {
	for _, o := range []struct {
		name   string
		guard  string
		detail string
	}{
		{"byte", aFault, `(0 bytes behind the end of \d+ bytes, )?a slice of uint8`},
		{"stride", aFault, `(0 bytes behind the end of \d+ bytes, )?a slice of \[2\]int64`},
		{"text", aFault, `(0 bytes behind the end of \d+ bytes, )?text`},
		{"value", aFault, `(0 bytes behind the end of \d+ bytes, )?values of type main\.point`},
		{"many", "", ""}, // the first 256 have fences
	} {
		for _, access := range []string{"read", "write"} {
			all = append(all, suspect{
				name:    "overflow " + o.name + " " + access,
				args:    []string{"-crime=overflow " + o.name, "-access=" + access},
				access:  "ACCESS beyond " + access,
				made:    "MADE overflow " + o.name,
				row:     true,
				mistake: "access past the end",
				detail:  o.detail,
				finds:   map[string]string{byCatch: o.guard, byRecover: o.guard, byAsan: aPoison},
			})
		}
	}
	for _, g := range []struct{ thing, access, guard, detail, debug string }{
		{"map ref", "read", aFault, `(byte \d+ of \d+ bytes, )?a slice of swiss\.Group\[int,int\]`, aFilled},
		{"map ref", "write", aFault, `(byte \d+ of \d+ bytes, )?a slice of swiss\.Group\[int,int\]`, ""},
		// In a table with pointers only these become inaccessible.
		{"map text ref", "read", "", "", ""},
		{"map text ref", "write", aWrite, `byte \d+ of a value of type swiss\.Group\[string,int\]`, ""},
	} {
		s := suspect{
			name: g.thing + " " + g.access, row: true,
			args:   []string{"-thing=" + g.thing, "-access=" + g.access, "-end=growth"},
			access: "ACCESS " + g.thing + " " + g.access, end: "END " + g.thing, made: "MADE growth",
			mistake: "use after growth", detail: g.detail,
			finds: map[string]string{byCatch: g.guard, byRecover: g.guard, byRace: aRace, byAsan: aPoison, byDebug: g.debug},
		}
		if g.guard == aWrite {
			s.mistake = "write after growth"
		}
		all = append(all, s)
	}
	all = append(all, suspect{
		name: "second Free", args: []string{"-crime=second Free"}, row: true,
		access: "ACCESS second Free", end: "END second Free", mistake: "second Free",
		finds: map[string]string{byCatch: aReport, byRecover: aReport, byRace: aReport, byAsan: aReport, byDebug: aReport},
	})
	closed := map[string]string{
		"Reset of freed": `arena: arena scene is used after Free; make a new one`,
		"New after Put":  `arena: arena scene is used after Pool\.Put; Get another`,
		"second Put":     `arena: Pool\.Put of arena scene that lies in the Pool already`,
	}
	for _, name := range slices.Sorted(maps.Keys(closed)) {
		detail := closed[name]
		all = append(all, suspect{
			name: name, row: true, args: []string{"-crime=" + name}, access: "ACCESS " + name, detail: detail, finds: byAll(aPanic),
		})
	}
	users := map[string]string{
		"New": aSecond, "pointers": aSecond, "mixed": aSecond, "MakeSlice": aSecond, "String": aSecond,
	}
	for _, name := range slices.Sorted(maps.Keys(users)) {
		evidence := users[name]
		all = append(all, suspect{
			name: "two goroutines: " + name, row: true, args: []string{"-crime=two " + name}, access: "ACCESS two " + name,
			// In others the arena may see that it is corrupt, or a bounds check may.
			finds: map[string]string{
				byNone: aChance, byCatch: aChance, byRecover: aChance, byAsan: aChance,
				byRace: aRace, byDebug: evidence,
			},
		})
	}
	for _, name := range []string{"lost", "lost of Pool", "lost guarded"} {
		all = append(all, suspect{
			name: name, row: true, args: []string{"-crime=" + name}, made: "MADE " + name, mistake: "no Free and no Put",
			finds: byAll(aReport),
		})
	}
	return append(all, suspect{
		name: "write found when it leaves the quarantine", row: true, args: []string{"-crime=leaves"}, mistake: "write after Reset",
		detail: `byte \d+ of a value of type main\.node`, end: "END leaves", made: "MADE leaves", access: "ACCESS leaves",
		finds: map[string]string{byCatch: aWrite, byRecover: aWrite, byRace: aRace, byAsan: aPoison},
	})
}

// innocent runs programs that make no mistake, and then one.
func (l *lab) innocent(t *testing.T) {
	for _, detector := range detectors {
		t.Run(detector, func(t *testing.T) {
			n := 2000
			if detector == byRace {
				n = testrun.Times(20_000, 100_000)
			}
			args := []string{fmt.Sprint("-cycles=", n), fmt.Sprint("-seed=", testrun.Seed(t))}
			t.Log(args)
			out := l.run(t, detector, append(args, "-crime=load"))
			if out != "end of program\n" {
				t.Errorf("a program without mistakes prints\n%s", out)
			}
			if detector == byNone || detector == byDebug {
				return
			}
			out = l.run(t, detector, append(args, "-crime=load stale", "-thing=ints", "-access=write", "-cycles=2000"))
			for _, c := range staleCrimes() {
				if c.name == "ints write after Reset" {
					if _, err := l.judge(c, detector, c.finds[detector], out); err != nil {
						t.Errorf("after a load: %v\n%s", err, out)
					}
				}
			}
		})
	}
	// What tests of others rely on: testing/synctest, and that no goroutines are left.
	for _, detector := range []string{byNone, byRace} {
		t.Run("bubble/"+detector, func(t *testing.T) {
			args := []string{"test", "-count=1"}
			if detector == byRace {
				_, err := l.programs[byRace]()
				skip(t, err)
				args = append(args, "-race")
			}
			cmd := exec.CommandContext(t.Context(), "go", append(args, "./testdata/crimes")...)
			cmd.Env = cleanEnv()
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestFaultsOfSystem checks that guard mode goes on with ordinary memory when the system
// refuses to protect more of it, and when it has as many pages as there may be; and that what is
// written to that memory too late is found all the same.
func TestFaultsOfSystem(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds programs: not in short mode")
	}
	l := newLab(t)
	for _, crime := range []string{"refused", "no wards"} {
		t.Run(crime, func(t *testing.T) {
			if crime == "refused" && runtime.GOOS != "linux" {
				t.Skip("only linux lets a program use up its mappings in this way")
			}
			out := l.run(t, byRecover, []string{"-crime=" + crime})
			for _, what := range []string{"byte 0 of a value of type main.point", "byte 0 of a value of type main.node", "text or a plain value"} {
				if strings.Count(out, "arena: write after Reset: arena scene: "+what+"\n") != 1 {
					t.Errorf("the write to %s is not reported once", what)
				}
			}
			if !strings.HasSuffix(out, "end of program\n") {
				t.Error("the program does not go on to its end")
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}

// table returns what was found, in Markdown.
func (l *lab) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| mistake | %s |\n|%s\n", strings.Join(detectors, " | "), strings.Repeat("---|", len(detectors)+1))
	for _, name := range l.names {
		fmt.Fprintf(&b, "| %s |", name)
		for _, d := range detectors {
			line, ok := l.found[name][d]
			switch {
			case !ok:
				line = "by chance, or not tried"
			case line == "":
				line = "-"
			default:
				line = "`" + line + "`"
			}
			fmt.Fprintf(&b, " %s |", line)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// A tableRow is a row of the table in docs/debugging.md: a mistake, and the crimes that it
// represents, as regular expressions of their names.
type tableRow struct{ mistake, crimes string }

var tableRows = []tableRow{
	{"a stale `*T` is read, T has no pointers", `plain read after Reset`},
	{"a stale `*T` is read, T has pointers", `struct read after Reset`},
	{"…and written to", `struct write after Reset`},
	{"a pointer, string or slice *in* a stale T is followed", `(field (text|slice|ptr)|elements) read after Reset`},
	{"an interface in a stale T is used", `field any read after Reset`},
	{"an element of a stale slice of numbers is read", `ints read after Reset`},
	{"…and written to", `ints write after Reset`},
	{"a stale string is copied by `append`, `copy` or `fmt`", `text copied read after Reset`},
	{"a stale string is indexed", `text read after Reset`},
	{"a stale string is copied by `+`, `[]byte(s)` or `strings.Clone`", `text (\+|bytes|strings.Clone) read after Reset`},
	{"a stale string is compared, searched, or ranged over", `text (==|Contains|range) read after Reset`},
	{"a stale string is copied, or a key, by `String`, `Clone`, `DeepClone`, `Concat`, `Join`, `Sprintf`", `text (Clone|DeepClone|String|String nil|Concat|Join|Sprintf) read after Reset`},
	{"…by `Builder`, `Map.Set`, `ref.TextMap`, `ref.TextTree`, `ref.String`", `text (WriteString|WriteQuote|Printf|Map.Set|RefTextMap|RefTextTree|RefString) read after Reset`},
	{"a string of an arena is the key of a `map` or `sync.Map`, and looked up after Reset", `text (cache|sync.Map) read after Reset`},
	{"the same, of a `Map`", `text (kept|Map.Get) read after Reset`},
	{"a stale `Map` is read", `map( all)? read after Reset`},
	{"…and written to", `map write after Reset`},
	{"`p := m.Entry(k)` of a `Map` without pointers is written to when the `Map` has grown", `map ref write`},
	{"…of a `Map` with pointers", `map text ref write`},
	{"the same as in a slice of numbers after `Free`, `Pool.Put`, `Do`, `Group.Reset`, by another goroutine", `ints write after (Free|Put|Do|Group.*)( by another goroutine)?`},
	{"unsafe code goes past the end of a value without pointers, a slice or text", `overflow (byte|stride|text|value) (read|write)`},
	{"…of the 257th in an arena", `overflow many (read|write)`},
	{"two goroutines use one arena", `two goroutines: .*`},
	{"a second `Free`", `second Free`},
	{"an arena is dropped, and tracked", `lost( of Pool| guarded)?`},
}

// evidence is what the table has for a kind of it.
var evidence = map[string]string{
	"": "**-**", aRace: "`DATA RACE`", aPoison: "`use-after-poison`", aPanic: "a panic", anOops: "Go's own panic", aCrash: "a fault",
	aFilled: "reads 0xDB…", aMiss: "the entry is missing", aSecond: "`arena: … is used by two goroutines`", aChance: "by chance",
}

// crimesTable returns the table of docs/debugging.md. What it says of a crime TestCrimes has seen,
// or fails.
func crimesTable() (string, error) {
	all := append(staleCrimes(), otherCrimes()...)
	columns := []string{byRace, byCatch, byAsan, byDebug}
	var b strings.Builder
	b.WriteString("| mistake | `-race` | guard mode | `-asan` | `-tags arenadebug` |\n|---|---|---|---|---|\n")
	for _, row := range tableRows {
		cells := map[string][]string{}
		for _, c := range all {
			if !regexp.MustCompile("^(" + row.crimes + ")$").MatchString(c.name) {
				continue
			}
			for _, d := range columns {
				cell := evidence[c.finds[d]]
				switch c.finds[d] {
				case aFault, aReport:
					cell = "`arena: " + c.mistake + "`"
				case aWrite:
					cell = "`arena: " + c.mistake + "`, later"
				}
				if !slices.Contains(cells[d], cell) {
					cells[d] = append(cells[d], cell)
				}
			}
		}
		fmt.Fprintf(&b, "| %s |", row.mistake)
		for _, d := range columns {
			if len(cells[d]) == 0 {
				return "", fmt.Errorf("no crime is %s", row.crimes)
			}
			fmt.Fprintf(&b, " %s |", strings.Join(cells[d], ", "))
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// TestCrimesTable checks that docs/debugging.md says of each mistake what TestCrimes finds: no
// more, and no less.
func TestCrimesTable(t *testing.T) {
	const name, begin, end = root + "/docs/debugging.md", "<!-- crimes -->\n\n", "\n<!-- /crimes -->"
	want, err := crimesTable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	got, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no table between %q and %q", name, begin, end)
	}
	if got == want {
		return
	}
	if !*update {
		t.Fatalf("%s has another table than TestCrimes; run go test ./internal/proof -run TestCrimesTable -update to have\n%s", name, want)
	}
	if err := os.WriteFile(name, []byte(before+begin+want+end+after), 0o666); err != nil {
		t.Fatal(err)
	}
}
