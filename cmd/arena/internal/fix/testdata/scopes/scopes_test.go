package scopes

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
)

const text = "a b ( c d ( e ) ) f"

// all calls what takes arenas from a Pool, and returns what that says.
func all() string {
	var out bytes.Buffer
	texts := []string{text, "x", ")", "b a"}
	fmt.Fprintln(&out, Count(text), First(text), string(Bytes(text)), Build(text), Print(text), Describe(text), Describe(")"), Quote(text))
	fmt.Fprintln(&out, Render(&out, text), Buffer(&out, text), Sorted(text), Locked(text), Must(text), Recovers(text), Recovers(")"))
	s, err := Summary(text)
	Summary("other words ( in ) the ( arena )")
	fmt.Fprintln(&out, s, err)
	fmt.Fprintln(&out, Each(texts), Lines(text), Pairs(texts), Gather(texts), Before([]string{"x y z", text}), Deferred(texts), Channel(text), Visit(text), ByInterface(&maker{}, text))
	return out.String()
}

func TestAll(t *testing.T) {
	want := all()
	for range 3 {
		lock.Lock()
		total = 0
		lock.Unlock()
		if got := all(); got != want {
			t.Fatalf("%s\nthen\n%s", want, got)
		}
	}
	const first = "7 a. roota.b.c.d.e.f. roota.b.c.d.e.f. <root> root 1 too long: root has 7 describe: a parenthesis is missing \"root\"\n"
	if want[:len(first)] != first {
		t.Errorf("%s, want %s", want, first)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := all(); got != want {
				t.Errorf("%s\nthen\n%s", want, got)
			}
		})
	}
	wg.Wait()
}

// TestPanic: what a panic has is valid when the arena is used again.
func TestPanic(t *testing.T) {
	defer func() {
		n := recover().(*Node)
		for range 20 {
			Count("other words")
		}
		if n.Len() != 1002 || n.Children[1000].Name != "w." {
			t.Errorf("%d, %s", n.Len(), n.Children[1000].Name)
		}
	}()
	Must(string(bytes.Repeat([]byte("w "), 1001)))
}
