/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - the tree of a template: made, and freed */
#include "manager/template/part.h"

#include <stdlib.h>

unsigned int template_node_add(struct template *t, enum template_kind kind, unsigned int line)
{
	if (t->n == t->room) {
		struct template_node *node = reallocarray(t->node, t->room, 2 * sizeof(*node));

		if (!node) {
			t->no_memory = true;
			return 0;
		}
		t->node = node;
		t->room *= 2;
	}
	t->node[t->n] = (struct template_node){ .kind = kind, .line = line };
	return t->n++;
}

void template_node_append(struct template *t, unsigned int *first, unsigned int *last,
			  unsigned int node)
{
	if (*last)
		t->node[*last].next = node;
	else
		*first = node;
	*last = node;
}

void template_free(struct template *t)
{
	if (!t)
		return;
	for (unsigned int i = 0; i < t->n; i++)
		json_decref(t->node[i].value);
	free(t->node);
	free(t);
}

void template_free_at(struct template *const *t)
{
	template_free(*t);
}
