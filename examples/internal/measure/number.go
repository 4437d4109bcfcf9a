package measure

import (
	"fmt"
	"time"
)

// Value writes a number of the given unit for people. The units that it knows
// are "nanoseconds", "bytes" and "count".
func Value(v int64, unit string) string {
	f := float64(v)
	switch unit {
	case "nanoseconds":
		switch d := time.Duration(v).Abs(); {
		case v == 0:
			return "0"
		case d < time.Microsecond:
			return fmt.Sprintf("%dns", v)
		case d < time.Millisecond:
			return fmt.Sprintf("%.4gµs", f/1e3)
		case d < time.Second:
			return fmt.Sprintf("%.4gms", f/1e6)
		default:
			return fmt.Sprintf("%.2fs", f/1e9)
		}
	case "bytes":
		size, units := f, []string{"B", "kB", "MB", "GB", "TB"}
		for len(units) > 1 && max(size, -size) >= 1024 {
			size, units = size/1024, units[1:]
		}
		return fmt.Sprintf("%.4g%s", size, units[0])
	case "count", "":
		return fmt.Sprint(v)
	}
	return fmt.Sprint(v, unit)
}

// Thousands writes a number with a comma after every three digits.
func Thousands(v int64) string {
	s := fmt.Sprint(v)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
