package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena/internal/testrun"
)

// TestSuite runs a part of the tests of protobuf-go; `make protobuf` runs all.
func TestSuite(t *testing.T) {
	packages := []string{"./proto", "./encoding/protojson", "./internal/testprotos/nullable"}
	if !testrun.Long() {
		packages = packages[2:]
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

import hook "example.com/hook"

import (
	"testing"

	pb "example.com/proto"
)

func Test(t *testing.T) {
	_ = hook.UnmarshalOptions{}.Unmarshal
	hook.Unmarshal(pb.Marshal())
	other.Unmarshal()
}

var _ pb.MarshalOptions
`
	if got, err := divertFile([]byte(src), "example.com/proto", "example.com/hook", []string{"Unmarshal", "UnmarshalOptions"}); err != nil || string(got) != want {
		t.Errorf("diverted it is\n%s, %v", got, err)
	}
	if got, err := divertFile([]byte(src), "example.com/other", "example.com/hook", []string{"Unmarshal", "UnmarshalOptions"}); err != nil || string(got) != src {
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

// TestBroken has a package that does not build: what the linker says must not be lost.
func TestBroken(t *testing.T) {
	const events = `{"ImportPath":"example.com/p.test","Action":"build-output","Output":"# example.com/p.test\n"}
{"ImportPath":"example.com/p.test","Action":"build-output","Output":"link: no space left on device\n"}
{"ImportPath":"example.com/p.test","Action":"build-fail"}
{"Action":"output","Package":"example.com/p","Output":"FAIL\texample.com/p [build failed]\n"}
{"Action":"fail","Package":"example.com/p","Elapsed":0,"FailedBuild":"example.com/p.test"}
`
	res, err := parse(strings.NewReader(events))
	if err != nil || res.broken != "# example.com/p.test\nlink: no space left on device\n" || res.tests["example.com/p"] != "fail" {
		t.Errorf("parse: %+v, %v", res, err)
	}
}
