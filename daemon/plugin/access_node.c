/* SPDX-License-Identifier: Apache-2.0 */
/* access_node.c - the lists of a container's nodes and mounts */
#include "daemon/plugin/access_part.h"

#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void access_done(struct access *a)
{
	free(a->nodes);
	free(a->mounts);
	free(a->cdi);
	for (size_t i = 0; i < ARRAY_SIZE(a->env); i++)
		free(a->env[i].value);
	*a = (struct access){ .n_nodes = 0 };
}

/* Several devices share some, such as /dev/vfio/vfio. */
int access_add_node(struct access *a, const struct access_node *node, struct err *e)
{
	struct access_node *bigger;

	for (size_t i = 0; i < a->n_nodes; i++)
		if (strcmp(a->nodes[i].host, node->host) == 0)
			return 0;
	bigger = realloc(a->nodes, (a->n_nodes + 1) * sizeof(*bigger));
	if (!bigger)
		return err_set(e, ERR_IO, ENOMEM, "nodes of devices");
	a->nodes = bigger;
	a->nodes[a->n_nodes++] = *node;
	return 0;
}

int access_add_mount(struct access *a, const char *path, struct err *e)
{
	struct access_mount *bigger = realloc(a->mounts, (a->n_mounts + 1) * sizeof(*bigger));

	if (!bigger)
		return err_set(e, ERR_IO, ENOMEM, "mounts");
	a->mounts = bigger;
	(void)snprintf(bigger[a->n_mounts++].path, sizeof(bigger->path), "%s", path);
	return 0;
}
