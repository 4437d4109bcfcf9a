/*
Package arenaarrow has an allocator for Apache Arrow. It uses memory again that was released. Each query has its own account and its own limit.
When a query ends, the allocator reports and frees what the query forgot to release.

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

An [Allocator] is a memory.Allocator of any version of github.com/apache/arrow-go. The package imports none of them.

# When not to use it

The gain is in work that takes and releases much memory: building and reading batches, filters, Parquet. There is none where little of the time
goes into that: CSV, sorting, compression, writing. See docs/arrow.md of the repository.

Programs that never call Release gain nothing either, because memory is used again only after Release. They need not begin with it:
[Allocator.Close] frees what a query had.

Release counts here; with memory.GoAllocator it does not. Run the tests with Options.Debug first.

# Lifetime: Retain, Release, Close

With memory.GoAllocator, a Release that is missing or too early costs nothing: the collector looks after memory. So many programs for Arrow have
mistakes that nobody has seen. The rules are these.

  - Whoever makes something (NewArray, NewRecordBatch, a Reader) has to Release it, once. Whoever keeps what it was given, for longer than the
    call, has to Retain it before and Release it after.
  - A Reader's batch is good until the next call of Next. To keep it, Retain it.
  - The last Release frees the buffers, and [Allocator.Free] makes them available to others at once. Do not use afterwards what you got from
    them without a copy: slices that Int64Values and its like return, strings of String.Value, views of ipc messages, and arrays made by
    NewSlice once they are released. Copy what is to stay with strings.Clone.
  - On the Go heap, a use after the last Release reads other data, never memory that is gone. It spoils nothing but blocks of the same allocator.
    With Options.Memory it does what that Memory says.
  - An assignment to a map replaces an equal key: after sums[name] += n the key lies in the batch. Have pointers as values, and insert with
    sums[strings.Clone(name)] = new(int64).
  - One Release too many frees a block twice. While nobody else has the block, the second Free
    panics. If somebody has, it frees their block: their data is overwritten once a third party
    gets it, and their own Free panics, or frees that block in turn. It can be the block of another
    query. Blocks of other roots and all other memory stay untouched.
  - A Builder's buffers belong to the array once NewArray has returned. Release the builder nevertheless.
  - [Allocator.Close] of a child ends what is left of a query. You may call it while arrays are in use: on the Go heap, the collector finds out
    which they are. So "defer q.Close()" is right even if you return a result whose receiver releases it later, or never. Close reports such a
    result as a leak. It is better to make results with the parent.
  - Export to C keeps the array until C calls its release callback. Any thread may call it, at any time, also after Close.
  - There is no Reset, on purpose: an allocator cannot know who still has a block.

[Options].Debug finds mistakes:

  - A use after the last Release faults, at the instruction that does it. [arenadebug.CatchFaults] adds where the block was allocated and freed.
  - A second Free panics, with both stacks, also when others have allocated in between.
  - A write past the end faults, from the next multiple of Options.Align on.

Each block then takes two pages and some microseconds. At a time, 8192 regions of memory can be made inaccessible. Blocks beyond that lie in
ordinary memory, where only writes after Free are found.

# Limits

Allocate cannot return an error, and Arrow allocates in goroutines of its own, where a panic ends the process: compute does, and pqarrow and ipc
do for some settings. So a limit is soft unless Options.Hard is set. Beyond a soft limit, allocating goes on, [Allocator.Exceeded] is true, and
contexts made by [Allocator.Context] are cancelled. Work that looks at its context stops at the next batch. The cause is an *arena.LimitError.

compute looks at its context. The readers of pqarrow do not. So ask for each batch in loops of your own:

	for reader.Next() {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		...
	}

Return the cause and not ctx.Err(), which does not say why. If a server for Flight has the StatusOptions of package arenagrpc, its clients then get
ResourceExhausted, and otherwise Unknown.

A hard limit makes Allocate panic with that error. Builders pass the panic on to their caller. ipc.Reader makes it an error that has only the
text. In goroutines of compute and pqarrow nobody recovers from it, and the program ends.

# When memory is short

[Allocator.TryReserve] asks for memory before it is needed, and returns an error instead of exceeding a limit. [Allocator.OnLimit] is for work that
can give up memory: it writes data to a file, and releases it. [Share] says who has to do so first, and what is guaranteed to whom. A step of a
query then does this for each batch, at a place where its data is whole:

	if err := step.TryReserve(most); err != nil {
		spill() // or return the error
	}

A reservation is what keeps a query within a soft limit, because it can stop before it allocates. docs/arrow.md has an example, and
examples/query a sort that spills.

# Where to give it

Code that gets no allocator takes the default one, silently.

  - ipc.NewReader and NewWriter have the option ipc.WithAllocator, and csv has csv.WithAllocator.
  - compute has compute.WithAllocator, for a context.
  - Builders have a parameter.
  - Parquet has two: parquet.NewReaderProperties for pages, and pqarrow.NewFileReader for arrays. It reads whole column chunks into memory
    that no allocator sees unless BufferedStreamEnabled is set.

# Memory

Blocks of up to 32 KiB share slabs of 8 to 256 KiB; there are four sizes per power of two. Larger blocks are pieces of 4 KiB pages, in eight sizes
per power of two. Each block has 24 bytes of account beside it, never in it.

A block never becomes smaller: after a Reallocate to less it counts to limits as before, until its Free. Builders of Arrow need that, because
they write to the end of what they had, as memory.GoAllocator lets them.

The allocator keeps free memory, so that with what is in use there is up to twice the peak. The peak decays with each cycle of the collector and
with each Close of a child.

Small blocks that are freed stay counted for their allocator until it needs them again, or somebody who would exceed a limit does. So limits are
exact, and only Stats.Peak is not.

Each size has a lock of its own in each shard. There are as many shards as processors, up to 16.
*/
package arenaarrow
