package main

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

	"github.com/arena-go/arena/examples/internal/command"
	"github.com/arena-go/arena/examples/internal/measure"
)

// A child is a server in a process of its own. That ends when its stdin is closed, be
// it by stop, by the end of the context, or because this process is no more.
type child struct {
	addr     string
	cmd      *exec.Cmd
	stdin    io.WriteCloser
	messages *json.Decoder
	stderr   bytes.Buffer
}

// startChild starts a server and waits until it listens.
func startChild(ctx context.Context, args []string, way string) (*child, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.CommandContext(ctx, exe, append([]string{command.ChildFlag, way}, args...)...)}
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
	c.cmd.WaitDelay = timeout // then it is killed
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	m, err := c.message()
	if err != nil {
		return nil, cmp.Or(c.stop(), err)
	}
	c.addr = m.Addr
	return c, nil
}

func (c *child) message() (m message, err error) {
	if err := c.messages.Decode(&m); err != nil {
		return m, fmt.Errorf("the server with process id %d ended early: %w", c.cmd.Process.Pid, err)
	}
	return m, nil
}

// usage returns what the server has used so far, which is until now or afterGC.
func (c *child) usage(when string) (measure.Usage, error) {
	if _, err := io.WriteString(c.stdin, when+"\n"); err != nil {
		return measure.Usage{}, err
	}
	m, err := c.message()
	if err != nil {
		return measure.Usage{}, err
	}
	return *m.Usage, nil
}

// stop ends the server, and waits for it. It is an error if the server has said anything
// on its stderr.
func (c *child) stop() error {
	c.stdin.Close()
	err := c.cmd.Wait()
	text := strings.TrimPrefix(strings.TrimSpace(c.stderr.String()), "requests: ")
	switch {
	case err != nil:
		return fmt.Errorf("the server: %s (%w)", text, err)
	case text != "":
		return fmt.Errorf("the server: %s", text)
	}
	return nil
}
