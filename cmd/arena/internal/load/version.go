package load

import (
	"fmt"
	"go/version"
	"os/exec"
	"strings"
)

// TooNew says that the go command in dir is newer than this program's Go, given its version.
func TooNew(dir, mine string) error {
	cmd := exec.Command("go", "env", "GOVERSION")
	cmd.Dir = dir
	out, err := cmd.Output()
	if v := strings.TrimSpace(string(out)); err == nil && Newer(v, mine) {
		return fmt.Errorf("the go command is %s, and this command was built with %s, which cannot read its packages: install it again with the newer one", v, mine)
	}
	return nil // or what is loaded has the error
}

// Newer reports whether a Go has a newer language than this program's Go.
func Newer(v, mine string) bool {
	return version.IsValid(mine) && version.Compare(version.Lang(v), version.Lang(mine)) > 0
}
