/* SPDX-License-Identifier: Apache-2.0 */
/* op.c - the operators, with NFD's meaning of numbers, versions and absent attributes */
#include "manager/expression/op.h"

#include "base/mem.h"
#include "base/nearest.h"
#include "manager/regexp/regexp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_MAX = 1024, SHOWN_TEXT_MAX = 256 };	/* bytes: values, and one of them */

/* One value of the attribute, as text. */
typedef int meets_fn(const struct expression *x, const char *value, struct err *e);

struct expression_op {
	const char *name;
	size_t min, max;		/* how many values */
	meets_fn *meets;		/* NULL: the attribute's value does not matter */
	bool when_absent;		/* what it is without the attribute */
	bool when_there;		/* what it is with it, if its value does not matter */
	bool of_all;			/* of a list, each has to meet it */
	bool compares;			/* its values are numbers or versions */
	bool is_below, is_equal, is_above;	/* compared with one: which is met */
};

/* -- numbers and versions -- */

/* As Go's Atoi: a sign, digits, nothing else. */
static bool parse_number(const char *s, int64_t *ret)
{
	const char *digits = s + (*s == '-' || *s == '+');
	char *end;
	long long n;

	if (*digits < '0' || *digits > '9')
		return false;
	errno = 0;
	n = strtoll(s, &end, 10);
	if (errno != 0 || *end)
		return false;
	*ret = n;
	return true;
}

/* Of its numbers alone: NFD leaves the pre-release out. */
static bool parse_version(const struct expression *x, const char *s, struct semver *ret)
{
	size_t n = semver_read_lenient(s, ret);

	ret->pre_length = 0;
	return n > 0 && (x->version_goes_on || !s[n]);
}

/* The value, compared with that limit: below, equal or above. */
static int compare(const struct expression *x, const char *value, size_t i, int *ret, struct err *e)
{
	struct semver version = { 0 };
	int64_t number = 0;

	if (x->is_version ? !parse_version(x, value, &version) : !parse_number(value, &number))
		return err_set(e, ERR_NETCONF, 0, "'%.128s' is no %s", value,
			       x->is_version ? "version" : "number");
	*ret = x->is_version ? semver_compare(&version, &x->version[i]) :
	       number < x->number[i] ? -1 : number > x->number[i];
	return 0;
}

/* -- what each does -- */

static int meets_in(const struct expression *x, const char *value, struct err *e)
{
	const json_t *v;
	size_t i;

	(void)e;
	json_array_foreach(x->values, i, v)
		if (strcmp(json_string_value(v), value) == 0)
			return 1;
	return 0;
}

static int meets_not_in(const struct expression *x, const char *value, struct err *e)
{
	return !meets_in(x, value, e);
}

static int meets_regexp(const struct expression *x, const char *value, struct err *e)
{
	for (size_t i = 0; i < json_array_size(x->values); i++) {
		int r = regexp_is_in(x->regexp[i], value, e);

		if (r != 0)
			return r;
	}
	return 0;
}

static int meets_limit(const struct expression *x, const char *value, struct err *e)
{
	int c = 0;

	if (compare(x, value, 0, &c, e) < 0)
		return -1;
	return c < 0 ? x->op->is_below : c > 0 ? x->op->is_above : x->op->is_equal;
}

static int meets_range(const struct expression *x, const char *value, struct err *e)
{
	int low = 0, high = 0;

	if (compare(x, value, 0, &low, e) < 0 || compare(x, value, 1, &high, e) < 0)
		return -1;
	return (low > 0 || (low == 0 && x->op->is_equal)) &&
	       (high < 0 || (high == 0 && x->op->is_equal));
}

static int meets_true(const struct expression *x, const char *value, struct err *e)
{
	(void)x, (void)e;
	return strcmp(value, "true") == 0;
}

static int meets_false(const struct expression *x, const char *value, struct err *e)
{
	(void)x, (void)e;
	return strcmp(value, "false") == 0;
}

static const struct expression_op ops[] = {
	{ "In", 1, EXPRESSION_VALUES_MAX, .meets = meets_in },
	{ "NotIn", 1, EXPRESSION_VALUES_MAX, .meets = meets_not_in, .of_all = true },
	{ "InRegexp", 1, EXPRESSION_VALUES_MAX, .meets = meets_regexp },
	{ "Exists", .when_there = true },
	{ "DoesNotExist", .when_absent = true },
	{ "Gt", 1, 1, .meets = meets_limit, .compares = true, .is_above = true },
	{ "Ge", 1, 1, .meets = meets_limit, .compares = true, .is_equal = true, .is_above = true },
	{ "Lt", 1, 1, .meets = meets_limit, .compares = true, .is_below = true },
	{ "Le", 1, 1, .meets = meets_limit, .compares = true, .is_below = true, .is_equal = true },
	{ "GtLt", 2, 2, .meets = meets_range, .compares = true },
	{ "GeLe", 2, 2, .meets = meets_range, .compares = true, .is_equal = true },
	{ "IsTrue", .meets = meets_true },
	{ "IsFalse", .meets = meets_false },
};

static const struct expression_op any = { "any", .when_absent = true, .when_there = true };

/* -- an expression is read -- */

static const struct expression_op *find_op(const char *name, struct err *e)
{
	const char *names[ARRAY_SIZE(ops)];
	char hint[NEAREST_HINT];

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		if (strcmp(name, ops[i].name) == 0)
			return &ops[i];
		names[i] = ops[i].name;
	}
	nearest_hint(name, names, ARRAY_SIZE(names), hint);
	(void)err_set(e, ERR_NETCONF, 0, "'%.64s' is no operator%s", name,
		      *hint ? hint : ": expected In, NotIn, InRegexp, Exists, DoesNotExist, Gt, "
				     "Ge, Lt, Le, GtLt, GeLe, IsTrue or IsFalse");
	return NULL;
}

static int check_count(const struct expression_op *op, size_t n, struct err *e)
{
	if (n >= op->min && n <= op->max)
		return 0;
	if (op->max == 0)
		return err_set(e, ERR_NETCONF, 0, "%s has no values", op->name);
	if (op->min == op->max)
		return err_set(e, ERR_NETCONF, 0, "%s has %zu value%s, not %zu", op->name, op->min,
			       op->min == 1 ? "" : "s", n);
	return err_set(e, ERR_NETCONF, 0, "%s has 1 to %zu values, not %zu", op->name, op->max, n);
}

static int read_limits(struct expression *x, struct err *e)
{
	const json_t *v;
	size_t i;

	json_array_foreach(x->values, i, v) {
		const char *text = json_string_value(v);

		if (x->is_version ? !parse_version(x, text, &x->version[i]) :
				    !parse_number(text, &x->number[i]))
			return err_set(e, ERR_NETCONF, 0, "%s: '%.128s' is no %s", x->op->name,
				       text, x->is_version ? "version" : "number");
	}
	if (i == 2 && !x->is_version && x->number[0] >= x->number[1])
		return err_set(e, ERR_NETCONF, 0,
			       "%s: the first value must be less than the second", x->op->name);
	return 0;
}

static int read_regexps(struct expression *x, struct err *e)
{
	const json_t *v;
	size_t i;

	x->regexp = calloc(json_array_size(x->values) + 1, sizeof(*x->regexp));
	if (!x->regexp)
		return err_set(e, ERR_IO, ENOMEM, "regular expressions");
	json_array_foreach(x->values, i, v) {
		x->regexp[i] = regexp_parse(json_string_value(v), e);
		if (!x->regexp[i])
			return -1;
	}
	return 0;
}

static int read_values_of(struct expression *x, struct err *e)
{
	if (check_count(x->op, json_array_size(x->values), e) < 0)
		return -1;
	if (x->op->compares)
		return read_limits(x, e);
	return x->op->meets == meets_regexp ? read_regexps(x, e) : 0;
}

static int read_values(struct expression *x, const struct expression_dialect *d, struct err *e)
{
	struct err why = { 0 };

	if (json_array_size(x->values) > EXPRESSION_VALUES_MAX)
		return err_set(e, ERR_NETCONF, 0, "%s: more than %d values", x->op->name,
			       EXPRESSION_VALUES_MAX);
	if (read_values_of(x, &why) == 0)
		return 0;
	if (!d->fails_when_met || why.code != ERR_NETCONF) {
		*e = why;
		return -1;
	}
	x->fault = strdup(why.msg);
	return x->fault ? 0 : err_set(e, ERR_IO, ENOMEM, "%s", x->op->name);
}

/* NFD passes over a type that the operator does not go by; one that it does not know is wrong. */
static int read_type(const char *type, bool *ret, struct err *e)
{
	*ret = type && strcmp(type, "version") == 0;
	if (*ret || !type || !*type)
		return 0;
	return err_set(e, ERR_NETCONF, 0, "type '%.64s' is unknown, there is but 'version'", type);
}

int expression_make(const struct expression_dialect *d, const char *name, const char *op,
		    const char *type, const json_t *values, struct expression *ret, struct err *e)
{
	*ret = (struct expression){ .op = find_op(op, e), .version_goes_on = d->version_goes_on };
	if (!ret->op || read_type(type, &ret->is_version, e) < 0)
		return -1;
	ret->values = values ? json_deep_copy(values) : json_array();
	ret->name = strdup(name);
	if (ret->name && read_values(ret, d, e) == 0)
		return 0;
	if (!ret->name)
		(void)err_set(e, ERR_IO, ENOMEM, "attribute '%.64s'", name);
	expression_done(ret);
	return -1;
}

int expression_make_any(const char *name, struct expression *ret, struct err *e)
{
	struct expression x = { .op = &any, .name = strdup(name), .values = json_array() };

	if (!x.name) {
		expression_done(&x);
		return err_set(e, ERR_IO, ENOMEM, "attribute '%.64s'", name);
	}
	*ret = x;
	return 0;
}

/* -- and met -- */

static int meets_value(const struct expression *x, const char *value, struct err *e)
{
	return x->fault ? err_set(e, ERR_NETCONF, 0, "%s", x->fault) : x->op->meets(x, value, e);
}

static int wrap(const struct expression *x, int r, struct err *e)
{
	if (r >= 0)
		return r;
	return x->fault ? err_wrap(e, "%.64s", x->name) :
			  err_wrap(e, "%.64s %s", x->name, x->op->name);
}

/* Whether it is there decides: 1, 0; -1: it has values. */
static int meets_presence(const struct expression *x, bool is_there, struct err *e)
{
	if (x->fault)
		return wrap(x, err_set(e, ERR_NETCONF, 0, "%s", x->fault), e);
	return is_there ? x->op->when_there : x->op->when_absent;
}

static int meets_text(const struct expression *x, const json_t *v, struct err *e)
{
	char number[24];

	if (json_is_string(v))
		return meets_value(x, json_string_value(v), e);
	if (json_is_boolean(v))
		return meets_value(x, json_is_true(v) ? "true" : "false", e);
	if (!json_is_integer(v))
		return err_set(e, ERR_NETCONF, 0, "is an object or a real number");
	(void)snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	return meets_value(x, number, e);
}

static int meets_list(const struct expression *x, const json_t *list, struct err *e)
{
	bool of_all = x->op->of_all;
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v) {
		int r = meets_text(x, v, e);

		if (r < 0 || r != of_all)
			return r;
	}
	return of_all;
}

int expression_meets(const struct expression *x, const json_t *attributes, struct err *e)
{
	const json_t *v = json_object_get(attributes, x->name);
	int r;

	if (!x->op->meets)
		return meets_presence(x, v && !json_is_null(v), e);
	if (!v || json_is_null(v))
		return x->op->when_absent;
	r = json_is_array(v) ? meets_list(x, v, e) : meets_text(x, v, e);
	return wrap(x, r, e);
}

int expression_meets_value(const struct expression *x, bool is_there, const char *value,
			   struct err *e)
{
	int r;

	if (!x->op->meets)
		return meets_presence(x, is_there, e);
	if (!is_there)
		return x->op->when_absent;
	r = value ? meets_value(x, value, e) : 0;
	return wrap(x, r, e);
}

bool expression_wants_absence(const struct expression *x)
{
	return x->op->when_absent;
}

static const char *shown(const char *text)
{
	return strlen(text) <= SHOWN_TEXT_MAX ? text : "...";
}

/* In one go and cut short, for each instance of a feature is told of it. */
json_t *expression_show(const struct expression *x)
{
	auto_free char *text = NULL;
	size_t i, len = 0;
	FILE *f = open_memstream(&text, &len);
	const json_t *v;

	if (!f)
		return json_string(x->op->name);
	(void)fprintf(f, "%s%s%s%s", shown(x->name), *x->name ? " " : "", x->op->name,
		      x->is_version ? ":version" : "");
	json_array_foreach(x->values, i, v) {
		bool ends = ftell(f) > SHOWN_MAX;

		(void)fprintf(f, "%s%s", i ? "," : " ", ends ? "..." : shown(json_string_value(v)));
		if (ends)
			break;
	}
	return json_string(fclose(f) == 0 ? text : x->op->name);
}

void expression_done(struct expression *x)
{
	for (size_t i = 0; x->regexp && i < json_array_size(x->values); i++)
		regexp_free(x->regexp[i]);
	free(x->regexp);
	json_decref(x->values);
	free(x->name);
	free(x->fault);
	*x = (struct expression){ 0 };
}

/* -- several -- */

int expressions_append(struct expressions *to, struct expression *x, struct err *e)
{
	struct expression *list;

	if (to->n == EXPRESSIONS_MAX) {
		expression_done(x);
		return err_set(e, ERR_NETCONF, 0, "more than %d expressions", EXPRESSIONS_MAX);
	}
	list = reallocarray(to->list, to->n + 1, sizeof(*list));
	if (!list) {
		expression_done(x);
		return err_set(e, ERR_IO, ENOMEM, "expressions");
	}
	to->list = list;
	list[to->n++] = *x;
	*x = (struct expression){ 0 };
	return 0;
}

void expressions_done(struct expressions *x)
{
	for (size_t i = 0; i < x->n; i++)
		expression_done(&x->list[i]);
	free(x->list);
	*x = (struct expressions){ 0 };
}
