/*
Package arenaslog lets a program log text of an arena with a [log/slog] handler that keeps what it is given.

	log := slog.New(arenaslog.New(handler))

Handlers that write before they return need none of this. One that hands records to another goroutine, collects them in batches, or
keeps attributes for the next record, reads them when the arena is used for something else.

# What is copied

The message, keys, groups and all text are copied to the heap, of records and of [slog.Logger.With]. A [slog.LogValuer] is resolved at once. Other
values, in slog.Any, are

  - errors: the handler gets an error with the same text, and no more. What such an error wraps cannot be found by errors.As any more;
  - copied by [arena.DeepClone], if they are made of data alone: slices, maps, structs, pointers, to some thousand values;
  - written at once, as text and as JSON: those in which there are channels, funcs, locks, contexts, errors, or more than that. The handlers of
    package slog write them as they would have without the copy; others see a value with the methods MarshalText and
    MarshalJSON.

Each text is an allocation, and a record costs what it did besides. The context is passed on as it is.
*/
package arenaslog
