/* SPDX-License-Identifier: Apache-2.0 */
/* record_key.c - the words that a record is looked for by */
#include "devinfo/journal/record_key.h"

#include "base/mem.h"
#include "devinfo/journal/record_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OWNER		'o'
#define DEVICE		'n'
#define INFO		'i'
#define DIRECTORY	'd'
#define OWNER_LEN	16	/* the hash that a file's name begins with */
#define UNKNOWN		"?"	/* a mark that nobody else has */

void record_key_file(const char *file, struct index_keys *ret)
{
	char text[OWNER_LEN + 1];

	(void)snprintf(text, sizeof(text), "%.*s", OWNER_LEN, file);
	index_keys_add(ret, OWNER, text);
}

void record_key_owner(const struct owner *o, struct index_keys *ret)
{
	char text[OWNER_LEN + 1];

	(void)snprintf(text, sizeof(text), "%016" PRIx64, owner_hash_before(o));
	index_keys_add(ret, OWNER, text);
}

void record_key_device(const char *name, struct index_keys *ret)
{
	index_keys_add(ret, DEVICE, name);
}

void record_key_info(const char *file, struct index_keys *ret)
{
	index_keys_add(ret, INFO, file);
}

/* The directory that a path is in, and each one above that. */
static void add_all_above(const char *path, struct index_keys *ret)
{
	char dir[SOCKET_KEY_SIZE];
	char *slash;

	(void)snprintf(dir, sizeof(dir), "%s", path);
	while ((slash = strrchr(dir, '/')) && slash != dir) {
		*slash = '\0';
		index_keys_add(ret, DIRECTORY, dir);
	}
}

/* Of what is below its root the first directory, which all those have in common that matter. */
static void add_first(const struct socket_state *s, struct index_keys *ret)
{
	char dir[sizeof(s->root) + sizeof(s->dir) + 1];

	(void)snprintf(dir, sizeof(dir), "%s/%.*s", s->root, (int)strcspn(s->dir, "/"), s->dir);
	index_keys_add(ret, DIRECTORY, dir);
}

void record_key_path(const struct record *rec, struct index_keys *ret)
{
	const struct socket_state *s = &rec->socket;
	char dir[sizeof(s->root) + sizeof(s->dir) + 1];

	(void)snprintf(dir, sizeof(dir), "%s/%s", s->root, s->dir);
	add_first(s, ret);
	index_keys_add(ret, DIRECTORY, dir);
}

static void mark_of(const char *root, char ret[112])
{
	(void)snprintf(ret, 112, "%s", root);
	for (char *p = ret; *p; p++)
		if (*p == '/')
			*p = ',';
}

void record_key_mark(const struct record *rec, char ret[112])
{
	mark_of(rec->socket.root, ret);
}

static void add_path(const struct socket_state *s, struct index_keys *ret)
{
	char key[SOCKET_KEY_SIZE];

	socket_state_key(s->path, key);
	record_key_device(key, ret);
	if (s->from_plugin) {
		add_all_above(s->path, ret);
		return;
	}
	add_first(s, ret);
	mark_of(s->root, ret->mark);
}

void record_keys(const struct record *rec, struct index_keys *ret)
{
	record_key_owner(&rec->owner, ret);
	record_key_device(rec->device, ret);
	if (rec->device_id)
		record_key_device(rec->device_id, ret);
	/* what stays in its container was never called at home what it is called there */
	if (!rec->chained && rec->netdev.present) {
		record_key_device(rec->netdev.name, ret);
		record_key_device(rec->netdev.parent, ret);
	}
	if (rec->device_info_file)
		record_key_info(rec->device_info_file, ret);
	if (record_is_path(rec))
		add_path(&rec->socket, ret);
}

void record_keys_of_bad(const struct journal_bad *bad, struct index_keys *ret)
{
	const struct owner o = {
		.network = bad->network, .container_id = bad->container_id, .ifname = bad->ifname,
	};

	record_key_file(bad->file, ret);
	if (*o.network && *o.container_id && *o.ifname)
		record_key_owner(&o, ret);
	record_keys_of_name(bad->device, false, ret);
}

void record_keys_of_name(const char *device, bool good, struct index_keys *ret)
{
	char path[SOCKET_KEY_SIZE];

	record_key_device(device, ret);
	socket_state_key_path(device, path);
	add_all_above(path, ret);
	/* of an earlier version's it may be any path, of a bad one that of a link to it */
	if ((!*path || !good) && strncmp(device, SOCKET_KEY_PREFIX, strlen(SOCKET_KEY_PREFIX)) == 0)
		(void)snprintf(ret->mark, sizeof(ret->mark), UNKNOWN);
}
