package load

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

// Timeout is how long a request may take, or a server to end.
const Timeout = time.Minute

// maxResponse bounds a response in bytes.
const maxResponse = 64 << 20

// A Client is a connection that asks one request at a time. It makes no garbage: it
// is to measure the collector of the server, not its own.
type Client struct {
	conn net.Conn
	in   *bufio.Reader
	Body []byte // of the last response, until the next one
}

func NewClient(addr string) (*Client, error) {
	conn, err := net.DialTimeout("tcp", addr, Timeout)
	if err != nil {
		return nil, err
	}
	return &Client{conn: conn, in: bufio.NewReaderSize(conn, 16<<10)}, nil
}

func (c *Client) Close() { c.conn.Close() }

// Do sends a request and returns the checksum of the response, whose body is in c.Body
// until the next one. The status must be 200.
func (c *Client) Do(request []byte) (sum uint32, err error) {
	if err := c.conn.SetDeadline(time.Now().Add(Timeout)); err != nil {
		return 0, err
	}
	if _, err := c.conn.Write(request); err != nil {
		return 0, err
	}
	status, length, err := c.head()
	if err != nil {
		return 0, err
	}
	if length > cap(c.Body) {
		c.Body = make([]byte, length)
	}
	c.Body = c.Body[:length]
	if _, err := io.ReadFull(c.in, c.Body); err != nil {
		return 0, err
	}
	if status != 200 {
		return 0, fmt.Errorf("status %d: %s", status, c.Body)
	}
	return crc32.ChecksumIEEE(c.Body), nil
}

// head reads up to the body.
func (c *Client) head() (status, length int, err error) {
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
func (c *Client) line() ([]byte, error) {
	line, err := c.in.ReadSlice('\n')
	return bytes.TrimRight(line, "\r\n"), err
}
