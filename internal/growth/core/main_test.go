// Package core_test has the rows of the root's module: of its containers, its text, its copies, its memories and its middlewares.
package core_test

import (
	"testing"

	"github.com/arena-go/arena/internal/growth"
)

func TestMain(m *testing.M) { growth.Main(m) }

func TestMaps(t *testing.T)    { growth.Run(t, mapRows(), pendingMaps...) }
func TestValues(t *testing.T)  { growth.Run(t, valueRows(), pendingValues...) }
func TestClones(t *testing.T)  { growth.Run(t, cloneRows(), pendingClones...) }
func TestStrings(t *testing.T) { growth.Run(t, stringRows(), pendingStrings...) }
func TestMemories(t *testing.T) {
	growth.Run(t, append(memoryRows(), fileRow(t.TempDir())), pendingMemories...)
}
func TestAdapters(t *testing.T) { growth.Run(t, adapterRows(), pendingAdapters...) }

// What is known to be wrong.
var (
	pendingMaps = []growth.Fault{
		{Rows: ".*/delete the first of All.*/(Map|Ref.*Map)", Measure: growth.Steps, Point: "3, Map.All begins at the same place"},
		{Rows: ".*/(delete the first of All.*|All of what is nearly empty|a queue by All|a queue with All)/Ref.*Map", Measure: growth.Bytes, Point: "3, RefMap.All surveys all tables"},
	}
	pendingValues []growth.Fault
	pendingClones = []growth.Fault{
		{Rows: "(suffixes|windows) of text.*", Measure: growth.Bytes, Point: "3, DeepClone of overlapping text"},
		{Rows: "(suffixes|windows) of text.*", Measure: growth.Kept, Point: "3, DeepClone of overlapping text"},
	}
	pendingStrings = []growth.Fault{
		{Rows: "SplitN in a loop/.*", Measure: growth.Steps, Point: "3, SplitN counts all separators"},
		{Rows: "SplitN of a byte in a loop/.*", Measure: growth.CPU, Point: "3, SplitN counts all separators"},
	}
	pendingMemories = []growth.Fault{
		{Rows: "(Fixed|Mmap)/Alloc beside free pieces in the same class, too small", Measure: growth.Steps, Point: "3, Alloc walks free pieces"},
		{Rows: "Fixed/full", Measure: growth.Steps, Point: "3, Alloc walks free pieces, for its error too"},
	}
	pendingAdapters []growth.Fault
)
