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
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define POD_LOGS	"/var/log/pods"

struct pod_logs {
	const struct host *host;
	struct inv_allocation **by_pod;	/* what pods were given */
	size_t n;
	const struct deadline *until;
	time_t now;
};

static int compare_pods(const void *a, const void *b)
{
	const struct inv_allocation *x = *(struct inv_allocation *const *)a;
	const struct inv_allocation *y = *(struct inv_allocation *const *)b;
	int r = strcmp(x->pod_namespace, y->pod_namespace);

	return r ? r : strcmp(x->pod_name, y->pod_name);
}

/* Splits NAMESPACE_NAME_UID; neither of the first two has a '_'. */
static bool read_pod(const char *dir, struct inv_allocation *ret)
{
	size_t n = strcspn(dir, "_"), m = dir[n] ? strcspn(dir + n + 1, "_") : 0;

	if (!dir[n] || !dir[n + 1 + m] || n >= sizeof(ret->pod_namespace) ||
	    m >= sizeof(ret->pod_name))
		return false;
	memcpy(ret->pod_namespace, dir, n);
	memcpy(ret->pod_name, dir + n + 1, m);
	return true;
}

/* The first of those that the pod was given; *count: how many there are. */
static struct inv_allocation **find_pod(const struct pod_logs *l, const char *dir, size_t *count)
{
	struct inv_allocation key = { 0 };
	const struct inv_allocation *at = &key;
	struct inv_allocation **found, **end = l->by_pod + l->n;

	if (!read_pod(dir, &key))
		return NULL;
	found = bsearch(&at, l->by_pod, l->n, sizeof(*l->by_pod), compare_pods);
	while (found && found > l->by_pod && compare_pods(&found[-1], &at) == 0)
		found--;
	for (*count = 0; found && found + *count < end; ++*count)
		if (compare_pods(&found[*count], &at) != 0)
			break;
	return found;
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

/* -1: there is no more time. */
static int take_pod(const char *dir, void *arg, struct err *e)
{
	const struct pod_logs *l = arg;
	size_t count = 0;
	struct inv_allocation **given = find_pod(l, dir, &count);
	uint64_t waits = 0;
	int r;

	if (deadline_left_ms(l->until) == 0)
		return err_set(e, ERR_IO, ETIMEDOUT, "look at " POD_LOGS);
	r = given ? look(l, dir, &waits, e) : -1;
	if (r == 0)
		r = runtime_cache_has_sandbox(l->host, given[0]->pod_namespace, given[0]->pod_name,
					      e);
	for (size_t i = 0; r >= 0 && i < count; i++)
		note_wait(given[i], r > 0, waits);
	return 0;	/* r < 0: it is of no such pod, or has gone meanwhile */
}

static size_t list_pods(struct inventory *inv, struct inv_allocation **ret)
{
	size_t n = 0;

	for (size_t i = 0; i < inv->n_allocations; i++)
		if (*inv->allocations[i].pod_name)
			ret[n++] = &inv->allocations[i];
	qsort(ret, n, sizeof(*ret), compare_pods);
	return n;
}

void allocated_set_waits(const struct host *host, const struct deadline *until,
			 struct inventory *inv)
{
	auto_free struct inv_allocation **by_pod = calloc(inv->n_allocations + 1, sizeof(*by_pod));
	struct pod_logs l = { .host = host, .by_pod = by_pod, .until = until, .now = time(NULL) };
	struct err ignored;

	if (!by_pod)
		return;		/* then it is not known whether they wait */
	l.n = list_pods(inv, by_pod);
	if (fs_each(host->root, POD_LOGS, take_pod, &l, &ignored) == 0)
		return;
	/* one that was not looked at may tell that the pod has started */
	for (size_t i = 0; i < l.n; i++) {
		by_pod[i]->started = false;
		by_pod[i]->waits = 0;
	}
}
