package arenaconnect_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"

	"connectrpc.com/connect"
	"github.com/arena-go/arena/arenaconnect"
	"github.com/arena-go/arena/arenaconnect/internal/echopb"
)

// answer is a http.ResponseWriter that keeps nothing.
type answer struct {
	header http.Header
	status int
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) Write(b []byte) (int, error) { return len(b), nil }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Flush()                      {}

// BenchmarkCall lets a handler answer a request without a connection: the rest is the work of
// connect and of this package. HTTP/2 starts a goroutine for each request.
func BenchmarkCall(b *testing.B) {
	for _, parts := range []int{0, 2, 20, 500} {
		m := message(7, parts)
		request := encoded(b, m)
		for _, kind := range []string{"unary", "goroutine", "stream", "json"} {
			body, path, content := request, echopb.EchoUnaryProcedure, "application/proto"
			if kind == "stream" {
				path, content = echopb.EchoServerStreamProcedure, "application/grpc+proto"
				n := len(request)
				body = append([]byte{0, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, request...)
			}
			if kind == "json" {
				body, content = asJSON(b, m), "application/json"
			}
			for _, impl := range []string{"stock", "arena"} {
				b.Run(fmt.Sprintf("kind=%s/size=%d/impl=%s", kind, len(body), impl), func(b *testing.B) {
					var options []connect.HandlerOption
					if impl == "arena" {
						options = arenaconnect.HandlerOptions(arenaconnect.Options{})
					}
					_, h := echopb.NewEchoHandler(plain{}, options...)
					r, done := bytes.NewReader(nil), make(chan bool)
					b.ReportAllocs()
					for b.Loop() {
						r.Reset(body)
						req, err := http.NewRequest("POST", "http://localhost"+path, r)
						if err != nil {
							b.Fatal(err)
						}
						req.ProtoMajor = 2
						req.Header.Set("Content-Type", content)
						a := &answer{header: http.Header{}, status: 200}
						if kind == "goroutine" {
							go func() {
								h.ServeHTTP(a, req)
								done <- true
							}()
							<-done
						} else {
							h.ServeHTTP(a, req)
						}
						if a.status != 200 {
							b.Fatal(a.status)
						}
					}
				})
			}
		}
	}
}
