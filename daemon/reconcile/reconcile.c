/* SPDX-License-Identifier: Apache-2.0 */
/* reconcile.c - the checks of doctor that a daemon's start asks, and what of them is logged */
#include "daemon/reconcile/reconcile.h"

#include "base/log.h"
#include "base/mem.h"
#include "manager/doctor/finding.h"
#include "manager/doctor/leak.h"
#include "manager/doctor/node_check.h"

enum { LINES_MAX = 100 };		/* of the log; doctor tells all */

/* Who has what, by the journal, the ledger and the kernel. */
static check_fn *const of_journal[] = {
	leak_record_dead, leak_record_boot, leak_record_released, leak_record_damaged,
	leak_record_version, leak_record_unread, leak_ledger, node_device_gone,
};

/* And by what kubelet gave. */
static check_fn *const of_kubelet[] = {
	node_given, node_holder, node_given_other, node_unattached,
};

static void tell(const struct finding *f)
{
	log_line(f->severity == SEVERITY_INFO ? LOG_LEVEL_INFO : LOG_LEVEL_WARNING,
		 "msg=\"contradiction\" check=%s object=\"%s\" what=\"%s\" advice=\"%s\"", f->check,
		 f->object, f->what, f->advice);
}

static void tell_all(check_fn *const *checks, size_t n, const struct host *host,
		     const struct inventory *inv)
{
	auto_findings struct findings found = { .n = 0 };

	for (size_t i = 0; i < n; i++) {
		struct err e = { 0 };

		found.of_check = 0;
		if (checks[i](host, inv, &found, &e) < 0)
			log_warning("msg=\"not all contradictions are told: %s\" details=\"%s\"",
				    e.msg, e.details);
	}
	for (size_t i = 0; i < found.n && i < LINES_MAX; i++)
		tell(&found.list[i]);
	if (found.n > LINES_MAX)
		log_warning("msg=\"contradictions that are not told here: see devinfoctl doctor\" "
			    "number=%u", (unsigned int)(found.n - LINES_MAX));
}

void reconcile_tell(struct reconcile *r, const struct host *host, const struct inventory *inv)
{
	bool answered = inv->node.kubelet_asked && !*inv->node.kubelet_error;

	if (!r->journal)
		tell_all(of_journal, ARRAY_SIZE(of_journal), host, inv);
	if (!r->kubelet && answered)
		tell_all(of_kubelet, ARRAY_SIZE(of_kubelet), host, inv);
	r->journal = true;
	r->kubelet |= answered;
}
