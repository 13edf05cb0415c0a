/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.c - what our engines say of cases, for tests/upstream/go to compare with Go
 *
 * Reads one JSON object a line from standard input, and answers each with one on standard output at
 * once.  "kind" says which engine is asked:
 *
 *	regexp	 pattern, texts		[true, false...]: is the pattern in each text?
 *	template template, data		{"text": what is made, "lines": its KEY=VALUE}
 *	time	 text			seconds since 1970
 *	quantity text			its decimal digits
 *
 * {"refused": message} where the engine takes it for wrong.
 */
#include "base/mem.h"
#include "devinfo/manifest/manifest_time.h"
#include "manager/number/quantity.h"
#include "manager/regexp/regexp.h"
#include "manager/template/template.h"

#include <jansson.h>
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

static const struct {
	const char *kind;
	json_t *(*answer)(const json_t *ask, struct err *e);
} kinds[] = {
	{ "regexp", answer_regexp }, { "template", answer_template }, { "time", answer_time },
	{ "quantity", answer_quantity },
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
