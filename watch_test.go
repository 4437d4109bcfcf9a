package arena

import (
	"os"
	"testing"

	"github.com/arena-go/arena/internal/books"
	"github.com/arena-go/arena/internal/testrun"
)

// watchedTests is the environment variable with which the tests of this package run as programs do that
// are built to find mistakes. Without it the race detector and the tag arenadebug do their own
// work, and arenas theirs, as in ordinary programs: most tests are about these, and some make the mistakes
// that would be found.
const watchedTests = "ARENA_TEST_WATCHED"

var unwatchers []func()

func TestMain(m *testing.M) {
	if os.Getenv(watchedTests) == "" {
		for _, f := range unwatchers {
			f()
		}
	}
	books.SetReporter(func(*Report) {})
	os.Exit(testrun.Run(m))
}
