/*
Package arenaslog lets a program log text of an arena with a [log/slog] handler that keeps what it is given.

	log := slog.New(arenaslog.New(handler))

Handlers that write before they return do not need it. Others hand records to another goroutine, collect them in batches, or
keep attributes for the next record. They read these when the arena is used for something else.

# What is copied

The handler copies the message, keys, groups and all text to the heap, of records and of [slog.Logger.With]. It resolves a
[slog.LogValuer] at once. It treats other values, in slog.Any, in three ways:

  - Errors: the inner handler gets an error with the same text, and no more. errors.As no longer finds what the error wraps.
  - Values that are made of data alone are copied by [arena.DeepClone]: slices, maps, structs, pointers, up to some thousand values.
  - Values that have channels, funcs, locks, contexts or errors in them, or are larger than that, are written at once, as text and
    as JSON. The handlers of package slog write them as they would have without the copy. Other handlers see a value with the
    methods MarshalText and MarshalJSON. The latter returns what the JSON handler writes also where that is "!ERROR:" and a message.

Each text is an allocation, on top of what a record costs without the copy. The context is passed on as it is.
*/
package arenaslog
