// Package child starts tests in processes of their own. Only tests import it.
package child

import (
	"context"
	"os"
	"os/exec"
	"strings"
)

// Exec is the environment variable with the program, and its arguments, that runs programs of the
// processor that the tests are built for, where the system does not: qemu-aarch64, for instance.
// Who runs tests with go test -exec sets it to the same.
const Exec = "ARENA_TEST_EXEC"

// Command returns the command that runs this program once more with the given arguments, and ends
// it with ctx. Its environment is this process's, and env.
func Command(ctx context.Context, args []string, env ...string) *exec.Cmd {
	program := append(strings.Fields(os.Getenv(Exec)), os.Args[0])
	cmd := exec.CommandContext(ctx, program[0], append(program[1:], args...)...)
	cmd.Env = append(os.Environ(), env...)
	return cmd
}
