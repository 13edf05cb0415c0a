/* SPDX-License-Identifier: Apache-2.0 */
/* access.c - what a container needs in order to use its devices */
#include "daemon/plugin/access.h"

#include "base/mem.h"
#include "daemon/plugin/access_part.h"
#include "daemon/plugin/cdi_name.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- nodes and names -- */

static int add_nodes(struct access *to, const struct access *from, struct err *e)
{
	for (size_t i = 0; i < from->n_nodes; i++)
		if (access_add_node(to, &from->nodes[i], e) < 0)
			return -1;
	return 0;
}

static int add_mounts(struct access *to, const struct access *from, struct err *e)
{
	for (size_t i = 0; i < from->n_mounts; i++)
		if (access_add_mount(to, from->mounts[i].path, e) < 0)
			return -1;
	return 0;
}

/* A device without nodes has no name: a specification has nothing to say of it. */
static int add_name(struct access *to, const struct offer *o, const struct offered *d,
		    struct err *e)
{
	char (*bigger)[CDI_NAME_SIZE] = realloc(to->cdi, (to->n_cdi + 1) * sizeof(*bigger));

	if (!bigger)
		return err_set(e, ERR_IO, ENOMEM, "names of devices");
	to->cdi = bigger;
	cdi_device_name(o->resource, d->id, to->cdi[to->n_cdi++]);
	return 0;
}

/* -- the environment -- */

/* "PCIDEVICE_INTEL_COM_SRIOV" and suffix */
static void name_variable(const char *resource, const char *suffix, struct access_variable *v)
{
	(void)snprintf(v->name, sizeof(v->name), "PCIDEVICE_%s%s", resource, suffix);
	for (char *p = v->name; *p; p++)
		*p = *p == '.' || *p == '/' ? '_' : (char)toupper((unsigned char)*p);
}

/* "id,id", which is borrowed by none. */
static char *join_ids(const struct offer *o, const size_t *places, size_t n)
{
	char *text = calloc(n + 1, sizeof(o->list->id) + 1), *end = text;

	for (size_t i = 0; text && i < n; i++)
		end += sprintf(end, "%s%s", i ? "," : "", o->list[places[i]].id);
	return text;
}

static int make_environment(const struct access_world *w, const size_t *places, size_t n,
			    const json_t *info, struct access *a, struct err *e)
{
	name_variable(w->offer->resource, "", &a->env[0]);
	a->env[0].value = join_ids(w->offer, places, n);
	name_variable(w->offer->resource, "_INFO", &a->env[1]);
	a->env[1].value = json_dumps(info, JSON_COMPACT | JSON_SORT_KEYS);
	return a->env[0].value && a->env[1].value ? 0 :
	       err_set(e, ERR_IO, ENOMEM, "the environment of a container");
}

/* -- all devices of a container -- */

static int add_device(const struct access_world *w, const struct offered *d, struct access *a,
		      json_t *info, struct err *e)
{
	auto_access struct access one = { .n_nodes = 0 };
	json_t *said = NULL;

	if (access_device(w, d, &one, &said, e) < 0)
		return -1;
	(void)json_object_set_new(info, d->id, said);
	if (add_mounts(a, &one, e) < 0)
		return -1;
	if (!w->use_cdi)
		return add_nodes(a, &one, e);
	return one.n_nodes > 0 ? add_name(a, w->offer, d, e) : 0;
}

int access_make(const struct access_world *w, const size_t *places, size_t n, struct access *ret,
		struct err *e)
{
	auto_access struct access a = { .n_nodes = 0 };
	json_auto_t *info = json_object();

	for (size_t i = 0; i < n; i++)
		if (add_device(w, &w->offer->list[places[i]], &a, info, e) < 0)
			return -1;
	if (make_environment(w, places, n, info, &a, e) < 0)
		return -1;
	*ret = a;
	a = (struct access){ .n_nodes = 0 };
	return 0;
}
