//go:build unix

// Package postgres starts a private PostgreSQL server for tests, in a temporary directory. It
// listens on a Unix socket there and nowhere else.
package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// ErrMissing is the error where PostgreSQL is not installed.
var ErrMissing = errors.New("postgres: initdb is missing: install PostgreSQL, which is Debian's package postgresql")

// A Server is a PostgreSQL server that runs.
type Server struct {
	DSN string // to connect as a superuser

	dir     string
	command func(name string, args ...string) *exec.Cmd // of PostgreSQL's programs
	cmd     *exec.Cmd
	output  bytes.Buffer
	done    chan struct{} // closed when the process has ended
}

// Start makes an empty database, starts a server for it and waits until it answers. The caller must
// Stop it. As root it runs as another user, because PostgreSQL refuses to be root.
func Start() (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "arenapgx")
	if err != nil {
		return nil, err
	}
	s := &Server{DSN: "host=" + dir + " user=postgres dbname=postgres sslmode=disable", dir: dir}
	err = s.create(bin)
	if err == nil {
		err = s.run()
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("postgres: %w\n%s", err, s.output.Bytes())
	}
	return s, nil
}

// create makes the database.
func (s *Server) create(bin string) error {
	attr := &syscall.SysProcAttr{Setpgid: true} // an interrupt at the terminal is for the tests, which stop the server
	if os.Getuid() == 0 {
		id, err := unprivileged()
		if err != nil {
			return err
		}
		attr.Credential = id
		if err := os.Chown(s.dir, int(id.Uid), int(id.Gid)); err != nil {
			return err
		}
	}
	dieWithParent(attr)
	s.command = func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.Dir, cmd.SysProcAttr = s.dir, attr
		cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
		cmd.Stdout, cmd.Stderr = &s.output, &s.output
		return cmd
	}
	return s.command("initdb", "-D", "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync").Run()
}

// run starts the server, and waits until it answers.
func (s *Server) run() error {
	s.output.Reset()
	cmd, done := s.command("postgres", "-D", "data", "-k", s.dir, "-h", "", "-F", "-c", "log_min_messages=fatal", "-c", "max_connections=50"), make(chan struct{})
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		_ = cmd.Wait() // s.output says why it ended
		close(done)
	}()
	s.cmd, s.done = cmd, done
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		select {
		case <-s.done:
			return errors.New("the server has ended")
		default:
		}
		conn, err := pgx.Connect(context.Background(), s.DSN)
		if err == nil {
			return conn.Close(context.Background())
		}
		if time.Now().After(deadline) {
			s.Kill()
			return err
		}
	}
}

// Stop ends the server, and removes what it had.
func (s *Server) Stop() {
	_ = s.cmd.Process.Signal(syscall.SIGINT) // closes connections
	select {
	case <-s.done:
	case <-time.After(time.Minute):
		s.Kill()
	}
	os.RemoveAll(s.dir)
}

// Kill ends the server with SIGKILL, as a machine does that fails. The processes for the
// connections follow as soon as they find out.
func (s *Server) Kill() {
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	<-s.done
}

// Restart ends the server as Kill does, and starts it again with what it has on disk.
func (s *Server) Restart() error {
	s.Kill()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		err := s.run() // refused while processes for connections are left
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

// programs returns where the programs of PostgreSQL are, of the newest version.
func programs() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	all, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(all) == 0 {
		return "", ErrMissing
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	return filepath.Dir(slices.MaxFunc(all, func(x, y string) int { return version(x) - version(y) })), nil
}

// unprivileged returns the user that the server runs as if we are root.
func unprivileged() (*syscall.Credential, error) {
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ := strconv.Atoi(u.Uid)
			gid, _ := strconv.Atoi(u.Gid)
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, errors.New("there is no user postgres or nobody, and PostgreSQL does not run as root")
}
