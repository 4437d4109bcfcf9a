package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"io"

	"golang.org/x/tools/go/packages"

	"github.com/arena-go/arena/cmd/arena/internal/comments"
	"github.com/arena-go/arena/cmd/arena/internal/lives"
	"github.com/arena-go/arena/cmd/arena/internal/load"
)

// A proof is a line of the output of arena vet -prove, and an object of the JSON.
type proof struct {
	Pos    string `json:"posn"`
	End    string `json:"end"`
	Proved bool   `json:"proved"`
	Trust  string `json:"trust,omitempty"`
	Why    string `json:"why,omitempty"`
	Path   []step `json:"path,omitempty"`
}

// prove is the command arena vet -prove.
func prove(asJSON bool, goFlags, patterns []string, stdout, stderr io.Writer) (int, error) {
	pkgs, broken, err := load.Sources(packages.Config{BuildFlags: goFlags}, true, patterns...)
	if err != nil {
		return 2, err
	}
	if writeErrors(stderr, broken) {
		return 2, nil
	}
	var files []*ast.File
	for _, p := range pkgs {
		files = append(files, p.Syntax...)
	}
	trusts := comments.Find(pkgs[0].Fset, files, "trust")
	prover := lives.NewProver(pkgs)
	proofs := []proof{}
	code := 0
	counts := map[string]int{}
	for _, e := range prover.Ends() {
		found := prover.Prove(e)
		p := proof{Pos: short(e.At), End: e.Kind.String(), Proved: found.Proved}
		if n := len(proofs) - 1; n >= 0 && proofs[n].Pos == p.Pos && proofs[n].End == p.End && proofs[n].Proved == p.Proved {
			continue // of another instance of a function with type parameters
		}
		t := trusts.For(e.At)
		switch {
		case found.Proved:
			counts["proved"]++
		case t != nil && t.Reason != "":
			t.Used = true
			p.Trust = t.Reason
			counts["trusted"]++
		default:
			counts["not proved"]++
			code = 1
		}
		if !found.Proved {
			p.Why = found.Why.String()
			for _, s := range found.Path {
				at := ""
				if s.At.IsValid() {
					at = short(s.At)
				}
				p.Path = append(p.Path, step{at, s.Text})
			}
		}
		proofs = append(proofs, p)
	}
	if asJSON {
		text, err := json.MarshalIndent(proofs, "", "\t")
		if err != nil {
			return 2, err
		}
		fmt.Fprintf(stdout, "%s\n", text)
	} else {
		for _, p := range proofs {
			writeProof(stdout, p)
		}
		fmt.Fprintf(stdout, "%d ends: %d proved, %d trusted, %d not proved\n", len(proofs), counts["proved"], counts["trusted"], counts["not proved"])
	}
	for _, t := range trusts {
		switch {
		case t.Reason == "":
			fmt.Fprintf(stderr, "%s: //arena:trust needs a reason\n", short(t.At))
		case !t.Used:
			fmt.Fprintf(stderr, "%s: //arena:trust is not needed: no end of an arena in this line or the next one lacks a proof\n", short(t.At))
		default:
			continue
		}
		code = 1
	}
	return code, nil
}

func writeProof(w io.Writer, p proof) {
	switch {
	case p.Proved:
		fmt.Fprintf(w, "%s: %s: proved\n", p.Pos, p.End)
		return
	case p.Trust != "":
		fmt.Fprintf(w, "%s: %s: trusted: %s\n", p.Pos, p.End, p.Trust)
		return
	}
	fmt.Fprintf(w, "%s: %s: not proved: %s\n", p.Pos, p.End, p.Why)
	for _, s := range p.Path {
		if s.Pos == "" {
			fmt.Fprintf(w, "\t%s\n", s.Message)
		} else {
			fmt.Fprintf(w, "\t%s: %s\n", s.Pos, s.Message)
		}
	}
}
