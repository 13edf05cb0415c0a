/* SPDX-License-Identifier: Apache-2.0 */
/* key.c - a key of a configuration in one row, and how its value is read */
#include "conf/key.h"

#include "base/jx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { MUST_MAX = 160, KEY_TEXT_MAX = 128 };

/* -- values -- */

static void put_int(void *ret, size_t size, json_int_t n)
{
	if (size == sizeof(bool))
		*(bool *)ret = n != 0;
	else if (size == sizeof(uint16_t))
		*(uint16_t *)ret = (uint16_t)n;
	else if (size == sizeof(uint32_t))
		*(uint32_t *)ret = (uint32_t)n;
	else if (size == sizeof(int64_t))
		*(int64_t *)ret = n;
}

/* Which of the choices it is; -1: none. */
static int choice_of(const struct conf_key *k, const char *text)
{
	for (int i = 0; k->choices[i]; i++)
		if (strcmp(k->choices[i], text) == 0)
			return i;
	return -1;
}

/* Three to five digits. */
static bool take_mode(const struct conf_key *k, const char *text, void *ret)
{
	size_t len = strlen(text);
	unsigned long mode = strtoul(text, NULL, 8);

	if (strspn(text, "01234567") != len || len < 3 || len > 5 || mode > (unsigned long)k->max)
		return false;
	*(mode_t *)ret = (mode_t)mode;
	return true;
}

static bool fits(const struct conf_key *k, const char *text)
{
	return (!k->fits || k->fits(text)) && (!k->choices || choice_of(k, text) >= 0);
}

/* "/run/x/" is "/run/x" from here on, for paths are compared with those of records. */
static const char *trim_path(json_t *v)
{
	const char *text = json_string_value(v);
	size_t len = strlen(text);

	while (len > 1 && text[len - 1] == '/')
		len--;
	(void)json_string_setn(v, text, len);
	return json_string_value(v);
}

static bool take_choice(const struct conf_key *k, const char *text, void *ret)
{
	int choice = choice_of(k, text);

	if (choice >= 0)
		put_int(ret, k->size, choice);
	return choice >= 0;
}

/* What does not fit leaves the member, but for what a form's take() may leave of it. */
static bool take_text(const struct conf_key *k, const char *text, void *ret)
{
	switch (k->type) {
	case KEY_MODE:
		return take_mode(k, text, ret);
	case KEY_FORM:
		return k->take(text, ret);
	case KEY_CHOICE:
		return take_choice(k, text, ret);
	default:
		if (fits(k, text) && k->size)
			*(const char **)ret = text;
		return fits(k, text);
	}
}

/* -- messages -- */

static void list_choices(const char *const *choices, char ret[MUST_MAX])
{
	*ret = '\0';
	for (choices += !**choices; *choices; choices++)
		(void)snprintf(ret + strlen(ret), MUST_MAX - strlen(ret), "%s%s", *choices,
			       !choices[1] ? "" : choices[2] ? ", " : " or ");
}

/* "a, b or c", "permissions in octal..." */
static const char *must_be(const struct conf_key *k, char ret[MUST_MAX])
{
	if (k->choices)
		list_choices(k->choices, ret);
	else if (k->type == KEY_MODE)
		(void)snprintf(ret, MUST_MAX, "permissions in octal, 000 to 0%llo",
			       (unsigned long long)k->max);
	else
		(void)snprintf(ret, MUST_MAX, "%s", k->must ? k->must : "an absolute path");
	return ret;
}

static int refuse_value(const struct conf_key *k, const char *name, const char *text, struct err *e)
{
	char must[MUST_MAX];

	if (k->secret)
		return err_set(e, ERR_NETCONF, 0, "invalid %s: must be %s", name, must_be(k, must));
	return err_set(e, ERR_NETCONF, 0, "invalid %s '%.64s': must be %s", name, text,
		       must_be(k, must));
}

/* -- reading: 1 said, 0, -1 -- */

static int read_text(const json_t *o, const char *path, const struct conf_key *k, void *ret,
		     struct err *e)
{
	json_t *v = json_object_get(o, k->name);
	const char *text = NULL;
	char name[KEY_TEXT_MAX];
	int r = jx_string(o, path, k->name, &text, e);

	if (r <= 0 || !*text)
		return r < 0 ? -1 : 0;
	(void)snprintf(name, sizeof(name), "%s%s%s", path, *path ? "." : "", k->name);
	if (k->check && k->check(text, name, e) < 0)
		return -1;
	if (k->type == KEY_PATH && !key_is_path(text))
		return refuse_value(k, name, text, e);
	if (k->type == KEY_PATH)
		text = trim_path(v);
	return take_text(k, text, ret) ? 1 : refuse_value(k, name, text, e);
}

static int read_texts(const json_t *o, const char *path, const struct conf_key *k, json_t **ret,
		      struct err *e)
{
	json_t *list = NULL;
	const json_t *v;
	char name[KEY_TEXT_MAX];
	size_t i;
	int r = jx_strings(o, path, k->name, &list, e);

	json_array_foreach(list, i, v) {
		(void)snprintf(name, sizeof(name), "%s%s%s[%zu]", path, *path ? "." : "", k->name,
			       i);
		if (!fits(k, json_string_value(v)))
			return refuse_value(k, name, json_string_value(v), e);
	}
	*ret = list;
	return r;
}

static int read_member(const json_t *o, const char *path, const struct conf_key *k, void *ret,
		       struct err *e)
{
	json_t *v = NULL;
	json_int_t n = 0;
	bool b = false;
	int r;

	switch (k->type) {
	case KEY_OTHER:
		return 0;
	case KEY_INT:
		r = jx_int(o, path, k->name, k->min, k->max, &n, e);
		break;
	case KEY_BOOL:
	case KEY_BOOL_OR_UNSET:
		r = jx_bool(o, path, k->name, &b, e);
		n = k->type == KEY_BOOL ? b : 1 + b;
		break;
	case KEY_OBJECT:
		r = jx_object(o, path, k->name, &v, e);
		break;
	case KEY_TEXTS:
		r = read_texts(o, path, k, &v, e);
		break;
	default:
		return read_text(o, path, k, ret, e);
	}
	if (r > 0 && v && k->size)
		*(const json_t **)ret = v;
	else if (r > 0 && !v)
		put_int(ret, k->size, n);
	return r;
}

static void set_default(const struct conf_key *k, void *ret)
{
	if (k->type == KEY_INT)
		put_int(ret, k->size, strtoll(k->by_default, NULL, 10));
	else if (k->type == KEY_MODE || k->type == KEY_FORM)
		(void)take_text(k, k->by_default, ret);
}

static int read_one(const json_t *o, const char *path, const struct conf_key *k, void *ret,
		    struct err *e)
{
	char *member = (char *)ret + k->offset;
	int r;

	if (k->by_default)
		set_default(k, member);
	r = read_member(o, path, k, member, e);
	if (r > 0 && k->said)
		*((bool *)ret + k->said) = true;
	return r;
}

int key_read(const json_t *o, const char *path, const struct conf_key *keys, void *ret,
	     struct err *e)
{
	struct err later;		/* the first is the one to tell */
	int r = 0;

	for (; keys->name; keys++)
		if (read_one(o, path, keys, ret, r < 0 ? &later : e) < 0)
			r = -1;
	return r;
}

/* -- forms that several have -- */

bool key_is_path(const char *text)
{
	size_t len = strlen(text);

	return *text == '/' && len <= 1024 && !strstr(text, "/../") &&
	       (len < 3 || strcmp(text + len - 3, "/..") != 0);
}

bool key_take_id(const char **text, uint32_t *ret)
{
	size_t digits = strspn(*text, "0123456789");
	unsigned long long n = strtoull(*text, NULL, 10);

	if (digits < 1 || n >= UINT32_MAX)
		return false;
	*ret = (uint32_t)n;
	*text += digits;
	return true;
}
