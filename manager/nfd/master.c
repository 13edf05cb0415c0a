/* SPDX-License-Identifier: Apache-2.0 */
/* master.c - what nfd-master's configuration says of what rules give */
#include "manager/nfd/master.h"

#include "base/jx.h"
#include "base/mem.h"

#include <stdio.h>

bool nfd_master_is(const struct manifest *m)
{
	static const char *const keys[] = {
		"denyLabelNs", "extraLabelNs", "enableTaints", "labelWhiteList", "restrictions",
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys) && !*m->kind; i++)
		if (json_object_get(m->doc, keys[i]))
			return true;
	return false;
}

int nfd_master_read(const struct manifest *m, struct nfd_master *ret,
		    void (*warn)(const char *text, void *arg), void *arg, struct err *e)
{
	static const char *const others[] = { "autoDefaultNs", "labelWhiteList", "restrictions" };
	json_t *denied = NULL, *extra = NULL;
	struct nfd_master read = { .enables_taints = false };

	if (jx_strings(m->doc, "", "denyLabelNs", &denied, e) < 0 ||
	    jx_strings(m->doc, "", "extraLabelNs", &extra, e) < 0 ||
	    jx_bool(m->doc, "", "enableTaints", &read.enables_taints, e) < 0)
		return -1;
	read.namespaces = (struct nfd_namespaces){ .denied = denied, .extra = extra };
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		char text[80];

		if (!json_object_get(m->doc, others[i]))
			continue;
		(void)snprintf(text, sizeof(text), "%s: passed over, it is evaluated without",
			       others[i]);
		warn(text, arg);
	}
	*ret = read;
	return 0;
}
