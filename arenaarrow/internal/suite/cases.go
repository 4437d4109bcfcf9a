package main

// packages are the packages of arrow-go whose tests are run: packages that accept an allocator, or
// pass memory from one to another.
var packages = []string{
	"arrow/memory",
	"arrow/memory/mallocator",
	"arrow",
	"arrow/array",
	"arrow/array/arreflect",
	"arrow/arrio",
	"arrow/avro",
	"arrow/cdata",
	"arrow/compute",
	"arrow/compute/exec",
	"arrow/compute/exprs",
	"arrow/compute/internal/kernels",
	"arrow/csv",
	"arrow/encoded",
	"arrow/extensions",
	"arrow/internal/arrjson",
	"arrow/internal/dictutils",
	"arrow/ipc",
	"arrow/scalar",
	"arrow/tensor",
	"arrow/util",
	"parquet/compress",
	"parquet/file",
	"parquet/internal/encoding",
	"parquet/metadata",
	"parquet/pqarrow",
	"parquet/variant",
}

// known are the tests of arrow-go that use memory after they released it, which
// an allocator forgives only if it leaves freed memory to the collector. Each is run
// in a process of its own. With an allocator that hands memory out again they may
// fail or pass; with one that looks for mistakes they must not pass.
var known = []struct{ pkg, test, why string }{
	{"arrow/array", "TestConcatenate/list_view", "makes arrays from the bytes of an array that it has released"},
	{"arrow/array", "TestConcatenate/large_list_view", "makes arrays from the bytes of an array that it has released"},
	{"arrow/csv", "TestInferringSchemaWithoutHeaderPreservesFirstRow", "keeps strings of a batch that the reader has released"},
	{"parquet/file", "TestPageStreamingRecordReader", "keeps values of an array that it has released"},
	{"parquet/pqarrow", "TestParquetArrowIO/TestReadSingleColumnFile", "reads a file from a buffer that it has released"},
	{"parquet/pqarrow", "TestParquetArrowIO/TestSingleColumnRequiredRead", "reads a file from a buffer that it has released"},
}

// slow are benchmarks that take minutes, or gigabytes, to be run once, with any allocator.
var slow = []struct{ pkg, benchmark string }{
	{"arrow/array", "BenchmarkRecordFromJSON"},
	{"arrow/array", "BenchmarkJSONReader"},
	{"arrow/compute", "BenchmarkRunEndKernels"},
	{"arrow/compute", "BenchmarkScalarArithmetic"}, // arrays as large as the third-level cache
}

// slowOf returns the slow benchmarks of a package.
func slowOf(pkg string) (list []string) {
	for _, b := range slow {
		if b.pkg == pkg {
			list = append(list, b.benchmark)
		}
	}
	return list
}
