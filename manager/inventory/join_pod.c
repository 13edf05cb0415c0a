/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join_pod.c - the pods of attachments, by the ledger
 *
 * A record tells its pod.  Those that versions before have written do not; where kubelet chose the
 * device, the ledger knows the attachment.
 */
#include "manager/inventory/join.h"
#include "manager/inventory/join_text.h"

#include "base/fs.h"
#include "base/mem.h"
#include "devinfo/journal/ledger_file.h"

#include <stdio.h>

enum { WHO_SIZE = 1024 };

struct pods {
	int dir;
	json_t *by_who;			/* the ledger's "pod" of an attachment */
};

/* The separator is in none of the three. */
static void who(const char *network, const char *container, const char *ifname, char ret[WHO_SIZE])
{
	(void)snprintf(ret, WHO_SIZE, "%.400s/%.400s/%.64s", network, container, ifname);
}

static int read_ledger(const char *name, void *arg, struct err *e)
{
	auto_ledger struct ledger l = { .doc = NULL };
	const struct pods *p = arg;
	json_t *pod;
	struct err ignored;	/* its attachments are those of no known pod then */

	(void)e;
	if (!ledger_is_file(name) || ledger_read(p->dir, name, NULL, &l, &ignored) <= 0)
		return 0;
	pod = json_object_get(l.doc, "pod");
	for (size_t i = 0; pod && i < l.n; i++) {
		const struct entry *n = &l.entries[i];
		char key[WHO_SIZE];

		who(n->network, n->container_id, n->ifname, key);
		(void)json_object_set(p->by_who, key, pod);
	}
	return 0;
}

static void name_pod(const struct pods *p, struct inv_attachment *a)
{
	char key[WHO_SIZE];
	const json_t *pod;

	who(a->network, a->container_id, a->ifname, key);
	pod = json_object_get(p->by_who, key);
	JOIN_TEXT(a->pod_namespace, json_string_value(json_object_get(pod, "namespace")));
	JOIN_TEXT(a->pod_name, json_string_value(json_object_get(pod, "name")));
	JOIN_TEXT(a->pod_uid, json_string_value(json_object_get(pod, "uid")));
}

static bool is_nameless(const struct inv_attachment *a)
{
	return !*a->pod_name;
}

int join_pods(const struct host *host, struct inventory *inv, struct err *e)
{
	auto_close int dir = -1;
	json_auto_t *by_who = json_object();
	struct pods p = { .by_who = by_who };
	size_t i = 0;
	int r;

	while (i < inv->n_attachments && !is_nameless(&inv->attachments[i]))
		i++;
	if (i == inv->n_attachments)
		return 0;
	r = ledger_open_dir(host, false, &dir, e);
	if (r <= 0)
		return r;
	p.dir = dir;
	if (fs_each(dir, ".", read_ledger, &p, e) < 0)
		return -1;
	for (; i < inv->n_attachments; i++)
		if (is_nameless(&inv->attachments[i]))
			name_pod(&p, &inv->attachments[i]);
	return 0;
}
