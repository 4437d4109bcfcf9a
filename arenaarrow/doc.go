/*
Package arenaarrow provides an allocator for Apache Arrow that reuses released memory. Each query
has its own account and its own limit. When a query ends, the allocator reports and frees the memory
that the query forgot to release.

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

An [Allocator] is a memory.Allocator of any version of github.com/apache/arrow-go. The package
imports none of them.

# When not to use it

The allocator pays if work allocates and releases much memory: building and reading batches,
filters, Parquet. It gains nothing if memory costs little of the time: CSV, sorting, compression,
writing. See docs/arrow.md of the repository.

Programs that never call Release gain nothing either, because only Release makes memory reusable.
They need not add it: [Allocator.Close] frees the memory of a query.

Release matters here; with memory.GoAllocator it does not. Run the tests with Options.Debug first.

# Lifetime: Retain, Release, Close

With memory.GoAllocator, a Release that is missing or too early costs nothing: the collector frees
the memory. So many programs for Arrow contain mistakes that nobody has seen. The rules:

  - Whoever makes something (NewArray, NewRecordBatch, a Reader) must Release it, once. Whoever
    keeps an argument for longer than the call must Retain it before and Release it after.
  - A Reader's batch is good until the next call of Next. To keep it, Retain it.
  - The last Release frees the buffers, and [Allocator.Free] makes them available to others at once.
    Do not use anything afterwards that refers to them without a copy: slices of Int64Values and its
    like, strings of String.Value, views of ipc messages, and arrays of NewSlice that are released.
    Copy strings that you keep with strings.Clone.
  - On the Go heap, a use after the last Release reads other data, never memory that is gone. It
    spoils only blocks of the same allocator. With Options.Memory it does what that Memory says.
  - An assignment to a map replaces an equal key: after sums[name] += n the key is in the batch. Use
    pointers as values, and insert with sums[strings.Clone(name)] = new(int64).
  - One Release too many frees a block twice. While nobody else owns the block, the second Free
    panics. If somebody does, it frees their block. A third party that gets the block overwrites
    their data, and their own Free panics, or frees the block in turn. It can be the block of
    another query. Blocks of other roots and all other memory stay untouched.
  - A Builder's buffers belong to the array once NewArray has returned. Release the builder all the
    same.
  - [Allocator.Close] of a child frees the rest of a query. You may call it while arrays are in use:
    on the Go heap, the collector finds them. So "defer q.Close()" is right even if you return a
    result whose receiver releases it later, or never. Close reports such a result as a leak. It is
    better to make results with the parent.
  - Export to C keeps the array until C calls its release callback. Any thread may call it, at any
    time, also after Close.
  - There is no Reset, on purpose: an allocator cannot know who still uses a block.

[Options].Debug finds mistakes:

  - A use after the last Release faults, at the instruction that does it. [arenadebug.CatchFaults]
    adds the stacks of the block's allocation and its Free.
  - A second Free panics, with both stacks, also when others have allocated in between.
  - A write past the end faults, from the next multiple of Options.Align on.

Each block then costs two pages and some microseconds. At most 8192 regions of memory can be
inaccessible at a time. Further blocks are in ordinary memory, where only writes after Free are
found.

# Limits

Allocate cannot return an error, and Arrow allocates in goroutines of its own, in which a panic ends
the process: compute always does, and pqarrow and ipc do with some settings. So a limit is soft
unless Options.Hard is set. Beyond a soft limit, allocating goes on, [Allocator.Exceeded] is true,
and contexts made by [Allocator.Context] are cancelled. Work that checks its context stops at the
next batch. The cause is an *arena.LimitError.

compute checks its context. The readers of pqarrow do not. So check it for each batch in your own
loops:

	for reader.Next() {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		...
	}

Return the cause and not ctx.Err(), which does not say why. Clients of a Flight server with the
StatusOptions of package arenagrpc then get ResourceExhausted, and otherwise Unknown.

A hard limit makes Allocate panic with that error. Builders pass the panic on to their caller.
ipc.Reader turns it into an error with only the text. In goroutines of compute and pqarrow nobody
recovers from it, and the program ends.

# When memory is short

[Allocator.TryReserve] asks for memory before it is needed, and returns an error instead of
exceeding a limit. [Allocator.OnLimit] is for work that can give up memory, by writing data to a
file and releasing it. [Share] sets who must do so first, and what is guaranteed to whom. A step of
a query then does this for each batch, when its data is complete:

	if err := step.TryReserve(most); err != nil {
		spill() // or return the error
	}

A reservation keeps a query within a soft limit, because the query can stop before it allocates.
docs/arrow.md has an example, and examples/query a sort that spills.

# Where to give it

Code without an allocator silently uses the default allocator.

  - ipc.NewReader and NewWriter have the option ipc.WithAllocator, and csv has csv.WithAllocator.
  - compute has compute.WithAllocator, for a context.
  - Builders have a parameter.
  - Parquet has two: parquet.NewReaderProperties for pages, and pqarrow.NewFileReader for arrays. It
    reads whole column chunks into memory that no allocator sees unless BufferedStreamEnabled is
    set.

# Memory

Blocks of up to 32 KiB share slabs of 8 to 256 KiB; there are four sizes per power of two. Larger
blocks are pieces of 4 KiB pages, in eight sizes per power of two. The account of each block costs
24 bytes, outside the block.

A block never becomes smaller: after a Reallocate to less it counts toward limits as before, until
its Free. Arrow's builders need that, because they write to the end of their previous buffer, as
memory.GoAllocator lets them.

The allocator keeps free memory: used and free memory together are up to twice the peak. The peak
decays with each cycle of the collector and with each Close of a child.

Freed small blocks stay counted for their allocator until it needs them again, or until an
allocation would exceed a limit. So limits are exact, and only Stats.Peak is not.

Each size has a lock of its own in each shard. There are as many shards as processors, up to 16.
*/
package arenaarrow
