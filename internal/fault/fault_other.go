//go:build !linux || (!amd64 && !arm64)

package fault

const supported = false

func install([]Range) error { return ErrUnsupported }

func last() uintptr { return 0 }
