/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_upstream.c - what Kubernetes 1.36 made of the expressions of tests/upstream/cel.json
 *
 *	test_upstream		each verdict is ours, or a row of tests/upstream/cel.known
 *	test_upstream known	prints cel.known as it is now: the rows that are there keep their
 *				reasons, a new one has the reason "?", which the test refuses
 *
 * A verdict is T, F (true, false), E (an error when evaluated), C (refused when compiled), or
 * "K COST V": refused because the estimated cost is COST, and V without that limit.  A row of
 * cel.known is "CASE OURS REASON", fields between tabs; one whose case agrees now must go.
 */
#include "manager/cel/cel.h"

#include "base/mem.h"
#include "manager/cel/ast.h"
#include "tests/unit/tap.h"

#include <inttypes.h>
#include <stdlib.h>

#define CASES "tests/upstream/cel.json"
#define KNOWN "tests/upstream/cel.known"

enum { CASES_MAX = 4096 };

struct row {
	char ours[32], reason[200];
};

static struct row rows[CASES_MAX];

static void read_known(void)
{
	FILE *f = fopen(KNOWN, "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		char *ours = strchr(line, '\t'), *reason = ours ? strchr(ours + 1, '\t') : NULL;
		size_t n = strtoul(line, NULL, 10);

		if (*line == '#' || !reason || n >= CASES_MAX)
			continue;
		line[strcspn(line, "\n")] = '\0';
		*reason = '\0';
		(void)snprintf(rows[n].ours, sizeof(rows[n].ours), "%s", ours + 1);
		(void)snprintf(rows[n].reason, sizeof(rows[n].reason), "%s", reason + 1);
	}
	if (f)
		(void)fclose(f);
}

static char evaluate(const struct cel *c, const json_t *device)
{
	const struct cel_device d = {
		.driver = json_string_value(json_object_get(device, "driver")),
		.attributes = json_object_get(device, "attributes"),
		.capacity = json_object_get(device, "capacity"),
		.allow_multiple = json_is_true(json_object_get(device, "multi")),
	};
	struct err e = { 0 };
	int r = cel_matches(c, &d, &e);

	return r < 0 ? 'E' : r ? 'T' : 'F';
}

/* What we make of it. */
static void judge(const json_t *device, const char *text, char ret[32])
{
	struct err e = { 0 };
	auto_cel struct cel *taken = cel_compile(text, &e);
	uint64_t cost = 0;
	auto_cel struct cel *c = cel_compile_costly(text, &cost, &e);
	char verdict = c ? evaluate(c, device) : 'C';

	(void)snprintf(ret, 32, "%c", verdict);
	if (!taken && c)
		(void)snprintf(ret, 32, "K %" PRIu64 " %c", cost, verdict);
}

/* What upstream made of it; the message of K begins with "COST V". */
static void write_verdict(const json_t *a_case, char ret[32])
{
	const char *letter = json_string_value(json_array_get(a_case, 2));
	const char *message = json_string_value(json_array_get(a_case, 3));

	(void)snprintf(ret, 32, *letter == 'K' ? "K %s" : "%.1s",
		       *letter == 'K' ? message : letter);
}

static void print_row(size_t i, const char *ours, const char *theirs)
{
	if (strcmp(ours, theirs) != 0)
		(void)printf("%zu\t%s\t%s\n", i, ours, *rows[i].reason ? rows[i].reason : "?");
}

/* What differs must be known, with our answer and a reason; what is known must differ. */
static void check_case(size_t i, const char *text, const char *ours, const char *theirs)
{
	bool differs = strcmp(ours, theirs) != 0;
	bool holds = strcmp(differs ? ours : "", rows[i].ours) == 0 &&
		     strcmp(rows[i].reason, "?") != 0;

	ok(holds);
	if (!holds)
		(void)printf("#  case %zu: %s\n#  upstream: %s, ours: %s, known: %s\n", i, text,
			     theirs, ours, *rows[i].ours ? rows[i].ours : "(no row)");
}

static void replay(bool is_list)
{
	json_auto_t *all = json_load_file(CASES, 0, NULL);
	const json_t *devices = json_object_get(all, "devices"), *a_case;
	size_t i;

	json_array_foreach(json_object_get(all, "cases"), i, a_case) {
		size_t device = (size_t)json_integer_value(json_array_get(a_case, 0));
		const char *text = json_string_value(json_array_get(a_case, 1));
		char ours[32], theirs[32];

		write_verdict(a_case, theirs);
		judge(json_array_get(devices, device), text, ours);
		if (is_list)
			print_row(i, ours, theirs);
		else
			check_case(i, text, ours, theirs);
	}
	if (!is_list)
		eqi((long long)i, 1176);
}

int main(int argc, char **argv)
{
	bool is_list = argc > 1 && strcmp(argv[1], "known") == 0;

	test("each verdict of the recording is ours, or is a known difference");
	read_known();
	replay(is_list);
	return is_list ? 0 : tap_end();
}
