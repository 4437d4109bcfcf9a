package order

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"
)

func (n *Node) String() string {
	if n == nil {
		return "nil"
	}
	return fmt.Sprintf("{%q %q %d %v %v %q}", n.A, n.B, n.N, n.V, n.Next, n.Words)
}

// TestRun compares what is made with what was made the first time that the test ran, which want.txt has, or race.txt with the race detector: it has the compiler look up
// in maps earlier.
func TestRun(t *testing.T) {
	for range 20 {
		r := Run()
		var out bytes.Buffer
		for _, s := range r.Texts {
			fmt.Fprintf(&out, "%q\n", s)
		}
		fmt.Fprintln(&out, r.Nodes, r.Lists, r.Maps, r.Lines)
		for _, v := range r.Anys {
			fmt.Fprintf(&out, "%v\n", v)
		}
		want, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			want, err = out.Bytes(), os.WriteFile(file, out.Bytes(), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.Bytes(), want) {
			got, want := bytes.Split(out.Bytes(), []byte("\n")), bytes.Split(want, []byte("\n"))
			for i := range min(len(got), len(want)) {
				if !bytes.Equal(got[i], want[i]) {
					t.Errorf("line %d: %s, want %s", i+1, got[i], want[i])
				}
			}
			t.Fatalf("%d lines, want %d", len(got), len(want))
		}
	}
}
