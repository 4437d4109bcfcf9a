// Package command is what the examples' main functions have in common.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
)

// ChildFlag, as the first argument, makes a program do a part of its work in this process, which
// another process of it has started; the second argument says which. It is not for users.
const ChildFlag = "-child"

// Run is a whole program: it parses the arguments, executes them, and returns the exit status.
// child is the argument of ChildFlag, which is then removed from args. parse has reported its own
// error, and Run reports the error of do. If ctx is done, it says instead that the program was
// interrupted.
func Run[C any](ctx context.Context, name string, wErr io.Writer, args []string,
	parse func(wErr io.Writer, args []string) (C, error), do func(c C, child string, args []string) error) int {
	child := ""
	if len(args) > 1 && args[0] == ChildFlag {
		child, args = args[1], args[2:]
	}
	c, err := parse(wErr, args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	err = do(c, child, args)
	if err != nil && ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	if err != nil {
		fmt.Fprintf(wErr, "%s: %v\n", name, err)
		return 1
	}
	return 0
}
