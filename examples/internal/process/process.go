// Package process runs parts of a program in processes of their own, so that what each uses can be
// measured.
package process

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/arena-go/arena/examples/internal/command"
)

// A Child is a part of the program in a process of its own, which writes messages in JSON. It ends
// when its stdin is closed, be it by Stop, by the end of the context, or because this process is no
// more.
type Child struct {
	name     string
	cmd      *exec.Cmd
	stdin    io.WriteCloser
	messages *json.Decoder
	stderr   bytes.Buffer
}

// Start starts this program, whose name is given, with a flag that names a part of it, before args.
func Start(ctx context.Context, name string, args []string, part string) (*Child, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &Child{name: name, cmd: exec.CommandContext(ctx, exe, append([]string{command.ChildFlag, part}, args...)...)}
	c.cmd.Stderr = &c.stderr
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.messages = json.NewDecoder(stdout)
	c.cmd.Cancel = c.stdin.Close
	c.cmd.WaitDelay = time.Minute // then it is killed
	return c, c.cmd.Start()
}

// Read reads the next message into m. If there is none the child has been stopped.
func (c *Child) Read(m any) error {
	if err := c.messages.Decode(m); err != nil {
		return cmp.Or(c.Stop(), fmt.Errorf("the process with id %d ended early: %w", c.cmd.Process.Pid, err))
	}
	return nil
}

// Ask sends a line, and reads the message that answers it into m.
func (c *Child) Ask(line string, m any) error {
	if _, err := io.WriteString(c.stdin, line+"\n"); err != nil {
		return err
	}
	return c.Read(m)
}

// Stop ends the child, and waits for it. It is an error if it has said anything on its stderr.
func (c *Child) Stop() error {
	if c.cmd.ProcessState != nil {
		return nil
	}
	c.stdin.Close()
	err := c.cmd.Wait()
	text := strings.TrimPrefix(strings.TrimSpace(c.stderr.String()), c.name+": ")
	switch {
	case err != nil:
		return fmt.Errorf("a child: %s (%w)", text, err)
	case text != "":
		return fmt.Errorf("a child: %s", text)
	}
	return nil
}

// Kill kills the child.
func (c *Child) Kill() error { return c.cmd.Process.Kill() }
