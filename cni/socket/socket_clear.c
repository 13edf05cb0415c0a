/* SPDX-License-Identifier: Apache-2.0 */
/* socket_clear.c - a socket, its secret, its directory and its link are removed */
#include "cni/socket/socket_clear.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/socket/socket_dir.h"
#include "cni/socket/socket_file.h"
#include "cni/socket/socket_link.h"
#include "conf/socket_path.h"
#include "devinfo/journal/owner.h"

#include <string.h>

/* An application that still listens in a container that lives keeps its socket. */
static int keeps(const struct host *host, const struct record *rec, enum socket_found found,
		 struct err *e)
{
	const struct socket_state *s = &rec->socket;

	if (found == SOCKET_NO_SOCKET)
		return 1;
	if (found != SOCKET_ACCEPTS && found != SOCKET_OTHER_TYPE)
		return 0;
	if (!s->app_listens)		/* in a directory of others, made by whom we do not know */
		return !*s->switch_kind && !s->made;
	return owner_is_alive(host, rec, e);
}

/* 1: somebody listens there, and it stays. */
static int remove_socket(const struct host *host, const struct record *rec, int dir, struct err *e)
{
	const struct socket_state *s = &rec->socket;
	enum socket_found found;
	int r;

	if (socket_file_probe(dir, socket_state_name(s), s->memif, &found, e) < 0)
		return -1;
	if (found == SOCKET_ABSENT)
		return 0;
	r = keeps(host, rec, found, e);
	if (r > 0)
		log_warning("msg=\"%s\" path=%s", found == SOCKET_NO_SOCKET ?
			    "no socket any more: left to its directory" :
			    "somebody still listens: kept", s->path);
	if (r != 0)
		return r < 0 ? -1 : found != SOCKET_NO_SOCKET;
	return socket_file_remove(dir, socket_state_name(s), e) < 0 ? -1 : 0;
}

static int remove_secret(const struct socket_state *s, int dir, struct err *e)
{
	int r = s->secret ? socket_file_remove_secret(dir, socket_state_name(s), e) : 0;

	if (r > 0)
		log_warning("msg=\"no file any more: left to its directory\" path=%s"
			    SOCKET_SECRET_END, s->path);
	return r < 0 ? -1 : 0;
}

/* What the pod's user has put in the way is for its directory's end, if that is ours to end. */
static int unless_theirs(int r, const struct socket_state *s, const struct err *e)
{
	if (r >= 0 || !socket_file_is_theirs(e))
		return r;
	log_warning("msg=\"kept\" path=%s error=\"%s\" details=\"%s\"", s->path, e->msg,
		    e->details);
	return 0;
}

static int remove_files(const struct host *host, const struct record *rec, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;
	const struct socket_state *s = &rec->socket;
	auto_close int dir = -1;
	int r = socket_dir_open(host, s, &dir, e);

	if (r <= 0)
		return unless_theirs(r, s, e);
	r = unless_theirs(remove_socket(host, rec, dir, &one), s, &one);
	if (r < 0)
		err_join(&all, &one);
	if (unless_theirs(remove_secret(s, dir, &one), s, &one) < 0)
		err_join(&all, &one);
	return err_joined(&all, e) < 0 ? -1 : r;
}

/* Below another directory nothing is removed, nor its owner changed, whatever a record says. */
bool socket_is_below_root(const struct host *host, const struct socket_state *s)
{
	const char *root = host->set.socket_dir;
	size_t len = strlen(root);

	if (strncmp(s->root, root, len) == 0 && (!s->root[len] || s->root[len] == '/'))
		return true;
	log_warning("msg=\"the socket of a record is not below socketDir: left alone\" path=%s "
		    "socketDir=%s", s->path, root);
	return false;
}

int socket_clear(const struct host *host, const struct journal *journal,
		 const struct record *rec, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;
	int listens, left;

	if (!socket_is_below_root(host, &rec->socket))
		return 0;
	listens = remove_files(host, rec, &one);
	if (listens < 0)
		err_join(&all, &one);
	left = socket_dir_release(host, journal, rec, &one);
	if (left < 0)
		err_join(&all, &one);
	if (socket_link_release(host, journal, rec, &one) < 0)
		err_join(&all, &one);
	if (err_joined(&all, e) < 0)
		return -1;
	return left > 0 || listens > 0;
}
