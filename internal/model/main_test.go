package model_test

import (
	"os"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenadebug"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/internal/tools"
)

// watchedTests is the environment variable with which tests run as programs do that are built to
// find mistakes, as in the tests of package arena.
const watchedTests = "ARENA_TEST_WATCHED"

func TestMain(m *testing.M) {
	if os.Getenv(watchedTests) == "" {
		tools.Unwatch()
	}
	arenadebug.SetReporter(func(*arena.Report) {})
	os.Exit(testrun.Run(m))
}

// watched reports whether arenas use no memory again after Reset.
func watched() bool { return tools.Racing || tools.Sanitizing || tools.Filling }

// A person is a value with pointers.
type person struct {
	_, _, _ string
	age, _  int
}
