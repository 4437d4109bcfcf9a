package arenaarrow_test

import (
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena/arenaarrow"
)

var _ memory.Allocator = (*arenaarrow.Allocator)(nil)
