//go:build unix

package arenaconnect_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/arena-go/arena/arenaconnect"
	"github.com/arena-go/arena/arenaconnect/internal/echopb"
	"github.com/arena-go/arena/arenapb/profilepb"
	"google.golang.org/protobuf/proto"
)

// profile returns a profile with a number of samples, like profiles of a server.
func profile(samples int) *profilepb.Profile {
	p := &profilepb.Profile{StringTable: []string{"", "cpu", "nanoseconds"}, SampleType: []*profilepb.ValueType{{Type: 1, Unit: 2}}}
	functions := max(1, samples/2)
	for i := range functions {
		p.StringTable = append(p.StringTable, fmt.Sprintf("example.org/server/internal/package%d.(*Type%d).Method%d", i%17, i%31, i))
		p.Function = append(p.Function, &profilepb.Function{Id: uint64(i + 1), Name: int64(i + 3), StartLine: int64(i)})
		p.Location = append(p.Location, &profilepb.Location{Id: uint64(i + 1), Address: uint64(i) << 12,
			Line: []*profilepb.Line{{FunctionId: uint64(i + 1), Line: int64(i)}}})
	}
	for i := range samples {
		s := &profilepb.Sample{Value: []int64{int64(i), int64(i) * 1e7}}
		for j := range 20 {
			s.LocationId = append(s.LocationId, uint64((i*7+j*j)%functions+1))
		}
		if i%4 == 0 {
			s.Label = []*profilepb.Label{{Key: 1, Str: 2}}
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

// counts is a service that reads all of a profile.
type counts struct {
	echopb.UnimplementedEchoHandler
}

func (counts) Profile(_ context.Context, request *connect.Request[profilepb.Profile]) (*connect.Response[echopb.Message], error) {
	reply := new(echopb.Message)
	for _, s := range request.Msg.Sample {
		for _, id := range s.LocationId {
			reply.Id += int64(id)
		}
	}
	for _, s := range request.Msg.StringTable {
		reply.Sum += uint32(len(s))
	}
	return connect.NewResponse(reply), nil
}

// cpuTime returns the CPU time of the process, all processors together.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// raw is a codec that sends bytes unchanged, and reads none.
type raw struct{}

func (raw) Name() string                  { return "proto" }
func (raw) Marshal(v any) ([]byte, error) { return slices.Clone(*v.(*[]byte)), nil }
func (raw) Unmarshal([]byte, any) error   { return nil }

const childVar = "ARENACONNECT_BENCH_SERVER"

// TestMain is the server of the benchmark where childVar says so: it serves until its standard
// input ends, and for each line of that writes the processor time that it has used.
func TestMain(m *testing.M) {
	impl := os.Getenv(childVar)
	if impl == "" {
		os.Exit(m.Run())
	}
	live := make([]*[16]*int, 48<<20/128) // what a server holds
	for i := range live {
		live[i] = new([16]*int)
	}
	var options []connect.HandlerOption
	switch impl {
	case "arena":
		options = arenaconnect.HandlerOptions(arenaconnect.Options{})
	case "all":
		options = arenaconnect.HandlerOptions(arenaconnect.Options{Threshold: 1})
	}
	mux := http.NewServeMux()
	mux.Handle(echopb.NewEchoHandler(counts{}, options...))
	srv := &http.Server{Handler: mux, Protocols: new(http.Protocols)}
	srv.Protocols.SetHTTP1(true)
	srv.Protocols.SetUnencryptedHTTP2(true)
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go srv.Serve(lis)
	fmt.Println(lis.Addr())
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		fmt.Println(int64(cpuTime()))
	}
	srv.Close()
	fmt.Println(len(live))
}

// A child is a server in a process of its own, and its client.
type child struct {
	in    io.WriteCloser
	out   *bufio.Reader
	conn  *connect.Client[[]byte, []byte]
	cpu   time.Duration
	times []time.Duration // of calls
}

func newChild(b *testing.B, impl string, w way) *child {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"="+impl)
	cmd.Stderr = os.Stderr
	c := &child{}
	var err error
	if c.in, err = cmd.StdinPipe(); err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	c.out = bufio.NewReader(out)
	addr, err := c.out.ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	transport := &http.Transport{Protocols: new(http.Protocols), MaxIdleConnsPerHost: 100}
	transport.Protocols.SetHTTP1(!w.h2)
	transport.Protocols.SetUnencryptedHTTP2(w.h2)
	c.conn = connect.NewClient[[]byte, []byte](&http.Client{Transport: transport}, "http://"+strings.TrimSpace(addr)+echopb.EchoProfileProcedure,
		append(w.options, connect.WithCodec(raw{}))...)
	b.Cleanup(func() {
		transport.CloseIdleConnections()
		c.in.Close()
		io.Copy(io.Discard, c.out)
		cmd.Wait()
	})
	return c
}

func (c *child) used(b *testing.B) time.Duration {
	fmt.Fprintln(c.in)
	var n int64
	if _, err := fmt.Fscanln(c.out, &n); err != nil {
		b.Fatal(err)
	}
	return time.Duration(n)
}

// run makes calls of 8 clients at a time.
func (c *child) run(b *testing.B, request []byte, calls int) {
	const clients = 8
	before := c.used(b)
	times := make([]time.Duration, calls)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= calls {
					return
				}
				start := time.Now()
				if _, err := c.conn.CallUnary(context.Background(), connect.NewRequest(&request)); err != nil {
					b.Error(err)
					return
				}
				times[i] = time.Since(start)
			}
		})
	}
	wg.Wait()
	c.cpu += c.used(b) - before
	c.times = append(c.times, times...)
}

// BenchmarkServer has three servers, processes of their own with 48 MB of live values each, called
// in turns by 8 clients, which send a profile of some size. The handler reads the whole profile.
// impl=stock is an unchanged server, impl=arena a server with the default options, and impl=all a
// server whose messages of all sizes are in arenas. The time of the benchmark is the time of all
// together. Reported are of each server the processor time for a call, the collector's and the
// kernel's included, and the time in which 99 of 100 calls are answered while 8 are made at once;
// and how many times better than stock the others are.
func BenchmarkServer(b *testing.B) {
	for _, w := range ways[:4] {
		if w.name != "connect-h1" && w.name != "grpc" {
			continue
		}
		for _, shape := range []struct {
			name           string
			samples, calls int
		}{{"20B", 0, 2000}, {"200B", 3, 2000}, {"500B", 8, 2000}, {"2kB", 25, 1000}, {"50kB", 600, 100}} {
			b.Run("way="+w.name+"/size="+shape.name, func(b *testing.B) {
				p := &profilepb.Profile{StringTable: []string{"", "cpu", "nanoseconds"}}
				if shape.samples > 0 {
					p = profile(shape.samples)
				}
				request, err := proto.Marshal(p)
				if err != nil {
					b.Fatal(err)
				}
				b.Logf("a request of %d bytes", len(request))
				impls := []string{"stock", "arena", "all"}
				var children []*child
				for _, impl := range impls {
					c := newChild(b, impl, w)
					c.run(b, request, shape.calls)
					children = append(children, &child{in: c.in, out: c.out, conn: c.conn})
				}
				turn := slices.Clone(children)
				for b.Loop() {
					for _, c := range turn {
						c.run(b, request, shape.calls)
					}
					turn = append(turn[1:], turn[0])
				}
				for _, m := range []struct {
					unit string
					of   func(*child) float64
				}{
					{"us-cpu", func(c *child) float64 { return float64(c.cpu.Microseconds()) / float64(len(c.times)) }},
					{"us-p99", func(c *child) float64 {
						slices.Sort(c.times)
						return float64(c.times[len(c.times)*99/100].Microseconds())
					}},
				} {
					for i, c := range children {
						b.ReportMetric(m.of(c), impls[i]+"-"+m.unit)
						if i > 0 {
							b.ReportMetric(m.of(children[0])/m.of(c), impls[i]+"-ratio-"+m.unit)
						}
					}
				}
			})
		}
	}
}
