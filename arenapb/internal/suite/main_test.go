package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestSuite runs a part of the tests of protobuf-go; `make protobuf` runs all.
func TestSuite(t *testing.T) {
	packages := []string{"./proto", "./internal/testprotos/nullable"}
	if testing.Short() {
		packages = packages[1:]
	}
	report, err := run(t.Context(), t.TempDir(), "protolegacy", packages)
	t.Log(report)
	if err != nil {
		t.Fatal(err)
	}
}

func TestDivertFile(t *testing.T) {
	const src = `package p_test

import (
	"testing"

	pb "example.com/proto"
)

func Test(t *testing.T) {
	_ = pb.UnmarshalOptions{}.Unmarshal
	pb.Unmarshal(pb.Marshal())
	other.Unmarshal()
}
`
	const want = `package p_test

import arenahook "example.com/hook"

import (
	"testing"

	pb "example.com/proto"
)

func Test(t *testing.T) {
	_ = arenahook.UnmarshalOptions{}.Unmarshal
	arenahook.Unmarshal(pb.Marshal())
	other.Unmarshal()
}

var _ pb.Message
`
	if got, err := divertFile([]byte(src), "example.com/proto", "example.com/hook"); err != nil || string(got) != want {
		t.Errorf("diverted it is\n%s, %v", got, err)
	}
	if got, err := divertFile([]byte(src), "example.com/other", "example.com/hook"); err != nil || string(got) != src {
		t.Errorf("without the import it is\n%s, %v", got, err)
	}
}

func TestCompare(t *testing.T) {
	const stream = `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestGood"}
{"Action":"output","Package":"p","Test":"TestGood","Output":"one\n"}
{"Action":"pass","Package":"p","Test":"TestGood"}
{"Action":"run","Package":"p","Test":"TestAway"}
{"Action":"skip","Package":"p","Test":"TestAway"}
{"Action":"run","Package":"p","Test":"TestBad"}
{"Action":"fail","Package":"p","Test":"TestBad"}
{"Action":"run","Package":"p","Test":"TestLast"}
{"Action":"fail","Package":"p"}
`
	heap, err := parse(strings.NewReader(stream))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"p TestGood": "pass", "p TestAway": "skip", "p TestBad": "fail", "p TestLast": "run", "p": "fail"}
	if !maps.Equal(heap.tests, want) {
		t.Errorf("tests are %v, want %v", heap.tests, want)
	}
	if c := compare(heap.tests, heap.tests); c.passed != 1 || c.skipped != 1 || len(c.differ) > 0 || !slices.Equal(c.failed, []string{"p", "p TestBad", "p TestLast"}) {
		t.Errorf("compared with itself: %+v", c)
	}
	arena := maps.Clone(heap.tests)
	arena["p TestGood"] = "fail"
	arena["p TestNew"] = "pass"
	delete(arena, "p TestAway")
	if c := compare(heap.tests, arena); !slices.Equal(c.differ, []string{"p TestAway", "p TestGood", "p TestNew"}) {
		t.Errorf("with another: %+v", c)
	}
	if _, err := parse(strings.NewReader(stream + "PASS\n")); err == nil {
		t.Error("parse takes what is not JSON")
	}
}
