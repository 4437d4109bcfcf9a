package jsonwire

// Powers are the powers of ten of the table, from 10 to the first.
func Powers() (first int, table [][2]uint64) { return minPower, powers[:] }

// EightDigitsOf is eightDigitsOf.
func EightDigitsOf(u uint64) uint64 { return eightDigitsOf(u) }
