/* The standard library's monotonic buffer; see work.h. Its release gives back all but the buffer
 * that it was given, so that has room for the work. It has no scopes: a rewind is a release. */
#include <memory>
#include <memory_resource>

#define NAME "pmr"

struct arena {
	std::unique_ptr<char[]> buffer;
	std::pmr::monotonic_buffer_resource resource;
	explicit arena(size_t room) : buffer(new char[room]), resource(buffer.get(), room) {}
};
struct mark {};

static arena *arena_new(size_t room) { return new arena(room); }
static inline void *arena_alloc(arena *a, size_t size) { return a->resource.allocate(size, 8); }
static inline void arena_reset(arena *a) { a->resource.release(); }
static inline mark arena_mark(arena *) { return {}; }
static inline void arena_rewind(arena *a, mark) { a->resource.release(); }
static void arena_free(arena *a) { delete a; }

#include "work.h"
