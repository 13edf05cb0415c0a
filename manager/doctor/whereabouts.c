/* SPDX-License-Identifier: Apache-2.0 */
/* whereabouts.c - in which network namespace is the network device of a PCI function? */
#include "manager/doctor/whereabouts.h"

#include "base/deadline.h"
#include "base/fs.h"
#include "base/mem.h"
#include "netlink/link.h"
#include "netlink/netns.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { NAMESPACES_MAX = 1024, LOOK_MS = 2000 };

struct search {
	const char *bdf;
	struct deadline end;
	ino_t seen[NAMESPACES_MAX];	/* of namespaces, all of which are on one file system */
	size_t n;
	char *ret;
	size_t size;
};

static bool is_its(const struct link *link, const void *arg)
{
	return strcmp(link->parent_bus, "pci") == 0 && strcmp(link->parent_dev, arg) == 0;
}

/* 1 when it is in that namespace; what cannot be looked at is passed over. */
static int look_in(struct search *s, int netns, const char *place)
{
	auto_nl struct nl nl = { 0 };
	struct link link;
	struct err ignored;

	if (nl_open(netns, NETLINK_ROUTE, &nl, &ignored) < 0 ||
	    link_find(&nl, is_its, s->bdf, &link, &ignored) <= 0)
		return 0;
	(void)snprintf(s->ret, s->size, "%s of %s", link.name, place);
	return 1;
}

static bool is_new(struct search *s, ino_t ino)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->seen[i] == ino)
			return false;
	if (s->n < NAMESPACES_MAX)
		s->seen[s->n++] = ino;
	return true;
}

/* 1 found, or enough. */
static int look_at(struct search *s, const char *path)
{
	auto_close int fd = -1;
	struct err ignored;
	struct stat st;
	char place[320];

	if (s->n == NAMESPACES_MAX || deadline_left_ms(&s->end) == 0)
		return 1;
	if (stat(path, &st) < 0 || !is_new(s, st.st_ino) || netns_open(path, &fd, &ignored) <= 0)
		return 0;
	(void)snprintf(place, sizeof(place), "network namespace %s", path);
	return look_in(s, fd, place);
}

static int look_at_name(const char *name, void *arg, struct err *e)
{
	char path[300];

	(void)e;
	(void)snprintf(path, sizeof(path), "/run/netns/%.255s", name);
	return look_at(arg, path);
}

static int look_at_process(const char *name, void *arg, struct err *e)
{
	char path[64];

	(void)e;
	(void)snprintf(path, sizeof(path), "/proc/%.20s/ns/net", name);
	return isdigit((unsigned char)*name) ? look_at(arg, path) : 0;
}

void whereabouts_find(const struct host *host, const char *bdf, char *ret, size_t size)
{
	struct search s = { .bdf = bdf, .end = deadline_in(LOOK_MS), .ret = ret, .size = size };
	struct err ignored;

	*ret = '\0';
	if (!host->facts && look_in(&s, NETNS_OWN, "the host") == 0 &&
	    fs_each(host->root, "/run/netns", look_at_name, &s, &ignored) == 0)
		(void)!fs_each(host->root, "/proc", look_at_process, &s, &ignored);
}
