/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_record.c - a file in the journal: a record, whole or torn, or one of another version */
#include "base/name.h"
#include "devinfo/journal/journal.h"
#include "tests/fuzz/scratch.h"

#define NAME "0123456789abcdef@0000:01:10.0.json"

/* What is read can be written, and is then read as the same. */
static int check_good(const struct record *rec, void *arg, struct err *e)
{
	json_auto_t *first = record_to_json(rec), *second = NULL;
	auto_record struct record again = { .doc = first };

	++*(int *)arg;
	accepted();
	must(name_is_cni_id(rec->owner.network) && name_is_cni_id(rec->owner.container_id));
	must(name_is_ifname(rec->owner.ifname));
	must(!*rec->device || name_is_file(rec->device));
	must(!rec->device_info_file || name_is_file(rec->device_info_file));
	must(rec->socket.from_plugin || !*rec->socket.path ||
	     strncmp(rec->socket.path, rec->socket.root, strlen(rec->socket.root)) == 0);
	must(!strstr(rec->socket.path, "/../"));
	must(first);
	first = NULL;			/* again's now */
	must(record_from_json(&again, e) == 0);
	second = record_to_json(&again);
	must(second && json_equal(second, again.doc));
	return 0;
}

static int check_bad(const struct journal_bad *bad, void *arg, struct err *e)
{
	(void)e;
	*(struct journal_bad *)arg = *bad;
	must(bad->version >= 0 && bad->version != JOURNAL_VERSION);
	must(*bad->why && strcmp(bad->device, "0000:01:10.0") == 0);
	must(!*bad->network || name_is_cni_id(bad->network));
	must(!*bad->container_id || name_is_cni_id(bad->container_id));
	must(!*bad->ifname || name_is_ifname(bad->ifname));
	return 0;
}

/* It is either read, or put aside, or of another version: and its device is free in none of these.
 */
static void fuzz_one(const char *text, size_t len)
{
	struct journal j = { .dir = scratch_dir(), .lock = -1 };
	struct journal_bad bad = { .version = -1 };
	int good = 0, busy;
	bool stays, aside;
	struct err e = { 0 };

	scratch_write(NAME, text, len);
	must(journal_each(&j, check_good, &good, &e) == 0);
	must(journal_each_bad(&j, check_bad, &bad, &e) == 0);
	busy = journal_check_device(&j, "0000:01:10.0", &e);
	must_agree(busy, &e);
	stays = scratch_unlink(NAME);
	aside = scratch_unlink(NAME JOURNAL_DAMAGED);
	must(good == (bad.version < 0) && stays == !aside);
	must(stays == (good || bad.version > 0));
	must(busy == (good ? 0 : -1) && (good || e.code == ERR_BUSY));
	must(j.damaged == aside);
}
