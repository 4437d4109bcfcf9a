package arena

import (
	"os"
	"testing"

	"github.com/arena-go/arena/internal/books"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/internal/tools"
)

// watchedTests is the environment variable with which the tests of this package run as programs do that
// are built to find mistakes. Without it the race detector and the tag arenadebug do their own
// work, and arenas theirs, as in ordinary programs: most tests are about these, and some make the mistakes
// that would be found.
const watchedTests = "ARENA_TEST_WATCHED"

// few is testrun.Few.
var few = testrun.Few

func TestMain(m *testing.M) {
	if os.Getenv(watchedTests) == "" {
		tools.Unwatch()
	}
	books.SetReporter(func(*Report) {})
	os.Exit(testrun.Run(m))
}
