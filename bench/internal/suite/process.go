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

// Output returns the output of a command. The error, if any, contains the command's standard error.
func Output(cmd *exec.Cmd) ([]byte, error) {
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", cmd.Args, err, errors.Bytes())
	}
	return out.Bytes(), nil
}
