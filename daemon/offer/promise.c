/* SPDX-License-Identifier: Apache-2.0 */
/* promise.c - which devices the ledger has chosen for attachments of pods */
#include "daemon/offer/offer.h"

#include "base/mem.h"
#include "devinfo/journal/device_ref.h"
#include "devinfo/journal/ledger_file.h"
#include "manager/inventory/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add(const struct entry *n, void *arg, struct err *e)
{
	struct offer_promises *to = arg;
	const char *id = device_id_plain(n->device);
	struct offer_promise *p;

	if (strlen(id) >= sizeof(p->id) || strlen(n->resource) >= sizeof(p->resource))
		return 0;		/* no device of ours has such a name */
	p = inv_add(&to->list, &to->n, sizeof(*p), e);
	if (!p)
		return -1;
	(void)snprintf(p->id, sizeof(p->id), "%s", id);
	(void)snprintf(p->resource, sizeof(p->resource), "%s", n->resource);
	(void)snprintf(p->network, sizeof(p->network), "%s", n->network);
	(void)snprintf(p->container_id, sizeof(p->container_id), "%s", n->container_id);
	(void)snprintf(p->ifname, sizeof(p->ifname), "%s", n->ifname);
	return to->n >= OFFER_PROMISES_MAX;
}

int offer_promises_read(const struct host *host, struct offer_promises *ret, struct err *e)
{
	auto_offer_promises struct offer_promises made = { .n = 0 };

	if (ledger_each_entry(host, add, &made, e) < 0)
		return -1;
	*ret = made;
	made = (struct offer_promises){ .n = 0 };
	return 0;
}

void offer_promises_done(struct offer_promises *p)
{
	free(p->list);
	*p = (struct offer_promises){ .n = 0 };
}
