/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool_slot.c - pools of sockets: vhost-user or memif
 *
 *	{"resourceName": "vhost", "deviceType": "vhostUser", "slots": 8, "mode": "server"}
 *	{"resourceName": "mif", "deviceType": "memif", "slots": 4, "role": "master", "mode": "ip"}
 *
 * The words are those of a network's vhostUser and memif, and of device-info: the application's
 * side.  By default that makes the socket, and device-info's first mode is memif's.
 */
#include "manager/match/pool_selector.h"

#include "base/jx.h"
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

static const char *const vhost_user_modes[] = { "server", "client", NULL };
static const char *const memif_roles[] = { "master", "slave", NULL };
static const char *const memif_modes[] = { "ethernet", "ip", "inject-punt", NULL };

/* One of the words, the first by default. */
static int read_word(const json_t *o, const char *path, const char *key, const char *const *words,
		     const char **ret, struct err *e)
{
	const char *text = words[0];
	char hint[NEAREST_HINT];
	size_t n = 0;

	if (jx_string(o, path, key, &text, e) < 0)
		return -1;
	for (; words[n]; n++)
		if (strcmp(words[n], text) == 0) {
			*ret = words[n];
			return 0;
		}
	nearest_hint(text, words, n, hint);
	return err_set(e, ERR_NETCONF, 0, "%s.%s: '%.64s': expected %s, %s%s%s%s", path, key, text,
		       words[0], words[1], n > 2 ? ", " : "", n > 2 ? words[2] : "", hint);
}

static int refuse(const json_t *o, const char *path, const char *const *keys, size_t n,
		  struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (json_object_get(o, keys[i]))
			return err_set(e, ERR_NETCONF, 0, "%s.%s: not for this deviceType", path,
				       keys[i]);
	return 0;
}

/* "NAME-255" is an id of kubelet's. */
static int read_count(const json_t *o, const char *path, struct pool *p, struct err *e)
{
	json_int_t slots = 0;
	int r = jx_int(o, path, "slots", 1, POOL_SLOTS_MAX, &slots, e);

	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_NETCONF, 0, "%s.slots: missing", path);
	if (strlen(p->name) + sizeof("-255") > POOL_SLOT_ID)
		return err_set(e, ERR_NETCONF, 0, "%s.resourceName: longer than %zu bytes, which "
			       "ids of sockets are made of", path, POOL_SLOT_ID - sizeof("-255"));
	p->slots = (size_t)slots;
	return 0;
}

int pool_read_slots(const json_t *o, const char *path, struct pool *p, struct err *e)
{
	static const char *const of_sockets[] = { "slots", "mode", "role" };
	static const char *const of_devices[] = { "selectors", "expressions", "role" };
	bool is_memif = p->type == POOL_MEMIF;

	if (!is_memif && p->type != POOL_VHOST_USER)
		return refuse(o, path, of_sockets, ARRAY_SIZE(of_sockets), e);
	if (refuse(o, path, of_devices, is_memif ? 2 : 3, e) < 0 || read_count(o, path, p, e) < 0)
		return -1;
	if (!is_memif)
		return read_word(o, path, "mode", vhost_user_modes, &p->side, e);
	return read_word(o, path, "role", memif_roles, &p->side, e) < 0 ?
		       -1 : read_word(o, path, "mode", memif_modes, &p->mode, e);
}

/* -- what it offers -- */

size_t pool_slots(const struct pools *p, size_t i)
{
	return p->list[i].slots;
}

const char *pool_slot_id(const struct pools *p, size_t i, size_t slot, char ret[POOL_SLOT_ID])
{
	(void)snprintf(ret, POOL_SLOT_ID, "%.59s-%zu", p->list[i].name, slot);
	return ret;
}

void pool_slot_info(const struct pools *p, size_t i, const char *path, struct device_info *ret)
{
	const struct pool *of = &p->list[i];
	bool is_memif = of->type == POOL_MEMIF;

	*ret = (struct device_info){ .kind = is_memif ? DEVICE_MEMIF : DEVICE_VHOST_USER };
	(void)snprintf(ret->version, sizeof(ret->version), "%s", DEVICE_INFO_VERSION);
	if (!is_memif) {
		(void)snprintf(ret->vhost_user.mode, sizeof(ret->vhost_user.mode), "%s", of->side);
		(void)snprintf(ret->vhost_user.path, sizeof(ret->vhost_user.path), "%s", path);
		return;
	}
	(void)snprintf(ret->memif.role, sizeof(ret->memif.role), "%s", of->side);
	(void)snprintf(ret->memif.mode, sizeof(ret->memif.mode), "%s", of->mode);
	(void)snprintf(ret->memif.path, sizeof(ret->memif.path), "%s", path);
}
