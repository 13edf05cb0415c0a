/* SPDX-License-Identifier: Apache-2.0 */
/* cel.c - an expression is compiled once, and asked for any number of devices */
#include "manager/cel/cel.h"

#include "base/mem.h"
#include "manager/cel/eval.h"
#include "manager/regexp/regexp.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static int check_text(const char *text, struct err *e)
{
	json_auto_t *utf8 = NULL;
	size_t n = strlen(text);

	if (n > CEL_LENGTH_MAX)
		return err_set(e, ERR_NETCONF, 0,
			       "expression: has %zu characters, at most %d are allowed", n,
			       CEL_LENGTH_MAX);
	utf8 = json_string(text);
	if (!utf8)
		return err_set(e, ERR_NETCONF, 0, "expression: is no UTF-8");
	return 0;
}

struct cel *cel_compile_costly(const char *text, uint64_t *cost, struct err *e)
{
	auto_cel struct cel *c = NULL;

	if (check_text(text, e) < 0)
		return NULL;
	c = calloc(1, sizeof(*c));
	if (c)
		c->text = strdup(text);
	if (!c || !c->text) {
		(void)err_set(e, ERR_IO, ENOMEM, "expression");
		return NULL;
	}
	if (cel_parse(c, e) < 0 || cel_check(c, e) < 0)
		return NULL;
	*cost = cel_estimate(c);
	return cel_fold(c, e) < 0 ? NULL : steal_ptr(&c);
}

struct cel *cel_compile(const char *text, struct err *e)
{
	uint64_t cost = 0;
	auto_cel struct cel *c = cel_compile_costly(text, &cost, e);

	if (!c || cost <= CEL_COST_MAX)
		return steal_ptr(&c);
	(void)err_set(e, ERR_NETCONF, 0,
		      "expression: the API server estimates that it may cost %" PRIu64
		      ", and takes at most %d",
		      cost, CEL_COST_MAX);
	return NULL;
}

/* 1, 0, -1 */
static int give_result(const struct cel *c, struct cel_value v, struct err *e)
{
	char words[200];

	if (v.type == CEL_BOOL)
		return v.truth;
	if (v.type != CEL_ERROR)
		return cel_refuse(c->text, 0, e, "must be true or false, and is of type %s",
				  cel_type_name(v.type));
	cel_fault_write(v.fault, words, sizeof(words));
	return cel_refuse(c->text, v.fault->at, e, "%s", words);
}

static int run(const struct cel *c, const struct cel_device *d, struct cel_trace *trace,
	       struct err *e)
{
	struct cel_device device = *d;
	struct cel_run r = { .text = c->text, .device = &device, .trace = trace,
			     .evaluate = cel_evaluate };
	int ret;

	if (!device.driver)
		device.driver = "";
	r.arena.at = r.first;
	r.arena.end = r.first + sizeof(r.first);
	ret = give_result(c, cel_evaluate(&r, c->root), e);
	cel_arena_done(&r.arena);
	return ret;
}

int cel_matches(const struct cel *c, const struct cel_device *d, struct err *e)
{
	return run(c, d, NULL, e);
}

int cel_trace(const struct cel *c, const struct cel_device *d, json_t **ret, struct err *e)
{
	json_auto_t *terms = json_array();
	struct cel_trace trace = cel_trace_make(terms);
	int result = run(c, d, &trace, e);
	json_t *root = json_array_get(terms, 0);

	/* literals and dyn(device) are not told as terms: then that is all that there is */
	*ret = root ? json_incref(root) : json_pack("{s:s}", "term", c->text);
	if (!root && result < 0)
		(void)json_object_set_new(*ret, "error", json_string(e->msg));
	else if (!root)
		(void)json_object_set_new(*ret, "value", json_boolean(result));
	return result;
}

void cel_free(struct cel *c)
{
	if (!c)
		return;
	for (const struct cel_node *n = c->regexps; n; n = n->next_regexp)
		regexp_free(n->regexp);
	cel_arena_done(&c->arena);
	free(c->text);
	free(c);
}

void cel_free_at(struct cel *const *c)
{
	cel_free(*c);
}
