/* Some of the workloads, for C and C++; see ../foreign.go. The file that includes it defines NAME
 * and an arena:
 *
 *	struct arena *arena_new(size_t room)           room for a round, in bytes
 *	void *arena_alloc(struct arena *, size_t)      aligned to eight bytes
 *	void arena_reset(struct arena *)
 *	struct mark arena_mark(struct arena *)         begins a scope
 *	void arena_rewind(struct arena *, struct mark) ends it
 *	void arena_free(struct arena *)
 *
 * The program prints what it has measured. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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

static void begin(struct measured *m, long before) {
	m->rounds = 0;
	m->before = before;
	m->cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	m->wall = seconds(CLOCK_MONOTONIC);
}

static void end(struct measured *m, uint64_t check, uint64_t units) {
	double wall = seconds(CLOCK_MONOTONIC) - m->wall, cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - m->cpu;
	printf("{\"Rounds\": %ld, \"Units\": %llu, \"Wall\": %.9g, \"CPU\": %.9g, \"Before\": %ld, \"Peak\": %ld, \"Check\": %llu}\n",
	       m->rounds, (unsigned long long)units, wall / m->rounds, cpu / m->rounds, m->before, status("VmHWM: %ld"), (unsigned long long)check);
}

struct small { int64_t a, b; };

static uint64_t smalls(struct arena *a, long n) {
	uint64_t sum = 0;
	struct small **all = (struct small **)arena_alloc(a, n * sizeof *all);
	for (long i = 0; i < n; i++) {
		all[i] = (struct small *)arena_alloc(a, sizeof *all[i]);
		all[i]->a = all[i]->b = 0;
	}
	for (long i = 0; i < n; i++) {
		all[i]->a += i;
		all[i]->b++;
	}
	for (long i = 0; i < n; i++)
		sum += all[i]->a + all[i]->b;
	arena_reset(a);
	return sum;
}

#define TIMES 100
static void *volatile kept;

/* Makes values of five types in turns, those of ../../small/fresh.go, in scopes. */static uint64_t scopes(struct arena *a, long n) {
	for (int i = 0; i < TIMES; i++) {
		struct mark m = arena_mark(a);
		int t = 0;
		for (long k = 0; k < n; k++) {
			switch (t) {
			case 0: kept = memset(arena_alloc(a, 8), 0, 8); break;
			case 1:
			case 2:
			case 3: kept = memset(arena_alloc(a, 16), 0, 16); break;
			case 4: kept = memset(arena_alloc(a, 24), 0, 24); break;
			}
			t = t == 4 ? 0 : t + 1;
		}
		arena_rewind(a, m);
	}
	arena_reset(a);
	return TIMES * n;
}

static void repeat(uint64_t (*work)(struct arena *, long), long n, double duration) {
	struct measured m;
	long before = status("VmRSS: %ld");
	struct arena *a = arena_new(64 + n * (sizeof(struct small) + sizeof(struct small *)));
	uint64_t check = work(a, n);
	begin(&m, before);
	do {
		m.rounds++;
		if (work(a, n) != check)
			abort();
	} while (seconds(CLOCK_MONOTONIC) - m.wall < duration);
	end(&m, check, 0);
	arena_free(a);
}

struct node { struct node *left, *right; };

static struct node *tree(struct arena *a, int depth) {
	struct node *left = NULL, *right = NULL;
	if (depth > 0) {
		left = tree(a, depth - 1);
		right = tree(a, depth - 1);
	}
	struct node *n = (struct node *)arena_alloc(a, sizeof *n);
	n->left = left;
	n->right = right;
	return n;
}

static uint64_t count(struct node *n) { return n->left ? 1 + count(n->left) + count(n->right) : 1; }

static struct arena *arena_for_tree(int depth) { return arena_new(sizeof(struct node) << (depth + 1)); }

static void trees(int n) {
	struct measured m;
	begin(&m, status("VmRSS: %ld"));
	m.rounds = 1;
	struct arena *stretch = arena_for_tree(n + 1);
	uint64_t nodes = count(tree(stretch, n + 1));
	arena_free(stretch);
	struct arena *lasting = arena_for_tree(n), *a = arena_for_tree(n);
	nodes += count(tree(lasting, n));
	for (int depth = 4; depth <= n; depth += 2)
		for (long i = 1L << (n - depth + 4); i > 0; i--) {
			nodes += count(tree(a, depth));
			arena_reset(a);
		}
	arena_free(a);
	arena_free(lasting);
	end(&m, nodes, nodes);
}

int main(int argc, char **argv) {
	if (argc == 5 && !strcmp(argv[1], NAME)) {
		long n = atol(argv[3]);
		double duration = atof(argv[4]);
		if (!strcmp(argv[2], "trees"))
			return trees((int)n), 0;
		if (!strcmp(argv[2], "struct16"))
			return repeat(smalls, n, duration), 0;
		if (!strcmp(argv[2], "fresh-5"))
			return repeat(scopes, n, duration), 0;
	}
	fprintf(stderr, "usage: %s %s struct16|fresh-5|trees n seconds\n", argv[0], NAME);
	return 2;
}
