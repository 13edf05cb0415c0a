/* SPDX-License-Identifier: Apache-2.0 */
/* owner.c - is the container that an attachment belongs to still there? */
#include "devinfo/journal/owner.h"

#include "base/mem.h"
#include "devinfo/journal/journal.h"
#include "netlink/netns.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int owner_this_boot(const struct host *host, const struct record *rec, struct err *e)
{
	char now[40];

	if (journal_boot_id(host, now, e) < 0)
		return -1;
	return strcmp(now, rec->boot_id) == 0;
}

/* A failing call says nothing about what is there: the next try may well succeed. */
int owner_open_path(const char *path, int *ret_fd, struct stat *st, struct err *e)
{
	auto_close int fd = -1;
	int r = netns_open(path, &fd, e);

	if (r <= 0)
		return r < 0 && e->sys && e->sys != ELOOP ? -1 : 0;
	if (fstat(fd, st) < 0)
		return err_set(e, ERR_IO, errno, "stat '%.200s'", path);
	*ret_fd = steal_fd(&fd);
	return 1;
}

int owner_open_netns(const struct record *rec, struct nl *ret, int *ret_fd, struct err *e)
{
	auto_nl struct nl nl = { 0 };
	auto_close int fd = -1;
	struct stat st;
	int r = owner_open_path(rec->owner.netns, &fd, &st, e);

	if (r <= 0)
		return r;
	if (netns_is_own_by(&st) && !rec->owner.netns_own)
		return 0;
	if (nl_open(fd, NETLINK_ROUTE, &nl, e) < 0)
		return -1;
	if (!owner_in_netns(&rec->owner, st.st_dev, st.st_ino, nl_netns_cookie(&nl)))
		return 0;
	*ret = nl;
	*ret_fd = steal_fd(&fd);
	nl = (struct nl){ 0 };
	return 1;
}

int owner_open(const struct record *rec, struct nl *ret, struct err *e)
{
	auto_close int fd = -1;

	return owner_open_netns(rec, ret, &fd, e);
}

/* What a recorded node's facts say. */
static int was_alive(const json_t *facts, const struct record *rec, struct err *e)
{
	const json_t *one;
	const char *why = "";
	char file[256];
	size_t i;

	if (rec->released)	/* nobody looked for its container any more */
		return 0;
	journal_file_name(rec, file);
	json_array_foreach(json_object_get(facts, "attachments"), i, one) {
		const char *its = json_string_value(json_object_get(one, "file"));
		const char *state = json_string_value(json_object_get(one, "state"));

		if (!its || !state || strcmp(its, file) != 0)
			continue;
		if (strcmp(state, "live") == 0 || strcmp(state, "dead") == 0)
			return strcmp(state, "live") == 0;
		why = json_string_value(json_object_get(one, "why"));
		break;
	}
	return err_set(e, ERR_NETNS, 0, "%.200s", why && *why ? why :
		       "the facts of this recorded node do not tell");
}

int owner_is_alive(const struct host *host, const struct record *rec, struct err *e)
{
	auto_nl struct nl pod = { 0 };
	int r = owner_this_boot(host, rec, e);

	if (r > 0)
		r = host->facts ? was_alive(host->facts, rec, e) : owner_open(rec, &pod, e);
	return r < 0 ? err_hide(e, "look whether the container of a record is there") : r;
}

int owner_tell(const struct owner *o, struct err *e)
{
	return err_private(e, "of interface %s of container %.64s of network %.64s", o->ifname,
			   o->container_id, o->network);
}

int owner_netns(const struct host *host, const struct record *rec, const char **ret, struct err *e)
{
	int alive = owner_is_alive(host, rec, e);

	*ret = alive > 0 ? rec->owner.netns : "";
	return alive < 0 ? -1 : 0;
}
