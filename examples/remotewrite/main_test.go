package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/arena-go/arena/arenapb/gogo"
	"github.com/arena-go/arena/examples/internal/command"
	"github.com/prometheus/prometheus/prompb"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"
)

// TestMain is the receiver where the program starts itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == command.ChildFlag {
		os.Exit(program(context.Background(), os.Stdin, os.Stdout, os.Stderr, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// TestMeasure runs the whole program, with few series.
func TestMeasure(t *testing.T) {
	var out, errs bytes.Buffer
	if status := program(t.Context(), strings.NewReader(""), &out, &errs, []string{"-series", "50", "-requests", "3", "-rounds", "1"}); status != 0 {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	for _, want := range []string{"Remote write 1.0, 50 series", "Remote write 2.0, 50 series", "prometheus", "heap", "arena", "CPU/request", "allocations/request"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// TestCommandLine has command lines that are wrong.
func TestCommandLine(t *testing.T) {
	for _, args := range [][]string{{"-protocol", "3.0"}, {"-decoder", "pool"}, {"-series", "2001"}, {"-requests", "0"}, {"-rounds", "0"}, {"more"}} {
		var errs bytes.Buffer
		if status := program(t.Context(), strings.NewReader(""), &errs, &errs, args); status != 2 || !strings.HasPrefix(errs.String(), "remotewrite: ") {
			t.Errorf("%q: status %d, %s", args, status, errs.String())
		}
	}
}

// TestNative makes sure that package gogo decodes all of both messages.
func TestNative(t *testing.T) {
	for _, m := range []gogo.Message{new(prompb.WriteRequest), new(writev2.Request)} {
		if list := gogo.Fallbacks(m); len(list) > 0 {
			t.Errorf("%T: %q", m, list)
		}
	}
}
