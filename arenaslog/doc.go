/*
Package arenaslog lets a program log text of an arena with a [log/slog] handler that keeps its
records.

	log := slog.New(arenaslog.New(handler))

Handlers that write before they return do not need it. Others hand records to another goroutine,
collect them in batches, or keep attributes for the next record. They read these after the arena was
reused.

# What is copied

The handler copies the message, keys, groups and all text to the heap, of records and of
[slog.Logger.With]. It resolves a [slog.LogValuer] at once. It treats other values, in slog.Any, in
three ways:

  - Errors: the inner handler gets an error with the same text, and no more. errors.As no longer
    finds the wrapped errors.
  - Values that consist only of data are copied by [arena.DeepClone]: slices, maps, structs,
    pointers, up to some thousand values.
  - Values that contain channels, funcs, locks, contexts or errors, and larger values, are written
    at once, as text and as JSON. The handlers of package slog write the same as without the copy.
    Other handlers see a value with the methods MarshalText and MarshalJSON. The latter returns the
    output of the JSON handler, even if that is "!ERROR:" and a message.

The name of a [time.FixedZone] is copied for the time of a record and in slog.Time. In other values
it is not copied, and must not be text of an arena.

Each text costs an allocation, on top of the cost of a record without the copy. The context is
passed on unchanged.
*/
package arenaslog
