package advise

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// Usage is the manual of the command.
const Usage = `usage: arena advise [flags] cpu.pprof allocs.pprof [heap.pprof]
       arena advise [flags] http://localhost:6060
       arena advise [flags] -bench pattern package

Advise reads profiles of a program, and says whether an arena would pay, where, and how much CPU time it would save:
as a range, beside what GOGC=400 and GOMEMLIMIT save without a change of the code. It says no first. It says yes only of what arena fix moves, which it
tries on the sources; without these it says perhaps. With -bench it also measures the rewriting in a copy of the module, and the answer is what that
saves.

The profiles are files, in any order; or advise takes them from a server with net/http/pprof, which should be under its usual
load; or from the benchmarks of a package. Two profiles of memory that were taken before and after the CPU profile are subtracted.

  -bench pattern   run these benchmarks of the package, with profiles and once more without, and advise on them
  -benchtime d     for how long, each time (default 5s); longer if there are too few samples
  -seconds n       how long to take profiles from a server (default 30); longer if there are too few samples
  -header h        a header for the server, as "Authorization: Bearer …"; may be repeated
  -cycles n        cycles of the collector in the run, if the profiles are files (default: estimated from the bytes)
  -gogc n          GOGC of the run, or off (default: with -bench that of the environment, otherwise 100)
  -mine paths      the program's own packages, separated by commas; the code of other modules would have to be ported
                   (default: the module of -src, otherwise all that is neither of the standard library nor of the module cache)
  -src patterns    the packages of the program that allocate: arena fix is tried on them, and the compiler says what escapes. The default is with -bench the package
                   and what it imports of its module, and in a checkout of the profiled module ./...; none asks no sources
  -arena dir       for the measurement, the sources of package arena (default: the checkout that this command was built in, or else what go get finds)
  -json            write JSON
  -html file       write a page with a flame graph of what would move
  -pprof file      write a profile whose value is the saving

The exit status is 0 when an arena pays, 1 when it does not, 3 when it does perhaps, and 2 for an error.
`

// Exit statuses.
const (
	pays     = 0
	paysNot  = 1
	troubled = 2
	maybe    = 3
)

// Main is the command. It returns its exit status.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("advise", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	var (
		bench     = flags.String("bench", "", "")
		benchtime = flags.String("benchtime", "5s", "")
		seconds   = flags.Int("seconds", 30, "")
		cycles    = flags.Float64("cycles", 0, "")
		gogc      = flags.String("gogc", "", "")
		header    = http.Header{}
		mine      = flags.String("mine", "", "")
		src       = flags.String("src", "", "")
		asJSON    = flags.Bool("json", false, "")
		html      = flags.String("html", "", "")
		pprof     = flags.String("pprof", "", "")
		arena     = flags.String("arena", "", "")
	)
	flags.Func("header", "", func(h string) error {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return errors.New("a header is a name, a colon and a value")
		}
		header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
		return nil
	})
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stdout, Usage)
			return pays
		}
		fmt.Fprintf(stderr, "arena advise: %v\n%s", err, Usage)
		return troubled
	}
	a, err := func() (*Advice, error) {
		var in Input
		if *gogc == "" && *bench != "" {
			*gogc = os.Getenv("GOGC")
		}
		percent, err := percentOf(*gogc)
		if err != nil {
			return nil, err
		}
		rest := flags.Args()
		for i, arg := range rest {
			if i > 0 && strings.HasPrefix(arg, "-") && !exists(arg) {
				return nil, fmt.Errorf("arena advise: %s stands behind %s; flags come first", arg, rest[0])
			}
		}
		switch {
		case *bench != "" && len(rest) == 1:
			in, err = FromBenchmark(ctx, stderr, *bench, *benchtime, rest[0])
			if limit := os.Getenv("GOMEMLIMIT"); limit != "" && limit != "off" {
				in.Limited = true
			}
		case *bench != "":
			return nil, errors.New("arena advise: -bench needs one package: arena advise -bench . ./pkg")
		case len(rest) == 1 && isServer(rest[0]):
			if *seconds < 1 {
				return nil, errors.New("arena advise: -seconds must be 1 at least")
			}
			in, err = FromServer(ctx, stderr, rest[0], header, time.Duration(*seconds)*time.Second)
		case len(rest) == 0:
			return nil, errors.New("arena advise: no profiles; see arena advise -h")
		case len(rest) == 1 && isServer("http://"+rest[0]) && !exists(rest[0]) && strings.Contains(rest[0], ":"):
			return nil, fmt.Errorf("arena advise: there is no file %s; the address of a server begins with http:// or https://", rest[0])
		default:
			in, err = FromFiles(rest)
		}
		if err != nil {
			return nil, err
		}
		if *cycles > 0 {
			in.Cycles = *cycles
		}
		in.GOGC, in.Arena = percent, *arena
		if *src == "" && *bench == "" {
			var module string
			if in.Sources, module = in.checkout(ctx); module != "" {
				in.Mine = []string{module}
			}
		} else if *src != "" {
			in.Sources = strings.Fields(*src)
		}
		if *src == "none" {
			in.Sources = nil
		}
		if *mine != "" {
			in.Mine = strings.Split(*mine, ",")
		}
		a, err := Advise(ctx, stderr, in)
		if err != nil {
			return nil, err
		}
		for _, out := range []struct {
			name  string
			write func(io.Writer) error
		}{{*html, a.WriteHTML}, {*pprof, a.WriteProfile}} {
			if err := writeFile(out.name, out.write); err != nil {
				return nil, fmt.Errorf("arena advise: %w", err)
			}
		}
		if *asJSON {
			e := json.NewEncoder(stdout)
			e.SetIndent("", "\t")
			return a, e.Encode(a)
		}
		return a, a.WriteText(stdout)
	}()
	switch {
	case err != nil:
		fmt.Fprintln(stderr, err)
		return troubled
	}
	return [...]int{No: paysNot, Perhaps: maybe, Yes: pays}[a.Verdict]
}

// percentOf returns what GOGC is by the text of a flag, or of the environment: 100 without one.
func percentOf(gogc string) (float64, error) {
	switch gogc {
	case "":
		return 100, nil
	case "off":
		return math.Inf(1), nil
	}
	n, err := strconv.ParseFloat(gogc, 64)
	if err != nil || !(n > 0) {
		return 0, fmt.Errorf("arena advise: GOGC is %q; it must be a number above 0, or off", gogc)
	}
	return n, nil
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// writeFile makes a file of what write writes. It does nothing without a name.
func writeFile(name string, write func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
