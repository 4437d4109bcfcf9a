/*
Package arenaarrow has an allocator for Apache Arrow: memory that is given back is used again, each query
has its own account and its own limit, and what it forgot to release is known, and freed, when it ends.

	var alloc = arenaarrow.New(arenaarrow.Options{Name: "queries", Limit: 4 << 30}) // One for the program.

	func query(ctx context.Context, r io.Reader) error {
		q := alloc.Child("top customers")
		defer func() {
			if leaks := q.Close(); leaks != nil {
				log.Print(leaks)
			}
		}()
		q.SetLimit(256 << 20)
		ctx, cancel := q.Context(ctx) // is cancelled beyond that
		defer cancel()
		...
		reader, err := ipc.NewReader(r, ipc.WithAllocator(q))
		...
	}

An [Allocator] is a memory.Allocator of any version of github.com/apache/arrow-go: the package imports none of it.

# When not to use it

The gain is in work that takes and releases much memory: building and reading batches, filters, Parquet. Where
little of the time goes into that (CSV, sorting, compression, writing) there is none, see docs/arrow.md of the repository. Programs that
never call Release have none either: memory is used again only after that. And they do not need to begin with it,
since [Allocator.Close] frees what a query had.

What changes from memory.GoAllocator is that Release counts: see below. Run the tests with Options.Debug before.

# Lifetime: Retain, Release, Close

With memory.GoAllocator a missing Release costs nothing, nor does one too early: the collector looks after
memory. Many programs for Arrow are wrong in ways that nobody has seen. The rules are these.

  - Who makes something (NewArray, NewRecordBatch, a Reader) has to Release it, once. Who keeps what it was given,
    for longer than the call, has to Retain it before and Release it after.
  - A Reader's batch is good until the next call of Next. To keep it, Retain it.
  - The last Release frees the buffers, and [Allocator.Free] makes them available to others at once. Whatever was got from them
    without a copy must not be used after that: the slices that Int64Values and its like return, the strings of
    String.Value, arrays made by NewSlice once they are released, and views of ipc messages.
    On the Go heap such a use reads other data, never memory that is gone, and cannot spoil what is not in blocks of
    the same allocator. With Options.Memory it does what that Memory says. strings.Clone what is to stay.
  - A map is no exception, even for a key that it has: sums[name] += n replaces the key by the equal one in the batch. Have
    pointers as values, and insert with sums[strings.Clone(name)] = new(int64).
  - A Builder's buffers belong to the array once NewArray has returned; Release of the builder is due nevertheless.
  - [Allocator.Close] of a child ends what is left of a query. It can be called while arrays are still in
    use: on the Go heap the collector finds out which they are. So "defer q.Close()" is right even where a result
    is returned to somebody, who may release it later or never; it is reported as a leak then. Results are better made by the parent.
  - Export to C keeps the array until C calls its release callback, at any time, by any thread: also after Close.
  - There is no Reset, on purpose: an allocator cannot know who still has a block.

With [Options].Debug, a use after the last Release faults, at the instruction that does it, and [arena.CatchFaults] adds where
the block was allocated and freed; a second Free panics with both stacks; and a write past the end faults, from the next multiple of Options.Align on. It takes two pages and some microseconds for each block.
There is room for 8192 regions of memory at a time that can be made inaccessible; blocks beyond that lie on ordinary memory, where only
writes after Free are found.

# Limits

Allocate has no way to return an error, and Arrow allocates in goroutines of its own, where a panic ends the process: compute does,
pqarrow and ipc do for some settings. So a limit is soft, unless Options.Hard is set: allocating goes on, [Allocator.Exceeded] turns
true, and contexts made by [Allocator.Context] are cancelled, so that work which looks at its context stops at the next batch. The cause is
an *arena.LimitError. compute looks at its context; pqarrow's readers do not, so in loops of your own, ask for each batch:

	for reader.Next() {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		...
	}

Return the cause and not ctx.Err(), which does not say why. A server for Flight whose handlers do answers with
ResourceExhausted if it has the options of package arenagrpc, StatusOptions, and otherwise with Unknown.

A hard limit panics with that error in Allocate. It reaches the caller from builders. ipc.Reader turns it into an
error that says only the text. In the goroutines of compute and pqarrow nobody recovers from it, and the program ends.

# Where to give it

Whoever is not given an allocator takes the default one, silently. ipc.NewReader and NewWriter have ipc.WithAllocator; compute has
compute.WithAllocator, for a context; builders have a parameter; csv has csv.WithAllocator. Parquet has two: parquet.NewReaderProperties, for pages, and
pqarrow.NewFileReader, for arrays. It reads whole column chunks into memory that no allocator sees unless BufferedStreamEnabled is set.

# Memory

Blocks of up to 32 KiB share slabs of 8 to 256 KiB, with four sizes per power of two; larger ones are pieces of 4 KiB
pages, with eight. A block that Reallocate makes smaller stays as large as it is, and counts to limits for as much, until its Free: with
memory.GoAllocator it does so too, and builders of Arrow write to the end of what they had. Free memory is kept up to twice what was in use at
the peak, which decays with each cycle of the collector, and each Close of a child. Each
block has 24 bytes of account beside it, never in it. Locks are for one size each, and for one of as many shards as there are processors.
*/
package arenaarrow
