package vm

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

const transparent = "/sys/kernel/mm/transparent_hugepage/"

var errNever = errors.New("the system never uses any: " + transparent + "enabled says so")

var hugePageSize = sync.OnceValue(func() int {
	text, _ := os.ReadFile(transparent + "hpage_pmd_size")
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || n <= PageSize() {
		return 2 << 20 // A kernel without transparent huge pages may have a pool of them.
	}
	return n
})

func adviseHuge(b []byte) error {
	// Without this file the system has no transparent huge pages, and Madvise says so.
	if text, err := os.ReadFile(transparent + "enabled"); err == nil && strings.Contains(string(text), "[never]") {
		return errNever
	}
	return syscall.Madvise(b, syscall.MADV_HUGEPAGE)
}
