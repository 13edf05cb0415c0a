/* SPDX-License-Identifier: Apache-2.0 */
/* written.c - which entries of pods' network-status are ours, also for who starts again */
#include "daemon/publish/written.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"
#include "daemon/process/process.h"

#include <limits.h>
#include <stdint.h>

enum { WRITTEN_MAX = 4 << 20, WRITTEN_VERSION = 1 };

/* 1, 0 where there is none, -1. */
static int open_dir(const struct host *host, bool make, int *ret, struct err *e)
{
	char path[PATH_MAX];

	if (process_path(host->set.state_dir, WRITTEN_DIR, path, e) < 0)
		return -1;
	return fs_open_own_dir(host->root, path, make, ret, e);
}

static int check(const json_t *pods, struct err *e)
{
	const json_t *entries;
	const char *uid;

	json_object_foreach((json_t *)(uintptr_t)pods, uid, entries)
		if (!json_is_array(entries))
			return err_set(e, ERR_DECODE, 0, "pods.%.64s: expected a list", uid);
	return json_is_object(pods) ? 0 : err_set(e, ERR_DECODE, 0, "pods is missing");
}

/* 1 with a new reference, 0 where there is none, -1. */
static int read_file(const struct host *host, json_t **ret, struct err *e)
{
	auto_close int dir = -1;
	auto_free char *text = NULL;
	json_auto_t *doc = NULL;
	json_int_t version = 0;
	json_t *pods;
	size_t len = 0;
	int r = open_dir(host, false, &dir, e);

	if (r > 0)
		r = fs_read_own_file(dir, WRITTEN_FILE, WRITTEN_MAX, &text, &len, e);
	if (r <= 0)
		return r;
	doc = jx_parse(text, len, ERR_DECODE, WRITTEN_FILE, e);
	if (!doc || jx_int(doc, "", "version", 0, INT64_MAX, &version, e) < 0)
		return -1;
	if (version != WRITTEN_VERSION)
		return err_set(e, ERR_DECODE, 0, "expected version %d", WRITTEN_VERSION);
	pods = json_object_get(doc, "pods");
	if (check(pods, e) < 0)
		return -1;
	*ret = json_incref(pods);
	return 1;
}

json_t *written_read(const struct host *host)
{
	json_t *pods = NULL;
	struct err e;
	int r = read_file(host, &pods, &e);

	if (r < 0)
		log_warning("msg=\"what was written of network-status is not known, and stays: "
			    "%s\" details=\"%s\"", e.msg, e.details);
	return r > 0 ? pods : json_object();
}

int written_save(const struct host *host, json_t *pods, struct err *e)
{
	json_auto_t *doc = json_pack("{s:i,s:O}", "version", WRITTEN_VERSION, "pods", pods);
	auto_free char *text = NULL;
	auto_close int dir = -1;
	size_t len;

	if (open_dir(host, true, &dir, e) < 0)
		return -1;
	text = jx_dump(doc, &len);
	if (len > WRITTEN_MAX)
		return err_set(e, ERR_IO, 0, "it has %zu bytes, and may have %d", len, WRITTEN_MAX);
	return fs_write_file(dir, WRITTEN_FILE, text, len, 0600, 0, e);
}
