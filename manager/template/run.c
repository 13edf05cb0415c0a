/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - what a template makes of data
 *
 * A value is a new reference, also when it is a part of the data; NULL is a failure, whose error is
 * in the run.
 */
#include "manager/template/part.h"

#include "base/blank.h"
#include "base/jx.h"
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int run_list(struct template_run *r, unsigned int first, json_t *dot);
static json_t *eval_pipe(struct template_run *r, unsigned int pipe, json_t *dot);

static const struct template_node *node_at(const struct template_run *r, unsigned int i)
{
	return &r->t->node[i];
}

/* -- values -- */

/* The reference of v is taken. */
static json_t *eval_fields(struct template_run *r, unsigned int name, json_t *v)
{
	for (; v && name; name = node_at(r, name)->next) {
		json_t *field = template_field(r, v, json_string_value(node_at(r, name)->value));

		json_decref(v);
		v = field;
	}
	return v;
}

static bool count_args(struct template_run *r, const struct template_function *f, size_t n)
{
	unsigned int most = n < f->min ? f->min : f->max;

	if (n >= f->min && n <= f->max)
		return true;
	(void)template_fail(r, "function %s takes %s%u argument%s, not %zu", f->name,
			    f->min == f->max ? "" : n < f->min ? "at least " : "at most ", most,
			    most == 1 ? "" : "s", n);
	return false;
}

static json_t *eval_variable(struct template_run *r, unsigned int var)
{
	if (var == TEMPLATE_NO_VAR || !r->var[var])
		return template_fail(r, "the variable has no value yet");
	return json_incref(r->var[var]);
}

static json_t *eval_literal(struct template_run *r, json_t *value)
{
	return value ? json_incref(value) : template_fail(r, "a number that overflows an int");
}

/* One that is an argument has none itself. */
static json_t *eval_alone(struct template_run *r, const struct template_function *f)
{
	json_t *none = NULL;

	return count_args(r, f, 0) ? f->call(r, &none, 0) : NULL;
}

static json_t *eval_operand(struct template_run *r, unsigned int operand, json_t *dot)
{
	const struct template_node *n = node_at(r, operand);
	json_t *v;

	r->line = n->line;
	if (!template_steps(r, 1))
		return NULL;
	if (n->kind == NODE_VARIABLE)
		v = eval_variable(r, n->var[0]);
	else if (n->kind == NODE_FUNCTION)
		v = eval_alone(r, n->function);
	else if (n->kind == NODE_PAREN)
		v = eval_pipe(r, n->pipe, dot);
	else
		v = n->kind == NODE_LITERAL ? eval_literal(r, n->value) : json_incref(dot);
	return eval_fields(r, n->first, v);
}

/* The first argument that decides, or the last one.  `last` is what was before the |, or NULL. */
static json_t *eval_lazily(struct template_run *r, const struct template_node *function,
			   json_t *dot, json_t *last)
{
	bool is_and = strcmp(function->function->name, "and") == 0;
	unsigned int arg = function->next;
	json_t *v = NULL;

	if (!arg && !last && !count_args(r, function->function, 0))
		return NULL;
	while (arg) {
		json_decref(v);
		v = eval_operand(r, arg, dot);
		arg = node_at(r, arg)->next;
		if (!v || template_truth(v) != is_and)
			return v;
	}
	if (!last)
		return v;
	json_decref(v);
	return json_incref(last);
}

static json_t *eval_call(struct template_run *r, const struct template_node *function,
			 json_t *dot, json_t *last)
{
	json_t *args[TEMPLATE_ARGS_MAX + 1] = { NULL }, *v = NULL;
	unsigned int line = r->line, arg = function->next;
	size_t n = 0;

	for (; arg && (n == 0 || args[n - 1]); arg = node_at(r, arg)->next)
		args[n++] = eval_operand(r, arg, dot);
	if (last && (n == 0 || args[n - 1]))
		args[n++] = json_incref(last);
	r->line = line;
	if ((n == 0 || args[n - 1]) && count_args(r, function->function, n))
		v = function->function->call(r, args, n);
	for (size_t i = 0; i < n; i++)
		json_decref(args[i]);
	return v;
}

/* What is no function. */
static json_t *eval_value(struct template_run *r, unsigned int operand, json_t *dot,
			  const json_t *last)
{
	const struct template_node *n = node_at(r, operand);

	r->line = n->line;
	if (last || n->next)
		return template_fail(r, "%s", last ? "what is behind | is no function" :
					"only a function has arguments");
	if (n->kind == NODE_LITERAL && json_is_null(n->value))
		return template_fail(r, "nil is no command");
	return eval_operand(r, operand, dot);
}

/* `last` is borrowed. */
static json_t *eval_command(struct template_run *r, unsigned int command, json_t *dot,
			    json_t *last)
{
	unsigned int first = node_at(r, command)->first;
	const struct template_node *n = node_at(r, first);

	if (n->kind != NODE_FUNCTION || n->first)
		return eval_value(r, first, dot, last);
	r->line = n->line;
	if (!template_steps(r, 1))
		return NULL;
	return template_function_is_lazy(n->function) ? eval_lazily(r, n, dot, last) :
							eval_call(r, n, dot, last);
}

static void set_var(struct template_run *r, unsigned int var, json_t *v)
{
	json_t *before = r->var[var];

	r->var[var] = json_incref(v);
	json_decref(before);
}

/* Of a range the variables are set, too, but see run_range(). */
static json_t *eval_pipe(struct template_run *r, unsigned int pipe, json_t *dot)
{
	const struct template_node *n = node_at(r, pipe);
	json_t *v = NULL;

	for (unsigned int c = n->first; c; c = node_at(r, c)->next) {
		json_t *next = eval_command(r, c, dot, v);

		json_decref(v);
		v = next;
		if (!v)
			return NULL;
	}
	for (unsigned int i = 0; i < n->n_vars; i++) {
		if (n->var[i] == TEMPLATE_NO_VAR) {
			json_decref(v);
			return template_fail(r, "a variable is set that was not declared");
		}
		set_var(r, n->var[i], v);
	}
	return v;
}

/* -- statements -- */

static int put_value(struct template_run *r, const json_t *v)
{
	static const char none[] = "<no value>";

	if (json_is_null(v))
		return template_put(r, &r->out, none, strlen(none)) ? 0 : -1;
	return template_print(r, &r->out, v) ? 0 : -1;
}

static int run_action(struct template_run *r, const struct template_node *n, json_t *dot)
{
	json_auto_t *v = eval_pipe(r, n->pipe, dot);

	if (!v)
		return -1;
	return node_at(r, n->pipe)->n_vars > 0 ? 0 : put_value(r, v);
}

static int run_condition(struct template_run *r, const struct template_node *n, json_t *dot)
{
	json_auto_t *v = eval_pipe(r, n->pipe, dot);

	if (!v)
		return -1;
	if (!template_truth(v))
		return run_list(r, n->otherwise, dot);
	return run_list(r, n->body, n->kind == NODE_WITH ? v : dot);
}

/* One round, whose references are taken.  1: no more; with FLOW_ON again. */
static int run_round(struct template_run *r, const struct template_node *n, json_t *index,
		     json_t *v)
{
	const struct template_node *pipe = node_at(r, n->pipe);
	bool is_last;
	int rc = -1;

	if (pipe->n_vars == 2)
		set_var(r, pipe->var[0], index);
	if (pipe->n_vars > 0)
		set_var(r, pipe->var[pipe->n_vars - 1], v);
	r->line = n->line;
	if (template_steps(r, 1))
		rc = run_list(r, n->body, v);
	json_decref(index);
	json_decref(v);
	is_last = r->flow == FLOW_BREAK;
	r->flow = FLOW_ON;
	return rc < 0 ? -1 : is_last;
}

static int range_array(struct template_run *r, const struct template_node *n, json_t *list)
{
	json_t *v;
	size_t i;
	int rc = 0;

	json_array_foreach(list, i, v) {
		rc = run_round(r, n, json_integer((json_int_t)i), json_incref(v));
		if (rc != 0)
			break;
	}
	return rc < 0 ? -1 : 0;
}

static int range_object(struct template_run *r, const struct template_node *n, json_t *o)
{
	size_t size = json_object_size(o);
	const char **keys = template_keys(o);
	int rc = keys && template_steps(r, size) ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < size; i++)
		rc = run_round(r, n, json_string(keys[i]),
			       json_incref(json_object_get(o, keys[i])));
	free(keys);
	return rc < 0 ? -1 : 0;
}

static int range_number(struct template_run *r, const struct template_node *n, json_int_t max)
{
	int rc = 0;

	if (node_at(r, n->pipe)->n_vars == 2) {
		(void)template_fail(r, "range over a number has one variable");
		return -1;
	}
	for (json_int_t i = 0; rc == 0 && i < max; i++)
		rc = run_round(r, n, NULL, json_integer(i));
	return rc < 0 ? -1 : 0;
}

static int run_range(struct template_run *r, const struct template_node *n, json_t *dot)
{
	json_auto_t *v = eval_pipe(r, n->pipe, dot);

	if (!v)
		return -1;
	r->line = n->line;
	if (json_is_null(v) || ((json_is_array(v) || json_is_object(v)) && !template_truth(v)) ||
	    (json_is_integer(v) && json_integer_value(v) <= 0))
		return run_list(r, n->otherwise, dot);
	if (json_is_array(v))
		return range_array(r, n, v);
	if (json_is_object(v))
		return range_object(r, n, v);
	if (json_is_integer(v))
		return range_number(r, n, json_integer_value(v));
	(void)template_fail(r, "range over %s: expected a list, a map or an integer",
			    jx_type_name(v));
	return -1;
}

static int run_statement(struct template_run *r, const struct template_node *n, json_t *dot)
{
	switch (n->kind) {
	case NODE_TEXT:
		return put_value(r, n->value);
	case NODE_ACTION:
		return run_action(r, n, dot);
	case NODE_RANGE:
		return run_range(r, n, dot);
	case NODE_BREAK:
	case NODE_CONTINUE:
		r->flow = n->kind == NODE_BREAK ? FLOW_BREAK : FLOW_CONTINUE;
		return 0;
	default:
		return run_condition(r, n, dot);
	}
}

static int run_list(struct template_run *r, unsigned int first, json_t *dot)
{
	for (unsigned int i = first; i && r->flow == FLOW_ON; i = node_at(r, i)->next) {
		r->line = node_at(r, i)->line;
		if (!template_steps(r, 1) || run_statement(r, node_at(r, i), dot) < 0)
			return -1;
	}
	return 0;
}

/* -- the whole -- */

int template_run(const struct template *t, const json_t *data, char **ret, struct err *e)
{
	struct template_run r = { .t = t, .e = e, .line = 1 };
	auto_free char *text = NULL;
	int rc = -1;

	r.var = calloc(t->vars, sizeof(*r.var));
	if (!r.var)
		return err_set(e, ERR_IO, 0, "no memory for the variables of a template");
	r.var[0] = json_incref((json_t *)(uintptr_t)data);
	rc = run_list(&r, t->first, r.var[0]);
	for (unsigned int i = 0; i < t->vars; i++)
		json_decref(r.var[i]);
	free(r.var);
	if (rc == 0)
		text = strndup(r.out.len ? r.out.s : "", r.out.len);
	template_text_done(&r.out);
	if (rc == 0 && !text)
		return err_set(e, ERR_IO, 0, "no memory for what a template makes");
	if (rc == 0)
		*ret = steal_ptr(&text);
	return rc;
}

/* One line, which is changed. */
static int expand_line(char *line, json_t *to, struct err *e)
{
	char *value;

	line = blank_trim(line);
	if (!*line)
		return 0;
	value = strchr(line, '=');
	if (!value)
		return err_set(e, ERR_NETCONF, 0, "the template makes the line '%.96s': expected "
			       "KEY=VALUE", line);
	*value++ = '\0';
	(void)json_object_set_new(to, line, json_string(value));
	return 0;
}

int template_expand(const struct template *t, const json_t *data, json_t *ret,
		    struct err *e)
{
	json_auto_t *made = json_object();
	auto_free char *text = NULL;
	char *rest;

	if (template_run(t, data, &text, e) < 0)
		return -1;
	rest = text;
	for (char *line; (line = strsep(&rest, "\n"));)
		if (expand_line(line, made, e) < 0)
			return -1;
	(void)json_object_update(ret, made);
	return 0;
}
