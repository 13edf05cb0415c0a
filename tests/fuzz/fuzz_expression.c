/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_expression.c - a document of expressions, in each dialect, and behind a NUL attributes
 *
 * What was read is the same when it is read again, and is met by attributes, which nothing changes,
 * or not, or is an error that names the attribute.
 */
#include "manager/expression/expression.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

static const char usual[] =
	"{\"a\":\"15b3\",\"b\":true,\"n\":-3,\"list\":[\"x\",\"y\",7],\"v\":\"5.14.0-427.el9\","
	"\"real\":1.5,\"o\":{},\"none\":null,\"empty\":\"\","
	"\"long\":\"aaaaaaaaaaaaaaaaaaaaaaaaaa!\"}";

static void ask(const struct expression *x, const json_t *o)
{
	json_auto_t *shown = expression_show(x), *before = json_deep_copy(o);
	struct err e = { 0 };
	int r;

	must(json_string_length(shown) > 0);
	r = expression_meets(x, o, &e);
	must_agree(r, &e);
	must(r >= 0 || strncmp(e.msg, x->name, strnlen(x->name, 60)) == 0);
	must(json_equal(o, before));
	e = (struct err){ 0 };
	r = expression_meets_value(x, false, NULL, &e);
	must(r == expression_wants_absence(x) || (r == -1 && x->fault));
	e = (struct err){ 0 };
	must_agree(expression_meets_value(x, true, NULL, &e), &e);
	must(e.code == ERR_OK || x->fault);
	e = (struct err){ 0 };
	must_agree(expression_meets_value(x, true, "5.14.0-427.el9", &e), &e);
}

static int read_once(const char *text, size_t len, const struct expression_dialect *d,
		     struct expressions *ret, struct err *e)
{
	json_auto_t *doc = json_loadb(text, len, 0, NULL);
	int r = doc ? expressions_from_json(doc, d, ret, e) : -2;

	must(r == -2 || (r == -1) == (e->code == ERR_NETCONF));
	must(ret->n <= EXPRESSIONS_MAX);
	return r;
}

static void try(const char *text, size_t len, const struct expression_dialect *d, const json_t *o)
{
	struct expressions all = { 0 }, again = { 0 };
	struct err e = { 0 }, f = { 0 };
	int r = read_once(text, len, d, &all, &e);

	must(read_once(text, len, d, &again, &f) == r && strcmp(e.msg, f.msg) == 0);
	must(all.n == again.n);
	if (r == 0 && all.n > 0)
		accepted();
	for (size_t i = 0; i < all.n; i++) {
		json_auto_t *one = expression_show(&all.list[i]);
		json_auto_t *two = expression_show(&again.list[i]);

		must(json_equal(one, two));
		ask(&all.list[i], o);
	}
	expressions_done(&all);
	expressions_done(&again);
}

static void fuzz_one(const char *text, size_t len)
{
	size_t n = strnlen(text, len);
	json_auto_t *given = n < len ? json_loadb(text + n + 1, len - n - 1, 0, NULL) : NULL;
	json_auto_t *o = json_is_object(given) ? json_incref(given) : json_loads(usual, 0, NULL);

	try(text, n, &expressions_of_rule, o);
	try(text, n, &expressions_of_worker, o);
	try(text, n, &expressions_of_device, o);
}
