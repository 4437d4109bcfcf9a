package fix

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// BenchmarkTurn is what TestTurns has run: it notes its hook's settings, and its loops.
func BenchmarkTurn(b *testing.B) {
	log := os.Getenv("ARENA_FIX_TURNS")
	if log == "" || b.N == 1 { // the testing package tries one loop first
		return
	}
	f, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	fmt.Fprintf(f, "%s %d\n", os.Getenv("ARENA_FIX"), b.N)
}

// TestTurns: the sides run by turns, every other turn backwards, each with the same loops, and with
// a few to subtract.
func TestTurns(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("ARENA_FIX_TURNS", log)
	const count, loops = 7, 100
	sides := []Side{{Binary: os.Args[0], Env: "first", Name: "BenchmarkTurn"}, {Binary: os.Args[0], Env: "second", Name: "BenchmarkTurn"}}
	times, err := Turns(context.Background(), ".", sides, loops, count)
	if err != nil {
		t.Fatal(err)
	}
	if len(times) != 2 || len(times[0]) != count || len(times[1]) != count {
		t.Fatalf("times %v", times)
	}
	for _, side := range times {
		if slices.Min(side) <= 0 {
			t.Errorf("times %v, want all above zero", side)
		}
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	trial := []string{fmt.Sprint("first ", warm), fmt.Sprint("first ", warm+loops)}
	if len(lines) < 3 || !slices.Equal(lines[:2], trial) {
		t.Fatalf("it ran %q, want first %q", lines, trial)
	}
	_, n, _ := strings.Cut(lines[2], " ") // as many as take the time of a turn, which is for the machine to say
	var want []string
	for turn := range count {
		order := []string{"first ", "second "}
		if turn%2 == 1 {
			slices.Reverse(order)
		}
		want = append(want, order[0]+n, order[1]+n)
		if turn < 5 {
			want = append(want, fmt.Sprint(order[0], warm), fmt.Sprint(order[1], warm))
		}
	}
	if n == fmt.Sprint(warm) || !slices.Equal(lines[2:], want) {
		t.Errorf("it ran\n%q, want\n%q", lines[2:], want)
	}
	if _, err := Turns(context.Background(), ".", []Side{{Binary: os.Args[0] + ".none", Name: "BenchmarkTurn"}}, loops, count); err == nil {
		t.Error("no error without a binary")
	}
}

func TestRatios(t *testing.T) {
	times := [][]float64{{6, 2, 9}, {2, 1, 1}}
	ratios := Ratios(times, 1)
	if !slices.Equal(ratios, []float64{3, 2, 9}) {
		t.Errorf("ratios %v, want one for each turn", ratios)
	}
	if m := Median(ratios); m != 3 {
		t.Errorf("median %v", m)
	}
	if m := Median([]float64{4, 1, 2, 8}); m != 3 {
		t.Errorf("median of four %v", m)
	}
}

// hookProgram asks the hook for arenas, and says what they are.
const hookProgram = `package main

import (
	"fmt"

	"` + arenaPath + `"
)

func main() {
	a, end := arenaFixBegin(nil, 1)
	if a == nil {
		end()
		fmt.Println("heap")
		return
	}
	inner, innerEnd := arenaFixBegin(nil, 1) // a root in a root
	arena.New[[64]int](a)
	same := a == inner
	innerEnd()
	own, ownEnd := arenaFixBegin(a, 1) // in a root, a method of what has its arena
	fmt.Println("own", own == a, own.Stats().InUse > 0)
	ownEnd()
	end()
	freed := a.Stats().Freed
	next, nextEnd := arenaFixBegin(nil, 1)
	fmt.Println("nested same", same, "freed", freed, "next same", next == a, "next empty", next.Stats().InUse == 0)
	nextEnd()
	for range 13 {
		_, end := arenaFixBegin(nil, 1)
		end()
	}
	again, end := arenaFixBegin(nil, 1)
	fmt.Println("the sixteenth same", again == a)
	end()
	if again.Stats().Freed {
		return
	}
	arena.New[[64]int](again)
	own, ownEnd = arenaFixBegin(again, 1)
	inner, innerEnd = arenaFixBegin(nil, 1)
	fmt.Println("own later", own == again, own.Stats().InUse > 0, inner != again)
	innerEnd()
	ownEnd()
	other, end := arenaFixBegin(nil, 2)
	back, end2 := arenaFixBegin(nil, 1)
	fmt.Println("of another root", other == again, "back", back == again)
	end()
	end2()

	// With two goroutines more, there are sixteen for each of these.
	stop := make(chan bool)
	for range 2 {
		go func() { <-stop }()
	}
	a, end = arenaFixBegin(nil, 1)
	end()
	for i := range 16 {
		again, end := arenaFixBegin(nil, 1)
		if end(); again == a {
			fmt.Println("again after", i)
			break
		}
	}
	close(stop)
}
`

// TestHook: which arena a root gets in each mode, when the one before has ended.
func TestHook(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module example.com/hook\n\ngo 1.26\n",
		"hook.go": strings.Replace(hookSource, "package hook", "package main", 1),
		"main.go": hookProgram,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := require(context.Background(), dir, "", sources(t)); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "hook.exe")
	if _, err := command(context.Background(), dir, "go", "build", "-o", binary, "."); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[string]string{
		"":          "heap",
		"nil":       "heap",
		"fresh":     "own true true nested same false freed false next same false next empty true the sixteenth same false own later true true true of another root false back false",
		"free":      "own true true nested same false freed true next same false next empty true the sixteenth same false",
		"reset":     "own true true nested same false freed false next same false next empty true the sixteenth same true own later true true true of another root false back false",
		"guard":     "own true true nested same false freed false next same false next empty true the sixteenth same true own later true true true of another root false back false",
		"pool":      "own true true nested same false freed false next same true next empty true the sixteenth same true own later true true true of another root false back true again after 0",
		"guardpool": "own true true nested same false freed false next same true next empty true the sixteenth same true own later true true true of another root false back true again after 0",
	} {
		cmd := exec.Command(binary)
		cmd.Env = append(os.Environ(), "ARENA_FIX="+mode)
		out, err := cmd.CombinedOutput()
		if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != want {
			t.Errorf("%q: %s %v, want %s", mode, got, err, want)
		}
	}
}

// TestOwnArena: a method that is a root and whose receiver has an arena goes on with that. It is
// neither reset between two steps of what a constructor made, nor within a recursion.
func TestOwnArena(t *testing.T) {
	t.Parallel()
	const source = `
-- m.go --
package m

type Reader struct {
	text string
	buf  []byte
	n    int
}

func NewReader(text string) *Reader { return &Reader{text: text} }

func (r *Reader) Next() string {
	if r.buf == nil {
		r.buf = make([]byte, len(r.text))
		copy(r.buf, r.text)
	}
	r.n++
	return string(decimal(nil, r.n)) + string(r.buf)
}

// decimal is strconv.AppendInt, which would have to be analyzed.
func decimal(to []byte, n int) []byte {
	if n > 9 {
		to = decimal(to, n/10)
	}
	return append(to, byte('0'+n%10))
}

type States struct {
	have map[string]int
	key  []byte
}

func (s *States) Add(n int) {
	s.key = decimal(s.key[:0], n)
	if _, ok := s.have[string(s.key)]; ok {
		return
	}
	s.have[string(s.key)] = n
	for less := 100; less < n; less++ {
		s.Add(less)
	}
}
-- m_test.go --
package m

import (
	"strconv"
	"testing"
)

func TestReader(t *testing.T) {
	r := NewReader("text")
	for i := range 50 {
		if got := r.Next(); got != strconv.Itoa(i+1)+"text" {
			t.Fatal(got)
		}
	}
}

func TestStates(t *testing.T) {
	s := &States{have: map[string]int{}}
	if s.Add(140); len(s.have) != 41 {
		t.Fatal(len(s.have))
	}
}
`
	for _, twice := range []bool{false, true} {
		dir := written(t, source)
		roots := []string{"m.NewReader", "m.Reader.Next", "m.States.Add"}
		r, err := Run(Options{Dir: dir, Roots: roots, Twice: twice, Hook: true})
		if err != nil {
			t.Fatal(err)
		}
		text := string(r.Files[filepath.Join(dir, "m.go")])
		for _, want := range []string{"arenaFixBegin(r.arenaOrHeap(), ", "arenaFixBegin(s.arenaOrHeap(), ", "arenaFixBegin(nil, "} {
			if !strings.Contains(text, want) {
				t.Errorf("twice %v: no %s in\n%s", twice, want, text)
			}
		}
		var out strings.Builder
		if err := Test(t.Context(), TestOptions{Options: Options{Dir: dir, Roots: roots, Twice: twice}, Arena: sources(t), Short: true}, &out, &out); err != nil {
			t.Errorf("twice %v: %v\n%s", twice, err, &out)
		}
	}
}
