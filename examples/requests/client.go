package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"strconv"
	"time"
)

// timeout is how long a request may take, or a server to end.
const timeout = 10 * time.Second

// maxResponse bounds a response in bytes.
const maxResponse = 64 << 20

// A client is a connection that asks one request at a time. It makes no garbage: it
// is to measure the collector of the server, not its own.
type client struct {
	conn net.Conn
	in   *bufio.Reader
	body []byte
}

func newClient(addr string) (*client, error) {
	conn, err := net.DialTimeout("tcp", addr, timeout)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, in: bufio.NewReaderSize(conn, 16<<10)}, nil
}

func (c *client) close() { c.conn.Close() }

// do sends a request and returns the checksum of the response, whose body is in c.body
// until the next one. The status must be 200.
func (c *client) do(request []byte) (sum uint32, err error) {
	if err := c.conn.SetDeadline(time.Now().Add(timeout)); err != nil {
		return 0, err
	}
	if _, err := c.conn.Write(request); err != nil {
		return 0, err
	}
	status, length, err := c.head()
	if err != nil {
		return 0, err
	}
	if length > cap(c.body) {
		c.body = make([]byte, length)
	}
	c.body = c.body[:length]
	if _, err := io.ReadFull(c.in, c.body); err != nil {
		return 0, err
	}
	if status != 200 {
		return 0, fmt.Errorf("status %d: %s", status, c.body)
	}
	return crc32.ChecksumIEEE(c.body), nil
}

// head reads up to the body.
func (c *client) head() (status, length int, err error) {
	line, err := c.line()
	if err != nil {
		return 0, 0, err
	}
	rest, ok := bytes.CutPrefix(line, []byte("HTTP/1.1 "))
	if !ok || len(rest) < 3 {
		return 0, 0, fmt.Errorf("no response of HTTP/1.1: %q", line)
	}
	if status, err = strconv.Atoi(string(rest[:3])); err != nil {
		return 0, 0, fmt.Errorf("no status: %q", line)
	}
	for length = -1; ; {
		line, err := c.line()
		if err != nil {
			return 0, 0, err
		}
		if len(line) == 0 {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, 0, fmt.Errorf("%q: %w", line, err)
			}
		}
	}
	if length < 0 || length > maxResponse {
		return 0, 0, errors.New("a response without a Content-Length, or too large")
	}
	return status, length, nil
}

// line returns the next line without its end, until the next read.
func (c *client) line() ([]byte, error) {
	line, err := c.in.ReadSlice('\n')
	return bytes.TrimRight(line, "\r\n"), err
}
