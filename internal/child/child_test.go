package child

import (
	"os"
	"strings"
	"testing"
)

// TestCommand checks that a child is run by what the variable says, and that a child's child would
// be.
func TestCommand(t *testing.T) {
	before := os.Getenv(Exec)
	t.Setenv(Exec, "first -x")
	cmd := Command(t.Context(), []string{"-test.run=^$"}, "A=b")
	if got := strings.Join(cmd.Args, " "); got != "first -x "+os.Args[0]+" -test.run=^$" {
		t.Errorf("the command is %s", got)
	}
	if env := strings.Join(cmd.Env, "\n"); !strings.Contains(env, Exec+"=first -x\n") || !strings.HasSuffix(env, "\nA=b") {
		t.Errorf("its environment is\n%s", env)
	}
	t.Setenv(Exec, before)
	if out, err := Command(t.Context(), []string{"-test.run=^$"}).CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}
