//go:build linux

package mysql_test

import (
	"bytes"
	"database/sql"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/arena-go/arena/internal/testrun"
	_ "github.com/go-sql-driver/mysql"
)

func TestMain(m *testing.M) { os.Exit(testrun.Run(m)) }

// startMySQL starts a private MariaDB in a temporary directory, which listens on a Unix socket
// there and nowhere else, and returns how to connect to it. It skips the test where none is
// installed.
func startMySQL(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"mariadbd", "mariadb-install-db"} {
		testrun.NeedProgram(t, name, "Debian package mariadb-server")
	}
	dir, err := os.MkdirTemp("", "mysql") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL} // which a test that panics does not stop
	if os.Getuid() == 0 {                                                   // the server refuses to be root
		u, err := user.Lookup("nobody")
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	var output lockedBuffer
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, append([]string{"--no-defaults", "--datadir=" + filepath.Join(dir, "data")}, args...)...)
		cmd.Dir, cmd.SysProcAttr = dir, attr
		cmd.Stdout, cmd.Stderr = &output, &output
		return cmd
	}
	if err := command("mariadb-install-db", "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve").Run(); err != nil {
		t.Fatalf("%v\n%s", err, output.text())
	}
	socket := filepath.Join(dir, "s")
	server := command("mariadbd", "--socket="+socket, "--pid-file="+filepath.Join(dir, "pid"), "--skip-networking", "--skip-grant-tables", "--innodb-buffer-pool-size=32M",
		"--innodb-flush-log-at-trx-commit=0")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		server.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		server.Process.Kill()
		<-ended
	})
	dsn := "root@unix(" + socket + ")/mysql"
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for db.Ping() != nil {
		select {
		case <-ended:
			t.Fatalf("the server has ended\n%s", output.text())
		case <-time.After(20 * time.Millisecond):
		}
	}
	if _, err := db.Exec("create database arena character set utf8mb4"); err != nil {
		t.Fatal(err)
	}
	return "root@unix(" + socket + ")/arena"
}

// A lockedBuffer has what processes print.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
