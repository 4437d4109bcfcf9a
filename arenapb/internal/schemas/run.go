package schemas

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// Options are how much is done.
type Options struct {
	Seed     uint64 // of all that is random
	Orders   int    // processes that decode messages of all types, each planning them in an order of its own
	Messages int    // of each type in each of those processes
	First    int    // types, chosen at random, each of which is the first in a process of its own; all if it is negative
	Each     int    // messages of that type in that process
	Parallel int    // processes at a time
	Log      func(format string, args ...any)
}

// A task is what a process does.
type task struct {
	Seed     uint64
	First    string // a type, which is the only one in that process but for those that are in it; "" for all
	Messages int
}

// taskArgument is the first argument of such a process; the second one is the task.
const taskArgument = "schemas-task"

// Child does not return in a process that Run has started. It is to be called before anything else.
func Child() {
	if len(os.Args) != 3 || os.Args[1] != taskArgument {
		return
	}
	var t task
	if err := json.Unmarshal([]byte(os.Args[2]), &t); err != nil {
		fatal(err)
	}
	result, err := t.do()
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(result)
	}
	if err != nil {
		fatal(err)
	}
	os.Exit(0)
}

func (t task) do() (Result, error) {
	r := rand.New(rand.NewPCG(t.Seed, 0))
	if t.First == "" {
		c := newChecker(r, Types())
		c.all(t.Messages)
		c.leave()
		return c.Result, nil
	}
	mt, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(t.First))
	if err != nil {
		return Result{}, err
	}
	c := newChecker(r, []protoreflect.MessageType{mt})
	c.first(mt, t.Messages)
	c.leave()
	return c.Result, nil
}

// run does the task in a process of its own.
func (t task) run() Result {
	failed := func(err error, stderr []byte) Result {
		name := t.First
		if name == "" {
			name = "(all types)"
		}
		return Result{Differences: []Difference{{name, fmt.Sprintf("task %+v: %v\n%s", t, err, stderr[:min(len(stderr), 4000)])}}}
	}
	arg, err := json.Marshal(t)
	if err != nil {
		return failed(err, nil)
	}
	exe, err := os.Executable()
	if err != nil {
		return failed(err, nil)
	}
	out, err := exec.Command(exe, taskArgument, string(arg)).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return failed(err, exit.Stderr)
		}
		return failed(err, nil)
	}
	var result Result
	if err := json.Unmarshal(out, &result); err != nil {
		return failed(err, out)
	}
	return result
}

// Run starts the processes that o asks for, and returns what they found, in those that decode all
// types and in those that begin with one. The program must call Child first.
func Run(o Options) (orders, first Result) {
	r := rand.New(rand.NewPCG(o.Seed, 0))
	list := Types()
	from := time.Now()
	tasks := make([]task, o.Orders)
	for i := range tasks {
		tasks[i] = task{Seed: r.Uint64(), Messages: o.Messages}
	}
	orders = o.runAll(tasks)
	orders.Types, orders.Left = orders.Types/max(o.Orders, 1), orders.Left/max(o.Orders, 1)
	o.Log("%d orders: %v, in %.0f s", o.Orders, orders, time.Since(from).Seconds())

	from = time.Now()
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	if o.First >= 0 && o.First < len(list) {
		list = list[:o.First]
	}
	tasks = nil
	for _, mt := range list {
		tasks = append(tasks, task{Seed: r.Uint64(), First: string(mt.Descriptor().FullName()), Messages: o.Each})
	}
	first = o.runAll(tasks)
	o.Log("each type first: %v, in %.0f s", first, time.Since(from).Seconds())
	return orders, first
}

// runAll runs tasks, some at a time.
func (o Options) runAll(tasks []task) (sum Result) {
	var mu sync.Mutex
	var group sync.WaitGroup
	queue := make(chan task)
	for range max(o.Parallel, 1) {
		group.Go(func() {
			for t := range queue {
				result := t.run()
				mu.Lock()
				sum.add(result)
				mu.Unlock()
			}
		})
	}
	for _, t := range tasks {
		queue <- t
	}
	close(queue)
	group.Wait()
	return sum
}

func (r Result) String() string {
	return fmt.Sprintf("%d types (%d of them left to package proto), %d messages (%d of them accepted), %d differences in %d types",
		r.Types, r.Left, r.Messages, r.Accepted, len(r.Differences), len(r.Differing()))
}

// Differing returns the names of the types that have differences.
func (r Result) Differing() (names []string) {
	for _, d := range r.Differences {
		names = append(names, d.Type)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Report returns the first differences, and the names of the types that have any.
func (r Result) Report() string {
	var s strings.Builder
	for _, d := range r.Differences[:min(len(r.Differences), 5)] {
		fmt.Fprintf(&s, "%s: %s\n\n", d.Type, d.Text)
	}
	fmt.Fprintf(&s, "types with differences: %s\n", strings.Join(r.Differing(), " "))
	return s.String()
}

// Main is the command. It prints what was compared, and ends with status 1 if anything differs.
func Main() {
	Child()
	o := Options{Log: func(format string, args ...any) { fmt.Printf(format+"\n", args...) }}
	flag.Uint64Var(&o.Seed, "seed", 0, "seed of all that is random (0 is a random one)")
	flag.IntVar(&o.Orders, "orders", 4, "processes that decode all types, each planning them in an order of its own")
	flag.IntVar(&o.Messages, "messages", 8, "messages of each type in each of these")
	flag.IntVar(&o.First, "first", -1, "types that are the first in a process of their own (-1 is all)")
	flag.IntVar(&o.Each, "each", 4, "messages of the type that is the first in a process")
	flag.IntVar(&o.Parallel, "parallel", runtime.GOMAXPROCS(0), "processes at a time")
	list := flag.Bool("list", false, "print the names of all types, and do nothing else")
	flag.Parse()
	if flag.NArg() > 0 {
		fatal(fmt.Errorf("unknown argument %q", flag.Arg(0)))
	}
	if *list {
		for _, mt := range Types() {
			fmt.Println(mt.Descriptor().FullName())
		}
		return
	}
	if o.Seed == 0 {
		o.Seed = rand.Uint64()
	}
	fmt.Printf("-seed=%d, %s\n", o.Seed, runtime.Version())
	orders, first := Run(o)
	orders.add(first)
	fmt.Printf("%d messages, %d differences\n", orders.Messages, len(orders.Differences))
	if len(orders.Differences) > 0 {
		fmt.Print(orders.Report())
		os.Exit(1)
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "schemas:", err)
	os.Exit(2)
}
