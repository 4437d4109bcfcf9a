package golangci

import (
	"fmt"
	"strings"
	"testing"

	"github.com/arena-go/arena/cmd/arena/arenavet"
)

func TestPlugin(t *testing.T) {
	for _, test := range []struct {
		conf  map[string]any
		names string
	}{
		{nil, strings.Join(arenavet.Codes(), " ")}, {map[string]any{"maybe": true}, strings.Join(arenavet.Codes(), " ")},
		{map[string]any{"codes": []string{"syncpool", "stale"}}, "syncpool stale"},
	} {
		p, err := New(test.conf)
		if err != nil {
			t.Fatal(err)
		}
		all, err := p.BuildAnalyzers()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, a := range all {
			names = append(names, a.Name)
		}
		if got := strings.Join(names, " "); got != test.names {
			t.Errorf("%v: %s", test.conf, got)
		}
		if got, want := arenavet.Analyzer.Flags.Lookup("maybe").Value.String(), fmt.Sprint(test.conf["maybe"] == true); got != want {
			t.Errorf("%v: maybe is %s", test.conf, got)
		}
	}
	p, err := New(map[string]any{"codes": []string{"pools"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.BuildAnalyzers(); err == nil {
		t.Error("a code that there is not is taken")
	}
	if _, err := New(map[string]any{"maybe": "often"}); err == nil {
		t.Error("wrong settings are taken")
	}
}
