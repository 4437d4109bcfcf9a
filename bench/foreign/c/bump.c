/* A bump allocator; see work.h. */
#include <stdlib.h>

#define NAME "c"

/* Chunks double. Reset keeps the last one, which is as large as all others together. */
struct chunk { struct chunk *former; size_t size; };
struct mark { char *next, *end; struct chunk *last; };
struct arena { struct mark top; };

static struct arena *arena_new(size_t room) {
	struct arena *a = calloc(1, sizeof *a);
	if (!a)
		abort();
	(void)room;
	return a;
}

/* Frees c and those before it, up to kept. */
static void release(struct chunk *c, struct chunk *kept) {
	while (c != kept) {
		struct chunk *former = c->former;
		free(c);
		c = former;
	}
}

static void *grow(struct arena *a, size_t need) {
	struct chunk *last = a->top.last;
	size_t size = last ? 2 * last->size : 4096;
	while (size < need + sizeof(struct chunk))
		size *= 2;
	struct chunk *c = malloc(size);
	if (!c)
		abort();
	c->former = last;
	c->size = size;
	a->top.last = c;
	a->top.next = (char *)(c + 1) + need;
	a->top.end = (char *)c + size;
	return c + 1;
}

/* Sizes are multiples of eight, so that all is aligned. */
static inline void *arena_alloc(struct arena *a, size_t size) {
	char *p = a->top.next;
	if ((size_t)(a->top.end - p) < size)
		return grow(a, size);
	a->top.next = p + size;
	return p;
}

static inline void arena_reset(struct arena *a) {
	struct chunk *last = a->top.last;
	if (!last)
		return;
	release(last->former, NULL);
	last->former = NULL;
	a->top.next = (char *)(last + 1);
}

static inline struct mark arena_mark(struct arena *a) { return a->top; }

static inline void arena_rewind(struct arena *a, struct mark m) {
	release(a->top.last, m.last);
	a->top = m;
}

static void arena_free(struct arena *a) {
	release(a->top.last, NULL);
	free(a);
}

#include "work.h"
