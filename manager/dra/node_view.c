/* SPDX-License-Identifier: Apache-2.0 */
/* node_view.c - this node's devices as the cluster sees them: published, and with overrides */
#include "manager/dra/node_view.h"

#include "base/fs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int overrides_read_dir(const struct host *host, struct overrides *o, struct err *e)
{
	const char *dir = host->set.overrides_dir;
	int r = host->set.overrides ? fs_exists(host->root, e, "%s", dir) : 0;

	if (r <= 0)
		return r;
	return manifests_read_dir(host->root, dir, &o->from, overrides_bad_file, o, e) < 0 ? -1 : 1;
}

/* As if they had been read from a file; the texts are those of the document. */
static int add_slice(struct manifests *m, json_t *doc, struct err *e)
{
	const json_t *metadata = json_object_get(doc, "metadata");
	struct manifest *one = &m->list[m->n];

	*one = (struct manifest){
		.source = strdup("this node"), .doc = json_incref(doc),
		.api_version = json_string_value(json_object_get(doc, "apiVersion")),
		.kind = json_string_value(json_object_get(doc, "kind")),
		.name = json_string_value(json_object_get(metadata, "name")),
	};
	m->n++;
	return one->source ? 0 : err_set(e, ERR_IO, ENOMEM, "ResourceSlices");
}

static int read_slices(const json_t *list, struct manifests *m, struct err *e)
{
	json_t *doc;
	size_t i;

	m->list = calloc(json_array_size(list) + 1, sizeof(*m->list));
	if (!m->list)
		return err_set(e, ERR_IO, ENOMEM, "ResourceSlices");
	json_array_foreach(list, i, doc)
		if (add_slice(m, doc, e) < 0)
			return -1;
	return 0;
}

int node_view_make(const struct inventory *inv, const struct node_slices_wish *wish,
		   struct node_view *v, struct err *e)
{
	json_auto_t *list = node_slices(inv, wish, e);

	if (!list || read_slices(list, &v->slices, e) < 0 ||
	    dra_devices_read(&v->slices, &v->devices, e) < 0 || overrides_compile(&v->o, e) < 0)
		return -1;
	return overrides_apply(&v->o, &v->devices, &v->changes, e);
}

void node_view_done(struct node_view *v)
{
	override_changes_done(&v->changes);
	overrides_done(&v->o);
	dra_devices_done(&v->devices);
	manifests_done(&v->slices);
}
