package arenatest_test

import (
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenatest"
)

// split returns the words of s in a.
func split(a *arena.Arena, s string) (words []string) {
	for w := range strings.FieldsSeq(s) {
		words = arena.Append(a, words, arena.String(a, w))
	}
	return words
}

var t *testing.T // the T of the test

func ExampleNew() {
	// func TestSplit(t *testing.T) {
	a := arenatest.New(t)
	words := split(a, "one two")
	if len(words) != 2 {
		t.Error(words)
	}
	a.Reset()
	// From here on a use of words[0] would fail the test.
}

func ExampleOptions() {
	// func TestServer(t *testing.T) {
	pool := &arena.Pool{Options: arenatest.Options(t)}
	a := pool.Get()
	defer pool.Put(a) // without this line the test would fail, too
	split(a, "one two")
}

func ExampleGuardDo() {
	// func TestCount(t *testing.T) {
	arenatest.GuardDo(t)
	arena.Do(func(a *arena.Arena) { // in the code that is tested
		split(a, "one two")
	})
}

func ExampleRecover() {
	// func TestSplit(t *testing.T) {
	defer arenatest.Recover(t)
	a := arenatest.New(t)
	words := split(a, "one two")
	a.Reset()
	t.Log(words[0]) // an error of the test, which ends here; other tests go on
}

func ExampleNoHeap() {
	// func TestSplitAllocates(t *testing.T) {
	arenatest.NoHeap(t, func(a *arena.Arena) {
		split(a, "one two") // if this used append, or strings.Fields, the test would fail and say so
	})
}
