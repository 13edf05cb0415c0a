/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_prefer.c - which devices are preferred: of one node, spread over PFs, the doubtful ones last
 *
 * A device is called by its PF and number: "a0", "b3"; PFs a, b are on node 0, c, d on node 1, and
 * e is on none.
 */
#include "daemon/offer/prefer.h"

#include "base/mem.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

enum { PFS = 5, OF_PF = 4 };

static struct inv_function functions[PFS * (OF_PF + 1)];
static struct inventory inv = { .functions = functions, .n_functions = ARRAY_SIZE(functions) };
static struct offered list[PFS * OF_PF];
static struct offer offer = { .resource = "intel.com/a", .list = list, .n = ARRAY_SIZE(list) };

static void make_node(void)
{
	for (int pf = 0; pf < PFS; pf++) {
		functions[pf] = (struct inv_function){ .num_vfs = OF_PF, .pf = INV_NONE };
		for (int i = 0; i < OF_PF; i++) {
			struct offered *d = &list[pf * OF_PF + i];

			*d = (struct offered){ .function = PFS + pf * OF_PF + i, .healthy = true,
					       .has_numa = pf < 4, .numa = pf / 2 };
			(void)snprintf(d->id, sizeof(d->id), "%c%d", 'a' + pf, i);
			functions[d->function] = (struct inv_function){ .is_vf = true, .pf = pf };
		}
	}
}

static struct offered *device(const char *id)
{
	return &list[(id[0] - 'a') * OF_PF + id[1] - '0'];
}

/* The words of a text, which is changed. */
static struct prefer_ids words(char *text, const char *ret[64])
{
	size_t n = 0;
	char *save = NULL;

	for (char *w = strtok_r(text, " ", &save); w && n < 64; w = strtok_r(NULL, " ", &save))
		ret[n++] = w;
	return (struct prefer_ids){ ret, n };
}

/* "a0 a1 ...": of a PF with '*' all of its devices. */
static const char *preferred(const char *available, const char *must, size_t size)
{
	static char text[512];
	auto_free char *a = strdup(available), *m = strdup(must);
	const char *lists[2][64], *ret[64] = { NULL };
	struct prefer_ids from = words(a, lists[0]), first = words(m, lists[1]);
	size_t n = offer_prefer(&offer, &inv, &from, &first, size, ret), used = 0;

	*text = '\0';
	for (size_t i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "",
					 ret[i]);
	return text;
}

#define ALL "a0 a1 a2 a3 b0 b1 b2 b3 c0 c1 c2 c3 d0 d1 d2 d3 e0 e1 e2 e3"

static void test_spread(void)
{
	make_node();
	test("the devices of a node are spread over its PFs");
	eq(preferred("a0 a1 a2 b0 b1 b2", "", 4), "a0 b0 a1 b1");
	eq(preferred("a0 a1 a2 b2", "", 4), "a0 b2 a1 a2");
	test("what pods have of a PF counts");
	device("a3")->held = true;
	eq(preferred("a0 a1 b0 b1", "", 1), "b0");
	eq(preferred("a0 a1 b0 b1", "", 4), "b0 a0 b1 a1");
	test("in whatever order kubelet asks, and however often");
	eq(preferred("b1 a1 b0 a0", "", 4), "b0 a0 b1 a1");
	eq(preferred("b1 a1 b1 b0 a0 a0", "", 9), "b0 a0 b1 a1");
	test("a function that is no VF is its own PF");
	make_node();
	functions[device("a0")->function].is_vf = functions[device("a1")->function].is_vf = false;
	eq(preferred("a0 a1 a2 a3", "", 4), "a0 a1 a2 a3");
	test("of a device that the node does not have no PF is known");
	make_node();
	device("a0")->function = INV_NONE;
	eq(preferred("a0 a1", "", 2), "a0 a1");
}

static void test_pack(void)
{
	make_node();
	test("all are of one node, the one that has just enough");
	eq(preferred("a0 a1 a2 c0 d0", "", 2), "c0 d0");
	eq(preferred("a0 a1 c0 c1", "", 2), "a0 a1");
	eq(preferred(ALL, "", 8), "a0 b0 a1 b1 a2 b2 a3 b3");
	test("what is on no node is a node of its own");
	eq(preferred("a0 c0 e0 e1", "", 2), "e0 e1");
	test("where no node has enough, as many as can be");
	eq(preferred("a0 c0 c1 d0", "", 4), "c0 d0 c1 a0");
	eq(preferred("a0 b0 c0 e1", "", 3), "a0 b0 e1");
	test("the node of those that must be");
	eq(preferred("a0 a1 a2 c0 c1", "c1", 2), "c1 c0");
	eq(preferred("a0 a1 a2 c0 c1", "c1", 4), "c1 c0 a0 a1");
	eq(preferred("a0 a1 c0 c1 d0", "a1 c1 d0", 4), "a1 c1 d0 c0");
}

static void test_bounds(void)
{
	make_node();
	test("those that must be are first, in their order, each once");
	eq(preferred("a0 a1 a2", "a2 a1", 3), "a2 a1 a0");
	eq(preferred("a0 a1 a2", "a2 a2", 2), "a2 a0");
	eq(preferred("a0 a1 a2", "a2 a1 a0", 2), "a2 a1");
	test("never more than there are, or than are available");
	eq(preferred("a0", "", 3), "a0");
	eq(preferred("a0", "b0", 3), "a0");
	eq(preferred("", "", 3), "");
	eq(preferred("a0", "", 0), "");
	eq(preferred("a0", "a0", 0), "");
}

static void test_last(void)
{
	make_node();
	device("a0")->promised = device("c0")->promised = true;
	device("a1")->healthy = false;
	device("b0")->held = true;
	test("what is promised is behind what is not, and what cannot be used behind both");
	eq(preferred("a0 a1 a2 b0 b1", "", 5), "a2 b1 a0 a1 b0");
	eq(preferred("a0 a1 a2 xx", "", 4), "a2 a0 a1 xx");
	test("also on another node");
	eq(preferred("a0 a1 c1", "", 1), "c1");
	eq(preferred("a0 c0 c1", "", 2), "c1 c0");
	test("what must be is taken all the same");
	eq(preferred("a0 a1 a2", "a1", 2), "a1 a2");
}

/* -- whatever is asked -- */

static bool has(const char *const *of, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(of[i], id) == 0)
			return true;
	return false;
}

/* The first n of a list of all, in some order. */
static size_t draw(const char *ret[], size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		ret[i] = list[i].id;
	for (size_t i = 0; i < n; i++) {
		size_t k = i + (size_t)random() % (ARRAY_SIZE(list) - i);
		const char *one = ret[i];

		ret[i] = ret[k];
		ret[k] = one;
	}
	return n;
}

static size_t best_rank(const char *const *of, size_t n)
{
	size_t good = 0;

	for (size_t i = 0; i < n; i++)
		good += device(of[i])->healthy && !device(of[i])->held && !device(of[i])->promised;
	return good;
}

/* Is the answer right in what holds of every answer? */
static bool is_right(void)
{
	const char *a[ARRAY_SIZE(list)], *m[ARRAY_SIZE(list)], *ret[ARRAY_SIZE(list)];
	struct prefer_ids from = { a, draw(a, (size_t)random() % ARRAY_SIZE(list)) };
	size_t size = (size_t)random() % ARRAY_SIZE(list), n, n_must, good;
	struct prefer_ids must = { m, 0 };

	for (n_must = 0; n_must < from.n && n_must < size && random() % 3 == 0; n_must++)
		m[n_must] = a[n_must];
	must.n = n_must;
	n = offer_prefer(&offer, &inv, &from, &must, size, ret);
	if (n != (size < from.n ? size : from.n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!has(a, from.n, ret[i]) || has(ret, i, ret[i]) ||
		    (i < n_must && strcmp(ret[i], m[i]) != 0))
			return false;
	good = best_rank(a + n_must, from.n - n_must);
	return best_rank(ret + n_must, n - n_must) == (good < n - n_must ? good : n - n_must);
}

static void test_any(void)
{
	size_t right = 0;

	srandom(31);
	for (int i = 0; i < 2000; i++) {
		make_node();
		for (size_t k = 0; k < ARRAY_SIZE(list); k++) {
			list[k].healthy = random() % 4 != 0;
			list[k].held = random() % 4 == 0;
			list[k].promised = random() % 4 == 0;
		}
		right += is_right();
	}
	test("as many as can be, each once, those that must be first, no doubtful one for a good");
	eqi(right, 2000);
}

int main(void)
{
	test_spread();
	test_pack();
	test_bounds();
	test_last();
	test_any();
	return tap_end();
}
