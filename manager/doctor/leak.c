/* SPDX-License-Identifier: Apache-2.0 */
/* leak.c - what the checks for leaks have in common */
#include "manager/doctor/leak.h"

#include "base/fs.h"
#include "base/mem.h"
#include "devinfo/journal/earlier.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>

static bool stat_path(const struct host *host, const char *path, struct stat *ret)
{
	auto_close int fd = fs_open(host->root, path, O_PATH | O_NOFOLLOW, 0);

	return fd >= 0 && fstat(fd, ret) == 0;
}

bool leak_can_be_ours(const char *name)
{
	for (const char *p = name; *p; p++)
		if (*p <= ' ' || *p > '~')
			return false;
	return true;
}

time_t leak_now(const struct host *host, const struct inventory *inv)
{
	struct stat st;

	return inv->node.is_recorded && stat_path(host, INVENTORY_FACTS, &st) ? st.st_mtime :
										time(NULL);
}

bool leak_is_settled(const struct host *host, time_t now, const char *path)
{
	struct stat st;

	return stat_path(host, path, &st) &&
	       st.st_mtime <= now - LEAK_SETTLED_S;
}

static int has_record(struct journal *j, const struct owner *o, struct err *e)
{
	auto_record struct record rec = { 0 };
	unsigned int damaged = j->damaged;
	int r = j->dir >= 0 ? journal_find(j, o, &rec, e) : 0;

	if (r == 0)
		return j->damaged != damaged;
	return r < 0 && e->code == ERR_TRY_AGAIN ? 1 : r;
}

static int has_record_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	(void)there;
	return has_record(j, arg, e);
}

int leak_has_record(const struct host *host, struct journal *j, const struct owner *o,
		    struct err *e)
{
	struct owner of = *o;
	int r = has_record(j, o, e);

	return r == 0 ? earlier_each(host, JOURNAL_READ, has_record_there, &of, e) : r;
}

void leak_name_attachment(const struct inv_attachment *a, char *ret, size_t size)
{
	if (*a->pod_name)
		(void)snprintf(ret, size, "%s of pod %.64s/%.128s", a->ifname, a->pod_namespace,
			       a->pod_name);
	else
		(void)snprintf(ret, size, "%s of container %.64s",
			       *a->ifname ? a->ifname : "an interface",
			       *a->container_id ? a->container_id : "unknown");
}
