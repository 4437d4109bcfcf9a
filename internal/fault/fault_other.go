//go:build !linux || (!amd64 && !arm64)

package fault

const supported = false

func install([]Range) error { return ErrUnsupported }

func last() uintptr { return 0 }

func count() uint64 { return 0 }

func find(*Range, uint64) (uintptr, []uintptr) { return 0, nil }
