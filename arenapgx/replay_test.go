package arenapgx_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"
)

// A replay is a connection whose server answers the first query with the given rows, and hears
// nothing.
type replay struct {
	answer io.Reader
}

func (r *replay) Read(b []byte) (int, error)       { return r.answer.Read(b) }
func (r *replay) Write(b []byte) (int, error)      { return len(b), nil }
func (r *replay) Close() error                     { return nil }
func (r *replay) LocalAddr() net.Addr              { return &net.IPAddr{} }
func (r *replay) RemoteAddr() net.Addr             { return &net.IPAddr{} }
func (r *replay) SetDeadline(time.Time) error      { return nil }
func (r *replay) SetReadDeadline(time.Time) error  { return nil }
func (r *replay) SetWriteDeadline(time.Time) error { return nil }

// endless repeats its bytes.
type endless struct {
	all  []byte
	rest []byte
}

func (e *endless) Read(b []byte) (int, error) {
	if len(e.rest) == 0 {
		e.rest = e.all
	}
	n := copy(b, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// replayed returns what pgx makes rows of its own from, with the bytes of r. If forever is set they
// have no end.
func replayed(t testing.TB, r *wireRows, forever bool) *pgconn.ResultReader {
	t.Helper()
	var head, body []byte
	add := func(to *[]byte, m pgproto3.BackendMessage) {
		t.Helper()
		b, err := m.Encode(*to)
		if err != nil {
			t.Fatal(err)
		}
		*to = b
	}
	add(&head, &pgproto3.ParseComplete{})
	add(&head, &pgproto3.BindComplete{})
	described := &pgproto3.RowDescription{}
	formats := make([]int16, len(r.fields))
	for i, f := range r.fields {
		formats[i] = f.Format
		described.Fields = append(described.Fields, pgproto3.FieldDescription{Name: []byte(f.Name), DataTypeOID: f.DataTypeOID, Format: f.Format})
	}
	add(&head, described)
	for _, row := range r.rows {
		add(&body, &pgproto3.DataRow{Values: row})
	}
	answer := io.MultiReader(bytes.NewReader(head), &endless{all: body})
	if !forever {
		if r.err != nil {
			add(&body, &pgproto3.ErrorResponse{Severity: "ERROR", Code: "22012", Message: r.err.Error()})
		} else {
			add(&body, &pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")})
		}
		add(&body, &pgproto3.ReadyForQuery{TxStatus: 'I'})
		answer = bytes.NewReader(append(head, body...))
	}
	config, err := pgconn.ParseConfig("host=localhost user=nobody sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	conn := &replay{answer}
	c, err := pgconn.Construct(&pgconn.HijackedConn{Conn: conn, TxStatus: 'I', Frontend: pgproto3.NewFrontend(conn, conn), Config: config})
	if err != nil {
		t.Fatal(err)
	}
	return c.ExecParams(context.Background(), "select", nil, nil, nil, formats)
}

// lines returns rows of a result of that many columns, of different types.
func lines(m *pgtype.Map, columns int) *wireRows {
	all := []string{"id int8", "name text", "stock int4", "sku text", "price float8", "note text", "day date", "ok bool"}
	values := []string{"42", "A product with a name", "7", "SKU-000042", "19.75", "a note", "2026-01-02", "t"}
	return made(m, strings.Join(all[:columns], ", "), strings.Join(values[:columns], ", "))
}
