package golangci

import "testing"

func TestPlugin(t *testing.T) {
	for _, conf := range []any{nil, map[string]any{"maybe": true}} {
		p, err := New(conf)
		if err != nil {
			t.Fatal(err)
		}
		all, err := p.BuildAnalyzers()
		if err != nil || len(all) != 1 || all[0].Flags.Lookup("maybe").Value.String() != map[bool]string{false: "false", true: "true"}[conf != nil] {
			t.Errorf("%v: %v, %v", conf, all, err)
		}
	}
	p, err := New(map[string]any{"codes": []string{"syncpool", "stale"}})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := p.BuildAnalyzers(); err != nil || all[0].Flags.Lookup("codes").Value.String() != "syncpool,stale" {
		t.Errorf("two codes: %v, %v", all, err)
	}
	if p, err = New(map[string]any{"codes": []string{"pools"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.BuildAnalyzers(); err == nil {
		t.Error("a code that there is not is taken")
	}
	if _, err := New(map[string]any{"maybe": "often"}); err == nil {
		t.Error("wrong settings are taken")
	}
}
