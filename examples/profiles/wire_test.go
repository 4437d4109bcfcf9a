package main

import (
	"encoding/binary"
	"slices"
)

// pb writes protobuf messages for tests.
type pb []byte

// num appends a varint field.
func (b pb) num(field int, v uint64) pb {
	b = binary.AppendUvarint(b, uint64(field)<<3|wireVarint)
	return binary.AppendUvarint(b, v)
}

// str appends a field with the given bytes, which may be a message.
func (b pb) str(field int, s string) pb {
	b = binary.AppendUvarint(b, uint64(field)<<3|wireBytes)
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// msg appends a message.
func (b pb) msg(field int, m pb) pb { return b.str(field, string(m)) }

// packed appends a packed list of numbers.
func (b pb) packed(field int, v ...uint64) pb {
	var list pb
	for _, v := range v {
		list = binary.AppendUvarint(list, v)
	}
	return b.msg(field, list)
}

// small returns a profile with a bit of everything:
//
//	main.main -> main.work [inlined main.leaf]   1 / 10 ns
//	main.main                                    2 / 20 ns
//	main.main -> main.work -> main.work          3 / 30 ns
//	libc.so, without a function                  4 / 40 ns
func small() pb {
	table := []string{"", "samples", "count", "cpu", "nanoseconds", "main.main", "main.work", "main.leaf", "a.go", "/bin/a",
		"/lib/libc.so", "request", "<b>&\"x", "bytes", "a comment", "https://example.org/", "build"}
	at := func(s string) uint64 { return uint64(slices.Index(table, s)) }
	b := pb{}.
		msg(1, pb{}.num(1, at("samples")).num(2, at("count"))).
		msg(1, pb{}.num(1, at("cpu")).num(2, at("nanoseconds"))).
		msg(2, pb{}.packed(1, 2, 1).packed(2, 1, 10).
								msg(3, pb{}.num(1, at("request")).num(2, at("<b>&\"x"))).
								msg(3, pb{}.num(1, at("bytes")).num(3, 128).num(4, at("bytes")))).
		msg(2, pb{}.num(1, 1).num(2, 2).num(2, 20)). // not packed
		msg(2, pb{}.num(1, 3).num(1, 3).packed(1, 1).packed(2, 3).num(2, 30)).
		msg(2, pb{}.packed(1, 4).packed(2, 4, 40)).
		msg(3, pb{}.num(1, 1).num(2, 0x1000).num(3, 0x2000).num(4, 0x10).num(5, at("/bin/a")).num(6, at("build")).
			num(7, 1).num(8, 1).num(9, 1).num(10, 1)).
		msg(3, pb{}.num(1, 2).num(2, 0x8000).num(3, 0x9000).num(5, at("/lib/libc.so"))).
		msg(4, pb{}.num(1, 1).num(2, 1).num(3, 0x1100).msg(4, pb{}.num(1, 1).num(2, 7).num(3, 3))).
		msg(4, pb{}.num(1, 2).num(2, 1).num(3, 0x1200).msg(4, pb{}.num(1, 3).num(2, 30)).msg(4, pb{}.num(1, 2).num(2, 20)).num(5, 1)).
		msg(4, pb{}.num(1, 3).num(2, 1).num(3, 0x1300).msg(4, pb{}.num(1, 2).num(2, 21))).
		msg(4, pb{}.num(1, 4).num(2, 2).num(3, 0x8100)).
		msg(5, pb{}.num(1, 1).num(2, at("main.main")).num(3, at("main.main")).num(4, at("a.go")).num(5, 5)).
		msg(5, pb{}.num(1, 2).num(2, at("main.work")).num(3, at("main.work")).num(4, at("a.go")).num(5, 15)).
		msg(5, pb{}.num(1, 3).num(2, at("main.leaf")).num(3, at("main.leaf")).num(4, at("a.go")).num(5, 25)).
		num(9, 1700000000000000000).
		num(10, 5e9).
		msg(11, pb{}.num(1, at("cpu")).num(2, at("nanoseconds"))).
		num(12, 1e7).
		num(13, at("a comment")).
		num(14, at("cpu")).
		num(15, at("https://example.org/")).
		str(99, "an unknown field")
	for _, s := range table {
		b = b.str(6, s)
	}
	return b
}
