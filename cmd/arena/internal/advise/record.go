package advise

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"io"

	"github.com/google/pprof/profile"
)

// A record is an Input as a file has it: the profiles by themselves.
type record struct {
	Profiles [][]byte // of CPU time, of allocations, what was in use, and those during the run; empty is none
	Input    Input
}

// One of recordEvery profiles during a run is recorded.
const recordEvery = 8

// Record writes what the advice follows from, with what arena fix has said, for ReadRecord.
func (a *Advice) Record(w io.Writer) error {
	r := record{Input: a.in}
	all := []*profile.Profile{a.in.CPU, a.in.Allocs, a.in.Heap}
	for i := 0; i < len(a.in.Live); i += recordEvery {
		all = append(all, a.in.Live[i])
	}
	r.Input.CPU, r.Input.Allocs, r.Input.Heap, r.Input.Live = nil, nil, nil, nil
	for _, p := range all {
		var b bytes.Buffer
		if p != nil {
			p = p.Compact()
			for _, m := range p.Mapping {
				m.File, m.BuildID = "", ""
			}
			if err := p.Write(&b); err != nil {
				return fmt.Errorf("arena advise: %w", err)
			}
		}
		r.Profiles = append(r.Profiles, b.Bytes())
	}
	if err := gob.NewEncoder(w).Encode(r); err != nil {
		return fmt.Errorf("arena advise: %w", err)
	}
	return nil
}

// ReadRecord returns what Record has written.
func ReadRecord(r io.Reader) (Input, error) {
	var rec record
	if err := gob.NewDecoder(r).Decode(&rec); err != nil {
		return Input{}, fmt.Errorf("arena advise: %w", err)
	}
	in := rec.Input
	for i, b := range rec.Profiles {
		if len(b) == 0 {
			continue
		}
		p, err := profile.ParseData(b)
		if err != nil {
			return in, fmt.Errorf("arena advise: %w", err)
		}
		switch i {
		case 0:
			in.CPU = p
		case 1:
			in.Allocs = p
		case 2:
			in.Heap = p
		default:
			in.Live = append(in.Live, p)
		}
	}
	return in, nil
}
