package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const failing = `Running 12 tests with reference-client...
FAILED: Basic/HTTPVersion:1/unary:
	what went wrong: 5
FAILED: Basic/HTTPVersion:2/unary:
	FAILED: this is not a name
Total cases: 12
10 passed, 2 failed
`

func TestCompare(t *testing.T) {
	stock, err := parse("Total cases: 12\n12 passed, 0 failed\n")
	if err != nil || stock.passed != 12 || stock.failed != nil {
		t.Fatal(stock, err)
	}
	got, err := parse(failing)
	if err != nil || got.passed != 10 || len(got.failed) != 2 || got.failed[1] != "Basic/HTTPVersion:2/unary" {
		t.Fatal(got, err)
	}
	if _, err := parse("panic"); err == nil {
		t.Error("output without a total is accepted")
	}
	if _, err := parse("FAILED: a:\n" + failing); err == nil {
		t.Error("output with another total is accepted")
	}
	for _, test := range []struct {
		heap, got result
		ok        bool
	}{
		{stock, stock, true},
		{got, stock, true},
		{got, got, true},
		{stock, got, false},
		{result{passed: 12}, result{passed: 11}, false}, // one was not run
		{result{}, result{}, false},
	} {
		if err := compare(test.heap, test.got); (err == nil) != test.ok {
			t.Errorf("%d and %d passed: %v", test.heap.passed, test.got.passed, err)
		}
	}
}

func TestDivert(t *testing.T) {
	name := filepath.Join(t.TempDir(), "server.go")
	for src, ok := range map[string]bool{
		"import (\n\t\"context\"\n)\n\nvar _ = New(\n\topts...,\n)\n": true,
		"import (\n\t\"context\"\n)\n\nvar _ = New(opts)\n":           false,
	} {
		if err := os.WriteFile(name, []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
		err := divert(name, "example.com/hook")
		got, _ := os.ReadFile(name)
		if (err == nil) != ok || ok && (!strings.Contains(string(got), "arenahook.Options(opts)...,") || !strings.Contains(string(got), `"example.com/hook"`)) {
			t.Errorf("%s\n%v", got, err)
		}
	}
}
