package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/token"
	"io"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/arena-go/arena/cmd/arena/internal/lives"
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

// A trust is a comment that accepts an end without a proof.
type trust struct {
	position token.Position
	reason   string
	used     bool
}

var trustComment = regexp.MustCompile(`^//arena:trust(?:\s+(.*))?$`)

// prove is the command arena vet -prove.
func prove(asJSON bool, goFlags, patterns []string, stdout, stderr io.Writer) (int, error) {
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes |
			packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
		BuildFlags: goFlags,
	}, patterns...)
	if err != nil {
		return 2, err
	}
	if len(pkgs) == 0 {
		return 2, fmt.Errorf("no packages match %s", strings.Join(patterns, " "))
	}
	var broken []*packages.Package
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		if len(p.Errors) > 0 {
			broken = append(broken, p)
		}
	})
	if writeErrors(stderr, broken) {
		return 2, nil
	}
	trusts := trustsOf(pkgs)
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
		t := trusted(trusts, e.At)
		switch {
		case found.Proved:
			counts["proved"]++
		case t != nil && t.reason != "":
			t.used = true
			p.Trust = t.reason
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
		case t.reason == "":
			fmt.Fprintf(stderr, "%s: //arena:trust needs a reason\n", short(t.position))
		case !t.used:
			fmt.Fprintf(stderr, "%s: //arena:trust is not needed: no end of an arena in this line or the next one lacks a proof\n", short(t.position))
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

// trustsOf returns the comments of packages, in the order of the files.
func trustsOf(pkgs []*packages.Package) (all []*trust) {
	seen := map[token.Position]bool{}
	for _, p := range pkgs {
		for _, f := range p.Syntax {
			for _, group := range f.Comments {
				for _, c := range group.List {
					if m := trustComment.FindStringSubmatch(c.Text); m != nil {
						if at := p.Fset.Position(c.Pos()); !seen[at] {
							seen[at] = true
							all = append(all, &trust{position: at, reason: strings.TrimSpace(m[1])})
						}
					}
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b *trust) int {
		return cmp.Or(strings.Compare(a.position.Filename, b.position.Filename), a.position.Line-b.position.Line)
	})
	return all
}

// trusted returns the comment in a line, or in the one above.
func trusted(all []*trust, at token.Position) *trust {
	for _, line := range []int{at.Line, at.Line - 1} {
		for _, t := range all {
			if t.position.Filename == at.Filename && t.position.Line == line {
				return t
			}
		}
	}
	return nil
}
