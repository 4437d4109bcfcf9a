package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/arenapgx"
	"github.com/arena-go/arena/arenasql"
	"github.com/arena-go/arena/examples/internal/command"
	"github.com/arena-go/arena/examples/internal/load"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/jackc/pgx/v5"
)

// TestMain lets the test be the server that it starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == command.ChildFlag {
		os.Exit(program(context.Background(), os.Stdin, os.Stdout, os.Stderr, os.Args[1:]))
	}
	os.Exit(testrun.Run(m))
}

const products = 300

// orderFile returns an SQLite file with products.
func orderFile(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "orders.db")
	if err := setUp(t.Context(), "", file, products, 0); err != nil {
		t.Fatal(err)
	}
	return file
}

// startPostgres starts a PostgreSQL for the test, and returns how to connect to it, and a function
// that kills it and starts it again. It skips the test where none is installed.
func startPostgres(t *testing.T) (dsn string, restart func()) {
	t.Helper()
	cmd := exec.Command("go", "run", "./internal/postgres/serve")
	cmd.Dir = filepath.Join("..", "..", "arenapgx")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	line, _ := lines.ReadString('\n')
	t.Cleanup(func() {
		stdin.Close() // which ends the server
		cmd.Wait()
	})
	if line == "" {
		stdin.Close()
		cmd.Wait()
		if strings.Contains(stderr.String(), "is missing") {
			testrun.Need(t, strings.TrimSpace(stderr.String()))
		}
		t.Fatal(stderr.String())
	}
	return strings.TrimSpace(line), func() {
		if _, err := io.WriteString(stdin, "\n"); err != nil {
			t.Fatal(err)
		}
		if again, _ := lines.ReadString('\n'); again != line {
			t.Fatalf("PostgreSQL does not start again: %q", again)
		}
	}
}

// handlers returns the ways to answer, with a store.
func handlers(s store) map[string]http.Handler {
	svc := &service{store: s, log: slog.New(slog.NewJSONHandler(io.Discard, nil))}
	return map[string]http.Handler{
		plain:    svc.handler(plain),
		nilArena: svc.handler(nilArena),
		inArena:  arenahttp.Middleware(svc.handler(inArena), arenahttp.Options{}),
		noCodecs: svc.handler(noCodecs),
	}
}

// post sends a body to a handler over loopback.
func post(t *testing.T, url, body string) (status int, answer string) {
	t.Helper()
	r, err := http.Post(url+"/orders", "application/json", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	return r.StatusCode, string(b)
}

// testAnswers compares the answers of all ways to the same orders, good and bad ones.
func testAnswers(t *testing.T, s store) {
	random := rand.New(rand.NewPCG(1, 3))
	bodies := map[string]int{
		``: 400, `{`: 400, `[]`: 422, `{"number": "x"}`: 422, `{"number": 1, "customer": {"id": "c"}}`: 422,
		`{"number": 1, "customer": {"id": "c"}, "lines": [{"sku": "", "quantity": 1}]}`:                                                                     422,
		`{"number": 1, "customer": {"id": "c"}, "lines": [{"sku": "SKU-000001", "quantity": 2}, {"sku": "none", "quantity": 3}], "more": [1, {"x": null}]}`: 200,
		`{"NUMBER": 7, "customer": {"id": "\u00fc\ud83d\ude00"}, "lines": [{"sku": "SKU-000000", "quantity": 10000}]}`:                                      200,
	}
	for i := range 20 {
		bodies[string(randomOrder(random, i, 1+random.IntN(60), products))] = 200
	}
	servers := map[string]*httptest.Server{}
	for way, h := range handlers(s) {
		servers[way] = httptest.NewServer(h)
		defer servers[way].Close()
	}
	for range 3 { // so that arenas are used again
		for body, want := range bodies {
			_, right := post(t, servers[plain].URL, body)
			for way, server := range servers {
				if way == noCodecs && want != 200 {
					continue // it is for measuring, and checks nothing
				}
				status, got := post(t, server.URL, body)
				if status == 400 && want == 422 && way == plain { // encoding/json does not say which it is
					continue
				}
				if status != want || status == 200 && strings.TrimSpace(got) != strings.TrimSpace(right) || status != 200 && !strings.HasPrefix(got, `{"error":`) {
					t.Errorf("%s: %.200s: status %d, want %d:\n%s\nplain:\n%s", way, body, status, want, got, right)
				}
			}
		}
	}
}

func TestAnswers(t *testing.T) {
	s, err := openStore(t.Context(), "pgx", "", orderFile(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	testAnswers(t, s)
}

// TestLongAnswers has the same answers where each product has a long note: of 400 kB for 200 lines.
func TestLongAnswers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "orders.db")
	if err := setUp(t.Context(), "", file, products, 1800); err != nil {
		t.Fatal(err)
	}
	s, err := openStore(t.Context(), "pgx", "", file)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	body := randomOrder(rand.New(rand.NewPCG(1, 1)), 1, 200, products)
	var want []byte
	for way, h := range handlers(s) {
		r := httptest.NewRequest("POST", "/orders", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if want == nil {
			want = w.Body.Bytes()
		}
		if got := w.Body.Bytes(); len(got) < 390_000 || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, want %d", way, len(got), len(want))
		}
	}
}

// TestPostgres has the same answers from a PostgreSQL, whose connections then end again and again:
// each order is answered rightly, or with an error that says what to do, and when the database is
// back all is as before.
func TestPostgres(t *testing.T) {
	dsn, restart := startPostgres(t)
	if err := setUp(t.Context(), dsn, "", products, 0); err != nil {
		t.Fatal(err)
	}
	s, err := openStore(t.Context(), "pgx", dsn, "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	testAnswers(t, s)
	for driver := range drivers {
		s, err := openStore(t.Context(), driver, dsn, "")
		if err != nil {
			t.Fatal(err)
		}
		testAnswers(t, s)
		s.close()
	}

	admin, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.Background())
	server := httptest.NewServer(handlers(s)[inArena])
	defer server.Close()
	body := string(randomOrder(rand.New(rand.NewPCG(2, 2)), 4711, 60, products))
	status, right := post(t, server.URL, body)
	if status != 200 {
		t.Fatal(status, right)
	}
	var good, bad atomic.Int64
	var clients sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		clients.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				switch status, got := post(t, server.URL, body); {
				case status == 200 && got == right:
					good.Add(1)
				case status == 503 && strings.Contains(got, "try again"):
					bad.Add(1)
				default:
					t.Errorf("status %d: %s", status, got)
					return
				}
			}
		})
	}
	for bad.Load() < 5 && !t.Failed() {
		if _, err := admin.Exec(t.Context(), "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"); err != nil {
			t.Error(err)
		}
	}
	close(done)
	clients.Wait()
	for !t.Failed() { // connections in the pool may be dead ones
		if status, got := post(t, server.URL, body); status == 200 && got == right {
			break
		}
	}
	var broken int
	if err := admin.QueryRow(t.Context(), "select count(*) from arena_orders where number = 4712 and jsonb_array_length(lines) <> 60").Scan(&broken); err != nil || broken > 0 {
		t.Errorf("%d orders are broken, %v", broken, err)
	}
	t.Logf("%d answers, %d errors", good.Load(), bad.Load())

	if _, err := admin.Exec(t.Context(), "truncate arena_orders"); err != nil {
		t.Fatal(err)
	}
	kept := func() []keptOrder {
		conn, err := pgx.Connect(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())
		rows, err := conn.Query(t.Context(), "select number, total, lines from arena_orders")
		if err != nil {
			t.Fatal(err)
		}
		list, err := arenapgx.Collect[keptOrder](nil, rows)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	testKilled(t, []string{"-postgres", dsn}, kept)
	testDatabaseKilled(t, server.URL, restart, kept)
}

// testDatabaseKilled kills the database of a service with SIGKILL in the middle of orders. No order
// is lost that was answered, the others are errors that ask to try again, and the service goes on
// when the database is back.
func testDatabaseKilled(t *testing.T, url string, restart func(), kept func() []keptOrder) {
	t.Helper()
	var answered sync.Map
	var good, bad atomic.Int64
	var clients sync.WaitGroup
	done := make(chan struct{})
	for k := range 4 {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(3, uint64(k)))
			for i := 10_000_000 + k; ; i += 4 {
				select {
				case <-done:
					return
				default:
				}
				var a Answer
				switch status, got := post(t, url, string(randomOrder(random, i, 30, products))); {
				case status == 503 && strings.Contains(got, "try again"):
					bad.Add(1)
				case status == 200 && json.Unmarshal([]byte(got), &a) == nil && a.Number == int64(i+1):
					answered.Store(a.Number, a.Total)
					good.Add(1)
				default:
					t.Errorf("status %d: %s", status, got)
					return
				}
			}
		})
	}
	for kills := 0; ; kills++ {
		for want := good.Load() + 30; good.Load() < want && !t.Failed(); {
			time.Sleep(time.Millisecond)
		}
		if kills >= 3 && bad.Load() > 0 || t.Failed() {
			break
		}
		restart()
	}
	close(done)
	clients.Wait()
	t.Logf("%d answers, %d errors", good.Load(), bad.Load())
	testKept(t, &answered, kept())
}

// TestFileRows reads rows of the file that end early: by an error behind some rows, and by a
// context.
func TestFileRows(t *testing.T) {
	db, err := sql.Open("sqlite", "file:"+orderFile(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // so that rows which stay open are found out
	a := arena.NewArena()
	read := func(ctx context.Context, query string, at func(n int)) (n int, err error) {
		rows, err := db.QueryContext(ctx, query)
		if err != nil {
			t.Fatal(err)
		}
		err = arenasql.ForEach(a, rows, func(sku *string) error {
			n++
			at(n)
			return nil
		})
		return n, err
	}
	if n, err := read(t.Context(), "select sku from arena_products", func(int) {}); n != products || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	late := "select case when id < 100 then sku else json(sku) end from arena_products order by id"
	if n, err := read(t.Context(), late, func(int) {}); n != 100 || err == nil || !strings.Contains(err.Error(), "malformed JSON") {
		t.Errorf("an error behind %d rows: %v", n, err)
	}
	rows, err := db.Query(late)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := arenasql.Collect[string](a, rows); list != nil || err == nil {
		t.Errorf("%d rows and %v behind an error", len(list), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n, err := read(ctx, "select a.sku from arena_products a, arena_products b, arena_products c", func(n int) {
		if n == 10 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) && (err == nil || !strings.Contains(err.Error(), "interrupt")) {
		t.Errorf("cancelled behind %d rows: %v", n, err)
	}
}

// TestKilled ends a service with SIGKILL in the middle of orders. No order is lost that was
// answered, and none is there in part.
func TestKilled(t *testing.T) {
	file := orderFile(t)
	testKilled(t, []string{"-file", file}, func() []keptOrder {
		db, err := sql.Open("sqlite", "file:"+file)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		rows, err := db.Query("select number, total, lines from arena_orders")
		if err != nil {
			t.Fatal(err)
		}
		list, err := arenasql.Collect[keptOrder](nil, rows)
		if err != nil {
			t.Fatal(err)
		}
		return list
	})
}

// A keptOrder is a row of arena_orders.
type keptOrder struct {
	Number, Total int64
	Lines         []byte
}

// testKilled kills services that have the arguments args, and compares what they have answered with
// what the database has kept.
func testKilled(t *testing.T, args []string, kept func() []keptOrder) {
	t.Helper()
	var answered sync.Map
	number := 0
	for range 3 {
		server, err := load.StartChild(t.Context(), "service", args, inArena)
		if err != nil {
			t.Fatal(err)
		}
		var clients sync.WaitGroup
		var count atomic.Int64
		base := number
		number += 1_000_000
		for k := range 4 {
			clients.Go(func() {
				random := rand.New(rand.NewPCG(uint64(base), uint64(k)))
				for i := base + k; ; i += 4 {
					r, err := http.Post("http://"+server.Addr+"/orders", "application/json", bytes.NewReader(randomOrder(random, i, 30, products)))
					if err != nil {
						return
					}
					b, err := io.ReadAll(r.Body)
					r.Body.Close()
					if err != nil {
						return
					}
					var a Answer
					if err := json.Unmarshal(b, &a); err != nil || r.StatusCode != 200 || a.Number != int64(i+1) {
						t.Errorf("%d: %s, %v", r.StatusCode, b, err)
						return
					}
					answered.Store(a.Number, a.Total)
					count.Add(1)
				}
			})
		}
		for count.Load() < 30 && !t.Failed() {
			time.Sleep(time.Millisecond)
		}
		if err := server.Kill(); err != nil {
			t.Fatal(err)
		}
		server.Stop() // says that it was killed
		clients.Wait()
	}
	testKept(t, &answered, kept())
}

// testKept compares the totals of orders that were answered with what the database has kept.
func testKept(t *testing.T, answered *sync.Map, kept []keptOrder) {
	t.Helper()
	totals := map[int64]int64{}
	for _, o := range kept {
		var lines []Line
		if err := json.Unmarshal(o.Lines, &lines); err != nil || len(lines) != 30 {
			t.Errorf("order %d has %d lines, %v", o.Number, len(lines), err)
		}
		totals[o.Number] = o.Total
	}
	n := 0
	answered.Range(func(number, total any) bool {
		n++
		if totals[number.(int64)] != total {
			t.Errorf("order %d was answered with %d, and is kept with %d", number, total, totals[number.(int64)])
		}
		return true
	})
	t.Logf("%d orders were answered, %d kept", n, len(totals))
}

// TestProgram runs the program, quickly.
func TestProgram(t *testing.T) {
	for _, args := range [][]string{
		{"-rounds", "1", "-duration", "40ms", "-products", "300", "-lines", "3"},
		{"-objects", "-products", "300", "-lines", "3"},
	} {
		var out, errOut bytes.Buffer
		if code := program(t.Context(), nil, &out, &errOut, args); code != 0 {
			t.Fatalf("%v: %d\n%s", args, code, errOut.String())
		}
		for _, want := range []string{plain, nilArena, inArena} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%v: no %s:\n%s", args, want, out.String())
			}
		}
	}
	for _, args := range [][]string{{"-lines", "-1"}, {"-way", "x"}, {"more"}, {"-rounds", "0"}, {"-products", "0"}, {"-text", "-1"}} {
		if code := program(t.Context(), nil, io.Discard, io.Discard, args); code != 2 {
			t.Errorf("%v: %d", args, code)
		}
	}
	if code := program(t.Context(), nil, io.Discard, io.Discard, []string{"-postgres", "host=/nowhere", "-lines", "2"}); code != 1 {
		t.Errorf("no database: %d", code)
	}
}

// TestOwner finds the owners of stacks.
func TestOwner(t *testing.T) {
	for function, want := range map[string]string{"a/b.v2/c.F": "a/b.v2/c", "main.(*T).m": "main", "runtime.gc": "runtime", "x": "x"} {
		if got := packageOf(function); got != want {
			t.Errorf("%s: %s", function, got)
		}
	}
	c := objects()
	if c["main"] < 0 || len(c) == 0 {
		t.Error(c)
	}
}
