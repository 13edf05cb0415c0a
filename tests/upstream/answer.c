/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.c - what our engines say of cases, for tests/upstream/go to compare with others
 *
 * Reads one JSON object a line from standard input, and answers each with one on standard output at
 * once.  "kind" says which engine is asked:
 *
 *	regexp	 pattern, texts		[true, false...]: is the pattern in each text?
 *	template template, data		{"text": what is made, "lines": its KEY=VALUE}
 *	time	 text			seconds since 1970
 *	quantity text			its decimal digits
 *	cel	 expression		its value: true, "text", {"int": "1"}, {"uint": "1"},
 *					{"double": its bits}, {"bytes": hexadecimal}, [...],
 *					{"map": {KEY: ...}}, {"timestamp": "SECONDS NANOSECONDS"},
 *					{"duration": nanoseconds}
 *
 * {"refused": message} where the engine takes it for wrong.
 */
#include "base/mem.h"
#include "devinfo/manifest/manifest_time.h"
#include "manager/cel/ast.h"
#include "manager/cel/device.h"
#include "manager/cel/eval.h"
#include "manager/cel/moment.h"
#include "manager/number/quantity.h"
#include "manager/regexp/regexp.h"
#include "manager/template/template.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *ask, const char *key)
{
	const char *s = json_string_value(json_object_get(ask, key));

	return s ? s : "";
}

static json_t *answer_regexp(const json_t *ask, struct err *e)
{
	struct regexp *re = regexp_parse(text_of(ask, "pattern"), e);
	json_t *answer = re ? json_array() : NULL, *text;
	size_t i;

	json_array_foreach(json_object_get(ask, "texts"), i, text) {
		int r = re ? regexp_is_in(re, json_string_value(text), e) : -1;

		if (answer && r >= 0)
			(void)json_array_append_new(answer, json_boolean(r));
		else if (answer)	/* in the place of an answer */
			(void)json_array_append_new(answer, json_string(e->msg));
	}
	regexp_free(re);
	return answer;
}

static json_t *answer_template(const json_t *ask, struct err *e)
{
	auto_template struct template *t = template_parse(text_of(ask, "template"), e);
	auto_free char *text = NULL;
	json_t *lines;
	struct err ignored = { 0 };

	if (!t || template_run(t, json_object_get(ask, "data"), &text, e) < 0)
		return NULL;
	lines = json_object();
	if (template_expand(t, json_object_get(ask, "data"), lines, &ignored) < 0) {
		json_decref(lines);
		lines = json_null();
	}
	return json_pack("{s:s, s:o}", "text", text, "lines", lines);
}

static json_t *answer_time(const json_t *ask, struct err *e)
{
	int64_t at;

	if (manifest_time(text_of(ask, "text"), &at))
		return json_integer(at);
	(void)err_set(e, ERR_NETCONF, 0, "no time");
	return NULL;
}

static json_t *answer_quantity(const json_t *ask, struct err *e)
{
	struct quantity q;
	char text[QUANTITY_TEXT];

	if (quantity_parse(text_of(ask, "text"), &q, e) < 0)
		return NULL;
	quantity_write(&q, text);
	return json_string(text);
}

static json_t *value_of(struct cel_run *r, struct cel_value v);

static json_t *double_of(double real)
{
	uint64_t bits;

	memcpy(&bits, &real, sizeof(bits));
	return isnan(real) ? json_string("nan") : json_sprintf("%016" PRIx64, bits);
}

static json_t *bytes_of(struct cel_value v)
{
	auto_free char *text = calloc(1, 2 * (size_t)v.size + 1);

	for (uint32_t i = 0; i < v.size; i++)
		(void)snprintf(text + 2 * (size_t)i, 3, "%02x", (unsigned char)v.text[i]);
	return json_string(text);
}

static json_t *list_of(struct cel_run *r, struct cel_value v)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < v.size; i++)
		(void)json_array_append_new(list, value_of(r, v.elements[i]));
	return list;
}

static json_t *map_of(struct cel_run *r, const struct cel_map *m)
{
	const struct cel_map *all = cel_map_list(r, m);
	json_t *map = json_object();

	for (size_t i = 0; all && i < all->count; i++) {
		json_auto_t *key = value_of(r, all->entries[i].key);
		auto_free char *text = json_dumps(key, JSON_COMPACT | JSON_ENCODE_ANY);

		(void)json_object_set_new(map, text, value_of(r, all->entries[i].value));
	}
	return map;
}

static json_t *value_of(struct cel_run *r, struct cel_value v)
{
	switch (v.type) {
	case CEL_BOOL:
		return json_boolean(v.truth);
	case CEL_INT:
		return json_pack("{s:o}", "int", json_sprintf("%" PRId64, v.integer));
	case CEL_UINT:
		return json_pack("{s:o}", "uint", json_sprintf("%" PRIu64, v.natural));
	case CEL_DOUBLE:
		return json_pack("{s:o}", "double", double_of(v.real));
	case CEL_STRING:
		return json_stringn(v.text, v.size);
	case CEL_BYTES:
		return json_pack("{s:o}", "bytes", bytes_of(v));
	case CEL_LIST:
		return list_of(r, v);
	case CEL_MAP:
		return json_pack("{s:o}", "map", map_of(r, v.map));
	case CEL_TIMESTAMP:
		return json_pack("{s:o}", "timestamp",
				 json_sprintf("%" PRId64 " %" PRId32, v.moment->seconds,
					      v.moment->nano));
	case CEL_DURATION:
		return json_pack("{s:o}", "duration", json_sprintf("%" PRId64, v.integer));
	default:
		return json_null();
	}
}

/* An expression of any type: what a variable is bound to, in one that is true. */
static json_t *answer_cel(const json_t *ask, struct err *e)
{
	const struct cel_device device = { .driver = "" };
	struct cel_run r = { .device = &device, .evaluate = cel_evaluate };
	auto_cel struct cel *c = NULL;
	auto_free char *text = NULL;
	uint64_t cost;
	struct cel_value v;
	json_t *ret = NULL;

	if (asprintf(&text, "cel.bind(value, %s, true)", text_of(ask, "expression")) < 0)
		return NULL;
	c = cel_compile_costly(text, &cost, e);
	if (!c)
		return NULL;
	r.text = c->text;
	r.arena = (struct cel_arena){ .at = r.first, .end = r.first + sizeof(r.first) };
	v = cel_evaluate(&r, c->root->first);
	if (v.type != CEL_ERROR)
		ret = value_of(&r, v);
	else
		(void)err_set(e, ERR_NETCONF, 0, "evaluated: %s", v.fault->what);
	cel_arena_done(&r.arena);
	return ret;
}

static const struct {
	const char *kind;
	json_t *(*answer)(const json_t *ask, struct err *e);
} kinds[] = {
	{ "regexp", answer_regexp }, { "template", answer_template }, { "time", answer_time },
	{ "quantity", answer_quantity }, { "cel", answer_cel },
};

static json_t *answer(const char *line)
{
	json_auto_t *ask = json_loads(line, 0, NULL);
	struct err e = { 0 };
	json_t *said = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].kind, text_of(ask, "kind")) == 0)
			said = kinds[i].answer(ask, &e);
	if (said)
		return said;
	/* a message may be cut within a character */
	for (char *c = e.msg; *c; c++)
		*c = (unsigned char)*c < 0x80 ? *c : '?';
	return json_pack("{s:s}", "refused", e.msg[0] ? e.msg : "no such case");
}

int main(void)
{
	auto_free char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0) {
		json_auto_t *said = answer(line);

		if (json_dumpf(said, stdout, JSON_COMPACT | JSON_ENCODE_ANY) < 0 ||
		    putchar('\n') == EOF || fflush(stdout) == EOF)
			return 1;
	}
	return 0;
}
