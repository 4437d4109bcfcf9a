package arenapb_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/internal/difftest"
	"github.com/arena-go/arena/internal/testrun"
)

// TestConcurrent decodes messages of all types in eight goroutines at once, each into an arena of
// its own, in the wire format and in JSON: in processes where each type comes for the first time,
// too.
func TestConcurrent(t *testing.T) {
	const child = "ARENAPB_CONCURRENT"
	t.Run("cold", func(t *testing.T) {
		if os.Getenv(child) != "" {
			return
		}
		seed := testrun.Seed(t)
		for i := range rounds(10) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestConcurrent$")
			cmd.Env = append(os.Environ(), child+"=1", fmt.Sprintf("%s=%d", testrun.SeedVariable, seed+uint64(i)))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
	})
	seed := random(t).Uint64()
	for i := range 8 {
		t.Run(fmt.Sprint("goroutine=", i), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0)) // the same for all, so that they come to a type together
			list := types()
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			inputs, texts := make([][]byte, len(list)), make([][]byte, len(list))
			for i, mt := range list {
				inputs[i], texts[i] = difftest.Input(r, mt.Descriptor()), difftest.JSON(r, mt.Descriptor())
			}
			t.Parallel() // until all have come here
			a := arena.NewArena()
			defer a.Free()
			for k, mt := range list {
				if i%2 > 0 {
					tryJSON(t, jsonPair(mt), a, texts[k], arenapb.UnmarshalJSONOptions{})
				}
				newPair(mt).decode(t, a, inputs[k], arenapb.UnmarshalOptions{})
				if i%2 == 0 {
					tryJSON(t, jsonPair(mt), nil, texts[k], arenapb.UnmarshalJSONOptions{})
				}
			}
		})
	}
}
