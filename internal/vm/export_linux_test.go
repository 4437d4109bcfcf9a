//go:build linux && (amd64 || arm64)

package vm

// PretendPool makes CommitHuge use ordinary pages until the test ends.
func PretendPool(cleanup func(func())) {
	former := fromPool
	fromPool = 0
	cleanup(func() { fromPool = former })
}
