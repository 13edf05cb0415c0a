/* SPDX-License-Identifier: Apache-2.0 */
/* known.c - of what others wrote, that alone which our own readers read: which values stay */
#include "manager/inventory/known_part.h"

#include "base/err.h"
#include "base/jx.h"
#include "base/mem.h"
#include "manager/inventory/base64.h"

#include <stdio.h>
#include <string.h>

#define LETTERS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

enum { DEPTH_MAX = 64, NAME_LEN = 32 };

static void keep(json_t *v, const struct known *of, int depth);

/* -- a value of which nothing is known -- */

static void leave_out_text(json_t *v)
{
	(void)json_string_set(v, json_string_length(v) > 0 ? LEFT_OUT : "");
}

/* Typing errors are told by their names, so what is a word of letters stays. */
static bool is_plain_name(const char *name)
{
	return !name[strspn(name, LETTERS "_-")] && strlen(name) <= NAME_LEN;
}

/* A name that is none of ours may be the secret itself. */
static void rename_members(json_t *o, const struct known *of)
{
	json_auto_t *renamed = json_object();
	char as[32];
	bool any = false;
	const char *name;
	json_t *one;

	json_object_foreach(o, name, one) {
		bool stays = is_plain_name(name) || (of && known_has(of, name));

		(void)snprintf(as, sizeof(as), LEFT_OUT "-%zu", json_object_size(renamed));
		(void)json_object_set(renamed, stays ? name : as, one);
		any |= !stays;
	}
	if (!any)
		return;
	(void)json_object_clear(o);
	(void)json_object_update(o, renamed);
}

/* -- a value whose form is known -- */

/* A document in a text. */
static void keep_inner(json_t *v, const struct known *of, int depth)
{
	const char *text = json_string_value(v);
	struct err ignored;
	json_auto_t *doc = text ? jx_parse(text, strlen(text), ERR_DECODE, "", &ignored) : NULL;
	auto_free char *clean = NULL;
	size_t len;

	if (doc) {
		keep(doc, of, depth);
		clean = jx_dump(doc, &len);
	}
	if (clean)
		(void)json_string_set(v, clean);
	else
		keep(v, NULL, depth);
}

static void keep_coded(json_t *v, const struct known *of, int depth)
{
	const char *text = json_string_value(v);
	size_t len = 0;
	auto_free char *plain = text ? base64_decode(text, &len) : NULL, *clean = NULL;
	json_auto_t *inner = plain ? json_string(plain) : NULL;

	if (inner)
		keep_inner(inner, of, depth);
	clean = inner ? base64_encode(json_string_value(inner), json_string_length(inner)) : NULL;
	if (clean)
		(void)json_string_set(v, clean);
	else
		keep(v, NULL, depth);
}

/* CNI_ARGS as libcni has it: [["K8S_POD_NAME", "p"]]; of each the name says what it is. */
static void keep_pairs(json_t *v, int depth)
{
	static const char *const names[] = {
		"IgnoreUnknown", "K8S_POD_NAMESPACE", "K8S_POD_NAME", "K8S_POD_UID",
		"K8S_POD_INFRA_CONTAINER_ID",
	};
	json_t *pair;
	size_t i;

	json_array_foreach(v, i, pair) {
		const char *name = json_string_value(json_array_get(pair, 0));
		bool known = false;

		for (size_t n = 0; name && n < ARRAY_SIZE(names); n++)
			known |= strcmp(name, names[n]) == 0;
		keep(pair, known ? &known_words : NULL, depth);
	}
	if (!json_is_array(v))
		keep(v, NULL, depth);
}

static bool takes_numbers(enum shape shape)
{
	return shape == SHAPE_NUMBER || shape == SHAPE_PLAIN || shape == SHAPE_HEX;
}

static void keep_shape(json_t *v, enum shape shape, int depth)
{
	json_t *one;
	size_t i;

	if (json_is_array(v) && depth < DEPTH_MAX) {
		json_array_foreach(v, i, one) {
			keep_shape(one, shape, depth + 1);
		}
	} else if (!json_is_string(v) ? !takes_numbers(shape) || json_is_object(v) :
				      !known_fits(shape, json_string_value(v)))
		keep(v, NULL, depth);
}

static void keep_member(json_t *v, const struct known_row *row, int depth)
{
	const struct known part = { .fields = row->part, .texts = SHAPE_WORD };

	switch (row->shape) {
	case SHAPE_OBJECT:
		keep(v, row->part ? &part : row->in, depth);
		break;
	case SHAPE_JSON:
		keep_inner(v, row->in, depth);
		break;
	case SHAPE_CODED:
		keep_coded(v, row->in, depth);
		break;
	case SHAPE_PAIRS:
		keep_pairs(v, depth);
		break;
	case SHAPE_HIDDEN:
		(void)json_string_set(v, "");
		break;
	default:
		keep_shape(v, row->shape, depth);
	}
}

/* -- documents -- */

static void keep_object(json_t *o, const struct known *of, int depth)
{
	struct known_row row;
	const char *name;
	json_t *v;

	json_object_foreach(o, name, v) {
		if (of && known_find(of, name, v, &row))
			keep_member(v, &row, depth);
		else
			keep(v, NULL, depth);
	}
	rename_members(o, of);
}

/* A list is what each of its elements is. */
static void keep(json_t *v, const struct known *of, int depth)
{
	json_t *one;
	size_t i;

	if (depth >= DEPTH_MAX) {
		(void)(json_is_object(v) ? json_object_clear(v) : json_array_clear(v));
	} else if (json_is_object(v)) {
		keep_object(v, of, depth + 1);
	} else if (json_is_array(v)) {
		json_array_foreach(v, i, one) {
			keep(one, of, depth + 1);
		}
	} else if (json_is_string(v) &&
		   (of != &known_words || !known_is_word(json_string_value(v)))) {
		leave_out_text(v);
	} else if (json_is_integer(v)) {
		(void)json_integer_set(v, 0);
	} else if (json_is_real(v)) {
		(void)json_real_set(v, 0);
	}
}

void known_keep(json_t *doc, const struct known *of)
{
	keep(doc, of, 0);
}
