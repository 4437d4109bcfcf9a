package trees

import "sync"

// A sheet is used again with its rows, and with the map of its names.
type sheet struct {
	title string
	rows  []row
	lines []row
	names map[string]int
}

var sheets = sync.Pool{New: func() any { return &sheet{names: map[string]int{}} }}

func newSheet(title string) *sheet {
	s := sheets.Get().(*sheet)
	lines := s.lines[:0]
	*s = sheet{title: title, rows: s.rows[:0], names: s.names}
	s.lines = lines
	clear(s.names)
	return s
}

func (s *sheet) add(r row) {
	s.rows = append(s.rows, r)
	s.lines = append(s.lines, r)
	s.names[r.name] = r.id
}

func rowsOf(all []row) []row {
	s := newSheet("rows")
	defer sheets.Put(s)
	for _, r := range all {
		s.add(r)
	}
	return s.rows // want `syncpool: `
}

func linesOf(all []row) []row {
	s := newSheet("lines")
	defer sheets.Put(s)
	for _, r := range all {
		s.add(r)
	}
	return s.lines // want `syncpool: `
}

func namesOf(all []row) map[string]int {
	s := newSheet("names")
	defer sheets.Put(s)
	for _, r := range all {
		s.add(r)
	}
	return s.names // want `syncpool: `
}

func returnsIt(all []row) *sheet {
	s := newSheet("all")
	defer sheets.Put(s)
	for _, r := range all {
		s.add(r)
	}
	return s // want `syncpool: `
}
