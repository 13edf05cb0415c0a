/* SPDX-License-Identifier: Apache-2.0 */
/* earlier_note.c - an ADD notes the directories that it uses, and forgets those without a record */
#include "devinfo/journal/earlier_part.h"

#include "base/fs.h"
#include "base/fs_lock.h"
#include "base/mem.h"

#include <string.h>

#define LOCK_MS		1000

/* Elements that are no longer needed are left out; the node's own comes last.  A new reference. */
static json_t *list_with(const struct host *h, const json_t *list, bool old)
{
	json_t *ret = json_array(), *last = NULL, *o;
	size_t i;

	json_array_foreach(list, i, o) {
		if (earlier_is_entry(o, &h->set))
			last = json_deep_copy(o);
		else if (strcmp(earlier_state_dir(o), h->set.state_dir) != 0 &&
			 !(old && earlier_is_empty(h, o)))
			(void)json_array_append_new(ret, json_deep_copy(o));
	}
	(void)json_array_append_new(ret, last ? last : earlier_entry(&h->set));
	return ret;
}

/* A directory that is there tells its file system; the node's own is about to be there. */
static void note_file_systems(const struct host *h, json_t *list)
{
	struct err ignored;
	char text[80];
	json_t *o;
	size_t i;

	json_array_foreach(list, i, o) {
		if (strcmp(earlier_state_dir(o), h->set.state_dir) != 0 &&
		    fs_exists(h->root, &ignored, "%s/attachments", earlier_state_dir(o)) <= 0)
			continue;
		earlier_tell_file_system(h, earlier_state_dir(o), text);
		if (*text)
			(void)json_object_set_new(o, EARLIER_FILE_SYSTEM, json_string(text));
	}
}

/* The list as this ADD has to leave it, a new reference; old: see earlier_is_old(). */
static json_t *list_to_be(const struct host *h, const json_t *list, bool old)
{
	json_t *ret = list_with(h, list, old);

	note_file_systems(h, ret);
	return ret;
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
	next = list_to_be(h, list, last && earlier_is_entry(last, &h->set) && earlier_is_old(dir));
	return list && json_equal(list, next) ? 0 : earlier_write_list(dir, next, e);
}

static int note_own(const struct host *h, const char *place, struct err *e)
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

/* Is it all as it has to be?  The first ADD of a boot notes the file systems anew. */
static bool is_settled(const struct host *h)
{
	const struct earlier *x = h->earlier;
	json_auto_t *next = NULL;

	if (!earlier_is_noted(h) || !x->list)
		return earlier_is_noted(h);
	next = list_to_be(h, x->list, x->old);
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
	if (note_own(h, x->place, e) < 0)
		return err_wrap(e, "earlier directories, in '%.200s'", x->place);
	return 0;
}
