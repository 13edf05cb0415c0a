/* SPDX-License-Identifier: Apache-2.0 */
/* leak_checks.c - the checks for what somebody has left who is no more, and what they go by */
#include "devinfo/doctor/leak.h"

#include "base/fs.h"
#include "base/mem.h"
#include "devinfo/journal/owner.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

const struct check leak_checks[] = {
	{ "record-dead", "records of attachments whose network namespace is gone",
	  leak_record_dead },
	{ "record-earlier-boot", "records of an earlier boot", leak_record_boot },
	{ "record-released", "records whose lease or files are still to be released",
	  leak_record_released },
	{ "record-damaged", "records that cannot be understood", leak_record_damaged },
	{ "record-version", "records that another version of the plugin has written",
	  leak_record_version },
	{ "record-unreadable", "records that the disk does not give", leak_record_unread },
	{ "vf-changed", "VFs that nobody has, with a VLAN, rates, trust or link state",
	  leak_vf_changed },
	{ "driver-override", "functions that nobody has, kept for a driver they do not have",
	  leak_driver_override },
	{ "info-file", "device-info files in cni/ of no attachment", leak_info_file },
	{ "dp-file-gone", "device plugins' files about devices that are gone", leak_dp_gone },
	{ "dp-file-unknown", "device plugins' files of resources that kubelet does not know",
	  leak_dp_unknown },
	{ "status-entry", "entries of network-status without attachment", leak_status },
	{ "ledger-file", "ledgers of pods without attachments", leak_ledger },
	{ "link-nowhere", "short links to directories of sockets that are gone", leak_link },
	{ "index-entry", "entries of the journal's index without record", leak_index },
	{ "ovs-port", "ports of Open vSwitch without attachment", leak_ovs_port },
	{ "sriov-allocation", "sriov-cni's allocation files of namespaces that are gone",
	  leak_allocation_file },
	{ "libcni-cache", "libcni's results of containers that are gone", leak_libcni },
	{ "multus-cache", "Multus' files of containers that nobody else knows", leak_multus },
	{ "netns-mount", "names of network namespaces that are no namespaces any more",
	  leak_netns },
	{ NULL, NULL, NULL },
};

/* File names of others are any bytes, and what is told of them is JSON. */
static void make_plain(char *text)
{
	for (char *p = text; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
}

int leak_add(struct findings *ret, const struct leak *of, const char *object, struct err *e,
	     const char *what, ...)
{
	struct finding f = { .check = of->check, .severity = of->severity, .remedy = of->remedy };
	va_list ap;

	va_start(ap, what);
	(void)vsnprintf(f.what, sizeof(f.what), what, ap);
	va_end(ap);
	(void)snprintf(f.object, sizeof(f.object), "%.511s", object);
	make_plain(f.what);
	make_plain(f.object);
	(void)snprintf(f.todo, sizeof(f.todo), "%s", of->todo);
	return finding_add(ret, &f, e);
}

static bool stat_path(const struct host *host, const char *path, struct stat *ret)
{
	auto_close int fd = fs_open(host->root, path, O_PATH | O_NOFOLLOW, 0);

	return fd >= 0 && fstat(fd, ret) == 0;
}

time_t leak_now(const struct host *host, const struct inventory *inv)
{
	struct stat st;

	return inv->node.is_recorded && stat_path(host, INVENTORY_FACTS, &st) ? st.st_mtime :
										time(NULL);
}

bool leak_is_settled(const struct host *host, time_t now, const char *path)
{
	struct stat st;

	return stat_path(host, path, &st) &&
	       st.st_mtime <= now - LEAK_SETTLED_S;
}

int leak_has_netns(const struct host *host, const struct inventory *inv, const char *path,
		   struct err *e)
{
	auto_close int fd = -1;
	struct stat st;

	return inv->node.is_recorded ? fs_exists(host->root, e, "%s", path) :
				       owner_open_path(path, &fd, &st, e);
}

int leak_has_record(struct journal *j, const struct owner *o, struct err *e)
{
	auto_record struct record rec = { 0 };
	unsigned int damaged = j->damaged;
	int r = j->dir >= 0 ? journal_find(j, o, &rec, e) : 0;

	if (r == 0)
		return j->damaged != damaged;
	return r < 0 && e->code == ERR_TRY_AGAIN ? 1 : r;
}
