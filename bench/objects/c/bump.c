/* Two of the workloads with a bump allocator; see ../foreign.go:
 *
 *	bump struct16 n seconds
 *	bump trees depth
 *
 * It prints what it has measured. */
#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Chunks double. Reset keeps the last one, which is as large as all others together. */
struct chunk { struct chunk *former; size_t size; };
struct bump { char *next, *end; struct chunk *last; };

static void release(struct chunk *c) {
	while (c) {
		struct chunk *former = c->former;
		free(c);
		c = former;
	}
}

static void *grow(struct bump *b, size_t need) {
	size_t size = b->last ? 2 * b->last->size : 4096;
	while (size < need + sizeof(struct chunk))
		size *= 2;
	struct chunk *c = malloc(size);
	if (!c)
		abort();
	c->former = b->last;
	c->size = size;
	b->last = c;
	b->next = (char *)(c + 1) + need;
	b->end = (char *)c + size;
	return c + 1;
}

/* Sizes are multiples of eight, so that all is aligned. */
static inline void *alloc(struct bump *b, size_t size) {
	char *p = b->next;
	if ((size_t)(b->end - p) < size)
		return grow(b, size);
	b->next = p + size;
	return p;
}

static void reset(struct bump *b) {
	if (!b->last)
		return;
	release(b->last->former);
	b->last->former = NULL;
	b->next = (char *)(b->last + 1);
}

static double seconds(clockid_t clock) {
	struct timespec t;
	if (clock_gettime(clock, &t))
		abort();
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* The bytes of a line of /proc/self/status, or 0 where there is none. */
static long status(const char *format) {
	char line[256];
	long kilobytes = 0;
	FILE *f = fopen("/proc/self/status", "r");
	if (!f)
		return 0;
	while (fgets(line, sizeof line, f))
		if (sscanf(line, format, &kilobytes) == 1)
			break;
	fclose(f);
	return kilobytes * 1024;
}

struct measured { long rounds, before; double wall, cpu; };

static void begin(struct measured *m) {
	m->rounds = 0;
	m->before = status("VmRSS: %ld");
	m->cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	m->wall = seconds(CLOCK_MONOTONIC);
}

static void end(struct measured *m, uint64_t check, uint64_t units) {
	double wall = seconds(CLOCK_MONOTONIC) - m->wall, cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - m->cpu;
	printf("{\"Rounds\": %ld, \"Units\": %llu, \"Wall\": %.9g, \"CPU\": %.9g, \"Before\": %ld, \"Peak\": %ld, \"Check\": %llu}\n",
	       m->rounds, (unsigned long long)units, wall / m->rounds, cpu / m->rounds, m->before, status("VmHWM: %ld"), (unsigned long long)check);
}

struct small { int64_t a, b; };

static uint64_t smalls(struct bump *b, long n) {
	uint64_t sum = 0;
	struct small **all = alloc(b, n * sizeof *all);
	for (long i = 0; i < n; i++) {
		all[i] = alloc(b, sizeof *all[i]);
		all[i]->a = all[i]->b = 0;
	}
	for (long i = 0; i < n; i++) {
		all[i]->a += i;
		all[i]->b++;
	}
	for (long i = 0; i < n; i++)
		sum += all[i]->a + all[i]->b;
	reset(b);
	return sum;
}

static void struct16(long n, double duration) {
	struct bump b = {0};
	struct measured m;
	begin(&m);
	long before = m.before;
	uint64_t check = smalls(&b, n);
	begin(&m);
	m.before = before;
	do {
		m.rounds++;
		if (smalls(&b, n) != check)
			abort();
	} while (seconds(CLOCK_MONOTONIC) - m.wall < duration);
	end(&m, check, 0);
	release(b.last);
}

struct node { struct node *left, *right; };

static struct node *tree(struct bump *b, int depth) {
	struct node *left = NULL, *right = NULL;
	if (depth > 0) {
		left = tree(b, depth - 1);
		right = tree(b, depth - 1);
	}
	struct node *n = alloc(b, sizeof *n);
	n->left = left;
	n->right = right;
	return n;
}

static uint64_t count(struct node *n) { return n->left ? 1 + count(n->left) + count(n->right) : 1; }

static void trees(int n) {
	struct bump stretch = {0}, lasting = {0}, b = {0};
	struct measured m;
	begin(&m);
	m.rounds = 1;
	uint64_t nodes = count(tree(&stretch, n + 1));
	release(stretch.last);
	nodes += count(tree(&lasting, n));
	for (int depth = 4; depth <= n; depth += 2)
		for (long i = 1L << (n - depth + 4); i > 0; i--) {
			nodes += count(tree(&b, depth));
			reset(&b);
		}
	release(b.last);
	release(lasting.last);
	end(&m, nodes, nodes);
}

int main(int argc, char **argv) {
	if (argc >= 4 && !strcmp(argv[1], "struct16")) {
		struct16(atol(argv[2]), atof(argv[3]));
		return 0;
	}
	if (argc >= 3 && !strcmp(argv[1], "trees")) {
		trees(atoi(argv[2]));
		return 0;
	}
	fprintf(stderr, "usage: %s struct16 n seconds, or %s trees depth\n", argv[0], argv[0]);
	return 2;
}
