package growth_test

import (
	"testing"

	"github.com/arena-go/arena/internal/growth"
)

func TestMain(m *testing.M) { growth.Main(m) }

func TestDecode(t *testing.T)  { growth.Run(t, decodeRows()) }
func TestMethods(t *testing.T) { growth.Run(t, methodRows()) }
func TestEncode(t *testing.T)  { growth.Run(t, encodeRows()) }
func TestStream(t *testing.T)  { growth.Run(t, streamRows()) }
func TestWide(t *testing.T)    { growth.Run(t, wideRows()) }
