/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocated_wait.c - how long do pods wait for their networks?
 *
 * kubelet makes a directory for the logs of a pod, NAMESPACE_NAME_UID, before it asks for the pod's
 * sandbox, whose networks CNI attaches, and one in it for each container, of init containers as
 * well, when it starts that.  So a pod without any of these waits: for an ADD that fails, or, when
 * the runtime has the result of its ADD, for an image or a program.  A pod that has been started
 * before, as before a reboot, still has all of these: it counts as started.
 */
#include "manager/inventory/allocated.h"

#include "base/fs.h"
#include "base/mem.h"
#include "manager/inventory/runtime_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define POD_LOGS	"/var/log/pods"

struct pod_logs {
	const struct host *host;
	struct inventory *inv;
	time_t now;
};

static bool is_of(const char *dir, const struct inv_allocation *g)
{
	char head[sizeof(g->pod_namespace) + sizeof(g->pod_name) + 2];
	int n = snprintf(head, sizeof(head), "%s_%s_", g->pod_namespace, g->pod_name);

	return *g->pod_name && strncmp(dir, head, (size_t)n) == 0;
}

static int is_there(const char *name, void *arg, struct err *e)
{
	(void)name, (void)arg, (void)e;
	return 1;
}

/* Seconds since the pod's directory was made, in which there is nothing: 0 when there is. */
static int look(const struct pod_logs *l, const char *dir, uint64_t *waits, struct err *e)
{
	auto_close int fd = -1;
	char path[PATH_MAX];
	struct stat st;
	int r;

	(void)snprintf(path, sizeof(path), POD_LOGS "/%s", dir);
	r = fs_each(l->host->root, path, is_there, NULL, e);
	if (r != 0)
		return r;
	fd = fs_open(l->host->root, path, O_PATH | O_NOFOLLOW | O_DIRECTORY, 0);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(e, ERR_IO, errno, "look at '%s'", path);
	*waits = st.st_mtime < l->now ? (uint64_t)(l->now - st.st_mtime) : 1;
	return 0;
}

/* A pod of the same name may have been there before; its directory goes soon. */
static void note_wait(struct inv_allocation *g, bool started, uint64_t waits)
{
	g->started |= started;
	if (g->started)
		g->waits = 0;
	else if (g->waits == 0 || waits < g->waits)
		g->waits = waits;
}

static const struct inv_allocation *find_first(const struct inventory *inv, const char *dir)
{
	for (size_t i = 0; i < inv->n_allocations; i++)
		if (is_of(dir, &inv->allocations[i]))
			return &inv->allocations[i];
	return NULL;
}

static int take_pod(const char *dir, void *arg, struct err *e)
{
	const struct pod_logs *l = arg;
	const struct inv_allocation *first = find_first(l->inv, dir);
	uint64_t waits = 0;
	int r = first ? look(l, dir, &waits, e) : -1;

	if (r == 0)
		r = runtime_cache_has_sandbox(l->host, first->pod_namespace, first->pod_name, e);
	if (r < 0)
		return 0;		/* of no such pod, or it has gone meanwhile */
	for (size_t i = 0; i < l->inv->n_allocations; i++)
		if (is_of(dir, &l->inv->allocations[i]))
			note_wait(&l->inv->allocations[i], r > 0, waits);
	return 0;
}

void allocated_set_waits(const struct host *host, struct inventory *inv)
{
	struct pod_logs l = { .host = host, .inv = inv, .now = time(NULL) };
	struct err ignored;		/* then it is not known whether they wait */

	(void)!fs_each(host->root, POD_LOGS, take_pod, &l, &ignored);
}
