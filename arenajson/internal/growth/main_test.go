package growth_test

import (
	"testing"

	"github.com/arena-go/arena/internal/growth"
)

func TestMain(m *testing.M) { growth.Main(m) }

func TestDecode(t *testing.T)  { growth.Run(t, decodeRows(), pendingDecode...) }
func TestMethods(t *testing.T) { growth.Run(t, methodRows(), pendingMethods...) }
func TestEncode(t *testing.T)  { growth.Run(t, encodeRows(), pendingEncode...) }
func TestStream(t *testing.T)  { growth.Run(t, streamRows(), pendingStream...) }
func TestWide(t *testing.T)    { growth.Run(t, wideRows(), pendingWide...) }

// What is known to be wrong. The points are those of the report.
var (
	pendingDecode = []growth.Fault{
		{Rows: ".*/deep/method at the (middle|bottom)/.*", Measure: growth.Bytes, Point: "2.5, errors copy their path"},
		{Rows: "schema/(repeated/long|many of the same/deep).*", Measure: growth.Bytes, Point: "2.4, repeated names wait on the side"},
		{Rows: "schema/(repeated/long|many of the same/deep)/arena", Measure: growth.Kept, Point: "2.4, repeated names wait on the side"},
	}
	pendingMethods = []growth.Fault{
		{Rows: "(encode|text of methods).*", Measure: growth.Calls, Point: "2.1, methods are called again"},
		{Rows: "decode.*", Measure: growth.Bytes, Point: "2.2, each level copies its text"},
		{Rows: "decode.*", Measure: growth.Kept, Point: "2.2, each level copies its text"},
	}
	pendingEncode []growth.Fault
	pendingStream = []growth.Fault{
		{Rows: "endless/.*", Measure: growth.Bytes, Point: "2.3, the Decoder looks for brackets only"},
		{Rows: "endless/.*", Measure: growth.Steps, Point: "2.3, the Decoder looks for brackets only"},
		{Rows: "endless/.*", Measure: growth.Read, Point: "2.3, the Decoder looks for brackets only"},
	}
	pendingWide = []growth.Fault{
		{Rows: "names (the last, in lower|mixed cases|in other cases).*", Measure: growth.Steps, Point: "2.9, names in other cases are looked for one by one"},
		{Rows: "names backwards.*", Measure: growth.Steps, Point: "2.9, and so are names in another order"},
	}
)
