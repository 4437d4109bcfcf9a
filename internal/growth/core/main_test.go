// Package core_test has the rows of the root's module: of its containers, its text, its copies, its
// memories and its middlewares.
package core_test

import (
	"testing"

	"github.com/arena-go/arena/internal/growth"
)

func TestMain(m *testing.M) { growth.Main(m) }

func TestMaps(t *testing.T)    { growth.Run(t, mapRows()) }
func TestValues(t *testing.T)  { growth.Run(t, valueRows()) }
func TestClones(t *testing.T)  { growth.Run(t, cloneRows()) }
func TestStrings(t *testing.T) { growth.Run(t, stringRows()) }
func TestMemories(t *testing.T) {
	growth.Run(t, append(memoryRows(), fileRow(t.TempDir())))
}
func TestAdapters(t *testing.T) { growth.Run(t, adapterRows()) }
