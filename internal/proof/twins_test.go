package proof

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestTwins: packages that two modules have, since modules share no internal packages, are the same but for their comments on that, which end with the package
// clause. So the tests of the first are those of both.
func TestTwins(t *testing.T) {
	for _, name := range []string{"internal/pending/pending.go", "internal/pending/await.go", "internal/stack/stack.go"} {
		twins := [2]string{"arenagrpc/" + name, "arenaconnect/" + name}
		var code [2][]byte
		for i, name := range twins {
			src, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				t.Fatal(err)
			}
			_, after, ok := bytes.Cut(append([]byte("\n"), src...), []byte("\npackage "))
			if !ok {
				t.Fatalf("%s has no package clause", name)
			}
			code[i] = after
		}
		if !bytes.Equal(code[0], code[1]) {
			t.Errorf("%s and %s differ: what is changed in one belongs into the other", twins[0], twins[1])
		}
	}
}
