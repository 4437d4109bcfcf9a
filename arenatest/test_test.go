package arenatest_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenadebug"
	"github.com/arena-go/arena/arenatest"
	children "github.com/arena-go/arena/internal/child"
)

// child is the environment variable of the processes in which TestChild makes the mistakes.
const child = "ARENATEST_CHILD"

// catches reports whether CatchFaults is supported. The reports are in the log of a test that ends
// by a fault then.
var catches = runtime.GOOS == "linux" && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64")

type tree struct {
	left, _ *tree
	size    int
}

// A mistake is a program, which is run as a test in another process, and what is to be in the
// output.
type mistake struct {
	f    func(t *testing.T)
	ok   bool     // the test passes
	want []string // in this order; those that begin with ! must not be there at all, and ? are only where CatchFaults is supported
	args []string // of the test binary

	onlyCaught bool // only where CatchFaults is supported does anybody know
}

// cache is where strings of arenas should not be.
var cache = map[string]int{}

// A shy value is text that a method for package fmt uses, which recovers from its panics.
type shy []byte

func (s shy) String() string { return string(append([]byte("copy of "), s[7:]...)) }

// stale is a mistake, in a function whose name is in stacks.
//
//go:noinline
func stale(b []byte) byte { return b[7] }

//go:noinline
func reset(a *arena.Arena) { a.Reset() }

//go:noinline
func get(p *arena.Pool) *arena.Arena { return p.Get() }

// text returns text of a.
//
//go:noinline
func text(a *arena.Arena) []byte { return arena.MakeSlice[byte](a, 10, 10) }

var mistakes = map[string]mistake{
	"none": {ok: true, want: []string{"--- PASS", "!arena: ", "!arenatest: "}, f: func(t *testing.T) {
		defer arenatest.Recover(t)
		a := arenatest.New(t)
		b := arenatest.New(t)
		for range 3 {
			stale(text(a))
			arena.New[tree](a).left = arena.New[tree](a)
			a.Reset()
		}
		b.Free()

		p := &arena.Pool{Options: arenatest.Options(t)}
		last := p.Get()
		t.Cleanup(func() { p.Put(last) })
		p.Do(func(a *arena.Arena) { text(a) })
		p.Drop(p.Get())
		arenatest.GuardDo(t)
		arena.Do(func(a *arena.Arena) { text(a) })
		p.Get().Free()
		g := arena.Group{Options: arenatest.Options(t)}
		text(g.Arena())
		g.Reset()
		text(g.Arena())
		g.Free()
		arena.NewWith(arenatest.Options(t)).Free()
	}},
	"reset": {want: []string{"?test.go:", "?arena: use after Reset: arena TestChild/reset: byte 7 of 10 bytes, a slice of uint8",
		"?used at:", "?arenatest_test.stale", "?ended at:", "?arenatest_test.reset", "?made at:", "--- FAIL: TestChild/reset", "panic: runtime error", "[signal SIGSEGV", "!other: PASS"},
		f: func(t *testing.T) {
			a := arenatest.New(t)
			b := text(a)
			reset(a)
			stale(b)
		}},
	"pool": {want: []string{"?arena: use after Reset: arena TestChild/pool", "?arenatest_test.stale", "?ended at:", "?(*Pool).Put",
		"?arenatest_test.get", "panic: "}, f: func(t *testing.T) {
		p := &arena.Pool{Options: arenatest.Options(t)}
		a := get(p)
		b := text(a)
		p.Put(a)
		stale(b)
	}},
	"recover": {want: []string{"arena: use after Reset: arena TestChild/recover: byte 7 of 10 bytes", "used at:\n", "arenatest_test.stale", "ended at:",
		"arenatest_test.reset", "made at:", "other: PASS", "!panic: "}, f: func(t *testing.T) {
		defer arenatest.Recover(t)
		a := arenatest.New(t)
		b := text(a)
		reset(a)
		stale(b)
	}},
	"recoverTrap": {want: []string{"use after Free: arena TestChild/recoverTrap: through a pointer in a value of type arenatest_test.tree", "other: PASS", "!panic: "},
		f: func(t *testing.T) {
			defer arenatest.Recover(t)
			a := arenatest.New(t)
			p := arena.New[tree](a)
			p.left = arena.New[tree](a)
			a.Free()
			p.left.size++
		}},
	"recoverOnce": {want: []string{"use after Reset: arena TestChild/recoverOnce", "panic: runtime error: invalid memory address or nil pointer"},
		f: func(t *testing.T) {
			a := arenatest.New(t)
			b := text(a)
			reset(a)
			func() {
				defer arenatest.Recover(t)
				stale(b)
			}()
			t.Cleanup(func() { fmt.Println("cleanup") })
			var p *tree
			p.size++ // not to be taken for another use of b
		}},
	"otherPanic": {want: []string{"panic: an error of the test", "!arena: ", "!invalid memory address"}, f: func(t *testing.T) {
		defer arenatest.Recover(t)
		arenatest.New(t)
		panic(errors.New("an error of the test"))
	}},
	"goroutine": {want: []string{"?arena: use after Reset: arena TestChild/goroutine", "fatal error: fault", "arenatest_test.stale"},
		f: func(t *testing.T) {
			a := arenatest.New(t)
			b := text(a)
			reset(a)
			done := make(chan bool)
			go func() {
				defer close(done)
				stale(b)
			}()
			<-done
		}},
	"goroutineRecover": {want: []string{"arena: use after Reset: arena TestChild/goroutineRecover", "arenatest_test.stale", "other: PASS", "!panic: "},
		f: func(t *testing.T) {
			a := arenatest.New(t)
			b := text(a)
			reset(a)
			done := make(chan bool)
			go func() {
				defer close(done)
				defer arenatest.Recover(t)
				debug.SetPanicOnFault(true)
				stale(b)
			}()
			<-done
		}},
	// What recovers from a fault without a word.
	"swallowedByFmt": {want: []string{"?arena: use after Reset: arena TestChild/swallowedByFmt: byte 7 of 10 bytes, a slice of uint8",
		"?used at:", "?arenatest_test.shy.String", "?(*pp).handleMethods", "?ended at:", "?arenatest_test.reset", "?made at:",
		"?--- FAIL: TestChild/swallowedByFmt", "?other: PASS", "!panic: runtime"}, onlyCaught: true,
		f: func(t *testing.T) {
			a := arenatest.New(t)
			b := text(a)
			reset(a)
			if s := fmt.Sprint(shy(b)); !strings.Contains(s, "PANIC") {
				t.Log(s)
			}
		}},
	"swallowedBySlog": {want: []string{"?arena: use after Reset: arena TestChild/swallowedBySlog", "?slog.(*Logger).Info", "?other: PASS"}, onlyCaught: true,
		f: func(t *testing.T) {
			p := &arena.Pool{Options: arenatest.Options(t)}
			a := get(p)
			b := text(a)
			p.Put(a)
			slog.New(slog.NewTextHandler(io.Discard, nil)).Info("stale", "b", shy(b))
		}},
	"swallowedByHandler": {want: []string{"?arena: use after Reset: arena TestChild/swallowedByHandler", "?arenatest_test.stale", "?http.HandlerFunc.ServeHTTP",
		"?other: PASS"}, onlyCaught: true,
		f: func(t *testing.T) {
			g := arena.Group{Options: arenatest.Options(t)}
			b := text(g.Arena())
			g.Reset()
			recoverer := func(h http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					defer func() {
						if recover() != nil {
							http.Error(w, "sorry", 500)
						}
					}()
					h.ServeHTTP(w, r)
				})
			}
			h := recoverer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stale(b) }))
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
			g.Free()
		}},
	"swallowedElsewhere": {want: []string{"?arena: use after Free: arena TestChild/swallowedElsewhere", "?arenatest_test.stale", "?other: PASS"}, onlyCaught: true,
		f: func(t *testing.T) {
			a := arenatest.New(t)
			b := text(a)
			a.Free()
			done := make(chan bool)
			go func() {
				defer close(done)
				defer func() { recover() }()
				debug.SetPanicOnFault(true)
				stale(b)
			}()
			<-done
		}},
	// The report of the fault that ends the test is not the report of the fault that was swallowed
	// before.
	"swallowedBefore": {want: []string{"?arena: use after Reset: arena TestChild/swallowedBefore", "?arenatest_test.shy.String", "!arenatest_test.stale\n", "panic: runtime error: invalid memory"},
		f: func(t *testing.T) {
			a := arenatest.New(t)
			b := text(a)
			reset(a)
			_ = fmt.Sprint(shy(b))
			var p *tree
			p.size++
		}},
	"swallowedMany": {want: []string{"?arena: use after Reset: arena TestChild/swallowedMany", "?, and 99 more such faults", "?other: PASS"}, onlyCaught: true,
		f: func(t *testing.T) {
			a := arenatest.New(t)
			b := text(a)
			reset(a)
			for range 100 {
				_ = fmt.Sprint(shy(b))
			}
		}},
	// A fault that comes before the Reset is not one after it, and the end of another test is not
	// ours.
	"swallowedOverflow": {want: []string{"?arena: access past the end: arena TestChild/swallowedOverflow", "!use after", "?other: PASS"}, onlyCaught: true,
		f: func(t *testing.T) {
			a := arenatest.New(t)
			b := text(a)
			_ = fmt.Sprint(shy(unsafe.Slice(&b[0], 20)[10:]))
			reset(a)
		}},
	"swallowedInTurn": {want: []string{"?use after Reset: arena TestChild/swallowedInTurn/#01", "!use after Reset: arena TestChild/swallowedInTurn/#00"}, onlyCaught: true,
		f: func(t *testing.T) {
			for i := range 3 {
				t.Run("", func(t *testing.T) {
					a := arenatest.New(t)
					b := text(a)
					if i == 1 {
						reset(a)
					}
					_ = fmt.Sprint(shy(b))
				})
			}
		}},
	// What -race does not see.
	"cache": {want: []string{"arena: use after Reset: arena TestChild/cache: byte 0 of 10 bytes, text \"some words\"\n", "other: PASS"}, f: func(t *testing.T) {
		defer arenatest.Recover(t)
		a := arenatest.New(t)
		cache[arena.String(a, "some words")] = 1
		reset(a)
		t.Log(cache[fmt.Sprint("some", " words")])
	}},
	"syncMap": {want: []string{"arena: use after Free: arena TestChild/syncMap: byte 0 of 10 bytes, text", "other: PASS"}, f: func(t *testing.T) {
		defer arenatest.Recover(t)
		a := arenatest.New(t)
		var m sync.Map
		m.Store(arena.String(a, "some words"), 1)
		a.Free()
		t.Log(m.Load(fmt.Sprint("some", " words")))
	}},
	"grown": {want: []string{"arena: use after growth: arena TestChild/grown", "used at:", "ended at:", "(*Map[...]).Set", "other: PASS"}, f: func(t *testing.T) {
		defer arenatest.Recover(t)
		a := arenatest.New(t)
		m := arena.NewMap[int, int](a, 0)
		p := m.Entry(1)
		for i := range 20 {
			m.Set(i, i)
		}
		*p = 77
	}},
	"grownText": {want: []string{"arena: write after growth: arena TestChild/grownText", "ended at:", "(*Map[...]).Set", "other: PASS"}, f: func(t *testing.T) {
		a := arenatest.New(t)
		m := arena.NewMap[string, int](a, 0)
		p := m.Entry("one")
		for i := range 20 {
			m.Set(fmt.Sprint(i), i)
		}
		*p = 77
	}},
	"do": {want: []string{"?arena: use after Reset: arena TestChild/do: byte 7 of 10 bytes", "?used at:", "?arenatest_test.stale", "?ended at:", "?arena.Do", "?other: PASS"},
		onlyCaught: true, f: func(t *testing.T) {
			arenatest.GuardDo(t)
			arenatest.GuardDo(t)
			t.Run("part", func(t *testing.T) {
				arenatest.GuardDo(t)
				arena.Do(func(a *arena.Arena) { text(a) })
			})
			var b []byte
			arena.Do(func(a *arena.Arena) { b = text(a) })
			func() {
				defer func() { recover() }()
				stale(b)
			}()
		}},
	"doOther": {want: []string{"panic: arenatest: GuardDo of TestChild/doOther/two, while that of TestChild/doOther/one has not ended"}, f: func(t *testing.T) {
		begun, end := make(chan bool), make(chan bool)
		go func() {
			t.Run("one", func(t *testing.T) {
				arenatest.GuardDo(t)
				close(begun)
				<-end
			})
		}()
		<-begun
		t.Run("two", func(t *testing.T) { arenatest.GuardDo(t) })
	}},
	"doAfter": {ok: true, want: []string{"other: PASS"}, f: func(t *testing.T) {
		before := arena.SetDoPool(nil)
		arena.SetDoPool(before)
		for range 3 {
			t.Run("", func(t *testing.T) {
				arenatest.GuardDo(t)
				arena.Do(func(a *arena.Arena) { text(a) })
			})
			if now := arena.SetDoPool(before); now != before {
				t.Errorf("the Pool of Do is %p, and was %p", now, before)
			}
		}
	}},
	"write": {want: []string{"arena: write after Reset: arena TestChild/write", "of a value of type arenatest_test.tree", "ended at:", "arenatest_test.reset", "other: PASS"},
		f: func(t *testing.T) {
			a := arenatest.New(t)
			p := arena.New[tree](a)
			reset(a)
			p.size = 5
		}},
	"writeFreed": {want: []string{"arena: write after Free: arena TestChild/writeFreed", "other: PASS"}, f: func(t *testing.T) {
		a := arenatest.New(t)
		p := arena.New[tree](a)
		a.Free()
		p.size = 5
	}},
	"secondFree": {want: []string{"arena: second Free: arena TestChild/secondFree", "used at:", "ended at:", "other: PASS"}, f: func(t *testing.T) {
		a := arenatest.New(t)
		a.Free()
		a.Free()
	}},
	"leak": {want: []string{"arena: no Free and no Put: arena TestChild/leak: 3 arenas from the same place", "arenatest_test.get",
		"arena: no Free and no Put: arena TestChild/leak\n", "other: PASS", "!after the end"}, f: func(t *testing.T) {
		p := &arena.Pool{Options: arenatest.Options(t)}
		for range 3 {
			get(p)
		}
		arena.NewWith(arenatest.Options(t))
	}},
	"leakGroup": {want: []string{"arena: no Free and no Put: arena TestChild/leakGroup\n", "other: PASS"}, f: func(t *testing.T) {
		g := &arena.Group{Options: arenatest.Options(t)}
		t.Cleanup(func() { runtime.KeepAlive(g) })
		g.Arena()
	}},
	"leakTwice": {want: []string{"arena: no Free and no Put: arena TestChild/leakTwice\n", "arena: no Free and no Put: arena TestChild/leakTwice#2\n", "!leakTwice#3"},
		args: []string{"-test.count=2"}, f: func(t *testing.T) {
			arena.NewWith(arenatest.Options(t))
		}},
	"leakCollected": {want: []string{"arena: no Free and no Put: arena TestChild/leakCollected", "arenatest_test.get", "seen", "other: PASS"}, f: func(t *testing.T) {
		o := arenatest.Options(t)
		report, seen := o.Report, make(chan bool)
		o.Report = func(r *arena.Report) {
			report(r)
			close(seen)
		}
		get(&arena.Pool{Options: o})
		runtime.GC()
		<-seen
		t.Log("seen")
	}},
	"kept": {want: []string{
		"arena: kept after the end: arena TestChild/kept: text \"some words\" (10 bytes)\n", "allocated at:\n", "arena.String[...]", "ended at:\n", "(*Arena).Reset", "made at:\n",
		"arena: kept after the end: arena TestChild/kept: a value of type arenatest_test.tree (24 bytes)\n", "ended at:\n", "(*Arena).Free", "other: PASS",
	}, f: func(t *testing.T) {
		a := arenatest.New(t)
		cache[arena.String(a, "some words")] = 1
		cache[strings.Clone(arena.String(a, "some others"))] = 1
		reset(a)
		p := arena.New[tree](a)
		p.left = arena.New[tree](a)
		afterwards = func() { p.size++ }
	}},
	"keptMany": {want: []string{"arena: kept after the end: arena TestChild/keptMany", "10 more values are kept after the end"}, f: func(t *testing.T) {
		a := arenatest.New(t)
		for i := range 30 {
			cache[arena.Sprintf(a, "key %d", i)] = i
		}
	}},
	// A test function that does not return has variables.
	"keptSkipped": {ok: true, want: []string{"--- SKIP", "!arena: "}, f: func(t *testing.T) {
		p := arena.New[tree](arenatest.New(t))
		if p.size == 0 {
			t.SkipNow()
		}
		p.size++
	}},
	"keptFatal": {want: []string{"fatal\n", "!arena: "}, f: func(t *testing.T) {
		p := arena.New[tree](arenatest.New(t))
		if p.size == 0 {
			t.Fatal("fatal")
		}
		p.size++
	}},
	"late": {want: []string{"--- FAIL: TestChild/late", "arenatest: after the end of TestChild/late: arena: second Free: arena TestChild/late", "!Log in goroutine"},
		f: func(t *testing.T) {
			a := arenatest.New(t)
			afterwards = a.Free
			t.Fail() // so that its end is in the output
		}},
	"parallel": {want: []string{"!panic: "}, f: func(t *testing.T) {
		for i := range 8 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				defer arenatest.Recover(t)
				a := arenatest.New(t)
				for j := range 10 * i {
					b := text(a)
					p := arena.New[tree](a)
					reset(a)
					if j == 30 {
						p.size = 1
					}
					if j == 65 {
						stale(b)
					}
				}
			})
		}
	}},
}

// afterwards is run by a test that comes after the mistake, in the same process.
var afterwards = func() {}

// TestChild makes a mistake, if it is asked to.
func TestChild(t *testing.T) {
	name := os.Getenv(child)
	if name == "" {
		return
	}
	t.Run(name, mistakes[name].f)
}

// TestChildLater is what goes on after it.
func TestChildLater(t *testing.T) {
	if os.Getenv(child) == "" {
		return
	}
	afterwards()
	a := arenatest.New(t)
	stale(text(a))
	a.Reset()
	arenadebug.CheckQuarantine()
	t.Cleanup(func() { fmt.Printf("other: %s\n", map[bool]string{false: "PASS", true: "FAIL"}[t.Failed()]) })
}

func TestMistakes(t *testing.T) {
	for name, m := range mistakes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if m.onlyCaught && !catches {
				t.Skip("CatchFaults is not supported")
			}
			if sanitizing && !m.ok {
				t.Skip("the address sanitizer ends the program before")
			}
			cmd := children.Command(t.Context(), append(m.args, "-test.run=^TestChild", "-test.v"), child+"="+name, "GORACE=halt_on_error=0 atexit_sleep_ms=0")
			out, err := cmd.CombinedOutput()
			text := string(out)
			if _, failed := err.(*exec.ExitError); failed == m.ok || err != nil && !failed {
				t.Errorf("the process ended with %v; it should pass: %v", err, m.ok)
			}
			rest := text
			for _, want := range m.want {
				if not, ok := strings.CutPrefix(want, "!"); ok {
					if strings.Contains(text, not) {
						t.Errorf("%q is in the output", not)
					}
					continue
				}
				want, optional := strings.CutPrefix(want, "?")
				if optional && !catches {
					continue
				}
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Errorf("%q is not in the output, or not after what comes before it", want)
					continue
				}
				rest = after
			}
			if name == "parallel" {
				// Subtest i does the first if i > 3, the second if i > 6.
				writes := regexp.MustCompile(`arena: write after Reset: arena TestChild/parallel/#0[4-7]`).FindAllString(text, -1)
				uses := regexp.MustCompile(`(?m)^    \S+ arena: use after Reset: arena TestChild/parallel/#07`).FindAllString(text, -1)
				if len(writes) != 4 || len(uses) != 1 || strings.Contains(text, "parallel/#00:") {
					t.Errorf("%d writes, want 4; %d uses, want 1", len(writes), len(uses))
				}
			}
			for _, c := range []struct {
				name, text string
				n          int
			}{{"leakTwice", "no Free and no Put", 2}, {"leak", "no Free and no Put", 2}, {"recoverOnce", "used at:", 1}} {
				if n := strings.Count(text, c.text); name == c.name && n != c.n {
					t.Errorf("%q is there %d times, want %d", c.text, n, c.n)
				}
			}
			if t.Failed() {
				t.Logf("output:\n%s", text)
			}
		})
	}
}
