/* The binary trees of the Benchmarks Game with a bump allocator; see ../main.go. */
#include <stdio.h>
#include <stdlib.h>

struct node { struct node *left, *right; };

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

static struct node *grow(struct bump *b) {
	size_t size = b->last ? 2 * b->last->size : 4096;
	struct chunk *c = malloc(size);
	if (!c)
		abort();
	c->former = b->last;
	c->size = size;
	b->last = c;
	b->next = (char *)(c + 1) + sizeof(struct node);
	b->end = (char *)c + size;
	return (struct node *)(c + 1);
}

static inline struct node *alloc(struct bump *b) {
	char *p = b->next;
	if ((size_t)(b->end - p) < sizeof(struct node))
		return grow(b);
	b->next = p + sizeof(struct node);
	return (struct node *)p;
}

static void reset(struct bump *b) {
	if (!b->last)
		return;
	release(b->last->former);
	b->last->former = NULL;
	b->next = (char *)(b->last + 1);
}

static struct node *tree(struct bump *b, int depth) {
	struct node *n = alloc(b);
	n->left = n->right = NULL;
	if (depth > 0) {
		n->left = tree(b, depth - 1);
		n->right = tree(b, depth - 1);
	}
	return n;
}

static long count(struct node *n) { return n->left ? 1 + count(n->left) + count(n->right) : 1; }

int main(int argc, char **argv) {
	int n = argc > 1 ? atoi(argv[1]) : 18;
	struct bump stretch = {0}, lasting = {0}, b = {0};
	printf("stretch tree of depth %d\t check: %ld\n", n + 1, count(tree(&stretch, n + 1)));
	release(stretch.last);
	struct node *root = tree(&lasting, n);
	for (int depth = 4; depth <= n; depth += 2) {
		long trees = 1L << (n - depth + 4), sum = 0;
		for (long i = 0; i < trees; i++) {
			sum += count(tree(&b, depth));
			reset(&b);
		}
		printf("%ld\t trees of depth %d\t check: %ld\n", trees, depth, sum);
	}
	release(b.last);
	printf("long lived tree of depth %d\t check: %ld\n", n, count(root));
	release(lasting.last);
	return 0;
}
