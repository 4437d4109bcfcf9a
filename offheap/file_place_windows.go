package offheap

import (
	"fmt"
	"os"
	"path/filepath"
)

// With os.Open, Windows forbids replacing the file while it is open. With os.Rename, the rename
// fails while anybody has the file open. A Root does neither.

func openFile(path string) (*os.File, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(filepath.Base(path))
	if err != nil {
		return os.Open(path) // it may be a link to another directory
	}
	return f, nil
}

func place(temp, path string) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Rename(filepath.Base(temp), filepath.Base(path)); err != nil {
		return fmt.Errorf("%w; Windows may refuse to replace a file that somebody has open by other means than Open", err)
	}
	return nil
}
