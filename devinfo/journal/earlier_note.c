/* SPDX-License-Identifier: Apache-2.0 */
/* earlier_note.c - an ADD notes the directories that it uses, and forgets those without a record */
#include "devinfo/journal/earlier_part.h"

#include "base/fs.h"
#include "base/fs_lock.h"
#include "base/mem.h"

#include <string.h>

#define LOCK_MS		1000

/* The list as it is to be, new reference. */
static json_t *list_with(const struct host *h, const json_t *list, bool old)
{
	json_t *ret = json_array(), *last = NULL, *o;
	size_t i;

	json_array_foreach(list, i, o) {
		if (earlier_is_entry(o, &h->set))
			last = json_incref(o);
		else if (strcmp(earlier_state_dir(o), h->set.state_dir) != 0 &&
			 !(old && earlier_is_empty(h, o)))
			(void)json_array_append(ret, o);
	}
	(void)json_array_append_new(ret, last ? last : earlier_entry(&h->set));
	return ret;
}

/* What is there now says on which file system it is. */
static void note_file_systems(const struct host *h, json_t *list)
{
	struct err ignored;
	char text[80];
	json_t *o;
	size_t i;

	json_array_foreach(list, i, o) {
		if (fs_exists(h->root, &ignored, "%s/attachments", earlier_state_dir(o)) <= 0)
			continue;
		earlier_tell_file_system(h, earlier_state_dir(o), text);
		if (*text)
			(void)json_object_set_new(o, EARLIER_FILE_SYSTEM, json_string(text));
	}
}

/* Under the lock it is read again: another call may have changed it. */
static int note_locked(const struct host *h, int dir, struct err *e)
{
	json_auto_t *list = NULL, *next = NULL;
	const json_t *last;

	if (earlier_read_list(dir, &list, e) < 0)
		return -1;
	last = earlier_last(list);
	/* a change is noted alone: calls with the directories of before may be at work */
	next = list_with(h, list, last && earlier_is_entry(last, &h->set) && earlier_is_old(dir));
	if (list && json_equal(list, next))
		return 0;
	note_file_systems(h, next);
	return earlier_write_list(dir, next, e);
}

static int note(const struct host *h, const char *place, struct err *e)
{
	struct deadline d = deadline_in(LOCK_MS);
	auto_close int dir = -1, lock = -1;
	uint8_t key[SIPHASH_KEY];

	if (fs_open_own_dir(h->root, place, true, &dir, e) < 0 ||
	    fs_open_lock(dir, "lock", key, &lock, e) < 0 ||
	    fs_lock(lock, key, EARLIER_FILE, &d, e) < 0)
		return -1;
	return note_locked(h, dir, e);
}

/* Is it all as it is to be? */
static bool is_settled(const struct host *h)
{
	const struct earlier *x = h->earlier;
	json_auto_t *next = NULL;

	if (!earlier_is_noted(h) || !x->old)
		return earlier_is_noted(h);
	next = list_with(h, x->list, true);
	return json_equal(x->list, next);
}

int earlier_note(const struct host *h, struct err *e)
{
	const struct earlier *x = h->earlier;

	if (!x || is_settled(h))
		return 0;
	if (x->why.code != ERR_OK) {
		*e = x->why;
		return -1;
	}
	return note(h, x->place, e) < 0 ? err_wrap(e, "earlier directories, in '%.200s'",
						   x->place) : 0;
}
