package json

import (
	"fmt"
	"os"
	"testing"
)

// TestMain says how often arenajson was called.
func TestMain(m *testing.M) {
	code := m.Run()
	fmt.Println("calls of arenajson:", Calls.Load())
	os.Exit(code)
}
