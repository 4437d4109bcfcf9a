//go:build !windows

package offheap

import "os"

// openFile opens the file at path for reading, so that place can put another one there meanwhile.
func openFile(path string) (*os.File, error) { return os.Open(path) }

// place renames a file, in the same directory, over what is at path.
func place(temp, path string) error { return os.Rename(temp, path) }
