package arenahttptest_test

import (
	"os"
	"testing"

	"github.com/arena-go/arena/internal/testrun"
)

func TestMain(m *testing.M) { os.Exit(testrun.Run(m)) }
