package suite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
)

// Reply runs a command, and decodes what it writes to its standard output into v.
func Reply(v any, cmd *exec.Cmd) error {
	out, err := Output(cmd)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, v)
}

// Output is that of a command. What it writes to its standard error is in the error, if there is
// one.
func Output(cmd *exec.Cmd) ([]byte, error) {
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", cmd.Args, err, errors.Bytes())
	}
	return out.Bytes(), nil
}
