/* SPDX-License-Identifier: Apache-2.0 */
/* earlier.c - the file of the directories that the node's file has named before */
#include "devinfo/journal/earlier_part.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define VERSION		1
#define FILE_MAX	(EARLIER_MAX * 3 * PATH_MAX)

static const char *const keys[] = { "stateDir", "runDir", "devinfoDir" };

/* -- reading -- */

static int check_entry(const json_t *o, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *s = json_string_value(json_object_get(o, keys[i]));

		if (!s || *s != '/' || strlen(s) >= PATH_MAX)
			return err_set(e, ERR_DECODE, 0, "%s: expected an absolute path", keys[i]);
	}
	return 0;
}

static int check_list(const json_t *doc, json_t **ret, struct err *e)
{
	const json_t *o;
	json_int_t version = 0;
	size_t i;

	if (jx_int(doc, "", "version", 1, INT_MAX, &version, e) < 0 ||
	    jx_array(doc, "", "dirs", ret, e) < 0)
		return -1;
	if (version != VERSION)
		return err_set(e, ERR_DECODE, 0, "version: expected %d, got %d", VERSION,
			       (int)version);
	if (json_array_size(*ret) > EARLIER_MAX)
		return err_set(e, ERR_DECODE, 0, "dirs: has %zu elements, expected at most %d",
			       json_array_size(*ret), EARLIER_MAX);
	json_array_foreach(*ret, i, o)
		if (check_entry(o, e) < 0)
			return -1;
	return 0;
}

static int parse(const char *text, size_t len, json_t **ret, struct err *e)
{
	json_auto_t *doc = jx_parse(text, len, ERR_DECODE, EARLIER_FILE, e);
	json_t *list = NULL;

	if (!doc || check_list(doc, &list, e) < 0)
		return -1;
	*ret = json_incref(list);
	return 0;
}

bool earlier_is_old(int dir)
{
	time_t now = time(NULL);
	struct stat st;

	return fstatat(dir, EARLIER_FILE, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_mtime <= now &&
	       now - st.st_mtime > EARLIER_QUIET_S;
}

int earlier_read_list(int dir, json_t **ret, struct err *e)
{
	auto_free char *text = NULL;
	size_t len = 0;
	int r = fs_read_own_file(dir, EARLIER_FILE, FILE_MAX, &text, &len, e);

	return r > 0 && parse(text, len, ret, e) < 0 ? -1 : r;
}

static int read_place(const struct host *h, struct earlier *x, struct err *e)
{
	auto_close int dir = -1;
	int r = fs_open_own_dir(h->root, x->place, false, &dir, e);

	if (r > 0)
		r = earlier_read_list(dir, &x->list, e);
	if (r > 0 && json_array_size(x->list) > 1)
		x->old = earlier_is_old(dir);
	return r < 0 ? -1 : 0;
}

void earlier_read(const struct host *h, const char *conf, struct earlier *ret)
{
	struct earlier x = { .has_default = !conf || !*conf };
	struct err why;

	if (snprintf(x.place, sizeof(x.place), "%s%s", x.has_default ? EARLIER_DIR : conf,
		     x.has_default ? "" : EARLIER_SUFFIX) >= (int)sizeof(x.place))
		(void)err_set(&x.why, ERR_ENV, ENAMETOOLONG, "DEVINFO_CONF");
	else if (read_place(h, &x, &why) < 0) {
		x.why = why;
		(void)err_wrap(&x.why, "earlier directories, in '%.200s'", x.place);
		(void)err_detail(&x.why, "it says in which directories there may be records: see "
				 "devinfo.conf(5)");
	}
	*ret = x;
}

void earlier_done(struct earlier *x)
{
	json_decref(x->list);
	x->list = NULL;
}

/* -- entries -- */

static const char *text_of(const json_t *o, size_t key)
{
	return json_string_value(json_object_get(o, keys[key]));
}

const char *earlier_state_dir(const json_t *o)
{
	return text_of(o, 0);
}

void earlier_take(const json_t *o, struct settings *ret)
{
	ret->state_dir = text_of(o, 0);
	ret->run_dir = text_of(o, 1);
	ret->devinfo_dir = text_of(o, 2);
}

bool earlier_is_entry(const json_t *o, const struct settings *set)
{
	return strcmp(text_of(o, 0), set->state_dir) == 0 &&
	       strcmp(text_of(o, 1), set->run_dir) == 0 &&
	       strcmp(text_of(o, 2), set->devinfo_dir) == 0;
}

const json_t *earlier_last(const json_t *list)
{
	size_t n = json_array_size(list);

	return n > 0 ? json_array_get(list, n - 1) : NULL;
}

bool earlier_take_last(const struct earlier *x, struct settings *ret)
{
	const json_t *last = earlier_last(x->list);

	if (last)
		earlier_take(last, ret);
	return last != NULL;
}

bool earlier_is_last(const struct earlier *x, const char *state_dir)
{
	struct settings last = settings_default;

	(void)earlier_take_last(x, &last);
	return strcmp(last.state_dir, state_dir) == 0;
}

static bool is_default(const struct settings *set)
{
	return strcmp(set->state_dir, settings_default.state_dir) == 0 &&
	       strcmp(set->run_dir, settings_default.run_dir) == 0 &&
	       strcmp(set->devinfo_dir, settings_default.devinfo_dir) == 0;
}

bool earlier_is_noted(const struct host *h)
{
	const struct earlier *x = h->earlier;
	const json_t *last = x ? earlier_last(x->list) : NULL;

	if (!x || x->why.code != ERR_OK)
		return !x;
	return last ? earlier_is_entry(last, &h->set) : x->has_default && is_default(&h->set);
}

/* -- writing -- */

json_t *earlier_entry(const struct settings *set)
{
	return json_pack("{s:s, s:s, s:s}", keys[0], set->state_dir, keys[1], set->run_dir,
			 keys[2], set->devinfo_dir);
}

int earlier_write_list(int dir, json_t *list, struct err *e)
{
	json_auto_t *doc = json_pack("{s:i, s:O}", "version", VERSION, "dirs", list);
	auto_free char *text = NULL;
	size_t len;

	if (!doc)
		return err_set(e, ERR_IO, EILSEQ, "note the directories");
	if (json_array_size(list) > EARLIER_MAX)
		return err_set(e, ERR_IO, E2BIG, "note the directories: over %d others have "
			       "records", EARLIER_MAX - 1);
	text = jx_dump(doc, &len);
	return fs_write_file(dir, EARLIER_FILE, text, len, 0600, FS_SYNC_DIR, e);
}
