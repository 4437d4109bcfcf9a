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
	if _, err := New(map[string]any{"maybe": "often"}); err == nil {
		t.Error("wrong settings are taken")
	}
}
