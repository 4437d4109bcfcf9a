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
	"time"

	"github.com/arena-go/arena/examples/internal/command"
	"github.com/arena-go/arena/examples/internal/measure"
)

// A child is a part of the work in a process of its own. That ends when its stdin is closed, be it by stop, by the end of the
// context, or because this process is no more.
type child struct {
	cmd      *exec.Cmd
	stdin    io.WriteCloser
	messages *json.Decoder
	stderr   bytes.Buffer
}

// startChild starts a child for a part of the work.
func startChild(ctx context.Context, args []string, part string) (*child, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.CommandContext(ctx, exe, append([]string{command.ChildFlag, part}, args...)...)}
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
	c.cmd.WaitDelay = 10 * time.Second // then it is killed
	return c, c.cmd.Start()
}

// message returns the next message. If there is none the child has been stopped.
func (c *child) message() (m message, err error) {
	if err := c.messages.Decode(&m); err != nil {
		return m, cmp.Or(c.stop(), fmt.Errorf("the process with id %d ended early: %w", c.cmd.Process.Pid, err))
	}
	return m, nil
}

// ask sends a line, and returns the message that answers it.
func (c *child) ask(line string) (message, error) {
	if _, err := io.WriteString(c.stdin, line+"\n"); err != nil {
		return message{}, err
	}
	return c.message()
}

// usage returns what a server has used so far, which is until now or afterGC.
func (c *child) usage(when string) (measure.Usage, error) {
	m, err := c.ask(when)
	if err != nil {
		return measure.Usage{}, err
	}
	return *m.Usage, nil
}

// stop ends the child, and waits for it. It is an error if it has said anything on its stderr.
func (c *child) stop() error {
	if c.cmd.ProcessState != nil {
		return nil
	}
	c.stdin.Close()
	err := c.cmd.Wait()
	text := strings.TrimPrefix(strings.TrimSpace(c.stderr.String()), "ingest: ")
	switch {
	case err != nil:
		return fmt.Errorf("a child: %s (%w)", text, err)
	case text != "":
		return fmt.Errorf("a child: %s", text)
	}
	return nil
}
