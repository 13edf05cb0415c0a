/* SPDX-License-Identifier: Apache-2.0 */
/* socket_dir_bound.c - how much one pod's, or one network's, directories of sockets may hold */
#include "cni/socket/socket_dir.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/tree.h"
#include "cni/socket/socket_sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SWEEP_MS = 200 };

static uint64_t bound_of(uint64_t set)
{
	return set ? set : UINT64_MAX;
}

static int measure(const struct host *host, const struct socket_state *s, struct tree_size *ret,
		   char first[TREE_PATH_MAX], struct err *e)
{
	const struct tree_size max = {
		.bytes = bound_of(host->set.socket_dir_max_bytes),
		.inodes = bound_of(host->set.socket_dir_max_inodes),
	};
	auto_close int root = fs_open(host->root, s->root, O_RDONLY | O_DIRECTORY, 0);

	*ret = (struct tree_size){ 0 };
	tree_cut(s->dir, tree_depth(s->dir) - 1, first);
	if (root < 0)
		return errno == ENOENT ? 0 : err_set(e, ERR_IO, errno, "open directory '%s'",
						     s->root);
	return tree_measure(root, first, &max, ret, e) < 0 ||
			       tree_measure_left(root, first, &max, ret, e) < 0 ? -1 : 0;
}

/* What earlier calls have set aside is nobody's. */
static void remove_left(const struct host *host, const struct socket_state *s)
{
	auto_close int root = fs_open(host->root, s->root, O_RDONLY | O_DIRECTORY, 0);
	struct deadline d = deadline_in(SWEEP_MS);
	unsigned int ignored;
	struct err e;

	if (root >= 0)
		(void)!tree_remove_left(root, &d, &ignored, &e);
}

static void say(const char *key, uint64_t bound, char ret[64])
{
	*ret = '\0';
	if (bound)
		(void)snprintf(ret, 64, ", %s is %" PRIu64, key, bound);
}

static int refuse_size(const struct host *host, const struct socket_state *s, const char *first,
		       const struct tree_size *have, struct err *e)
{
	char bytes[64], inodes[64];

	say("socketDirMaxBytes", host->set.socket_dir_max_bytes, bytes);
	say("socketDirMaxInodes", host->set.socket_dir_max_inodes, inodes);
	(void)err_set(e, ERR_TRY_AGAIN, EDQUOT, "directory '%s/%s' has at least %" PRIu64
		      " bytes in %" PRIu64 " inodes%s%s", s->root, first, have->bytes,
		      have->inodes, bytes, inodes);
	return err_detail(e, "the node's file bounds it: remove what pods have left there; "
			  "`devinfoctl doctor` tells what a DEL had to keep");
}

int socket_dir_check_bound(const struct host *host, const struct socket_state *s, struct err *e)
{
	const struct settings *set = &host->set;
	char first[TREE_PATH_MAX];
	struct tree_size have;

	if (!set->socket_dir_max_bytes && !set->socket_dir_max_inodes)
		return 0;
	if (measure(host, s, &have, first, e) < 0)
		return -1;
	if (!have.more)
		return 0;
	socket_sweep(host, SOCKET_SWEEP_DEAD, SWEEP_MS);
	remove_left(host, s);
	if (measure(host, s, &have, first, e) < 0)
		return -1;
	return have.more ? refuse_size(host, s, first, &have, e) : 0;
}
