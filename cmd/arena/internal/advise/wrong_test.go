package advise

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWrong has profiles of programs where an arena saves nothing, or little, and of whose code
// most looks as if it moved. feeds is a service that reads feeds by mmcdole/gofeed, of another
// module. The other files are made by
//
//	go run ./cmd/arena/internal/predicted -module path@version -bench pattern -count 0 -record file
func TestWrong(t *testing.T) {
	for _, c := range []struct {
		name    string
		verdict Verdict
		reason  Reason
	}{
		{"css", No, SettingsFirst},
		{"dns", Perhaps, Uncertain},
		{"pprof", No, SettingsFirst},
		{"feeds", No, SettingsFirst},
	} {
		f, err := os.Open(filepath.Join(testdata, c.name+".record"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		in, err := ReadRecord(f)
		if err != nil {
			t.Fatal(err)
		}
		a, err := Analyze(in)
		if err != nil {
			t.Fatal(err)
		}
		if a.Verdict != c.verdict || a.Reason != c.reason {
			t.Errorf("%s: %v by %d: %s", c.name, a.Verdict, a.Reason, a.Why)
		}
		// Without sources the upper end is as high as by hand.
		in.Sites, in.ByHand, in.Stays = nil, 0, false
		if a, err = Analyze(in); err != nil || a.Verdict == Yes || a.ByHand < 2*worthIt {
			t.Errorf("%s without sources: %v, %v: %s", c.name, err, a.Verdict, a.Why)
		}
	}
}
